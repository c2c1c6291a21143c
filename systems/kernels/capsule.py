"""Capsules in the avatar's frame: placed on their joints, bent by a correction, how far apart two are and which way.

Tables of capsules are (7, N) as in gaps.py. `links` is (2, 3, 15), a row each for upper arm, forearm and hand of the
left and of the right arm: its joint before a correction and after it, m, and the turn the correction makes, a matrix.
"""

from __future__ import annotations

import math

import numpy as np

from . import gaps
from .arrays import F32, F64, I32
from .compiled import njit

MOVED, TURN = 3, 6  # places in a row of `links`; its joint comes first
_POINT = 1e-12  # m^2, added to squared lengths: a capsule may be a ball
_PARALLEL = 1e-9  # of the determinant's largest value, below which two axes count as parallel
_CROSSED = 1e-6  # m between two axes, below which they give no direction


@njit(cache=True, allocates=False)
def place(joint: I32, shape: F64, position: F64, world: F64, caps: F64, single: F32) -> float:
    """Write where capsules are and return 0, or NaN if one is nowhere.

    joint: (N,) i32, -1 for a column that fills up; shape: (7, N), start and axis in the joint's frame, radius
    position: (J, 3), world: (J, 4); caps: (7, N) f64 and single: (7, N) f32, written
    """
    last, lost = -1, 0.0
    r00 = r01 = r02 = r10 = r11 = r12 = r20 = r21 = r22 = px = py = pz = 0.0
    for c in range(joint.shape[0]):
        j = joint[c]
        if j < 0:
            continue
        if j != last:
            w, x, y, z = world[j, 0], world[j, 1], world[j, 2], world[j, 3]
            r00, r01, r02 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
            r10, r11, r12 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
            r20, r21, r22 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
            px, py, pz = position[j, 0], position[j, 1], position[j, 2]
            lost += 0.0 * (w + x + y + z + px + py + pz)
            last = j
        x, y, z = shape[0, c], shape[1, c], shape[2, c]
        caps[0, c], caps[1, c] = px + r00 * x + r01 * y + r02 * z, py + r10 * x + r11 * y + r12 * z
        caps[2, c] = pz + r20 * x + r21 * y + r22 * z
        x, y, z = shape[3, c], shape[4, c], shape[5, c]
        caps[3, c], caps[4, c] = r00 * x + r01 * y + r02 * z, r10 * x + r11 * y + r12 * z
        caps[5, c] = r20 * x + r21 * y + r22 * z
        for k in range(6):
            single[k, c] = np.float32(caps[k, c])
    return lost


@njit(cache=True, allocates=False)
def bend(correction: F64, caps: F64, part: I32, bound: I32, links: F64, out: F64) -> float:
    """Write the arms under a correction and return how far a capsule has gone, m.

    correction: (18,) rad, as in Contacts; part: (N,) i32, 3 side + link of the arms' capsules
    caps: (7, N) before it; links: MOVED and TURN written; out: (7, N), the arms written
    """
    for row in range(6):
        side, link = row // 3, row % 3
        me = links[side, link]
        x, y, z = correction[3 * row], correction[3 * row + 1], correction[3 * row + 2]
        square = x * x + y * y + z * z
        if square < 1e-8:
            a, b = 1.0 - square / 6.0, 0.5 - square / 24.0
        else:
            angle = math.sqrt(square)
            a, b = math.sin(angle) / angle, (1.0 - math.cos(angle)) / square
        me[6], me[7], me[8] = 1.0 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y
        me[9], me[10], me[11] = b * x * y + a * z, 1.0 - b * (x * x + z * z), b * y * z - a * x
        me[12], me[13], me[14] = b * x * z - a * y, b * y * z + a * x, 1.0 - b * (x * x + y * y)
        if link == 0:
            for k in range(3):
                me[MOVED + k] = me[k]
            continue
        up = links[side, link - 1]
        dx, dy, dz = me[0] - up[0], me[1] - up[1], me[2] - up[2]
        for k in range(3):
            me[MOVED + k] = up[MOVED + k] + up[6 + 3 * k] * dx + up[7 + 3 * k] * dy + up[8 + 3 * k] * dz
            p, q, r = me[6 + k], me[9 + k], me[12 + k]  # column k of this link's own turn
            me[6 + k], me[9 + k], me[12 + k] = (
                up[6] * p + up[7] * q + up[8] * r,
                up[9] * p + up[10] * q + up[11] * r,
                up[12] * p + up[13] * q + up[14] * r,
            )
    most = 0.0
    for i in range(bound[gaps.ARMS]):
        me = links[part[i] // 3, part[i] % 3]
        x, y, z = caps[0, i] - me[0], caps[1, i] - me[1], caps[2, i] - me[2]
        u, v, w = caps[3, i], caps[4, i], caps[5, i]
        far = near = 0.0
        for k in range(3):
            a, b, c = me[6 + 3 * k], me[7 + 3 * k], me[8 + 3 * k]
            start, axis = me[MOVED + k] + a * x + b * y + c * z, a * u + b * v + c * w
            step = start - caps[k, i]
            near += step * step
            step += axis - caps[3 + k, i]
            far += step * step
            out[k, i], out[3 + k, i] = start, axis
        most = max(most, near, far)
    return math.sqrt(most)


@njit(cache=True, allocates=False)
def apart(caps: F64, i: int, j: int, way: F64) -> float:
    """Return the distance of two capsules' surfaces, m; negative inside each other.

    way: (6,), written: the unit vector from j to i, and the nearest point on the axis of i. Axes that cross give no
    vector: then it is across both, to the side that the middle of i is on.
    """
    ax, ay, az, ux, uy, uz = caps[0, i], caps[1, i], caps[2, i], caps[3, i], caps[4, i], caps[5, i]
    vx, vy, vz = caps[3, j], caps[4, j], caps[5, j]
    rx, ry, rz = ax - caps[0, j], ay - caps[1, j], az - caps[2, j]
    uu, vv = ux * ux + uy * uy + uz * uz + _POINT, vx * vx + vy * vy + vz * vz + _POINT
    vr, ur, uv = vx * rx + vy * ry + vz * rz, ux * rx + uy * ry + uz * rz, ux * vx + uy * vy + uz * vz
    s = min(max((uv * vr - ur * vv) / max(uu * vv - uv * uv, _PARALLEL * uu * vv), 0.0), 1.0)
    t = min(max((uv * s + vr) / vv, 0.0), 1.0)
    s = min(max((uv * t - ur) / uu, 0.0), 1.0)
    x, y, z = rx + s * ux - t * vx, ry + s * uy - t * vy, rz + s * uz - t * vz
    distance = math.sqrt(x * x + y * y + z * z)
    size = distance
    if distance < _CROSSED:
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        size = math.sqrt(x * x + y * y + z * z)
        if size < 1e-12:  # one lies in the other, or is a ball in it: any way across will do
            x, y, z = (0.0, -uz, uy) if ux * ux < 0.5 * uu else (-uz, 0.0, ux)
            size = math.sqrt(x * x + y * y + z * z)
            if size < 1e-12:
                x, y, z, size = 0.0, 0.0, 1.0, 1.0
        if x * (rx + 0.5 * (ux - vx)) + y * (ry + 0.5 * (uy - vy)) + z * (rz + 0.5 * (uz - vz)) < 0.0:
            size = -size
    way[0], way[1], way[2] = x / size, y / size, z / size
    way[3], way[4], way[5] = ax + s * ux, ay + s * uy, az + s * uz
    return distance - caps[6, i] - caps[6, j]
