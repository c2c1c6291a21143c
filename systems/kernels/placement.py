"""Poses as affine matrices and skinned vertices: float64 until the one cast at a renderer's edge."""

from __future__ import annotations

from .arrays import F32, F64, I32
from .compiled import njit


@njit(cache=True, allocates=False)
def place(left: F64, position: F64, rotation: F64, joint: I32, right: F64, out: F64) -> None:
    """Write out[p] = left world(joint[p]) right[p], the upper three rows, column vectors.

    `left` and `right` carry a renderer's axes and a skin's bind matrices, so that those cost nothing a tick.

    left: (4, 4), affine
    position: (J, 3) m, rotation: (J, 4) wxyz unit, of the joints in one frame
    joint: (P,) i32 into them
    right: (P, 4, 4), affine
    out: (P, 3, 4), written
    """
    for p in range(joint.shape[0]):
        j = joint[p]
        w, x, y, z = rotation[j, 0], rotation[j, 1], rotation[j, 2], rotation[j, 3]
        m00 = 1.0 - 2.0 * (y * y + z * z)
        m01 = 2.0 * (x * y - w * z)
        m02 = 2.0 * (x * z + w * y)
        m10 = 2.0 * (x * y + w * z)
        m11 = 1.0 - 2.0 * (x * x + z * z)
        m12 = 2.0 * (y * z - w * x)
        m20 = 2.0 * (x * z - w * y)
        m21 = 2.0 * (y * z + w * x)
        m22 = 1.0 - 2.0 * (x * x + y * y)
        for row in range(3):
            a, b, c = left[row, 0], left[row, 1], left[row, 2]
            r0 = a * m00 + b * m10 + c * m20
            r1 = a * m01 + b * m11 + c * m21
            r2 = a * m02 + b * m12 + c * m22
            r3 = a * position[j, 0] + b * position[j, 1] + c * position[j, 2] + left[row, 3]
            for column in range(4):
                out[p, row, column] = r0 * right[p, 0, column] + r1 * right[p, 1, column] + r2 * right[p, 2, column]
            out[p, row, 3] += r3


@njit(cache=True, allocates=False)
def shape(rest: F32, vertex: I32, start: I32, slot: I32, delta: F32, weight: F64, shaped: F64) -> None:
    """Write the vertices that shapes move, before any joint: rest plus the weighted deltas.

    rest: (V, 6) f32, position m and normal
    vertex: (U,) i32, the vertices that any shape moves
    start: (M + 1,) i32, shape m holds rows start[m]..start[m + 1] of
    slot: (K,) i32 into `vertex`, and delta: (K, 6) f32, position m and normal
    weight: (M,)
    shaped: (U, 6), written
    """
    for u in range(vertex.shape[0]):
        for k in range(6):
            shaped[u, k] = rest[vertex[u], k]
    for m in range(weight.shape[0]):
        amount = weight[m]
        if amount != 0.0:
            for row in range(start[m], start[m + 1]):
                u = slot[row]
                for k in range(6):
                    shaped[u, k] += amount * delta[row, k]


@njit(cache=True, allocates=False)
def skin(rest: F32, moved: I32, shaped: F64, bone: I32, weight: F32, matrix: F64, out: F32) -> None:
    """Write sum_k weight[v, k] matrix[bone[v, k]] vertex, and the normal turned by the same and set to length 1.

    Linear blend skinning; the sum runs in float64 over matrices, so that a vertex is rounded once.

    rest: (V, 6) f32, position m and normal, mesh frame
    moved: (V,) i32, row of `shaped` that stands in for `rest`, or -1; shaped: (U, 6)
    bone: (V, 4) i32 into matrix: (P, 3, 4); weight: (V, 4) f32, falling: the first 0 ends a vertex
    out: (V, 6) f32, position and normal, written
    """
    for v in range(rest.shape[0]):
        u = moved[v]
        if u >= 0:
            x, y, z = shaped[u, 0], shaped[u, 1], shaped[u, 2]
            nx, ny, nz = shaped[u, 3], shaped[u, 4], shaped[u, 5]
        else:
            x, y, z = float(rest[v, 0]), float(rest[v, 1]), float(rest[v, 2])
            nx, ny, nz = float(rest[v, 3]), float(rest[v, 4]), float(rest[v, 5])
        px, py, pz = 0.0, 0.0, 0.0
        qx, qy, qz = 0.0, 0.0, 0.0
        for k in range(4):
            w = float(weight[v, k])
            if w == 0.0:
                break
            m = matrix[bone[v, k]]
            px += w * (m[0, 0] * x + m[0, 1] * y + m[0, 2] * z + m[0, 3])
            py += w * (m[1, 0] * x + m[1, 1] * y + m[1, 2] * z + m[1, 3])
            pz += w * (m[2, 0] * x + m[2, 1] * y + m[2, 2] * z + m[2, 3])
            qx += w * (m[0, 0] * nx + m[0, 1] * ny + m[0, 2] * nz)
            qy += w * (m[1, 0] * nx + m[1, 1] * ny + m[1, 2] * nz)
            qz += w * (m[2, 0] * nx + m[2, 1] * ny + m[2, 2] * nz)
        length = (qx * qx + qy * qy + qz * qz) ** 0.5
        scale = 1.0 / length if length > 1e-30 else 0.0
        out[v, 0] = px
        out[v, 1] = py
        out[v, 2] = pz
        out[v, 3] = qx * scale
        out[v, 4] = qy * scale
        out[v, 5] = qz * scale


@njit(cache=True, allocates=False)
def between_poses(
    position_a: F64, rotation_a: F64, position_b: F64, rotation_b: F64, share: float, position: F64, rotation: F64
) -> None:
    """Write joints part of the way from pose a to pose b: for drawing between two ticks, not for kinematics.

    Straight lines and normalised linear quaternions: over one tick at 400 deg/s a 0.3 m bone is short by
    L (dtheta/2)^2 / 2 = 0.5 mm at most, half-way, which is less than a pixel on a full figure.

    position_*: (J, 3) m, rotation_*: (J, 4) wxyz, one frame; share: 0 is a, 1 is b
    position: (J, 3), rotation: (J, 4), written; may be a's or b's arrays
    """
    for j in range(position.shape[0]):
        for k in range(3):
            position[j, k] = position_a[j, k] + share * (position_b[j, k] - position_a[j, k])
        dot = 0.0
        for k in range(4):
            dot += rotation_a[j, k] * rotation_b[j, k]
        sign = 1.0 if dot >= 0.0 else -1.0
        square = 0.0
        for k in range(4):
            value = (1.0 - share) * rotation_a[j, k] + sign * share * rotation_b[j, k]
            rotation[j, k] = value
            square += value * value
        scale = 1.0 / square**0.5
        for k in range(4):
            rotation[j, k] *= scale
