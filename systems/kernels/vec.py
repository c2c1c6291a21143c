"""Small vectors and matrices in compiled code, for a search that asks tens of thousands of times."""

from __future__ import annotations

import math

import numpy as np

from .arrays import F64
from .compiled import njit


@njit(cache=True)
def cross(a: F64, b: F64) -> F64:
    """Return a x b, (3,)."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


@njit(cache=True)
def dot(a: F64, b: F64) -> float:
    """Return a . b. `@` would do, but numba takes that from scipy, which she runs without."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def apply(m: F64, v: F64) -> F64:
    """Return the (3, 3) matrix m on v, (3,)."""
    return np.array([dot(m[0], v), dot(m[1], v), dot(m[2], v)])


@njit(cache=True)
def product(a: F64, b: F64) -> F64:
    """Return the (3, 3) matrix a b."""
    out = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
    return out


@njit(cache=True)
def unit(a: F64) -> F64:
    """Return a at length 1."""
    return a / math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + 1e-18)


@njit(cache=True)
def frame(a: F64, b: F64) -> F64:
    """Return the (3, 3) columns a, b across a, and a x b, all unit."""
    x = unit(a)
    z = unit(cross(x, b))
    y = cross(z, x)
    out = np.empty((3, 3))
    for i in range(3):
        out[i, 0], out[i, 1], out[i, 2] = x[i], y[i], z[i]
    return out


@njit(cache=True)
def turn(axis: F64, angle: float) -> F64:
    """Return the (3, 3) matrix of a turn by `angle` rad about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    v = 1.0 - c
    out = np.empty((3, 3))
    out[0, 0], out[0, 1], out[0, 2] = c + x * x * v, x * y * v - z * s, x * z * v + y * s
    out[1, 0], out[1, 1], out[1, 2] = y * x * v + z * s, c + y * y * v, y * z * v - x * s
    out[2, 0], out[2, 1], out[2, 2] = z * x * v - y * s, z * y * v + x * s, c + z * z * v
    return out


@njit(cache=True)
def between(table: F64, u: float, v: float) -> F64:
    """Return the row of a (n, m, 6) table at u, v in 0..1, bilinear, its last three numbers at length 1."""
    n, m = table.shape[0], table.shape[1]
    a, b = min(max(u, 0.0), 0.9999) * (n - 1), min(max(v, 0.0), 0.9999) * (m - 1)
    i, j = int(a), int(b)
    a, b = a - i, b - j
    out = table[i, j] * (1 - a) * (1 - b) + table[i + 1, j] * a * (1 - b)
    out += table[i, j + 1] * (1 - a) * b + table[i + 1, j + 1] * a * b
    out[3:] = unit(out[3:])
    return out
