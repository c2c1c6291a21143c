"""Critically damped springs in closed form: two steps of dt/2 end where one of dt does. No clock, no own state."""

from __future__ import annotations

import math

from .arrays import F64
from .compiled import njit

HALF = 1.6783469900166605  # x where (1 + x) exp(-x) = 1/2: from rest, half of a gap is closed at rate * t = x


@njit(cache=True, allocates=False)
def step(value: float, velocity: float, target: float, rate: float, dt: float) -> tuple[float, float]:
    """Return value and velocity after dt s of a spring toward a target that stands still.

    x'' = -2 rate x' - rate^2 (x - target), solved: gap(t) = (gap + (v + rate gap) t) exp(-rate t).

    value, velocity, target: any one unit and that unit per second
    rate: 1/s, > 0
    dt: s, >= 0
    """
    decay = math.exp(-rate * dt)
    gap = value - target
    slope = velocity + rate * gap
    return target + (gap + slope * dt) * decay, (velocity - rate * slope * dt) * decay


@njit(cache=True, allocates=False)
def follow(value: F64, velocity: F64, target: F64, halflife: float, dt: float) -> None:
    """Move `value` toward `target` in place as a spring would in dt s.

    value, velocity, target: (K,), any one unit and that unit per second
    halflife: s, > 0: from rest, half of the gap is closed after this time
    """
    follow_rate(value, velocity, target, HALF / halflife, dt)


@njit(cache=True, allocates=False)
def follow_rate(value: F64, velocity: F64, target: F64, rate: float, dt: float) -> None:
    """Move `value` toward `target` in place as a spring of this rate would in dt s.

    value, velocity, target: (K,), any one unit and that unit per second
    rate: 1/s, > 0: from rest, half of the gap is closed after 1.68 / rate
    """
    decay = math.exp(-rate * dt)
    for k in range(value.shape[0]):
        gap = value[k] - target[k]
        slope = velocity[k] + rate * gap
        value[k] = target[k] + (gap + slope * dt) * decay
        velocity[k] = (velocity[k] - rate * slope * dt) * decay
