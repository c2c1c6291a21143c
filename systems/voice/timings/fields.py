"""Reading what services deliver: the same name may be a key of a dict or an attribute of an object."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

_COUNTERS = {2.0**31 - 1.0, 2.0**32 - 1.0, 2.0**63, 2.0**64}  # -1 in an unsigned counter, or the top of a signed one


def field(item: Any, *names: str) -> Any:
    """Return the first of these names that `item` has, as key or attribute, else None."""
    for name in names:
        if isinstance(item, Mapping):
            if name in item:
                return item[name]
        elif (value := getattr(item, name, None)) is not None:
            return value
    return None


def has(item: Any, *names: str) -> bool:
    """Whether `item` has all of these names."""
    return all(name in item if isinstance(item, Mapping) else hasattr(item, name) for name in names)


def number(value: Any) -> float | None:
    """Return a finite number, a time span in s, or None for what is neither or a counter that holds no value."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if value is None or isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
        return None
    try:
        out = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return out if math.isfinite(out) and out not in _COUNTERS else None


def scaled(value: Any, per_second: float) -> float | None:
    """Return a time in s. per_second: what a plain number counts; time spans know their unit."""
    out = number(value)
    return out if out is None or isinstance(value, timedelta) else out / per_second


def after(start: float | None, duration: float | None) -> float | None:
    """Return when something ends, s, or None where that is not told."""
    return None if start is None or duration is None or duration <= 0.0 else start + duration


def rows(value: Any) -> Sequence[Any]:
    """Return a list or tuple as it is, anything else as an empty one."""
    if isinstance(value, list | tuple):
        return value
    return value.tolist() if hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1 else ()


def text(value: Any) -> str:
    """Return a string; "" for what is none."""
    return value if isinstance(value, str) else ""


def sounding(item: Any, name: str) -> int:
    """Return how many samples an item holds: its count "samples", or the length of its array `name`; 0 without."""
    count = number(field(item, "samples"))
    audio = field(item, name)
    if count is None and audio is not None and not isinstance(audio, str | bytes) and hasattr(audio, "__len__"):
        return len(audio)
    return int(max(count or 0.0, 0.0))
