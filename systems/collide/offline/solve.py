"""The least correction of one frame, compiled: arms posed, gaps and their slopes in float64, a small dual problem.

This is the reference the rule is measured against, so it shares no code with the rule's kernels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....components.arrays import F64, I32
from ...kernels import quat, rotvec
from ...kernels.compiled import njit

BAND = 0.02  # m beyond the aim, within which a pair is a row of the solve
KEEP = 0.08  # m, pairs nearer than this are looked at; looked for again once an arm has moved as far
LEVER = np.array([0.75, 0.50, 0.25])  # m, farthest a capsule of an adult is from shoulder, elbow and wrist
MOST = 6000  # pairs looked at
ROWS = 500  # contacts in one solve
SOFT = 1e-7  # m^2 per unit of force: lets the dual end where contacts contradict each other


@njit(cache=True)
def closest(i: int, p: F64, u: F64, j: int, q: F64, v: F64, out: F64) -> float:
    """Return the distance of segment i of one list and j of another, m, and write the way from the second to the first.

    p, q: (N, 3) starts; u, v: (N, 3) from start to end; out: (5,): the way (3), then where on u and on v (0..1)
    Robust form of the two clamped projections (Ericson, Real-Time Collision Detection, 5.1.9); points are segments.
    """
    ux, uy, uz = u[i, 0], u[i, 1], u[i, 2]
    vx, vy, vz = v[j, 0], v[j, 1], v[j, 2]
    x, y, z = p[i, 0] - q[j, 0], p[i, 1] - q[j, 1], p[i, 2] - q[j, 2]
    a = ux * ux + uy * uy + uz * uz + 1e-18
    e = vx * vx + vy * vy + vz * vz + 1e-18
    b = ux * vx + uy * vy + uz * vz
    c = ux * x + uy * y + uz * z
    f = vx * x + vy * y + vz * z
    s = min(max((b * f - c * e) / max(a * e - b * b, 1e-12 * a * e), 0.0), 1.0)
    t = min(max((b * s + f) / e, 0.0), 1.0)
    s = min(max((b * t - c) / a, 0.0), 1.0)
    x, y, z = x + s * ux - t * vx, y + s * uy - t * vy, z + s * uz - t * vz
    out[0], out[1], out[2], out[3], out[4] = x, y, z, s, t
    return math.sqrt(x * x + y * y + z * z)


@njit(cache=True)
def put(r: F64, joint: F64, side: I32, link: I32, at: F64, way: F64, turn: F64, place: F64, start: F64, along: F64):
    """Pose the arms' capsules with a correction.

    r: (18,) rad, left upper arm, forearm, hand, then right; each in the avatar's frame turned by those before it
    joint: (2, 3, 3); at, way: (A, 3), capsules before; turn: (2, 3, 3, 3), place: (2, 3, 3), start, along: written
    """
    q, own = np.empty(4), np.empty((3, 3))
    for s in range(2):
        for k in range(3):
            rotvec.exp(r[9 * s + 3 * k : 9 * s + 3 * k + 3], q)
            quat.to_matrix(q, own)
            for x in range(3):
                if k == 0:
                    place[s, 0, x] = joint[s, 0, x]
                    for y in range(3):
                        turn[s, 0, x, y] = own[x, y]
                else:
                    total = place[s, k - 1, x]
                    for y in range(3):
                        total += turn[s, k - 1, x, y] * (joint[s, k, y] - joint[s, k - 1, y])
                        turn[s, k, x, y] = (
                            turn[s, k - 1, x, 0] * own[0, y]
                            + turn[s, k - 1, x, 1] * own[1, y]
                            + turn[s, k - 1, x, 2] * own[2, y]
                        )
                    place[s, k, x] = total
    for i in range(at.shape[0]):
        s, k = side[i], link[i]
        for x in range(3):
            start[i, x], along[i, x] = place[s, k, x], 0.0
            for y in range(3):
                start[i, x] += turn[s, k, x, y] * (at[i, y] - joint[s, k, y])
                along[i, x] += turn[s, k, x, y] * way[i, y]


@njit(cache=True)
def near(
    keep: float, start: F64, along: F64, ra: F64, body: F64, body_along: F64, rb: F64, allow: F64, across: F64,
    out: F64, pairs: I32,
) -> int:  # fmt: skip
    """Write the pairs whose gap is under `keep`, m, spheres round them first; returns how many. pairs: (MOST, 2)."""
    count, lefts, bodies, arms = 0, across.shape[0], body.shape[0], start.shape[0]
    middle = np.empty((bodies + arms, 4))
    for j in range(bodies + arms):
        i = j - bodies
        size = 0.0
        for x in range(3):
            way = body_along[j, x] if i < 0 else along[i, x]
            middle[j, x] = (body[j, x] if i < 0 else start[i, x]) + 0.5 * way
            size += way * way
        middle[j, 3] = 0.5 * math.sqrt(size) + (rb[j] if i < 0 else ra[i])
    for i in range(arms):
        a, b, c, own = middle[bodies + i, 0], middle[bodies + i, 1], middle[bodies + i, 2], middle[bodies + i, 3] + keep
        for j in range(bodies + arms):
            k = j - bodies
            if k >= 0 and (i >= lefts or k < lefts):
                continue
            x, y, z, far = middle[j, 0] - a, middle[j, 1] - b, middle[j, 2] - c, middle[j, 3] + own
            if x * x + y * y + z * z >= far * far:
                continue
            if (allow[i, j] if k < 0 else across[i, k - lefts]) > 1.0 or count == pairs.shape[0]:
                continue
            if gap_of(i, j, start, along, ra, body, body_along, rb, allow, across, out) < keep:
                pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return count


@njit(cache=True)
def gap_of(
    i: int, j: int, start: F64, along: F64, ra: F64, body: F64, body_along: F64, rb: F64, allow: F64, across: F64,
    out: F64,
) -> float:  # fmt: skip
    """Return a pair's gap beyond its allowance, m, and write what `closest` does. j >= B: arm capsule j - B."""
    bodies = body.shape[0]
    if j < bodies:
        return closest(i, start, along, j, body, body_along, out) - ra[i] - rb[j] + allow[i, j]
    k = j - bodies
    return closest(i, start, along, k, start, along, out) - ra[i] - ra[k] + across[i, k - across.shape[0]]


