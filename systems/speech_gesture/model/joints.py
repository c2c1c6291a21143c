"""The model's body: which joint is whose, and the six numbers it tells a rotation by."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F32
from ....components.gesture import JOINTS

# SMPL-X's numbers of the joints of each part, in the order of its channels. Jaw and eyes (22-24) are never made.
OF: dict[str, tuple[int, ...]] = {
    "upper": (3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21),
    "hands": tuple(range(25, 55)),
    "lower": (0, 1, 2, 4, 5, 7, 8, 10, 11),
}
_LEAST = 1e-8  # length below which a direction is none


def identity(frames: int) -> F32:
    """Return (frames, 55, 4) f32 wxyz of no rotation."""
    out = np.zeros((frames, JOINTS, 4), np.float32)
    out[..., 0] = 1.0
    return out


def to_quaternion(rows: F32) -> F32:
    """Return (..., 4) f32 wxyz, w >= 0. rows: (..., 6), the first two rows of a rotation matrix, of any lengths."""
    x = rows[..., :3].astype(np.float64)
    y = rows[..., 3:].astype(np.float64)
    x = _unit(x, 0)
    y = _unit(y - (x * y).sum(-1, keepdims=True) * x, 1)
    z = np.cross(x, y)
    return _of_matrix(np.stack([x, y, z], -2)).astype(np.float32)


def to_rows(quaternion: F32) -> F32:
    """Return (..., 6) f32, the first two rows of the matrix. quaternion: (..., 4) wxyz, of any length but 0."""
    q = quaternion.astype(np.float64)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
    ]
    return np.stack(rows, -1).astype(np.float32)


def _unit(v: np.ndarray, axis: int) -> np.ndarray:
    """Return unit vectors; the axis itself where there is no direction, so that nothing divides by 0."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(length > _LEAST, v / np.maximum(length, _LEAST), np.eye(3)[axis])


def _of_matrix(m: np.ndarray) -> np.ndarray:
    """Return the quaternions of rotation matrices, each from the largest of its four numbers: stable at any angle."""
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # 4 q_i q_j for every pair
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    d, e, f = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    table = np.stack(
        [
            np.stack([1 + xx + yy + zz, a, b, c], -1),
            np.stack([a, 1 + xx - yy - zz, d, e], -1),
            np.stack([b, d, 1 - xx + yy - zz, f], -1),
            np.stack([c, e, f, 1 - xx - yy + zz], -1),
        ],
        -2,
    )
    largest = np.argmax(np.stack([table[..., k, k] for k in range(4)], -1), -1)
    q = np.take_along_axis(table, largest[..., None, None], -2)[..., 0, :]
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., :1] < 0, -q, q)
