"""From the shapes that are due to what her face shows: a spring a shape, closed lips before all others."""

from __future__ import annotations

import math

from .arrays import F64, I32, I64
from .compiled import njit

CLOSED = 1  # the shape of touching lips
NOTHING = 0.004  # of a shape: less is not seen


@njit(cache=True, allocates=False)
def due(ahead: I32, lead: I64, base: int, target: F64) -> None:
    """Write how much of each shape is due, 1 in all, of a voice whose next frames are known.

    ahead: (n,) classes from now on; lead: (15,) frames < n that each shape is begun ahead; base: that each ends ahead
    target: (15,), written; lips that touch leave nothing to another shape
    """
    target[:] = 0.0
    target[ahead[base]] = 1.0
    count = 0.0
    for c in range(target.shape[0]):
        if ahead[lead[c]] == c:
            target[c] = 1.0
        count += target[c]
    for k in range(base // 2, base):  # lips part on the burst that ends a p, not before it
        if ahead[k] == CLOSED:
            target[CLOSED] = 1.0
    if target[CLOSED] > 0.0:
        target[:] = 0.0
        target[CLOSED] = 1.0
        return
    for c in range(target.shape[0]):
        target[c] /= count


@njit(cache=True, allocates=False)
def move(value: F64, velocity: F64, target: F64, rate: F64, times: float, least: float, dt: float) -> None:
    """Move each shape toward its target as a critically damped spring of its own would in dt s (see spring.step).

    value, velocity, target: (15,); rate: (15,) 1/s; times: what rates are multiplied by; least: 1/s, of a rate
    """
    for c in range(value.shape[0]):
        r = max(rate[c] * times, least)
        decay = math.exp(-r * dt)
        gap = value[c] - target[c]
        slope = velocity[c] + r * gap
        value[c] = target[c] + (gap + slope * dt) * decay
        velocity[c] = (velocity[c] - r * slope * dt) * decay


@njit(cache=True, allocates=False)
def show(value: F64, amount: float, part: float, table: F64, jaw: F64, whole: I32, weight: F64) -> float:
    """Add the shapes to her channels, 1 at most, and return how far they open her mouth.

    value: (15,); amount: of each but closed lips; part: what expressions leave of them, 0..1
    table: (15, M); jaw: (15,); whole: (W,) channels that are shown in full above a half and not at all below
    weight: (M,) 0..1
    """
    closed = min(max(value[CLOSED], 0.0), 1.0)
    opened = 0.0
    for c in range(value.shape[0]):
        # lips that touch touch, whatever the jaw was doing
        shown = closed if c == CLOSED else min(max(value[c], 0.0), 1.0) * (1.0 - closed) * amount
        if shown < NOTHING:
            continue
        shown *= part
        opened += shown * jaw[c]
        for k in range(weight.shape[0]):
            weight[k] += shown * table[c, k]
    for k in range(weight.shape[0]):
        weight[k] = min(weight[k], 1.0)
    for k in whole:
        weight[k] = 1.0 if part >= 1.0 and weight[k] > 0.5 else 0.0
    return min(opened, 1.0)
