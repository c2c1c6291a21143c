"""What a held posture costs: hands placed on samples of her skin with opposed normals, arms and wrists as outcome.

Weights and start values were found by looking at one body (facts of the search: systems/posture/offline/recipe.py);
lengths are m of a body with an arm of 0.437 m. Each cost writes its parts into `c`, so that a report can name them.
"""

from __future__ import annotations

import math

import numpy as np

from . import gaps, placing, vec
from .arrays import F32, F64, I32
from .compiled import njit

(
    BODY, WORST, ARMS, WRIST, ROLL, REACH, ELBOW, REST, ACROSS, TOUCH, OVER, GIRDLE, SLOPE, SWIVEL, RANGE, TUCK,
) = range(16)  # fmt: skip
PARTS = 16
UP = np.array([0.0, 1.0, 0.0])


@njit(cache=True)
def _common(part: I32, trunk: I32, bound: I32, gap: F32, told: F64, c: F64) -> None:
    """Write what every hold pays: depth, wrists, pronation, reach."""
    lefts, body = bound[gaps.LEFTS], bound[gaps.BODY]
    square = worst = 0.0
    for i in range(gap.shape[0]):
        for j in range(body, gap.shape[1]):
            g = gap[i, j]
            if g < 0.0:
                square += g * g
                worst = min(worst, g)
    c[BODY], c[WORST] = 6e4 * square, -30.0 * worst
    square = 0.0
    for i in range(lefts):
        for j in range(lefts, bound[gaps.ARMS]):
            g = gap[i, j]
            if g < 0.0:
                square += g * g
    c[ARMS] = 8e4 * square
    for s in range(2):
        e = told[s, placing.SHARE]
        c[WRIST] += 12.0 * max(0.0, e - 0.75) ** 2 + 400.0 * max(0.0, e - 0.80) ** 2 + 0.5 * e * e
        p = told[s, placing.PRONATION]
        c[ROLL] += 2.0 * max(0.0, abs(p) - 1.1) ** 2 + 0.15 * p * p
        c[REACH] += 200.0 * told[s, placing.OVER] + 100.0 * told[s, placing.OVER] ** 2


@njit(cache=True)
def _least(part: I32, trunk: I32, bound: I32, gap: F32, side: int, link: int, other: int) -> float:
    """Return the least gap of one link: with the trunk where `other` is -1, else with that link of the other arm."""
    lefts, arms, body = bound[gaps.LEFTS], bound[gaps.ARMS], bound[gaps.BODY]
    least = 1.0
    mine = 3 * side + link
    if other < 0:
        for i in range(arms):
            if part[i] == mine:
                for j in range(body, gap.shape[1]):
                    if trunk[j] == 1:
                        least = min(least, gap[i, j])
        return least
    theirs = 3 * (1 - side) + other
    for i in range(lefts):
        for j in range(lefts, arms):
            if (part[i] == mine and part[j] == theirs) or (part[i] == theirs and part[j] == mine):
                least = min(least, gap[i, j])
    return least


@njit(cache=True)
def _round(angle: float) -> float:
    """Return where a map that goes once round from -pi to pi has this angle, 0..1."""
    return (angle + math.pi) % (2.0 * math.pi) / (2.0 * math.pi)


@njit(cache=True)
def _on(normal: F64, across: F64, angle: float, face: float) -> F64:
    """Return the neutral hand frame columns of a hand lying on a normal: fingers at `angle` from across x normal.

    face: 1 its palm on the skin, -1 its back
    """
    other = vec.cross(normal, across)
    d = across * math.cos(angle) + other * math.sin(angle)
    return vec.frame(d, normal * -face)


