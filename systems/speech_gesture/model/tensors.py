"""Tensors read one at a time, when they are asked for: never two copies of a model at once.

A safetensors file is 8 bytes of length, that much JSON of name -> type, shape and place, then the numbers. Mapped, as
its own library reads it, all of it would stay in memory as long as one tensor of it does.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F32
from ....components.errors import ModelError

_HEAD = 8 << 20  # bytes of a header at most; ours has a hundredth
_TYPE = "F32"  # the one that is written


class Lazily(Mapping[str, Any]):
    """Name -> tensor, made anew at every look."""

    def __init__(self, names: Iterable[str], make: Callable[[str], Any]) -> None:
        self._names, self._make = dict.fromkeys(names), make

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def under(self, root: str) -> Lazily:
        """Return those whose name begins with `root`, without it."""
        names = (name.removeprefix(root) for name in self._names if name.startswith(root))
        return Lazily(names, lambda name: self._make(root + name))

    def through(self, change: Callable[[str, Any], Any]) -> Lazily:
        """Return the same with `change(name, tensor)` of each."""
        return Lazily(self._names, lambda name: change(name, self._make(name)))


class File:
    """A safetensors file. shapes: name -> shape. ModelError: it is none, or not all of it."""

    def __init__(self, path: Path, cure: str) -> None:
        self.path, self._cure = path, cure
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                length = int.from_bytes(file.read(8), "little")
                if not 2 <= length <= min(_HEAD, size - 8):
                    raise ModelError(f"{path}: a header of {length} bytes in a file of {size}; {cure}")
                head = json.loads(file.read(length))
        except OSError as cause:
            raise ModelError(f"{path}: cannot be read ({cause.strerror}); {cure}") from None
        except (ValueError, RecursionError) as cause:  # not UTF-8, not JSON
            raise ModelError(f"{path}: no tensors in it ({type(cause).__name__}); {cure}") from None
        self._start, self.shapes = 8 + length, dict[str, tuple[int, ...]]()
        self._at: dict[str, int] = {}
        for name, row in head.items() if isinstance(head, dict) else [("", None)]:
            if name != "__metadata__":
                self._add(name, row, size - self._start)

    def _add(self, name: str, row: Any, room: int) -> None:
        try:
            shape, (begin, end) = tuple(row["shape"]), row["data_offsets"]
            is_ours = row["dtype"] == _TYPE and all(type(k) is int and k >= 0 for k in (*shape, begin, end))
            if not is_ours or end - begin != 4 * math.prod(shape) or end > room:
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise ModelError(f"{self.path}: '{str(name)[:80]}' is not what it says, or cut off; {self._cure}") from None
        self.shapes[name], self._at[name] = shape, begin

    def read(self, name: str) -> F32:
        """Return one tensor's numbers, in memory of their own."""
        shape = self.shapes[name]
        try:
            with self.path.open("rb") as file:
                file.seek(self._start + self._at[name])
                numbers = np.fromfile(file, "<f4", math.prod(shape))
        except OSError as cause:
            raise ModelError(f"{self.path}: cannot be read ({cause.strerror}); {self._cure}") from None
        if numbers.size != math.prod(shape):
            raise ModelError(f"{self.path}: '{name}' is cut off; {self._cure}")
        return numbers.reshape(shape)
