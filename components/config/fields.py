"""What a setting is: one line that names its default, unit, range and meaning, and the check that holds it to that."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError


@dataclass(frozen=True, slots=True)
class Spec:
    """What a field may hold. kind: the type of one value; is_list: a tuple of them; among: allowed words."""

    kind: type
    unit: str
    low: float
    high: float
    among: tuple[str, ...]
    is_list: bool
    note: str

    def limits(self) -> str:
        """Return the range as people read it: `0..180 deg`, `one of private, public`."""
        if self.among:
            return f"{'any' if self.is_list else 'one'} of {', '.join(self.among)}"
        if self.kind is bool:
            return "true or false"
        if self.kind is str:
            return "text"
        tail = (" " + self.unit if self.unit else "") + (", a list" if self.is_list else "")
        return f"{self.low:.10g}..{self.high:.10g}{tail}"

    def accepted(self, value: Any, where: str) -> Any:
        """Return `value` as it is stored; ConfigError naming `where`, the value and the limits if it does not fit."""
        if not self.is_list:
            return self._one(value, where)
        if not isinstance(value, list | tuple):
            raise ConfigError(f"{where} = {value!r}: wanted a list, {self.limits()}")
        return tuple(self._one(item, where) for item in value)

    def _one(self, value: Any, where: str) -> Any:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if self.kind is float and is_number:
            value = float(value)
        if type(value) is not self.kind:
            raise ConfigError(f"{where} = {value!r}: wanted {_WORDS[self.kind]}, {self.limits()}")
        if self.among and value not in self.among:
            raise ConfigError(f"{where} = {value!r}: wanted {self.limits()}")
        if is_number and not (math.isfinite(value) and self.low <= value <= self.high):
            raise ConfigError(f"{where} = {value:g}{' ' + self.unit if self.unit else ''} is outside {self.limits()}")
        return value


_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "text"}


def _field(default: Any, kind: type, note: str, **limits: Any) -> Any:
    whole = {"unit": "", "low": -math.inf, "high": math.inf, "among": (), "is_list": isinstance(default, tuple)}
    return dataclasses.field(default=default, metadata={"spec": Spec(kind=kind, note=note, **whole | limits)})


def number(default: float | tuple[float, ...], unit: str, low: float, high: float, note: str) -> Any:
    """Return a dataclass field that holds a real number (a tuple as default: a list of them) in low..high."""
    return _field(default, float, note, unit=unit, low=low, high=high)


def whole(default: int | tuple[int, ...], unit: str, low: int, high: int, note: str) -> Any:
    """Return a dataclass field that holds a whole number in low..high."""
    return _field(default, int, note, unit=unit, low=low, high=high)


def word(default: str | tuple[str, ...], among: tuple[str, ...], note: str) -> Any:
    """Return a dataclass field that holds one of these words (a tuple as default: any of them)."""
    return _field(default, str, note, among=among)


def text(default: str, note: str) -> Any:
    """Return a dataclass field that holds any text."""
    return _field(default, str, note)


def switch(default: bool, note: str) -> Any:
    """Return a dataclass field that is on or off."""
    return _field(default, bool, note)


class Section:
    """A part of the configuration: a frozen dataclass whose fields come from the functions above."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, spec in specs(type(self)).items():
            where = f"[{type(self).__name__.lower()}] {name}"
            object.__setattr__(self, name, spec.accepted(getattr(self, name), where))


def specs(section: type) -> dict[str, Spec]:
    """Return what each field of a section may hold, by name, in the order of the file."""
    return {f.name: f.metadata["spec"] for f in dataclasses.fields(section)}