@njit(cache=True)
def crossed(
    x: F64, first: int, collar: F64, hang: F64, length: F64, at: F64, along: F64, part: I32, carried: I32, trunk: I32,
    still: F32, allow: F32, bound: I32, torso: F64, limb: F64, span: F64, anchor: F64, tees: F64, aim: F64,
    wrist: F64, hand: F64, swivel: F64, girdle: F64, links: F64, joints: F64, told: F64, caps: F32, gap: F32, c: F64,
) -> float:  # fmt: skip
    """Return what crossed arms cost, and write the arms.

    x: (14,) height and azimuth of the lower palm on the trunk, its fingers' angle, its swivel, its gap; place along and
        about the other palm's upper arm, fingers' angle, swivel; collar bones forward and up, lower then upper arm;
        gap of the upper palm
    first: side of the lower arm; torso: (n, m, 6), limb: (2, n, m, 6), span: (4,) m, rad, z of its axis: skin maps
    anchor: (2, 2, 3) of palm and back, hand's neutral axes; tees: (2, 3, 3); aim: (2,) m, gaps wanted on the capsules
    """
    c[:] = 0.0
    a, b = first, 1 - first
    ga = 1.0 if a == 0 else -1.0
    p = vec.between(torso, (x[0] - span[0]) / (span[1] - span[0]), _round(ga * x[1]))
    n = p[3:]
    hand[a] = vec.product(_on(n, vec.unit(vec.cross(n, UP)) * ga, x[2] * ga, 1.0), tees[a])
    wrist[a] = p[:3] + n * x[4] - vec.apply(hand[a], anchor[a, 0])
    swivel[a], swivel[b] = x[3], x[8]
    girdle[a, 0], girdle[a, 1], girdle[b, 0], girdle[b, 1] = x[9], x[10], x[11], x[12]
    placing.arm(a, collar, hang, length, wrist, hand, swivel, girdle, links, joints, told)
    q = vec.between(limb[a], x[5], _round(x[6]))
    point, n = joints[a, 0] + vec.apply(links[a, 1], q[:3]), vec.apply(links[a, 1], q[3:])
    bone = vec.unit(joints[a, 1] - joints[a, 0])
    hand[b] = vec.product(_on(n, vec.unit(vec.cross(n, bone)) * ga, x[7] * ga, 1.0), tees[b])
    wrist[b] = point + n * x[13] - vec.apply(hand[b], anchor[b, 0])
    placing.arm(b, collar, hang, length, wrist, hand, swivel, girdle, links, joints, told)
    placing.meet(collar, at, along, part, carried, still, links, joints, allow, bound, caps, gap)
    _common(part, trunk, bound, gap, told, c)
    for s in range(2):
        e = joints[s, 1] - joints[s, 0]
        g = 1.0 if s == 0 else -1.0
        upper = length[s, 0]
        c[ELBOW] += 600.0 * max(0.0, e[1] + 0.76 * upper) ** 2 + 60.0 * max(0.0, abs(e[0] * g) - 0.07) ** 2
        c[ELBOW] += 160.0 * max(0.0, 0.01 - e[2]) ** 2 + 60.0 * max(0.0, e[2] - 0.62 * upper) ** 2
        rise = (joints[s, 2, 1] - joints[s, 1, 1]) / length[s, 1]
        c[SLOPE] += 4.0 * max(0.0, abs(rise - 0.05) - 0.25) ** 2
        c[SWIVEL] += 0.3 * swivel[s] ** 2
        c[GIRDLE] += 3.0 * (girdle[s, 0] - 0.08) ** 2 + 8.0 * girdle[s, 1] ** 2
        c[GIRDLE] += 200.0 * max(0.0, abs(girdle[s, 0] - 0.05) - 0.25) ** 2
        c[GIRDLE] += 200.0 * max(0.0, abs(girdle[s, 1]) - 0.12) ** 2
    c[REST] = 1500.0 * max(0.0, _least(part, trunk, bound, gap, a, 1, -1) - 0.004) ** 2
    c[ACROSS] = 1500.0 * max(0.0, _least(part, trunk, bound, gap, a, 1, 1) - 0.004) ** 2
    c[TOUCH] = 300.0 * max(0.0, _least(part, trunk, bound, gap, a, 2, 0) - 0.010) ** 2
    best, ahead = 1e9, 0.0
    for i in range(9):
        u = 0.15 + 0.1 * i
        pa = joints[a, 1] * (1.0 - u) + joints[a, 2] * u
        for j in range(9):
            v = 0.15 + 0.1 * j
            pb = joints[b, 1] * (1.0 - v) + joints[b, 2] * v
            d = (pa[0] - pb[0]) ** 2 + (pa[1] - pb[1]) ** 2
            if d < best:
                best, ahead = d, pb[2] - pa[2]
    c[OVER] = 600.0 * max(0.0, 0.04 - ahead) ** 2 + 150.0 * best
    palm = joints[a, 2] + vec.apply(links[a, 3], anchor[a, 0])
    c[TUCK] = 500.0 * max(0.0, joints[b, 1, 1] + 0.045 - palm[1]) ** 2
    c[RANGE] = 1e3 * max(0.0, abs(x[4] - aim[0]) - 0.0003) + 1e3 * max(0.0, abs(x[13] - aim[1]) - 0.0003)
    c[RANGE] += 20.0 * max(0.0, 0.45 - x[5]) ** 2 + 20.0 * max(0.0, x[5] - 0.97) ** 2
    c[RANGE] += 5.0 * max(0.0, abs(x[2]) - 0.6) ** 2 + 5.0 * max(0.0, abs(x[7]) - 0.7) ** 2
    return c.sum()


