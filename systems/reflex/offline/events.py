"""Shifts and fidgets of a pelvis that stands: when, how far, how long; one direction at a time.

After Duarte and Zatsiorsky (Motor Control 1999): a shift goes from one place to another within a few seconds, a fidget
comes back to where it began. A running median of 11 s takes out all that comes back within 5 s and leaves steps as they
are; its steps are the shifts, and what it takes out holds the fidgets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from .moves import Event, bump, fitted, move, nearest
from .stance import RATE

LEAST = 8e-3  # m of the pelvis, below which a shift is not told from sway (Duarte's smallest groups: 10 mm)
LEAST_FIDGET = 4e-3  # m
CLEAR = 2.0  # of the spread on both sides (Duarte: 2)
CLEAR_FIDGET = 4.0  # of the spread around (Duarte: 3, of which one in five here was sway)
MEDIAN = 11.0  # s
_GAP, _WINDOW = 1.5, 3.0  # s left out around a step, s looked at on either side of it
_AROUND = 15.0  # s at most that its spread is measured on (Duarte: 15)


@dataclass(frozen=True, slots=True)
class Events:
    """What one direction of a span holds.

    Fields:
        shifts, fidgets: by time
        level: (K + 1,) m, where the pelvis was between the K shifts; at: (K + 1, 2) s, from when to when
        rest:  (N,) m, what is left without any of them: sway
    """

    shifts: tuple[Event, ...]
    fidgets: tuple[Event, ...]
    level: F64
    at: F64
    rest: F64


def events(place: F64) -> Events:
    """Return the shifts and fidgets of one direction. place: (N,) m at RATE."""
    whole, window = place, round(MEDIAN * RATE)
    for one in _fidgets(place - _median(place, window), []):
        if _comes_back(place, one):  # a large one bends the median as a shift would
            place = place - _out(one, len(place))
    steps = _steps(place, _median(place, window))
    shifts, clean = [], whole.copy()
    for k, step in enumerate(steps):
        before = steps[k - 1] if k else 0
        after = steps[k + 1] if k + 1 < len(steps) else len(place)
        found = fitted(place, step, (before + step) // 2, (step + after) // 2, move)
        if found is not None and abs(found.size) >= LEAST:
            shifts.append(found)
    at, level = _levels(place, shifts)
    for shift, one, other in zip(shifts, level[:-1], level[1:], strict=True):
        first, last = max(round(shift.start * RATE), 0), min(round(shift.end * RATE), len(clean))
        x = (np.arange(first, last) / RATE - shift.start) / shift.seconds
        clean[first:last] -= (other - one) * move(x) + one
    for (first, last), where in zip((at * RATE).round().astype(int), level, strict=True):
        clean[first:last] -= where
    fidgets = _fidgets(whole - _median(whole, window), shifts)
    for fidget in fidgets:
        clean -= _out(fidget, len(clean))
    return Events(tuple(shifts), tuple(fidgets), level, at, clean)


def _comes_back(place: F64, fidget: Event) -> bool:
    """Return whether what looks like a fidget is one, rather than the edge of a shift."""
    middle = round((fidget.start + 0.5 * fidget.seconds) * RATE)
    (_, there_and_back), (_, away) = (nearest(place, middle, 0, len(place), profile) for profile in (bump, move))
    return there_and_back < away


def _out(fidget: Event, count: int) -> F64:
    """Return what a fidget does to the pelvis, (N,) m."""
    return fidget.size * bump(np.clip((np.arange(count) / RATE - fidget.start) / fidget.seconds, 0.0, 1.0))


def _median(values: F64, window: int) -> F64:
    window |= 1
    half = min(window // 2, len(values) - 1)
    padded = np.pad(values, half, mode="reflect")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1), axis=1)


def _steps(place: F64, smooth: F64) -> list[int]:
    """Return the samples in whose middle a shift is, least ones taken away until all that are left are clear."""
    gap, window = round(_GAP * RATE), round(_WINDOW * RATE)
    reach = gap + window
    total = np.concatenate([[0.0], np.cumsum(smooth)])
    at = np.arange(reach, len(place) - reach)
    if not len(at):
        return []
    difference = np.abs(total[at + reach] - total[at + gap] - total[at - gap] + total[at - reach]) / window
    found: list[int] = []
    for k in np.argsort(-difference, kind="stable"):
        if difference[k] < 0.75 * LEAST:
            break
        if all(abs(int(at[k]) - other) >= reach for other in found):
            found.append(int(at[k]))
    found.sort()
    clear = [_clear(place, found, k) for k in range(len(found))]
    while clear and min(clear) < 1.0:
        least = clear.index(min(clear))
        del found[least], clear[least]
        for k in (least - 1, least):  # only its neighbours are seen in another light without it
            if 0 <= k < len(found):
                clear[k] = _clear(place, found, k)
    return found


def _clear(place: F64, steps: list[int], k: int) -> float:
    """Return how clear a step is, 1 = enough: its size over the least one, and over the spread on both sides."""
    gap, around = round(_GAP * RATE), round(_AROUND * RATE)
    before = max(steps[k - 1] + gap if k else 0, steps[k] - around)
    after = min(steps[k + 1] - gap if k + 1 < len(steps) else len(place), steps[k] + around)
    one, other = place[before : max(steps[k] - gap, before + 1)], place[min(steps[k] + gap, after - 1) : after]
    size = abs(float(np.median(other) - np.median(one)))
    spread = float(np.hypot(_spread(one), _spread(other)))
    return min(size / LEAST, size / max(CLEAR * spread, 1e-9))


def _spread(values: F64) -> float:
    """Return the standard deviation as quartiles tell it: a fidget in it does not count."""
    low, high = np.percentile(values, (25, 75))
    return float(high - low) / 1.349


def _levels(place: F64, shifts: list[Event]) -> tuple[F64, F64]:
    ends = [0.0, *(s.end for s in shifts)]
    starts = [*(s.start for s in shifts), len(place) / RATE]
    at = np.array([(a, max(b, a + 1.0 / RATE)) for a, b in zip(ends, starts, strict=True)])
    rows = np.clip((at * RATE).round().astype(int), 0, len(place))
    level = np.array([np.median(place[min(a, len(place) - 1) : max(b, a + 1)]) for a, b in rows])
    return at, level


def _fidgets(quick: F64, shifts: list[Event]) -> list[Event]:
    """Return bumps of what the running median took out, none of them on a shift."""
    quick = quick.copy()
    spread = max(_spread(quick), 1e-6)
    taken = np.zeros(len(quick), bool)
    for shift in shifts:
        taken[max(round((shift.start - 1.0) * RATE), 0) : round((shift.end + 1.0) * RATE)] = True
    out = []
    while True:
        k = int(np.argmax(np.where(taken, 0.0, np.abs(quick))))
        if taken[k] or abs(quick[k]) < max(LEAST_FIDGET, CLEAR_FIDGET * spread):
            break
        found = fitted(quick, k, max(k - 3 * RATE, 0), min(k + 3 * RATE, len(quick)), bump)
        taken[max(k - RATE, 0) : k + RATE] = True
        if found is not None and abs(found.size) >= LEAST_FIDGET and not _runs_into(found, shifts):
            out.append(found)
            quick -= _out(found, len(quick))
    return sorted(out, key=lambda one: one.start)


def _runs_into(fidget: Event, shifts: list[Event]) -> bool:
    return any(fidget.start < shift.end and shift.start < fidget.end for shift in shifts)