@njit(cache=True)
def _slope(
    row: F64, n: int, first: Any, link: Any, point: F64, way: F64, sign: float, r: F64, bend: F64, turn: F64, place: F64
) -> None:
    """Write d gap / d r of one arm into row n: (point - joint) x way for a turn in space, through the slope of exp.

    bend: (6, 2), (1 - cos t) / t^2 and (t - sin t) / t^3 of each of the six turns
    """
    s = first // 9
    for k in range(link + 1):
        x, y, z = point[0] - place[s, k, 0], point[1] - place[s, k, 1], point[2] - place[s, k, 2]
        g0 = sign * (y * way[2] - z * way[1])
        g1 = sign * (z * way[0] - x * way[2])
        g2 = sign * (x * way[1] - y * way[0])
        if k:
            x, y, z = g0, g1, g2
            g0 = turn[s, k - 1, 0, 0] * x + turn[s, k - 1, 1, 0] * y + turn[s, k - 1, 2, 0] * z
            g1 = turn[s, k - 1, 0, 1] * x + turn[s, k - 1, 1, 1] * y + turn[s, k - 1, 2, 1] * z
            g2 = turn[s, k - 1, 0, 2] * x + turn[s, k - 1, 1, 2] * y + turn[s, k - 1, 2, 2] * z
        at = first + 3 * k
        a, b, c, one, two = r[at], r[at + 1], r[at + 2], bend[3 * s + k, 0], bend[3 * s + k, 1]
        # transposed left Jacobian of SO(3): g - one r x g + two r x (r x g)
        p, q, u = b * g2 - c * g1, c * g0 - a * g2, a * g1 - b * g0
        row[n, at] = g0 - one * p + two * (b * u - c * q)
        row[n, at + 1] = g1 - one * q + two * (c * p - a * u)
        row[n, at + 2] = g2 - one * u + two * (a * q - b * p)


@njit(cache=True)
def _bends(r: F64, bend: F64) -> None:
    for k in range(6):
        t2 = r[3 * k] ** 2 + r[3 * k + 1] ** 2 + r[3 * k + 2] ** 2
        t = math.sqrt(t2)
        bend[k, 0] = 0.5 - t2 / 24.0 if t < 1e-3 else (1.0 - math.cos(t)) / t2
        bend[k, 1] = 1.0 / 6.0 - t2 / 120.0 if t < 1e-3 else (t - math.sin(t)) / (t2 * t)


@njit(cache=True)
def _dual(
    row: F64, want: F64, low: I32, high: I32, count: int, ease: F64, back: F64, sweeps: int, force: F64, soft: F64,
    step: F64,
) -> None:  # fmt: skip
    """Write the step nearest to `back` in the metric 1 / ease that fulfils row . step >= want: dual Gauss-Seidel."""
    for a in range(18):
        step[a] = back[a]
    for c in range(count):
        total = SOFT
        for a in range(low[c], high[c]):
            soft[c, a] = row[c, a] * ease[a]
            total += row[c, a] * soft[c, a]
        force[c], soft[c, 18] = 0.0, total
    for _ in range(sweeps):
        most = 0.0
        for c in range(count):
            lacks = want[c] - SOFT * force[c]
            for a in range(low[c], high[c]):
                lacks -= row[c, a] * step[a]
            change = max(lacks / soft[c, 18], -force[c])
            if change != 0.0:
                force[c] += change
                most = max(most, abs(change) * soft[c, 18])
                for a in range(low[c], high[c]):
                    step[a] += soft[c, a] * change
        if most < 1e-6:
            break


