"""Rotations of whole clips in numpy: (T, 3) rotation vectors, (T, 4) quaternions wxyz (Hamilton, active), matrices."""

from __future__ import annotations

import numpy as np

from .....components.arrays import F64


def product(a: F64, b: F64) -> F64:
    """Return a * b, (..., 4): first b, then a."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def inverse(q: F64) -> F64:
    """Return the inverse of unit quaternions (..., 4)."""
    return q * [1.0, -1.0, -1.0, -1.0]


def turn(q: F64, v: F64) -> F64:
    """Return vectors v (..., 3) turned by q (..., 4)."""
    w, u = q[..., :1], q[..., 1:]
    across = 2.0 * np.cross(u, v)
    return v + w * across + np.cross(u, across)


def from_vector(v: F64) -> F64:
    """Return quaternions (..., 4) of rotation vectors (..., 3), rad."""
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    half = 0.5 * angle
    scale = 0.5 * np.sinc(half / np.pi)  # sin(half) / angle without the division by zero
    return np.concatenate([np.cos(half), scale * v], axis=-1)


def to_vector(q: F64) -> F64:
    """Return the shortest rotation vectors (..., 3), rad, of unit quaternions (..., 4)."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    return q[..., 1:] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0)


def from_axes(x: F64, y: F64, z: F64) -> F64:
    """Return quaternions (T, 4) whose matrices have the columns x, y, z (T, 3), orthonormal and right-handed."""
    # each of the four squared components by the trace; take the largest as pivot (Shepperd 1978)
    trace = np.stack(
        [
            1.0 + x[:, 0] + y[:, 1] + z[:, 2],
            1.0 + x[:, 0] - y[:, 1] - z[:, 2],
            1.0 - x[:, 0] + y[:, 1] - z[:, 2],
            1.0 - x[:, 0] - y[:, 1] + z[:, 2],
        ],
        axis=1,
    )
    a, b, c = y[:, 2] - z[:, 1], z[:, 0] - x[:, 2], x[:, 1] - y[:, 0]
    d, e, f = x[:, 1] + y[:, 0], z[:, 0] + x[:, 2], y[:, 2] + z[:, 1]
    rows = np.stack(
        [
            np.stack([trace[:, 0], a, b, c], axis=1),
            np.stack([a, trace[:, 1], d, e], axis=1),
            np.stack([b, d, trace[:, 2], f], axis=1),
            np.stack([c, e, f, trace[:, 3]], axis=1),
        ],
        axis=1,
    )
    best = rows[np.arange(len(x)), trace.argmax(axis=1)]
    return best / np.linalg.norm(best, axis=1, keepdims=True)
