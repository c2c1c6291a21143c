"""Strict reading of JSON values: every wrong type or range becomes one line that names the place in the file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import F64
from ..errors import AvatarError

MISSING: Any = object()
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def quoted(value: Any, limit: int = 60) -> str:
    """Return a value as one short printable line, for messages about what a stranger's file holds."""
    text = repr(value[: 4 * limit] if isinstance(value, str | bytes) else value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _kind(value: Any) -> str:
    if isinstance(value, dict | list):
        return _KINDS[type(value)]
    return quoted(value)


class Table:
    """One JSON object with its path in the file. Every reader raises AvatarError with that path."""

    __slots__ = ("values", "where")

    def __init__(self, values: dict[str, Any], where: str) -> None:
        self.values = values
        self.where = where

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def path(self, key: str) -> str:
        """Return where a key of this object lies in the file."""
        return f"{self.where}.{key}" if self.where else key

    def _value(self, key: str, default: Any) -> Any:
        value = self.values.get(key)
        if value is None:  # exporters write null for absent
            if default is MISSING:
                raise AvatarError(f"{self.path(key)} is missing")
            return default
        return value

    def integer(self, key: str, default: Any = MISSING, low: int = 0, high: int = 2**31 - 1) -> Any:
        """Return a whole number within low..high; `default`, unchecked, where the key is absent."""
        value = self._value(key, default)
        if value is default:
            return value
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise AvatarError(f"{self.path(key)} is {_kind(value)}, wanted a whole number")
        if high < low:
            raise AvatarError(f"{self.path(key)} is {quoted(value)}, and the file has none of these")
        if not low <= value <= high:
            raise AvatarError(f"{self.path(key)} is {quoted(value)}, wanted {low}..{high}")
        return value

    def number(self, key: str, default: Any = MISSING) -> Any:
        """Return a finite number; `default`, unchecked, where the key is absent."""
        value = self._value(key, default)
        return value if value is default else _number(value, self.path(key))

    def numbers(self, key: str, count: int, default: Any = MISSING) -> F64:
        """Return `count` finite numbers as (count,) f64."""
        value = self._value(key, default)
        if not isinstance(value, list | tuple) or len(value) != count:
            raise AvatarError(f"{self.path(key)} is {_kind(value)}, wanted {count} numbers")
        return np.array([_number(item, self.path(key)) for item in value], dtype=np.float64)

    def text(self, key: str, default: Any = MISSING) -> Any:
        """Return a text; `default` where the key is absent."""
        value = self._value(key, default)
        if value is not default and not isinstance(value, str):
            raise AvatarError(f"{self.path(key)} is {_kind(value)}, wanted a text")
        return value if value is default else _encodable(value)

    def label(self, key: str) -> str:
        """Return a name; "" for anything else: a name of the wrong type is no reason to refuse a file."""
        value = self.values.get(key)
        return _encodable(value) if isinstance(value, str) else ""

    def flag(self, key: str) -> bool:
        """Return true or false; False where the key is absent."""
        value = self._value(key, False)
        if not isinstance(value, bool):
            raise AvatarError(f"{self.path(key)} is {_kind(value)}, wanted true or false")
        return value

    def table(self, key: str) -> Table:
        """Return an object; an empty one where the key is absent."""
        value = self._value(key, {})
        if not isinstance(value, dict):
            raise AvatarError(f"{self.path(key)} is {_kind(value)}, wanted an object")
        return Table(value, self.path(key))

    def rows(self, key: str) -> list[Table]:
        """Return a list of objects; an empty one where the key is absent."""
        value = self._list(key)
        for index, item in enumerate(value):
            if not isinstance(item, dict):
                raise AvatarError(f"{self.path(key)}[{index}] is {_kind(item)}, wanted an object")
        return [Table(item, f"{self.path(key)}[{index}]") for index, item in enumerate(value)]

    def indices(self, key: str, count: int) -> list[int]:
        """Return a list of whole numbers below `count`; an empty one where the key is absent."""
        value = self._list(key)
        for item in value:
            if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item < count:
                raise AvatarError(f"{self.path(key)} holds {_kind(item)}, wanted 0..{count - 1}")
        return value

    def texts(self, key: str) -> list[str]:
        """Return the texts of a list, "" for anything in it that is no text; an empty list where it is absent."""
        value = self._value(key, [])
        return [_encodable(item) if isinstance(item, str) else "" for item in value] if isinstance(value, list) else []

    def _list(self, key: str) -> list[Any]:
        value = self._value(key, [])
        if not isinstance(value, list):
            raise AvatarError(f"{self.path(key)} is {_kind(value)}, wanted a list")
        return value


def _encodable(text: str) -> str:
    """Half a surrogate pair is legal JSON, and no file, hash or terminal takes it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AvatarError(f"{where} holds {_kind(value)}, wanted a number")
    if isinstance(value, int) and abs(value) > 1 << 1000:  # float() would overflow
        raise AvatarError(f"{where} holds {quoted(value)}, wanted a finite number")
    value = float(value)
    if not math.isfinite(value):
        raise AvatarError(f"{where} holds {value}, wanted a finite number")
    return value
