"""Unit quaternions: wxyz, Hamilton, active. One row in, one row out; `_each` for N rows.

Outputs may be the same array as an input. Inputs are unit quaternions unless a docstring says otherwise.
"""

from __future__ import annotations

import math

from .arrays import F32, F64
from .compiled import njit

_TINY = 1e-300  # below this a squared length is no direction


@njit(cache=True, allocates=False)
def identity(out: F64) -> None:
    """Write no rotation. out: (4,)."""
    out[0] = 1.0
    out[1] = 0.0
    out[2] = 0.0
    out[3] = 0.0


@njit(cache=True, allocates=False)
def copy(q: F64, out: F64) -> None:
    """Write q. q, out: (4,)."""
    out[0] = q[0]
    out[1] = q[1]
    out[2] = q[2]
    out[3] = q[3]


@njit(cache=True, allocates=False)
def mul(a: F64, b: F64, out: F64) -> None:
    """Write a b: b acts first, then a. a, b, out: (4,)."""
    aw, ax, ay, az = a[0], a[1], a[2], a[3]
    bw, bx, by, bz = b[0], b[1], b[2], b[3]
    out[0] = aw * bw - ax * bx - ay * by - az * bz
    out[1] = aw * bx + ax * bw + ay * bz - az * by
    out[2] = aw * by - ax * bz + ay * bw + az * bx
    out[3] = aw * bz + ax * by - ay * bx + az * bw


@njit(cache=True, allocates=False)
def conj(q: F64, out: F64) -> None:
    """Write the inverse of q. q, out: (4,)."""
    out[0] = q[0]
    out[1] = -q[1]
    out[2] = -q[2]
    out[3] = -q[3]


@njit(cache=True, allocates=False)
def between(a: F64, b: F64, out: F64) -> None:
    """Write a^-1 b: what must follow a (in a's own frame) to give b. a, b, out: (4,)."""
    aw, ax, ay, az = a[0], -a[1], -a[2], -a[3]
    bw, bx, by, bz = b[0], b[1], b[2], b[3]
    out[0] = aw * bw - ax * bx - ay * by - az * bz
    out[1] = aw * bx + ax * bw + ay * bz - az * by
    out[2] = aw * by - ax * bz + ay * bw + az * bx
    out[3] = aw * bz + ax * by - ay * bx + az * bw


@njit(cache=True, allocates=False)
def normalise(q: F64, out: F64) -> None:
    """Write q at length 1; a quaternion without a length gives no rotation. q, out: (4,)."""
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if not square > _TINY:  # also when it is not a number
        identity(out)
        return
    scale = 1.0 / math.sqrt(square)
    out[0] = q[0] * scale
    out[1] = q[1] * scale
    out[2] = q[2] * scale
    out[3] = q[3] * scale


