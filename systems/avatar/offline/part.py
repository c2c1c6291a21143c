"""One drawn piece of the avatar, and the colours it is painted with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from .mesh import Index
from .options import Colour


@dataclass(slots=True)
class Part:
    """Triangles of one material.

    Fields:
        position, normal: (V, 3) f64 m and unit
        triangle: (F, 3) i64
        color:    (V, 3) f64 linear 0..1
        weight:   (V, J) f64
        morph:    face unit -> ((K,) vertices, (K, 3) m, (K, 3) change of the normal); empty where it has none
        uv:       (V, 2) f64 0..1, across and along a strand: hair alone has them, for its sheen
    """

    material: str
    position: F64
    normal: F64
    triangle: Index
    color: F64
    weight: F64
    morph: dict[str, tuple[Index, F64, F64]]
    uv: F64 | None = None


def linear(colour: Colour) -> F64:
    """Return the (3,) linear colour of an sRGB one (the 2.2 power law, as the shader undoes it)."""
    return np.asarray(colour, np.float64) ** 2.2


def noise(seed: int, *index: int | np.ndarray) -> F64:
    """Return values in -1..1 that depend on nothing but seed and indices (splitmix64), the same on every machine."""
    with np.errstate(over="ignore"):
        state = np.uint64(seed)
        for k in index:
            state = _mix(state + np.asarray(k).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    return np.asarray((state >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0)


def _mix(x: np.ndarray) -> np.ndarray:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def one_bone(count: int, names: Iterable[str], bone: str) -> F64:
    """Return (count, J) weights that are all on one joint."""
    column = list(names).index(bone)
    weight = np.zeros((count, len(list(names))))
    weight[:, column] = 1.0
    return weight
