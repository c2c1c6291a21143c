"""A limb as capsules in a row, each between the measured centres of two slices."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64

LEAST = 12  # samples of a slice that say where its middle is
THICK = 0.8  # of the samples' distances from the slice's middle: most of the sleeve, not its loose folds


@dataclass(frozen=True, slots=True)
class Piece:
    """One capsule while it is fitted. row: of Parts, the bone it hangs on; ends and radius: m, avatar frame in rest."""

    row: int
    start: F64
    end: F64
    radius: float


def chain(row: int, point: F64, start: F64, end: F64, count: int) -> list[Piece]:
    """Return `count` capsules along a bone through the middles of its slices; none where there are too few samples.

    point: (N, 3) m, the bone's samples; start, end: (3,) m, the bone
    """
    line = end - start
    length = float(np.linalg.norm(line))
    if len(point) < LEAST or length < 1e-4:
        return []
    z = line / length
    x, y = sides(z)
    flat = np.stack([(point - start) @ x, (point - start) @ y], axis=1)
    along = (point - start) @ z
    stations = np.linspace(0.0, length, count + 1)
    half = 0.5 * length / count
    middle: list[F64 | None] = []
    radius: list[float] = []
    for station in stations:
        near = along * 0 > 1  # none
        for wide in (1.0, 1.6, 2.5):
            near = np.abs(along - station) < half * wide
            if near.sum() >= LEAST:
                break
        if near.sum() < LEAST:
            middle.append(None)
            radius.append(0.0)
            continue
        centre = circle(flat[near])
        middle.append(start + z * station + centre[0] * x + centre[1] * y)
        radius.append(float(np.quantile(np.linalg.norm(flat[near] - centre, axis=1), THICK)))
    known = [k for k, m in enumerate(middle) if m is not None]
    if not known:
        centre = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
        thick = float(np.quantile(np.linalg.norm(flat - centre, axis=1), THICK))
        offset = centre[0] * x + centre[1] * y
        return [Piece(row, start + offset, end + offset, thick)]
    filled: list[F64] = []
    for k in range(count + 1):
        near_k = min(known, key=lambda j: abs(j - k))
        place = middle[near_k]
        assert place is not None
        filled.append(place + z * (stations[k] - stations[near_k]))
        radius[k] = radius[near_k]
    return [Piece(row, filled[k], filled[k + 1], 0.5 * (radius[k] + radius[k + 1])) for k in range(count)]


def circle(flat: F64) -> F64:
    """Return the middle of the circle through points of a plane, (2,), that of their box where they show no circle.

    Least squares on x^2 + y^2 = 2 a x + 2 b y + c (Kasa 1976, "A circle fitting procedure").
    """
    rows = np.c_[2.0 * flat, np.ones(len(flat))]
    normal = rows.T @ rows
    low, high = np.percentile(flat, [2.0, 98.0], axis=0)
    box = 0.5 * (low + high)
    if abs(float(np.linalg.det(normal))) < 1e-18:
        return box
    found: F64 = np.linalg.solve(normal, rows.T @ (flat**2).sum(axis=1))[:2]
    if (found < low).any() or (found > high).any():  # an open arc: the middle of its circle is out of the limb
        return box
    return found


def sides(z: F64) -> tuple[F64, F64]:
    """Return two unit directions across z and each other."""
    other = np.array([0.0, 0.0, 1.0]) if abs(z[2]) < 0.8 else np.array([1.0, 0.0, 0.0])
    x = np.cross(z, other)
    x /= math.sqrt(float(x @ x))
    return x, np.cross(z, x)
