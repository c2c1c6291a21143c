"""The array types that the kernels' signatures name."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

F64: TypeAlias = "npt.NDArray[np.float64]"
F32: TypeAlias = "npt.NDArray[np.float32]"
I32: TypeAlias = "npt.NDArray[np.int32]"
Bool: TypeAlias = "npt.NDArray[np.bool_]"
I64: TypeAlias = "npt.NDArray[np.int64]"
