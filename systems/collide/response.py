"""How a path that is as smooth as can be answers to what pulls on it: what kernels/path.py needs, worked out once."""

from __future__ import annotations

from functools import cache

import numpy as np

from ...components.arrays import F64

# tick^6, of the squared third difference against the squared distance from the nearest correction, where corrections
# are small and where they are large (100 to 1e5 tried: less is more jerk, more holds the arms off for longer)
STIFF = (200.0, 3000.0)
TAIL = 60  # ticks behind the last that is known, in which a path comes to rest: it does so in 4 STIFF^(1/6)


@cache
def response(ahead: int) -> F64:
    """Return (2, S, 4 + S) for S = ahead + 1 slots, one for each of STIFF: what is added to its slots by what.

    First the last three values, newest first, and the last target, then the target of each slot, or a pull there. Of
    the path with the least sum of |x - target|^2 + stiffness |third difference|^2 that has no end, and whose target
    stays as it is behind the last slot.
    """
    return np.array([_answer(ahead + 1, stiff) for stiff in STIFF])


def _answer(slots: int, stiff: float) -> F64:
    size = slots + TAIL
    third = np.zeros((size, size + 3))
    for k in range(size):
        third[k, k : k + 4] = (-1.0, 3.0, -3.0, 1.0)
    past, rest = third[:, 2::-1], third[:, 3:]
    left, right = np.eye(size), np.zeros((size, 4 + slots))
    right[:slots, 4:], right[slots:, 3] = np.eye(slots), 1.0
    for k in range(size):  # sums in a fixed order, so that every machine has the same bits
        left += stiff * np.multiply.outer(rest[k], rest[k])
        right[:, :3] -= stiff * np.multiply.outer(rest[k], past[k])
    for k in range(size):
        column = left[:, k].copy()
        left[k] /= column[k]
        right[k] /= column[k]
        column[k] = 0.0
        left -= np.multiply.outer(column, left[k])
        right -= np.multiply.outer(column, right[k])
    return np.ascontiguousarray(right[:slots])
