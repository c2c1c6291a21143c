"""A wrist's bend against the functional ellipse, and how a correction of the hand changes it.

Roll is the forearm's, so it is taken off first; what is left is flexion and deviation of a hand on a rolled forearm.
"""

from __future__ import annotations

import math

from . import quat, rotvec
from .arrays import F64
from .compiled import njit

_STEP = 1e-4  # rad, of the difference that gives the slope


@njit(cache=True, allocates=False)
def frames(fore: F64, hand: F64, frame: F64, out: F64) -> None:
    """Write what `share` needs of one wrist on this tick. fore, hand: (4,) wxyz avatar frame, before the correction.

    frame: (2, 4) what follows either to give the arm of the neutral T-pose (systems/retarget); out: (2, 4)
    """
    quat.mul(fore, frame[0], out[0])
    quat.conj(out[0], out[0])
    quat.mul(hand, frame[1], out[1])


@njit(cache=True, allocates=False)
def share(seen: F64, x: float, y: float, z: float, side: int, limit: F64, work: F64) -> float:
    """Return how far a wrist is bent, 1 at the ellipse.

    seen: (2, 4) from `frames`; x, y, z: the hand's correction, rad
    side: 0 left, 1 right; limit: (4,) rad, flexion, extension, radial, ulnar; work: (2, 4)
    """
    turned, other = work[0], work[1]
    other[0], other[1], other[2] = x, y, z
    rotvec.exp(other[:3], turned)
    quat.mul(turned, seen[1], turned)
    quat.mul(seen[0], turned, turned)
    half = math.atan2(turned[1], turned[0])  # the roll about x, half of it
    other[0], other[1], other[2], other[3] = math.cos(half), math.sin(half), 0.0, 0.0
    quat.between(other, turned, turned)
    rotvec.log(turned, other[:3])
    sign = -1.0 if side == 0 else 1.0
    flexion, radial = sign * other[2], sign * other[1]
    a = flexion / (limit[0] if flexion > 0.0 else limit[1])
    b = radial / (limit[2] if radial > 0.0 else limit[3])
    return math.sqrt(a * a + b * b)


@njit(cache=True, allocates=False)
def slope(seen: F64, r: F64, side: int, limit: F64, work: F64, out: F64) -> float:
    """Write how `share` grows with the hand's correction, 1/rad, and return it. r, out: (3,)."""
    here = share(seen, r[0], r[1], r[2], side, limit, work)
    out[0] = (share(seen, r[0] + _STEP, r[1], r[2], side, limit, work) - here) / _STEP
    out[1] = (share(seen, r[0], r[1] + _STEP, r[2], side, limit, work) - here) / _STEP
    out[2] = (share(seen, r[0], r[1], r[2] + _STEP, side, limit, work) - here) / _STEP
    return here
