"""Histograms of what was counted: waits of which many outlast their recording, and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from ....components.reflex import Histogram

FEWEST = 12  # things counted, below which the spread of a histogram is chance
OUTLAST = 0.3  # of the waits may be longer than any that was seen to end
_BINS = (3, 8)
_LONGER = 5  # points for those (choice: nobody has seen how long they last)


@dataclass(frozen=True, slots=True)
class Counted:
    """Values with their weights, rising; left: share of the waits that is longer than all of them."""

    value: F64
    weight: F64
    left: float = 0.0


def waits(seconds: Sequence[float], ended: Sequence[bool]) -> Counted:
    """Return the law of waits of which some were only seen to last so long (Kaplan and Meier 1958).

    Without this the short recordings decide: a wait of three minutes is never seen to end in a take of two.
    """
    order = sorted(range(len(seconds)), key=lambda k: (seconds[k], not ended[k]))
    left, value, weight = 1.0, [], []
    for place, k in enumerate(order):
        if ended[k]:
            drop = left / (len(order) - place)
            value.append(seconds[k])
            weight.append(drop)
            left -= drop
    return Counted(np.array(value), np.array(weight), max(left, 0.0))


def sizes(values: Sequence[float], grain: float = 0.0) -> Counted:
    """Return values of equal weight. grain: what they are counted to; equal ones are spread over it, or leave holes."""
    value = np.sort(np.asarray(values, np.float64))
    if grain > 0.0:
        _, first, count = np.unique(np.round(value / grain), return_index=True, return_counts=True)
        place = np.arange(len(value)) - np.repeat(first, count)
        value = value + grain * ((place + 0.5) / np.repeat(count, count) - 0.5)
    return Counted(value, np.full(len(value), 1.0 / max(len(value), 1)))


def why_not(counted: Counted, what: str) -> str:
    """Return why these make no histogram, "" where they do."""
    if len(counted.value) < FEWEST:
        return f"{len(counted.value)} {what}, wanted {FEWEST}"
    if counted.left > OUTLAST:
        return f"{counted.left:.0%} of the waits outlast their recording, at most {OUTLAST:.0%}"
    return ""


def histogram(counted: Counted, limits: tuple[float, float], source: str) -> Histogram:
    """Return a histogram, about as much in every bin but the ends; waits longer than any go on to twice as long."""
    longer = counted.value[-1] * (1.0 + (np.arange(_LONGER) + 0.5) / _LONGER) if counted.left > 0.0 else np.zeros(0)
    value = np.clip(np.concatenate([counted.value, longer]), *limits)
    weight = np.concatenate([counted.weight, np.full(len(longer), counted.left / _LONGER)])
    below = np.concatenate([[0.0], np.cumsum(weight)])
    below = below / below[-1]
    middle = 0.5 * (below[1:] + below[:-1])
    bins = int(np.clip(np.sqrt(len(value)), *_BINS))
    # half bins at both ends: one far value would else lie in a bin as wide as all others together
    inner = np.interp((np.arange(bins) + 0.5) / bins, middle, value)
    step = max(float(value[-1] - value[0]) / max(len(value), 1), 1e-3)
    edges = [float(f"{e:.3g}") for e in (value[0] - step / 2, *inner, value[-1] + step / 2)]
    edges = sorted({min(max(e, limits[0]), limits[1]) for e in edges})
    if len(edges) < 2:
        edges = [max(edges[0] - 0.01, limits[0]), min(edges[0] + 0.01, limits[1])]
    total = np.interp(edges, [edges[0], *value, edges[-1]], [0.0, *middle, 1.0])
    total[0], total[-1] = 0.0, 1.0
    share = np.maximum(np.round(np.diff(total), 3), 0.001)
    return Histogram(np.array(edges), np.concatenate([[0.0], np.cumsum(share) / share.sum()]), source)