@njit(cache=True)
def solve(
    r: F64, joint: F64, side: I32, link: I32, at: F64, way: F64, ra: F64, body: F64, body_along: F64, rb: F64,
    allow: F64, across: F64, ease: F64, aim: float, rounds: int, room: Any, pairs: I32, low: I32, high: I32,
) -> tuple[float, float]:  # fmt: skip
    """Move r to the least correction that clears this frame; returns its cost, m^2, and what is left inside, m.

    r: (18,) rad, where to start, then the best found: least inside first (to 0.1 mm beyond aim), then least cost
    ease: (18,) 1/m^2, inverse of what a squared radian costs; aim: m, gap wanted; room: `workspace`
    """
    turn, place, start, along, row, want, step, back, best, then, way_out, point, force, soft, bend = room
    bodies = body.shape[0]
    best_cost, best_deep = 1e9, 1e9
    put(r, joint, side, link, at, way, turn, place, start, along)
    count = near(KEEP, start, along, ra, body, body_along, rb, allow, across, way_out, pairs)
    then[:] = r
    band, size, calm = BAND, 1.0, 0
    for turn_of in range(rounds + 1):
        if turn_of:
            put(r, joint, side, link, at, way, turn, place, start, along)
            moved = 0.0
            for s in range(2):
                far = 0.0
                for k in range(3):
                    a = 9 * s + 3 * k
                    far += LEVER[k] * math.sqrt(
                        (r[a] - then[a]) ** 2 + (r[a + 1] - then[a + 1]) ** 2 + (r[a + 2] - then[a + 2]) ** 2
                    )
                moved = max(moved, far)
            if moved > 0.5 * (KEEP - band):  # both arms may have moved toward each other
                count = near(KEEP, start, along, ra, body, body_along, rb, allow, across, way_out, pairs)
                then[:] = r
        rows, deep = 0, 0.0
        _bends(r, bend)
        for p in range(count):
            i, j = pairs[p, 0], pairs[p, 1]
            gap = gap_of(i, j, start, along, ra, body, body_along, rb, allow, across, way_out)
            deep = max(deep, -gap)
            if gap > aim + band or rows == ROWS:
                continue
            length = math.sqrt(way_out[0] ** 2 + way_out[1] ** 2 + way_out[2] ** 2)
            if length < 1e-7:  # the axes cross: no way out by itself, its neighbours have one
                continue
            for x in range(3):
                way_out[x] /= length
                point[x] = start[i, x] + way_out[3] * along[i, x]
            for a in range(18):
                row[rows, a] = 0.0
            s = side[i]
            _slope(row, rows, 9 * s, link[i], point, way_out, 1.0, r, bend, turn, place)
            low[rows], high[rows] = 9 * s, 9 * s + 3 * link[i] + 3
            if j >= bodies:
                k = j - bodies
                for x in range(3):
                    point[x] = start[k, x] + way_out[4] * along[k, x]
                _slope(row, rows, 9 * side[k], link[k], point, way_out, -1.0, r, bend, turn, place)
                low[rows], high[rows] = 0, 18
            want[rows] = aim - gap
            rows += 1
        cost = 0.0
        for a in range(18):
            cost += r[a] * r[a] / ease[a]
        # left inside by less than 0.1 mm counts as clear, and then the cheaper one is better
        if max(deep, 1e-4) < best_deep - 1e-6 or (max(deep, 1e-4) < best_deep + 1e-6 and cost < best_cost):
            best_cost, best_deep = cost, max(deep, 1e-4)
            best[:] = r
        if turn_of == rounds:
            break
        if rows == 0 and cost == 0.0:
            break
        for a in range(18):
            back[a] = -r[a]
        _dual(row, want, low, high, rows, ease, back, 40, force, soft, step)
        most = 0.0
        for a in range(18):
            most = max(most, abs(step[a]))
        if turn_of > 12:
            size = 0.5  # two contacts that take turns: half steps end it
        scale = size * min(1.0, 0.3 / max(most, 1e-12))
        for a in range(18):
            r[a] += scale * step[a]
        band = min(BAND, 0.004 + 2.0 * scale * most)
        calm = calm + 1 if scale * most < 2e-4 else 0
        if calm == 1:
            break
    r[:] = best
    return best_cost, best_deep


@njit(cache=True)
def workspace(arms: int) -> Any:
    """Return the arrays that `solve` works in."""
    return (
        np.empty((2, 3, 3, 3)), np.empty((2, 3, 3)), np.empty((arms, 3)), np.empty((arms, 3)),
        np.empty((ROWS, 18)), np.empty(ROWS), np.empty(18), np.empty(18), np.empty(18), np.empty(18),
        np.empty(5), np.empty(3), np.empty(ROWS), np.empty((ROWS, 19)), np.empty((6, 2)),
    )  # fmt: skip