@njit(cache=True)
def stacked(
    x: F64, first: int, collar: F64, hang: F64, length: F64, at: F64, along: F64, part: I32, carried: I32, trunk: I32,
    still: F32, allow: F32, bound: I32, torso: F64, limb: F64, span: F64, anchor: F64, tees: F64, aim: F64,
    wrist: F64, hand: F64, swivel: F64, girdle: F64, links: F64, joints: F64, told: F64, caps: F32, gap: F32, c: F64,
) -> float:  # fmt: skip
    """Return what one hand on her trunk and the other on that hand cost (clasp, behind the back), and write the arms.

    x: (16,) height, azimuth, fingers' angle and gap of the first hand, unused, angle between the hands, slide along
        and across, gap of the second, swivels left and right, collar bones forward left and right and up, tilts of the
        first
    aim: (11,) elbow below and beside the shoulder, m of upper arm; slack; behind; height of the hands, m; collar bones
        forward; angle between the hands and slack; swivel; 0 palm 1 back of first and second
    """
    c[:] = 0.0
    a, b = first, 1 - first
    ga = 1.0 if a == 0 else -1.0
    back_a, back_b = int(aim[9]), int(aim[10])
    face_a, face_b = 1.0 - 2.0 * back_a, 1.0 - 2.0 * back_b
    p = vec.between(torso, (x[0] - span[0]) / (span[1] - span[0]), _round(x[1]))
    n = p[3:]
    e1 = vec.unit(vec.cross(n, UP)) * ga
    e2 = vec.cross(n, e1) * ga
    d = e1 * math.cos(x[2]) + e2 * math.sin(x[2])
    h = vec.product(vec.frame(d, n * -face_a), tees[a])
    h = vec.product(vec.turn(d, x[14]), h)
    h = vec.product(vec.turn(vec.unit(vec.cross(n, d)), x[15]), h)
    hand[a] = h
    wrist[a] = p[:3] + n * x[3] - vec.apply(h, anchor[a, back_a])
    da, out = h[:, 0] * ga, h[:, 1] * face_a
    side = vec.cross(out, da)
    point = wrist[a] + vec.apply(h, anchor[a, 1 - back_a]) + da * x[6] + side * x[7] + out * x[8]
    db = vec.apply(vec.turn(out, x[5]), da)
    hand[b] = vec.product(vec.frame(db, out * -face_b), tees[b])
    wrist[b] = point - vec.apply(hand[b], anchor[b, back_b])
    swivel[0], swivel[1] = x[9] + aim[8], x[10] + aim[8]
    girdle[0, 0], girdle[1, 0], girdle[0, 1], girdle[1, 1] = x[11], x[12], x[13], x[13]
    placing.put(collar, hang, length, wrist, hand, swivel, girdle, links, joints, told)
    placing.meet(collar, at, along, part, carried, still, links, joints, allow, bound, caps, gap)
    _common(part, trunk, bound, gap, told, c)
    for s in range(2):
        e = joints[s, 1] - joints[s, 0]
        g = 1.0 if s == 0 else -1.0
        c[ELBOW] += 120.0 * max(0.0, e[1] + aim[0] * length[s, 0]) ** 2
        c[ELBOW] += 60.0 * max(0.0, abs(e[0] * g - aim[1]) - aim[2]) ** 2 + 160.0 * max(0.0, -e[2] - aim[3]) ** 2
        c[SWIVEL] += 0.3 * (swivel[s] - aim[8]) ** 2
        c[GIRDLE] += 3.0 * (girdle[s, 0] - aim[5]) ** 2 + 200.0 * max(0.0, abs(girdle[s, 0] - aim[5]) - 0.2) ** 2
    c[GIRDLE] += 8.0 * x[13] ** 2
    c[REST] = 300.0 * max(0.0, _least(part, trunk, bound, gap, a, 2, -1) - 0.008) ** 2
    even = joints[0, 1, 0] + joints[1, 1, 0]
    c[ACROSS] = (
        8.0 * even**2 + 8.0 * (joints[0, 1, 1] - joints[1, 1, 1]) ** 2 + 4.0 * (joints[0, 1, 2] - joints[1, 1, 2]) ** 2
    )
    c[TOUCH] = 12.5 * (joints[0, 2, 0] + joints[1, 2, 0]) ** 2
    c[TOUCH] += 50.0 * (0.5 * (joints[0, 2, 1] + joints[1, 2, 1]) - aim[4]) ** 2
    slide = math.sqrt(x[6] * x[6] + x[7] * x[7])
    c[OVER] = 300.0 * slide * slide + 4e3 * max(0.0, slide - 0.02) ** 2
    c[RANGE] = 1e3 * max(0.0, abs(x[8] - 0.004) - 0.001) + 200.0 * max(0.0, -x[3]) + 60.0 * max(0.0, x[3] - 0.03)
    c[TUCK] = max(0.0, abs(abs(x[5]) - aim[6]) - aim[7]) ** 2 + 0.8 * (x[14] * x[14] + x[15] * x[15])
    c[TUCK] += 3.0 * max(0.0, abs(x[2] - 0.6) - 0.6) ** 2
    return c.sum()


