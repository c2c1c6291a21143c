"""Evenly spaced samples at another rate: cubic splines that are continuous up to the second derivative."""

from __future__ import annotations

import math

import numpy as np

from .....components.arrays import F64
from .....components.take import TAKE_RATE

_KNOT = 1e-9  # of a sample's spacing: a time this near to a sample is that sample


def count_at(frames: int, fps: float, rate: float = TAKE_RATE) -> int:
    """Return how many samples at `rate` fit from the first to the last of `frames` at `fps`."""
    return math.floor((frames - 1) / fps * rate + 1e-6) + 1


def resampled(values: F64, fps: float, rate: float = TAKE_RATE) -> F64:
    """Return (U, ...) f64: values (T, ...) at `rate` Hz along natural cubic splines; samples that coincide are kept."""
    values = np.asarray(values, np.float64)
    if fps == rate or len(values) < 2:
        return values.copy()
    return along(values, np.arange(count_at(len(values), fps, rate), dtype=np.float64) * (fps / rate))


def along(values: F64, place: F64) -> F64:
    """Return (U, ...) f64: the spline through evenly spaced samples (T, ...).

    place: (U,) in samples from the first. Before the first and after the last sample it stays there.
    """
    if len(values) < 2:
        return np.repeat(values, len(place), axis=0)
    flat = values.reshape(len(values), -1)
    place = np.clip(place, 0.0, len(values) - 1.0)
    left = np.clip(np.floor(place + _KNOT).astype(int), 0, len(values) - 2)
    u = (place - left)[:, None]
    u[np.abs(u) < _KNOT] = 0.0
    bend = _second(flat)
    a, b = 1.0 - u, u
    out = a * flat[left] + b * flat[left + 1]
    out += ((a**3 - a) * bend[left] + (b**3 - b) * bend[left + 1]) / 6.0
    return out.reshape(len(out), *values.shape[1:])


def resampled_turns(rotation: F64, fps: float, rate: float = TAKE_RATE) -> F64:
    """Return (U, ..., 4) wxyz unit: rotations (T, ..., 4) at `rate` Hz, their angular velocity without kinks.

    The spline runs through the quaternions, each on the side of the one before, and is brought back to length 1.
    """
    out = resampled(one_side(rotation), fps, rate)
    return out / np.linalg.norm(out, axis=-1, keepdims=True)


def one_side(rotation: F64) -> F64:
    """Return the same rotations (T, ..., 4) with each quaternion on the side of the one before it."""
    dots = np.einsum("t...k,t...k->t...", rotation[1:], rotation[:-1])
    sign = np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)
    out = np.array(rotation, np.float64)
    out[1:] *= sign[..., None]
    return out


def _second(flat: F64) -> F64:
    """Return the second derivatives at the samples, ends at 0: the tridiagonal system (1, 4, 1) by elimination."""
    count = len(flat)
    out = np.zeros_like(flat)
    if count < 3:
        return out
    right = 6.0 * (flat[2:] - 2.0 * flat[1:-1] + flat[:-2])
    upper = np.empty(count - 2)
    pivot = 4.0
    for k in range(count - 2):
        if k:
            pivot = 4.0 - upper[k - 1]
            right[k] -= right[k - 1]
        right[k] /= pivot
        upper[k] = 1.0 / pivot
    for k in range(count - 4, -1, -1):
        right[k] -= upper[k] * right[k + 1]
    out[1:-1] = right
    return out
