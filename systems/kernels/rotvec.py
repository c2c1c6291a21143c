"""Rotation vectors (axis times angle, rad) to unit quaternions and back, exact for the smallest angles."""

from __future__ import annotations

import math

from .arrays import F64
from .compiled import njit

_TURN = 2.0 * math.pi


@njit(cache=True, allocates=False)
def exp(r: F64, out: F64) -> None:
    """Write the rotation by |r| rad about r. r: (3,), out: (4,) wxyz."""
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    if square < 1e-6:  # series of sin(t/2)/t and cos(t/2); the next terms are below 1e-16 here
        scale = 0.5 - square * (1.0 / 48.0 - square / 3840.0)
        out[0] = 1.0 - square * (0.125 - square / 384.0)
    else:
        theta = math.sqrt(square)
        scale = math.sin(0.5 * theta) / theta
        out[0] = math.cos(0.5 * theta)
    x, y, z = r[0], r[1], r[2]
    out[1] = x * scale
    out[2] = y * scale
    out[3] = z * scale


@njit(cache=True, allocates=False)
def log(q: F64, out: F64) -> None:
    """Write the shortest rotation vector of q, |out| <= pi; q and -q give the same. q: (4,), out: (3,)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    n = math.sqrt(x * x + y * y + z * z)
    # 2 atan2(n, w) / n keeps all digits down to n = 1e-150, where sqrt underflows; below, its limit for w = 1
    scale = 2.0 * math.atan2(n, w) / n if n > 1e-150 else 2.0
    out[0] = x * scale
    out[1] = y * scale
    out[2] = z * scale


@njit(cache=True, allocates=False)
def log_near(q: F64, previous: F64, out: F64) -> None:
    """Write, of all rotation vectors of q (whole turns apart), the one nearest to `previous`.

    This is what keeps a recorded motion continuous where the shortest vector would jump by a whole turn.
    q: (4,), previous, out: (3,) rad
    """
    px, py, pz = previous[0], previous[1], previous[2]
    log(q, out)
    theta = math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])
    if theta > 1e-9:
        along = (out[0] * px + out[1] * py + out[2] * pz) / theta
        turns = math.floor((along - theta) / _TURN + 0.5)
        if turns != 0.0:
            scale = (theta + turns * _TURN) / theta
            out[0] *= scale
            out[1] *= scale
            out[2] *= scale
        return
    # no rotation has no axis of its own: any whole turn about the previous axis will do
    length = math.sqrt(px * px + py * py + pz * pz)
    turns = math.floor(length / _TURN + 0.5)
    if turns > 0.0:
        scale = turns * _TURN / length
        out[0] += px * scale
        out[1] += py * scale
        out[2] += pz * scale


@njit(cache=True, allocates=False)
def apply(rest: F64, r: F64, out: F64) -> None:
    """Write rest exp(r): one layer's delta on top of a local rotation. rest, out: (4,), r: (3,) rad."""
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    if square < 1e-6:
        scale = 0.5 - square * (1.0 / 48.0 - square / 3840.0)
        w = 1.0 - square * (0.125 - square / 384.0)
    else:
        theta = math.sqrt(square)
        scale = math.sin(0.5 * theta) / theta
        w = math.cos(0.5 * theta)
    x, y, z = r[0] * scale, r[1] * scale, r[2] * scale
    aw, ax, ay, az = rest[0], rest[1], rest[2], rest[3]
    out[0] = aw * w - ax * x - ay * y - az * z
    out[1] = aw * x + ax * w + ay * z - az * y
    out[2] = aw * y - ax * z + ay * w + az * x
    out[3] = aw * z + ax * y - ay * x + az * w


@njit(cache=True, allocates=False)
def exp_each(r: F64, out: F64) -> None:
    """Write each row's rotation. r: (N, 3) rad, out: (N, 4)."""
    for i in range(out.shape[0]):
        exp(r[i], out[i])


@njit(cache=True, allocates=False)
def log_each(q: F64, out: F64) -> None:
    """Write each row's shortest rotation vector. q: (N, 4), out: (N, 3) rad."""
    for i in range(out.shape[0]):
        log(q[i], out[i])


@njit(cache=True, allocates=False)
def log_along(q: F64, out: F64) -> None:
    """Write the rotation vectors of a motion: the first the shortest, each next the nearest to the one before.

    q: (N, 4) successive rotations of one joint, out: (N, 3) rad
    """
    for i in range(out.shape[0]):
        if i == 0:
            log(q[i], out[i])
        else:
            log_near(q[i], out[i - 1], out[i])


@njit(cache=True, allocates=False)
def apply_each(rest: F64, r: F64, out: F64) -> None:
    """Write rest exp(r) row by row. rest, out: (N, 4), r: (N, 3) rad."""
    for i in range(out.shape[0]):
        apply(rest[i], r[i], out[i])
