"""Panda's arrays seen as numpy's, without a copy."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)


def view(holder: Any, dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """Return the flat memory of a Panda array; writing it writes Panda's. Valid as long as Panda does not resize it.

    holder: a vertex array, a PTA or a picture in memory; they are buffers, though their type stubs do not say so
    """
    return np.frombuffer(memoryview(holder).cast("B"), dtype=dtype)