@njit(cache=True, allocates=False)
def rotate(q: F64, v: F64, out: F64) -> None:
    """Write v turned by q. q: (4,), v, out: (3,)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    vx, vy, vz = v[0], v[1], v[2]
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    out[0] = vx + w * tx + y * tz - z * ty
    out[1] = vy + w * ty + z * tx - x * tz
    out[2] = vz + w * tz + x * ty - y * tx


@njit(cache=True, allocates=False)
def rotate_back(q: F64, v: F64, out: F64) -> None:
    """Write v turned by the inverse of q. q: (4,), v, out: (3,)."""
    w, x, y, z = q[0], -q[1], -q[2], -q[3]
    vx, vy, vz = v[0], v[1], v[2]
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    out[0] = vx + w * tx + y * tz - z * ty
    out[1] = vy + w * ty + z * tx - x * tz
    out[2] = vz + w * tz + x * ty - y * tx


@njit(cache=True, allocates=False)
def about(axis: F64, angle: float, out: F64) -> None:
    """Write the rotation by `angle` rad about a unit axis. axis: (3,), out: (4,)."""
    s = math.sin(0.5 * angle)
    out[0] = math.cos(0.5 * angle)
    out[1] = axis[0] * s
    out[2] = axis[1] * s
    out[3] = axis[2] * s


@njit(cache=True, allocates=False)
def angle(a: F64, b: F64) -> float:
    """Return the smallest angle between two rotations, rad 0..pi, exact near 0. a, b: (4,)."""
    aw, ax, ay, az = a[0], -a[1], -a[2], -a[3]
    bw, bx, by, bz = b[0], b[1], b[2], b[3]
    w = aw * bw - ax * bx - ay * by - az * bz
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    return 2.0 * math.atan2(math.sqrt(x * x + y * y + z * z), abs(w))


@njit(cache=True, allocates=False)
def roll(q: F64, axis: F64) -> float:
    """Return how far q rolls about a unit axis, rad -pi..pi: the twist of its swing-twist split. q: (4,), axis: (3,).

    With t = about(axis, roll), q = swing t and swing has no part about the axis. 0 where q turns the axis over.
    """
    part = q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2]
    if q[0] < 0.0:
        return 2.0 * math.atan2(-part, -q[0])
    return 2.0 * math.atan2(part, q[0])


@njit(cache=True, allocates=False)
def slerp(a: F64, b: F64, t: float, out: F64) -> None:
    """Write the rotation the fraction t of the short way from a to b (t outside 0..1 goes on). a, b, out: (4,)."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = 1.0
    if dot < 0.0:
        sign = -1.0
        dot = -dot
    # atan2 of difference and sum: acos(dot) loses half of the digits when a is near b
    d0, d1, d2, d3 = sign * b[0] - a[0], sign * b[1] - a[1], sign * b[2] - a[2], sign * b[3] - a[3]
    s0, s1, s2, s3 = sign * b[0] + a[0], sign * b[1] + a[1], sign * b[2] + a[2], sign * b[3] + a[3]
    half = math.atan2(
        math.sqrt(d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3), math.sqrt(s0 * s0 + s1 * s1 + s2 * s2 + s3 * s3)
    )
    omega = 2.0 * half
    if omega < 1e-6:
        u, v = 1.0 - t, t  # the sine weights differ from these by omega^2 t / 6 < 2e-13
    else:
        scale = 1.0 / math.sin(omega)
        u, v = math.sin((1.0 - t) * omega) * scale, math.sin(t * omega) * scale
    v *= sign
    out[0] = u * a[0] + v * b[0]
    out[1] = u * a[1] + v * b[1]
    out[2] = u * a[2] + v * b[2]
    out[3] = u * a[3] + v * b[3]
    normalise(out, out)


@njit(cache=True, allocates=False)
def arc(u: F64, v: F64, out: F64) -> None:
    """Write the shortest rotation that turns direction u into direction v. u, v: (3,) any length, out: (4,).

    Opposite directions turn about some axis across u; a vector without a length gives no rotation.
    """
    lu = math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    lv = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if not (lu > 1e-150 and lv > 1e-150):
        identity(out)
        return
    ux, uy, uz = u[0] / lu, u[1] / lu, u[2] / lu
    vx, vy, vz = v[0] / lv, v[1] / lv, v[2] / lv
    sx, sy, sz = ux + vx, uy + vy, uz + vz
    square = sx * sx + sy * sy + sz * sz
    if square > 1e-16:
        out[0] = 0.5 * square  # 1 + u.v, without its cancellation where they are nearly opposite
        out[1] = uy * vz - uz * vy
        out[2] = uz * vx - ux * vz
        out[3] = ux * vy - uy * vx
    else:  # opposite: across u and the coordinate axis it leans on least
        out[0] = 0.0
        if abs(ux) <= abs(uy) and abs(ux) <= abs(uz):
            out[1], out[2], out[3] = 0.0, uz, -uy
        elif abs(uy) <= abs(uz):
            out[1], out[2], out[3] = -uz, 0.0, ux
        else:
            out[1], out[2], out[3] = uy, -ux, 0.0
    normalise(out, out)


