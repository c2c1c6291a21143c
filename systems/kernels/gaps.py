"""The collision pass: how far arms are from what they can meet, pair by pair, in single precision, a row at a stride.

The one place with relaxed arithmetic. A value that is not a number stays one here (no `nnan`, no `ninf`), and is asked
for elsewhere. What the compiler turns into vector code is easily lost: rows are taken out of their arrays before a
loop, and nothing but arithmetic happens inside it. tests/collide/test_gaps.py holds that.

A table of capsules is (7, N): start, axis, radius, m. Its columns: left arm, right arm, then from `bound[BODY]` on the
body; both after the left arm filled up to multiples of BLOCK with columns that no pair may meet. The left arm is
tested against the right arm and the body, the right arm against the body.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .arrays import F32, I32
from .compiled import njit

FAST = {"contract", "nsz", "arcp", "reassoc", "afn"}
BLOCK = 32  # columns judged together: the compiler takes four vectors of eight a round, fewer go one by one
LEFTS, ARMS, BODY, GROUPS = 0, 1, 2, 3  # places in `bound`: how many left, both, first of the body, 6 groups' bounds

_POINT = np.float32(1e-12)  # m^2, added to squared lengths: a capsule may be a ball
_PARALLEL = np.float32(1e-7)  # of the determinant's largest value, below which two axes count as parallel
_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
_NOWHERE = np.float32(-1e3)  # m, radius of a ball around nothing


@njit(cache=True, allocates=False, fastmath=FAST, error_model="numpy")
def fill(caps: F32, allow: F32, bound: I32, gap: F32) -> None:
    """Write every gap, m: distance of the axes less both radii, plus what the pair is allowed.

    caps: (7, N) f32; allow: (A, N) f32 m; bound: (10,) i32; gap: (A, N) f32, a row written from its first column on
    """
    for i in range(bound[ARMS]):
        first = bound[LEFTS] if i < bound[LEFTS] else bound[BODY]
        _row(caps, i, first, caps.shape[1], allow, gap)


@njit(cache=True, allocates=False, fastmath=FAST, error_model="numpy")
def _row(caps: F32, i: int, first: Any, end: Any, allow: F32, gap: F32) -> None:
    """Write the gaps of capsule i to those from `first` to `end`.

    The squared distance is convex in the places s, t on both axes, so clamping one, then the other, then the first
    again ends at its least value (Ericson, Real-Time Collision Detection, 5.1.9).
    """
    bx, by, bz = caps[0][first:end], caps[1][first:end], caps[2][first:end]
    vx, vy, vz = caps[3][first:end], caps[4][first:end], caps[5][first:end]
    size, free, row = caps[6][first:end], allow[i][first:end], gap[i][first:end]
    ax, ay, az, ux, uy, uz, radius = caps[0, i], caps[1, i], caps[2, i], caps[3, i], caps[4, i], caps[5, i], caps[6, i]
    uu = ux * ux + uy * uy + uz * uz + _POINT
    inverse = _ONE / uu
    for j in range(row.shape[0]):
        x, y, z = vx[j], vy[j], vz[j]
        rx, ry, rz = ax - bx[j], ay - by[j], az - bz[j]
        vv = x * x + y * y + z * z + _POINT
        vr, ur, uv = x * rx + y * ry + z * rz, ux * rx + uy * ry + uz * rz, ux * x + uy * y + uz * z
        s = min(max((uv * vr - ur * vv) / max(uu * vv - uv * uv, _PARALLEL * uu * vv), _ZERO), _ONE)
        t = min(max((uv * s + vr) / vv, _ZERO), _ONE)
        s = min(max((uv * t - ur) * inverse, _ZERO), _ONE)
        dx, dy, dz = rx + s * ux - t * x, ry + s * uy - t * y, rz + s * uz - t * z
        row[j] = math.sqrt(dx * dx + dy * dy + dz * dz) - radius - size[j] + free[j]


@njit(cache=True, allocates=False)
def among(gap: F32, bound: I32, reach: float, across: float, pair: I32) -> int:
    """Write the pairs whose gap is under `reach` m, `across` m for arm and arm, and return how many.

    gap: (A, N) from `fill`; pair: (M, 2) i32
    """
    count, lefts, body = 0, bound[LEFTS], bound[BODY]
    far, near = np.float32(across), np.float32(reach)
    for i in range(bound[ARMS]):
        for at in range(lefts if i < lefts else body, gap.shape[1], BLOCK):
            count = _list(gap[i], i, at, near if at >= body else far, pair, count)
    return count


@njit(cache=True, allocates=False)
def _list(row: F32, i: int, at: int, most: Any, pair: I32, count: int) -> int:
    """Append the pairs of one block, most of which hold none, and return how many there are now."""
    part, some = row[at : at + BLOCK], np.int32(0)
    for j in range(BLOCK):  # vector code: appending in this loop took eight times as long
        some += np.int32(part[j] < most)
    if some > 0:
        for j in range(BLOCK):
            if part[j] < most:
                pair[count, 0], pair[count, 1] = i, at + j
                count += 1
    return count


@njit(cache=True, allocates=False)
def near(caps: F32, allow: F32, bound: I32, reach: float, across: float, hull: F32, gap: F32, pair: I32) -> int:
    """Write what `fill` and `among` would list, and return how many, leaving out groups of capsules out of reach.

    hull: (4, 6 + blocks) f32 and gap: room to work in
    """
    lefts, body, blocks = bound[LEFTS], bound[BODY], hull.shape[1] - 6
    for g in range(6):
        _ball(caps, bound[GROUPS + g], bound[GROUPS + g + 1], hull, g)
    for k in range(blocks):
        _ball(caps, lefts + k * BLOCK, lefts + (k + 1) * BLOCK, hull, 6 + k)
    count = 0
    for g in range(6):
        start, stop = bound[GROUPS + g], bound[GROUPS + g + 1]
        first = 0 if g < 3 else (body - lefts) // BLOCK
        if start == stop:
            continue
        for k in range(first, blocks):
            at = lefts + k * BLOCK
            x, y, z = hull[0, g] - hull[0, 6 + k], hull[1, g] - hull[1, 6 + k], hull[2, g] - hull[2, 6 + k]
            far = hull[3, g] + hull[3, 6 + k] + np.float32(reach if at >= body else across)
            if far > _ZERO and x * x + y * y + z * z < far * far:
                for i in range(start, stop):
                    _row(caps, i, at, at + BLOCK, allow, gap)
            else:
                gap[start, at] = np.float32(np.nan)  # says that this block was left out
        for i in range(start, stop):
            for k in range(first, blocks):
                at = lefts + k * BLOCK
                if not math.isnan(gap[start, at]):
                    count = _list(gap[i], i, at, np.float32(reach if at >= body else across), pair, count)
    return count


@njit(cache=True, allocates=False)
def _ball(caps: F32, first: int, end: int, hull: F32, k: int) -> None:
    """Write a ball around the capsules from `first` to `end`; columns that fill up (radius below 0) do not count."""
    hull[3, k] = _NOWHERE
    for axis in range(3):
        low, high = np.float32(1e9), np.float32(-1e9)
        for j in range(first, end):
            if caps[6, j] >= _ZERO:
                p, q = caps[axis, j], caps[axis, j] + caps[3 + axis, j]
                low, high = min(low, p, q), max(high, p, q)
        hull[axis, k] = _HALF * (low + high)
    for j in range(first, end):
        if caps[6, j] >= _ZERO:
            x, y, z = caps[0, j] - hull[0, k], caps[1, j] - hull[1, k], caps[2, j] - hull[2, k]
            one = math.sqrt(x * x + y * y + z * z)
            x, y, z = x + caps[3, j], y + caps[4, j], z + caps[5, j]
            hull[3, k] = max(hull[3, k], max(one, math.sqrt(x * x + y * y + z * z)) + caps[6, j])