@njit(cache=True)
def hips(
    x: F64, first: int, collar: F64, hang: F64, length: F64, at: F64, along: F64, part: I32, carried: I32, trunk: I32,
    still: F32, allow: F32, bound: I32, torso: F64, limb: F64, span: F64, anchor: F64, tees: F64, aim: F64,
    wrist: F64, hand: F64, swivel: F64, girdle: F64, links: F64, joints: F64, told: F64, caps: F32, gap: F32, c: F64,
) -> float:  # fmt: skip
    """Return what hands on the hips cost, mirrored, and write the arms.

    x: (8,) height, azimuth, fingers' angle, gap, swivel, collar bones forward and up, tilt
    aim: (3,) m, height wanted, and what each hand's gap is more than x says
    """
    c[:] = 0.0
    for s in range(2):
        g = 1.0 if s == 0 else -1.0
        p = vec.between(torso, (x[0] - span[0]) / (span[1] - span[0]), _round(g * x[1]))
        n = p[3:]
        e1 = vec.unit(vec.cross(n, UP)) * g
        e2 = vec.cross(n, e1) * g
        d = e1 * math.cos(x[2]) + e2 * math.sin(x[2])
        hand[s] = vec.product(vec.turn(vec.unit(vec.cross(n, d)), x[7]), vec.product(vec.frame(d, -n), tees[s]))
        wrist[s] = p[:3] + n * (x[3] + aim[1 + s]) - vec.apply(hand[s], anchor[s, 0])
        swivel[s], girdle[s, 0], girdle[s, 1] = x[4], x[5], x[6]
    placing.put(collar, hang, length, wrist, hand, swivel, girdle, links, joints, told)
    placing.meet(collar, at, along, part, carried, still, links, joints, allow, bound, caps, gap)
    _common(part, trunk, bound, gap, told, c)
    for s in range(2):
        e = joints[s, 1] - joints[s, 0]
        g = 1.0 if s == 0 else -1.0
        upper = length[s, 0]
        c[ELBOW] += 60.0 * max(0.0, e[1] + 0.62 * upper) ** 2 + 100.0 * max(0.0, 0.55 * upper - e[0] * g) ** 2
        c[ELBOW] += 160.0 * max(0.0, -e[2] - 0.10) ** 2 + 160.0 * max(0.0, e[2] - 0.02) ** 2
        c[GIRDLE] += 3.0 * girdle[s, 0] ** 2 + 8.0 * girdle[s, 1] ** 2
    c[SWIVEL] = 0.05 * (x[4] - 0.8) ** 2
    c[RANGE] = 1e3 * max(0.0, abs(x[3] - 0.005) - 0.001)
    c[TUCK] = 0.5 * max(0.0, abs(x[2] - 0.5) - 0.5) ** 2 + 6.0 * x[7] ** 2 + 5.0 * (x[1] - 1.35) ** 2
    c[TOUCH] = 120.0 * max(0.0, abs(x[0] - aim[0]) - 0.02) ** 2
    return c.sum()