@njit(cache=True, allocates=False)
def to_matrix(q: F64, out: F64) -> None:
    """Write the rotation matrix, column vectors. q: (4,), out: (3, 3)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[0, 1] = 2.0 * (x * y - w * z)
    out[0, 2] = 2.0 * (x * z + w * y)
    out[1, 0] = 2.0 * (x * y + w * z)
    out[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[1, 2] = 2.0 * (y * z - w * x)
    out[2, 0] = 2.0 * (x * z - w * y)
    out[2, 1] = 2.0 * (y * z + w * x)
    out[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@njit(cache=True, allocates=False)
def from_matrix(m: F64, out: F64) -> None:
    """Write the quaternion (w >= 0) of a rotation matrix of column vectors. m: (3, 3), out: (4,).

    The largest of the four components is taken by root, the others by division (Shepperd 1978): no cancellation.
    """
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace >= m[0, 0] and trace >= m[1, 1] and trace >= m[2, 2]:
        out[0] = 1.0 + trace
        out[1] = m[2, 1] - m[1, 2]
        out[2] = m[0, 2] - m[2, 0]
        out[3] = m[1, 0] - m[0, 1]
    elif m[0, 0] >= m[1, 1] and m[0, 0] >= m[2, 2]:
        out[0] = m[2, 1] - m[1, 2]
        out[1] = 1.0 + m[0, 0] - m[1, 1] - m[2, 2]
        out[2] = m[0, 1] + m[1, 0]
        out[3] = m[0, 2] + m[2, 0]
    elif m[1, 1] >= m[2, 2]:
        out[0] = m[0, 2] - m[2, 0]
        out[1] = m[0, 1] + m[1, 0]
        out[2] = 1.0 - m[0, 0] + m[1, 1] - m[2, 2]
        out[3] = m[1, 2] + m[2, 1]
    else:
        out[0] = m[1, 0] - m[0, 1]
        out[1] = m[0, 2] + m[2, 0]
        out[2] = m[1, 2] + m[2, 1]
        out[3] = 1.0 - m[0, 0] - m[1, 1] + m[2, 2]
    normalise(out, out)
    if out[0] < 0.0:
        for k in range(4):
            out[k] = -out[k]


@njit(cache=True, allocates=False)
def mul_each(a: F64, b: F64, out: F64) -> None:
    """Write a b row by row. a, b, out: (N, 4); an a or b of one row serves all."""
    for i in range(out.shape[0]):
        mul(a[i if a.shape[0] > 1 else 0], b[i if b.shape[0] > 1 else 0], out[i])


@njit(cache=True, allocates=False)
def between_each(a: F64, b: F64, out: F64) -> None:
    """Write a^-1 b row by row. a, b, out: (N, 4); an a or b of one row serves all."""
    for i in range(out.shape[0]):
        between(a[i if a.shape[0] > 1 else 0], b[i if b.shape[0] > 1 else 0], out[i])


@njit(cache=True, allocates=False)
def conj_each(q: F64, out: F64) -> None:
    """Write each row's inverse. q, out: (N, 4)."""
    for i in range(out.shape[0]):
        conj(q[i], out[i])


@njit(cache=True, allocates=False)
def normalise_each(q: F64, out: F64) -> None:
    """Write each row at length 1. q, out: (N, 4)."""
    for i in range(out.shape[0]):
        normalise(q[i], out[i])


@njit(cache=True, allocates=False)
def rotate_each(q: F64, v: F64, out: F64) -> None:
    """Write v turned by q row by row. q: (N, 4), v, out: (N, 3); a q or v of one row serves all."""
    for i in range(out.shape[0]):
        rotate(q[i if q.shape[0] > 1 else 0], v[i if v.shape[0] > 1 else 0], out[i])


@njit(cache=True, allocates=False)
def slerp_each(a: F64, b: F64, t: float, out: F64) -> None:
    """Write the short way's fraction t row by row. a, b, out: (N, 4)."""
    for i in range(out.shape[0]):
        slerp(a[i], b[i], t, out[i])


@njit(cache=True, allocates=False)
def angle_each(a: F64, b: F64, out: F64) -> None:
    """Write the smallest angles row by row, rad. a, b: (N, 4); a b of one row serves all; out: (N,)."""
    for i in range(out.shape[0]):
        out[i] = angle(a[i], b[i if b.shape[0] > 1 else 0])


@njit(cache=True, allocates=False)
def furthest(a: F64, b: F64 | F32) -> float:
    """Return the largest of the smallest angles row by row, rad. a, b: (N, 4)."""
    largest = 0.0
    for i in range(a.shape[0]):
        largest = max(largest, angle(a[i], b[i]))
    return largest


@njit(cache=True, allocates=False)
def to_matrix_each(q: F64, out: F64) -> None:
    """Write each row's matrix. q: (N, 4), out: (N, 3, 3)."""
    for i in range(out.shape[0]):
        to_matrix(q[i], out[i])
