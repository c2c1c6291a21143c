"""Many points ready to be asked which of them lie nearest to others."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64, I32
from ...kernels import fitting

CELL = 0.02  # m, of the search grid, on somebody of up to MOST cells; a giant's are larger
MOST = 256
RINGS = 4  # of it: what lies farther than 0.08 m is not looked for


class Near:
    """Points in a grid. point: (S, 3) m, in the grid's order; order: (S,) their rows as they were given."""

    def __init__(self, point: F64) -> None:
        self._size = max(CELL, float(np.ptp(point, axis=0).max()) / MOST)
        self._low = point.min(axis=0) - self._size
        cell = np.floor((point - self._low) / self._size).astype(np.int32)
        self._shape = (cell.max(axis=0) + 1).astype(np.int32)
        flat = (cell[:, 0] * self._shape[1] + cell[:, 1]) * self._shape[2] + cell[:, 2]
        self.order = np.argsort(flat, kind="stable")
        self._begin = np.searchsorted(flat[self.order], np.arange(int(self._shape.prod()) + 1)).astype(np.int32)
        self.point = np.ascontiguousarray(point[self.order])

    def distances(self, point: F64, count: int) -> tuple[I32, F64]:
        """Return the `count` nearest of each point, rows of `point` here or -1, and how far they are, (N, count) m."""
        which, distance = np.empty((len(point), count), np.int32), np.empty((len(point), count))
        asked = np.ascontiguousarray(point)
        fitting.nearest(asked, self._low, self._size, self._shape, self._begin, self.point, RINGS, which, distance)
        return which, distance
