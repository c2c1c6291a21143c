"""The only place where her axes (glTF: +Y up, facing +Z) meet Panda's (+Z up, facing -Y).

Everything inside the project is in glTF axes with column vectors; everything Panda holds is Z up with row vectors.
(x, y, z) here is (x, -z, y) there; a transform M here is TO_PANDA M FROM_PANDA there, and Panda stores it transposed.
Her left is +X on both sides.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from ..components.arrays import F32, F64, frozen

Points = TypeVar("Points", F64, F32)
TO_PANDA: F64 = frozen([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], np.float64)  # column vectors
FROM_PANDA: F64 = frozen(TO_PANDA.T, np.float64)  # a rotation: its inverse is its transpose


def points_to_panda(points: Points) -> Points:
    """Return points, directions or offsets in Panda's axes, same type. points: (..., 3) glTF axes."""
    out = np.empty_like(points)
    out[..., 0] = points[..., 0]
    out[..., 1] = -points[..., 2]
    out[..., 2] = points[..., 1]
    return out


def points_from_panda(points: Points) -> Points:
    """Return points, directions or offsets in glTF axes, same type. points: (..., 3) Panda's axes."""
    out = np.empty_like(points)
    out[..., 0] = points[..., 0]
    out[..., 1] = points[..., 2]
    out[..., 2] = -points[..., 1]
    return out


def matrices_to_panda(matrices: F64) -> F64:
    """Return transforms as Panda stores them (row vectors, Z up). matrices: (..., 4, 4) column vectors, glTF axes."""
    return np.swapaxes(TO_PANDA @ matrices @ FROM_PANDA, -1, -2)
