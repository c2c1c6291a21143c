"""Accessors as arrays: strides, sparse overlays, normalised integers; bounds and budget checked before memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import F32, F64
from ..errors import AvatarError
from .container import Container
from .document import Table

MAX_COUNT = 1 << 23  # elements of one accessor: indices of 2.7 million triangles, over 10 times a heavy avatar
MAX_MATRICES = 1 << 16
MAX_NUMBERS = 1 << 28  # numbers decoded from one file; 100k vertices with 200 dense morphs take 120 million

_COMPONENT = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_COLUMNS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_SCALE = {"i1": 127.0, "u1": 255.0, "i2": 32767.0, "u2": 65535.0}


class Accessors:
    """The accessors of one file. Arrays returned are never written to: the caller copies."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._rows = container.document.rows("accessors")
        self._spent = 0
        self._filled: dict[str, npt.NDArray[Any]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def count(self, index: int, where: str) -> int:
        """Return how many elements an accessor declares."""
        return self._row(index, where).integer("count", high=MAX_COUNT)

    def holds_bytes(self, index: int, where: str) -> bool:
        """Return whether an accessor has values of its own, and not only a shape that an extension fills."""
        return "bufferView" in self._row(index, where)

    def packed(self, view: int, where: str) -> memoryview:
        """Return the bytes of a buffer view that no accessor describes."""
        return self._container.view(view, where)[0]

    def fill(self, index: int, values: npt.NDArray[Any], where: str) -> None:
        """Give an accessor without bytes of its own the (N, C) values that its mesh was packed with."""
        row = self._row(index, where)
        dtype, wide = self._layout(row, (values.shape[1],), where)
        count = row.integer("count", high=MAX_COUNT)
        if len(values) != count:
            raise AvatarError(f"{row.where} ({where}) declares {count} elements, {len(values)} are packed in the file")
        self._spend(count * wide, row)
        self._filled[row.where] = values.astype(dtype)

    def floats(self, index: int, columns: tuple[int, ...], where: str) -> F32:
        """Return (N, C) f32 with normalised integers scaled to 0..1 or -1..1; C must be one of `columns`."""
        row = self._row(index, where)
        return self._floats(row, self._dense(row, columns, where))

    def matrices(self, index: int, where: str) -> F64:
        """Return (N, 4, 4) f64 of a MAT4 accessor, rows first."""
        row = self._row(index, where)
        row.integer("count", high=MAX_MATRICES)
        values = self._floats(row, self._dense(row, (16,), where)).astype(np.float64)
        return values.reshape(-1, 4, 4).transpose(0, 2, 1)

    def unsigned(self, index: int, columns: tuple[int, ...], where: str) -> npt.NDArray[np.uint32]:
        """Return (N, C) u32 of an accessor of unsigned integers."""
        row = self._row(index, where)
        values = self._dense(row, columns, where)
        if values.dtype.kind != "u":
            # exporters that write whole numbers as floats exist; anything else is a broken file
            whole = np.nan_to_num(values, nan=-1.0, posinf=-1.0, neginf=-1.0)
            if (whole < 0).any() or (whole >= 2**31).any() or (whole != np.floor(whole)).any():
                raise AvatarError(f"{row.where} ({where}) is not of unsigned integers")
            values = whole
        return values.astype(np.uint32)

    def changes(self, index: int, count: int, where: str) -> tuple[npt.NDArray[np.intp], F32]:
        """Return the rows of a 3-column accessor that may differ from zero: (K,) rows, (K, 3) f32 values.

        A sparse accessor without a base never becomes dense: its rows are what it lists.
        """
        row = self._row(index, where)
        if row.integer("count", high=MAX_COUNT) != count:
            raise AvatarError(f"{where} has {row.integer('count')} elements, its mesh {count} vertices")
        if "bufferView" not in row:
            dtype, columns = self._layout(row, (3,), where)
            if "sparse" not in row:
                return np.zeros(0, np.intp), np.zeros((0, 3), np.float32)
            at, values = self._sparse(row, dtype, columns, count, where)
            rows, last = np.unique(at[::-1], return_index=True)
            return rows, self._floats(row, values[::-1][last])
        values = self._floats(row, self._dense(row, (3,), where))
        rows = np.flatnonzero((values != 0).any(axis=1))
        return rows, values[rows]

    def _row(self, index: int, where: str) -> Table:
        if not 0 <= index < len(self._rows):
            raise AvatarError(f"{where} names accessor {index}, the file has {len(self._rows)}")
        return self._rows[index]

    def _layout(self, row: Table, columns: tuple[int, ...], where: str) -> tuple[np.dtype[Any], int]:
        kind, component = row.text("type"), row.integer("componentType")
        if component not in _COMPONENT:
            raise AvatarError(
                f"{row.where}.componentType is {component}, wanted one of {', '.join(map(str, _COMPONENT))}"
            )
        wide = _COLUMNS.get(kind, 0)
        if wide not in columns:
            raise AvatarError(f"{row.where} ({where}) is of type {kind[:20]!r}, wanted {columns} numbers an element")
        return np.dtype(_COMPONENT[component]), wide

    def _dense(self, row: Table, columns: tuple[int, ...], where: str) -> npt.NDArray[Any]:
        dtype, wide = self._layout(row, columns, where)
        count = row.integer("count", high=MAX_COUNT)
        if row.where in self._filled:
            return self._filled[row.where]
        self._spend(count * wide, row)
        if "bufferView" in row:
            base = self._strided(row, dtype, wide, count, row.where)
        else:
            base = np.zeros((count, wide), dtype)
        if "sparse" in row:
            at, values = self._sparse(row, dtype, wide, count, where)
            base = base.copy()
            base[at] = values
        return base

    def _strided(self, row: Table, dtype: np.dtype[Any], wide: int, count: int, where: str) -> npt.NDArray[Any]:
        data, stride = self._container.view(row.integer("bufferView"), where)
        offset, size = row.integer("byteOffset", 0, high=2**40), dtype.itemsize * wide
        stride = stride or size
        if stride < size:
            raise AvatarError(f"{where}: a stride of {stride} bytes is less than an element of {size}")
        if count and offset + stride * (count - 1) + size > len(data):
            raise AvatarError(f"{where} declares {count} elements, its {len(data)} bytes end before them")
        if not count:
            return np.zeros((0, wide), dtype)
        return np.ndarray((count, wide), dtype, data, offset, (stride, dtype.itemsize))

    def _sparse(
        self, row: Table, dtype: np.dtype[Any], wide: int, count: int, where: str
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any]]:
        sparse = row.table("sparse")
        rows, values = sparse.table("indices"), sparse.table("values")
        many = sparse.integer("count", high=count)
        self._spend(many * (wide + 1), row)
        kind = _COMPONENT.get(rows.integer("componentType"), "")
        if "u" not in kind:
            raise AvatarError(f"{rows.where}.componentType is no unsigned integer")
        at = self._strided(rows, np.dtype(kind), 1, many, rows.where)[:, 0].astype(np.intp)
        if many and int(at.max()) >= count:
            raise AvatarError(f"{rows.where} ({where}) names element {int(at.max())} of {count}")
        return at, self._strided(values, dtype, wide, many, values.where)

    def _floats(self, row: Table, values: npt.NDArray[Any]) -> F32:
        if values.dtype.kind == "f":
            return values.astype(np.float32, copy=False)
        if not row.flag("normalized"):
            return values.astype(np.float32)
        scaled = values.astype(np.float32) / np.float32(_SCALE.get(values.dtype.str[1:], 1.0))
        return np.maximum(scaled, np.float32(-1.0), out=scaled)

    def _spend(self, numbers: int, row: Table) -> None:
        self._spent += numbers
        if self._spent > MAX_NUMBERS:
            raise AvatarError(f"{row.where} takes the file past {MAX_NUMBERS >> 20} million numbers: not read")
