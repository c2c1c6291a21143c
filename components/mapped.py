"""Arrays in .npy files: appended to a piece at a time, opened without being read. Any numpy opens them too."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# array: dtype, and its shape but for the length
Layout: TypeAlias = "Mapping[str, tuple[str, tuple[int, ...]]]"
Arrays: TypeAlias = "Mapping[str, npt.NDArray[Any]]"

_HEADER = 128  # bytes before the first value: room for any length


class Growing:
    """A folder of .npy files, one an array, that grow by what is appended to them. Memory holds one piece.

    Within `with` they are finished at its end; on an error the files stay as they are, for who made the folder.
    """

    def __init__(self, folder: Path, layout: Layout) -> None:
        self.length = dict.fromkeys(layout, 0)
        self._layout = layout
        self._files = {name: (folder / f"{name}.npy").open("wb") for name in layout}
        for name, file in self._files.items():
            file.write(_header(*layout[name], 0))

    def __enter__(self) -> Growing:
        return self

    def append(self, piece: Arrays) -> None:
        """Write the next values of every array. OSError: a full disk."""
        for name, (dtype, shape) in self._layout.items():
            values = np.ascontiguousarray(piece[name], dtype=np.dtype(dtype))
            if values.shape[1:] != shape:
                raise ValueError(f"'{name}' of shape {values.shape}, wanted (any, {shape})")
            self._files[name].write(values.tobytes())
            self.length[name] += len(values)

    def __exit__(self, kind: type[BaseException] | None, _: object, __: TracebackType | None) -> None:
        try:
            if kind is None:
                for name, file in self._files.items():
                    file.seek(0)
                    file.write(_header(*self._layout[name], self.length[name]))
                    file.flush()
                    os.fsync(file.fileno())
        finally:
            for file in self._files.values():
                try:
                    file.close()
                except OSError:  # what it still held does not fit on the disk; the first error has been told
                    if kind is None:
                        raise


def opened(path: Path, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return the array of a file, read-only, its values read when they are looked at.

    Raises ValueError, one line, where the file holds anything else or is cut off; OSError where there is none.
    """
    wanted = _header(dtype, shape[1:], shape[0])
    size = len(wanted) + int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    with path.open("rb") as file:
        has = os.fstat(file.fileno()).st_size
        if has != size:
            raise ValueError(f"{path.name} has {has} bytes, wanted {size}")
        if file.read(len(wanted)) != wanted:
            raise ValueError(f"{path.name} does not hold {dtype} {shape}")
    if not size > len(wanted):
        return np.zeros(shape, dtype)
    # a plain array on the map: kernels know no memmap
    array = np.asarray(np.memmap(path, dtype=dtype, mode="r", offset=len(wanted), shape=shape))
    array.flags.writeable = False
    return array


def release(*arrays: npt.NDArray[Any]) -> None:
    """Let go of the pages that were read of mapped arrays: they come back when they are looked at again."""
    for array in arrays:
        below: Any = array
        while below is not None and not isinstance(below, mmap.mmap):
            below = getattr(below, "base", None)
        if below is not None and hasattr(mmap, "MADV_DONTNEED"):
            below.madvise(mmap.MADV_DONTNEED)


def _header(dtype: str, shape: tuple[int, ...], length: int) -> bytes:
    """Return a .npy header of _HEADER bytes, whatever the length: format 1.0, numpy's own description."""
    said = f"{{'descr': '{np.dtype(dtype).str}', 'fortran_order': False, 'shape': {(length, *shape)}, }}"
    text = said.encode("ascii")
    room = _HEADER - 10 - len(text) - 1
    if room < 0:
        raise ValueError(f"a header of {len(text)} bytes, at most {_HEADER - 11}")
    return b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little") + text + b" " * room + b"\n"
