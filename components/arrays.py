"""The array types of this project and the one way to freeze them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

F64: TypeAlias = "npt.NDArray[np.float64]"
F32: TypeAlias = "npt.NDArray[np.float32]"
I32: TypeAlias = "npt.NDArray[np.int32]"
I64: TypeAlias = "npt.NDArray[np.int64]"
Bool: TypeAlias = "npt.NDArray[np.bool_]"


def frozen(values: Any, dtype: npt.DTypeLike, shape: tuple[int | None, ...] | None = None) -> npt.NDArray[Any]:
    """Return a read-only contiguous array of this dtype; `None` in `shape` leaves that length free."""
    array = np.array(values, dtype=dtype, order="C", copy=True)
    if shape is not None and (
        array.ndim != len(shape) or any(want is not None and have != want for have, want in zip(array.shape, shape))
    ):
        raise ValueError(f"shape {array.shape}, wanted {shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{int((~np.isfinite(array)).sum())} values are not finite")
    array.flags.writeable = False
    return array
