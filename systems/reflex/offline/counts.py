"""What is counted in shifts and fidgets: waits from one to the next, and where she stood between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....components.arrays import F64
from .events import Events
from .moves import Event
from .stance import RATE, Stand
from .waits import Counted, waits


def silent(one: Stand) -> F64:
    """Return for each sample how many s of silence come from it on."""
    out = np.zeros(len(one.speaking))
    left = 0.0
    for k in range(len(out) - 1, -1, -1):
        left = 0.0 if one.speaking[k] else left + 1.0 / RATE
        out[k] = left
    return out


def dwell(side: Sequence[Events], silent: Sequence[F64]) -> Counted:
    """Return waits for the next shift that begin in silence; speech ends them unseen, for it has its own effect."""
    seconds, ended = [], []
    for found, quiet in zip(side, silent, strict=True):
        for k, shift in enumerate(found.shifts):
            row = min(max(round(shift.start * RATE), 0), len(quiet) - 1)
            following = found.shifts[k + 1].start - shift.start if k + 1 < len(found.shifts) else np.inf
            if quiet[row] <= 0.0:
                continue
            seconds.append(min(following, float(quiet[row])))
            ended.append(following <= quiet[row])
    return waits(seconds, ended)


def between(moves: Sequence[Sequence[Event]], stands: Sequence[Stand]) -> Counted:
    seconds, ended = [], []
    for found, one in zip(moves, stands, strict=True):
        for k, move in enumerate(found):
            is_last = k + 1 == len(found)
            seconds.append((one.seconds if is_last else found[k + 1].start) - move.start)
            ended.append(not is_last)
    return waits(seconds, ended)


def _stays(found: Events) -> list[int]:
    """Return the stays that a shift began or ended: a span without any says nothing of where shifts go."""
    return list(range(len(found.level))) if found.shifts else []


def loads(side: Sequence[Events], stands: Sequence[Stand]) -> list[float]:
    out = []
    for found, one in zip(side, stands, strict=True):
        for k in _stays(found):
            a, b = (int(v) for v in np.round(found.at[k] * RATE))
            out.append(float(np.median(one.load[min(a, len(one.load) - 1) : max(b, a + 1)])))
    return out


def places(side: Sequence[Events]) -> list[float]:
    return [1e3 * abs(float(found.level[k])) for found in side for k in _stays(found)]


def leans(front: Sequence[Events]) -> list[float]:
    """Return mm from each span's own middle: how far ankles lie behind hips is a matter of the skeleton."""
    out = []
    for found in front:
        middle = float(np.average(found.level, weights=found.at[:, 1] - found.at[:, 0]))
        out += [1e3 * abs(float(found.level[k]) - middle) for k in _stays(found)]
    return out
