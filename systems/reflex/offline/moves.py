"""A move of known shape fitted to where a pelvis was: a shift's minimum jerk, a fidget's bump."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from ....components.arrays import F64
from .stance import RATE

_SLOWEST = 7.0  # s: what takes longer is a drift
GRAIN = 0.2  # s, to which lengths are told
_TIMES = np.arange(0.8, _SLOWEST + 0.1, GRAIN)  # s, lengths that are tried
_CENTRES = np.arange(-1.5, 1.51, 0.1)  # s from where a step or bump was seen
_REACH = 6  # s on either side that a profile is held against

Profile: TypeAlias = Callable[[F64], F64]


@dataclass(frozen=True, slots=True)
class Event:
    """A shift or fidget. start: s into the span; seconds: s it takes; size: m, signed."""

    start: float
    seconds: float
    size: float

    @property
    def end(self) -> float:
        """Return when it is over, s into the span."""
        return self.start + self.seconds


def fitted(values: F64, middle: int, first: int, last: int, profile: Profile) -> Event | None:
    """Return the move of a profile that comes nearest to the samples around `middle`, None for a slow one."""
    found, _ = nearest(values, middle, first, last, profile)
    return None if found is None or found.seconds >= _SLOWEST - 0.3 else found


def nearest(values: F64, middle: int, first: int, last: int, profile: Profile) -> tuple[Event | None, float]:
    """Return that move, whatever it takes, and its squared error, m^2."""
    reach = _REACH * RATE
    first, last = max(first, middle - reach, 0), min(last, middle + reach, len(values))
    if last - first < RATE:
        return None, np.inf
    y = values[first:last] - values[first:last].mean()
    x = _tried(profile)[:, first - middle + reach : last - middle + reach]
    x = x - x.mean(axis=1, keepdims=True)
    power = (x * x).sum(axis=1)
    along = x @ y
    gain = np.where(power > 1e-9, along * along / np.maximum(power, 1e-9), 0.0)
    best = int(np.argmax(gain))
    if gain[best] <= 0.0:
        return None, np.inf
    seconds = float(_TIMES[best // len(_CENTRES)])
    centre = middle / RATE + float(_CENTRES[best % len(_CENTRES)])
    found = Event(centre - seconds / 2, seconds, float(along[best] / power[best]))
    return found, float(y @ y - gain[best])


@cache
def _tried(profile: Profile) -> F64:
    """Return every length and middle of a profile, (L * M, samples from -_REACH to _REACH)."""
    t = np.arange(-_REACH * RATE, _REACH * RATE) / RATE
    x = (t - _CENTRES[None, :, None]) / _TIMES[:, None, None] + 0.5
    return profile(np.clip(x, 0.0, 1.0)).reshape(-1, len(t))


def move(x: F64) -> F64:
    """Return how far a shift has come, 0..1: minimum jerk (Flash and Hogan 1985)."""
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))


def bump(x: F64) -> F64:
    """Return how far out a fidget is, 0..1 and back to 0."""
    return 0.5 - 0.5 * np.cos(2.0 * np.pi * x)
