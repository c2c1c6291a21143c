"""Poses as the 4 x 4 matrices a renderer takes: float64 until the one cast at its edge."""

from __future__ import annotations

from .arrays import F32, F64, I32
from .compiled import njit


@njit()
def place(left: F64, position: F64, rotation: F64, joint: I32, right: F64, out: F32) -> None:
    """Write out[p] = (left world(joint[p]) right[p])^T, computed in float64 and cast once.

    `left` and `right` carry a renderer's axes and a skin's bind matrices, so that those cost nothing a tick.

    left: (4, 4), affine, column vectors
    position: (J, 3) m, rotation: (J, 4) wxyz unit, of the joints in one frame
    joint: (P,) i32 into them
    right: (P, 4, 4), affine, column vectors
    out: (P, 4, 4) f32, row vectors, written
    """
    for p in range(joint.shape[0]):
        j = joint[p]
        w, x, y, z = rotation[j, 0], rotation[j, 1], rotation[j, 2], rotation[j, 3]
        tx, ty, tz = position[j, 0], position[j, 1], position[j, 2]
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
            r3 = a * tx + b * ty + c * tz + left[row, 3]
            for column in range(3):
                out[p, column, row] = (
                    r0 * right[p, 0, column] + r1 * right[p, 1, column] + r2 * right[p, 2, column]
                )
            out[p, 3, row] = r0 * right[p, 0, 3] + r1 * right[p, 1, 3] + r2 * right[p, 2, 3] + r3
        out[p, 0, 3] = 0.0
        out[p, 1, 3] = 0.0
        out[p, 2, 3] = 0.0
        out[p, 3, 3] = 1.0


@njit()
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
