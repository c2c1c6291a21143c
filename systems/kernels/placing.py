"""Both arms put where a hold wants the hands: two-bone IK with a swivel, wrists and pronation read off afterwards."""

from __future__ import annotations

import math

import numpy as np

from . import gaps, vec
from .arrays import F32, F64, I32
from .compiled import njit

REACH = 0.995  # of a straight arm's length, beyond it the target is out of reach
FOLDED = 0.25  # of it, nearer than this is out of reach too
OVER, PRONATION, FLEXION, ULNAR, SHARE, BEND = 0, 1, 2, 3, 4, 5  # columns of `told`
FUNCTIONAL = np.radians([54.0, 60.0, 17.0, 40.0])  # flexion, extension, radial, ulnar (Ryu 1991)


@njit(cache=True)
def put(
    collar: F64, hang: F64, length: F64, wrist: F64, hand: F64, swivel: F64, girdle: F64,
    links: F64, joints: F64, told: F64,
) -> None:  # fmt: skip
    """Write both arms, left and right.

    collar, hang, length: as in Arms; wrist: (2, 3) m; hand: (2, 3, 3) neutral rotation; swivel: (2,) rad about the line
        from shoulder to wrist, outward positive; girdle: (2, 2) rad, collar bone forward and up
    links: (2, 4, 3, 3) neutral rotations of collar, upper arm, forearm, hand; joints: (2, 3, 3) shoulder, elbow, wrist
    told: (2, 6): m out of reach, pronation, flexion, ulnar deviation, share of the functional ellipse, elbow bend; rad
    """
    for s in range(2):
        arm(s, collar, hang, length, wrist, hand, swivel, girdle, links, joints, told)


@njit(cache=True)
def arm(
    s: int, collar: F64, hang: F64, length: F64, wrist: F64, hand: F64, swivel: F64, girdle: F64,
    links: F64, joints: F64, told: F64,
) -> None:  # fmt: skip
    """Write one arm, 0 left or 1 right, as `put` does."""
    g = 1.0 if s == 0 else -1.0
    tee = vec.frame(np.array([g, 0.0, 0.0]), np.array([0.0, -g, 0.0])).T
    v = np.array([0.0, -g * girdle[s, 0], g * girdle[s, 1]])
    size = math.sqrt(v[1] * v[1] + v[2] * v[2])
    links[s, 0] = vec.turn(v / max(size, 1e-12), size)
    shoulder = collar[s] + vec.apply(links[s, 0], hang[s])
    upper, lower = length[s, 0], length[s, 1]
    d = wrist[s] - shoulder
    far = math.sqrt(vec.dot(d, d))
    most, least = REACH * (upper + lower), FOLDED * (upper + lower)
    told[s, OVER] = max(0.0, far - most) + max(0.0, least - far)
    x = d / max(far, 1e-9)
    far = min(max(far, least), most)
    reached = shoulder + x * far
    c = min(max((upper * upper + far * far - lower * lower) / (2.0 * upper * far), -1.0), 1.0)
    pole = vec.apply(vec.turn(x, g * swivel[s]), np.array([g * 0.6, -1.0, -0.4]))
    p = vec.unit(pole - vec.dot(pole, x) * x)
    up = x * c + p * math.sqrt(max(0.0, 1.0 - c * c))
    elbow = shoulder + up * upper
    fore = vec.unit(reached - elbow)
    hinge = vec.cross(up, fore)
    links[s, 1] = vec.product(vec.frame(up, hinge), tee)
    links[s, 2] = vec.product(vec.frame(fore, hinge), tee)
    links[s, 3] = hand[s]
    joints[s, 0], joints[s, 1], joints[s, 2] = shoulder, elbow, reached
    told[s, BEND] = math.acos(min(max(vec.dot(up, fore), -1.0), 1.0))
    _wrist(vec.product(links[s, 2].T, hand[s]), s, told[s])


@njit(cache=True)
def _wrist(local: F64, s: int, told: F64) -> None:
    """Write pronation and the wrist's bend of a hand seen from its forearm, (3, 3): roll about x first."""
    w = math.sqrt(max(1.0 + local[0, 0] + local[1, 1] + local[2, 2], 1e-12)) * 0.5
    x, y, z = local[2, 1] - local[1, 2], local[0, 2] - local[2, 0], local[1, 0] - local[0, 1]
    roll = 2.0 * math.atan2(x / (4.0 * w), w)
    told[PRONATION] = roll
    bent = vec.product(vec.turn(np.array([1.0, 0.0, 0.0]), -roll), local)
    c = min(max((bent[0, 0] + bent[1, 1] + bent[2, 2] - 1.0) * 0.5, -1.0), 1.0)
    angle = math.acos(c)
    x, y, z = bent[2, 1] - bent[1, 2], bent[0, 2] - bent[2, 0], bent[1, 0] - bent[0, 1]
    size = math.sqrt(x * x + y * y + z * z)
    scale = angle / size if size > 1e-9 else 0.5
    sign = -1.0 if s == 0 else 1.0
    flexion, radial = sign * z * scale, sign * y * scale
    told[FLEXION], told[ULNAR] = flexion, -radial
    a = flexion / (FUNCTIONAL[0] if flexion > 0.0 else FUNCTIONAL[1])
    b = radial / (FUNCTIONAL[2] if radial > 0.0 else FUNCTIONAL[3])
    told[SHARE] = math.sqrt(a * a + b * b)


@njit(cache=True)
def meet(
    collar: F64, at: F64, along: F64, part: I32, carried: I32, still: F32, links: F64, joints: F64, allow: F32,
    bound: I32, caps: F32, gap: F32,
) -> None:  # fmt: skip
    """Write every capsule, (7, N), and every gap with its allowance, (A, N) m. still: (7, N), the base pose's."""
    for k in range(part.shape[0]):
        s, link = part[k] // 3, part[k] % 3
        turn, joint = links[s, link + 1], joints[s, link]
        for i in range(3):
            caps[i, k] = joint[i] + turn[i, 0] * at[k, 0] + turn[i, 1] * at[k, 1] + turn[i, 2] * at[k, 2]
            caps[3 + i, k] = turn[i, 0] * along[k, 0] + turn[i, 1] * along[k, 1] + turn[i, 2] * along[k, 2]
    for k in range(bound[gaps.BODY], caps.shape[1]):
        if carried[k] > 0:
            s = carried[k] - 1
            turn = links[s, 0]
            for i in range(3):
                caps[i, k], caps[3 + i, k] = collar[s, i], 0.0
                for j in range(3):
                    caps[i, k] += turn[i, j] * (still[j, k] - collar[s, j])
                    caps[3 + i, k] += turn[i, j] * still[3 + j, k]
    gaps.fill(caps, allow, bound, gap)
