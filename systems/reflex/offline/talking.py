"""What speech does to weight shifts: how many more of them at its starts and inside it than in silence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .events import Events
from .stance import RATE, Stand

NEAR = (-0.5, 1.0)  # s around a start in which a shift begins with it: a fitted begin is right within 0.3 s
FEWEST_STARTS = 20
LEAST_INSIDE, LEAST_SILENT = 120.0, 120.0  # s


@dataclass(frozen=True, slots=True)
class Talking:
    """Shifts by what was said then.

    Fields:
        starts: of runs of speech; inside, silent: s
        at_start: chance of a shift with a start; inside_per_s: shifts a second inside; both over those of silence
        silent_per_s: shifts a second of silence
    """

    starts: int
    inside: float
    silent: float
    at_start: float
    inside_per_s: float
    silent_per_s: float

    def why_not(self) -> str:
        """Return what is missing to tell an effect, "" where nothing is."""
        if self.starts < FEWEST_STARTS:
            return f"{self.starts} starts of speech after a pause, wanted {FEWEST_STARTS}"
        if self.inside < LEAST_INSIDE or self.silent < LEAST_SILENT:
            return (
                f"{self.inside:.0f} s of speech and {self.silent:.0f} s of silence, "
                f"wanted {LEAST_INSIDE:g} and {LEAST_SILENT:g} s"
            )
        return ""


def talking(stands: Sequence[Stand], side: Sequence[Events]) -> Talking:
    """Return the effect of speech in spans with a voice; the others tell of nothing."""
    starts, hits, inside_s, inside, silent_s, silent = 0, 0, 0.0, 0, 0.0, 0
    for one, found in zip(stands, side, strict=True):
        if not one.has_voice:
            continue
        starts += len(one.starts)
        near = 0.0
        begins = [shift.start for shift in found.shifts]
        taken = set()
        for at in one.starts:
            near += min(NEAR[1], one.seconds - at)
            here = [k for k, begin in enumerate(begins) if NEAR[0] <= begin - at <= NEAR[1] and k not in taken]
            if here:
                hits += 1
                taken.add(here[0])
        for k, begin in enumerate(begins):
            row = min(max(round(begin * RATE), 0), len(one.speaking) - 1)
            if k not in taken:
                inside += bool(one.speaking[row])
                silent += not one.speaking[row]
        inside_s += max(float(one.speaking.sum()) / RATE - near, 0.0)
        silent_s += max(float((~one.speaking).sum()) / RATE + NEAR[0] * len(one.starts), 0.0)
    quiet = silent / silent_s if silent_s > 0.0 else 0.0
    by_chance = 1.0 - math.exp(-quiet * (NEAR[1] - NEAR[0]))
    share = hits / starts if starts else 0.0
    at_start = max(0.0, 1.0 - (1.0 - share) / (1.0 - by_chance))
    return Talking(starts, inside_s, silent_s, at_start, max(0.0, _rate(inside, inside_s) - quiet), quiet)


def _rate(count: int, seconds: float) -> float:
    return count / seconds if seconds > 0.0 else 0.0
