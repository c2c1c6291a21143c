"""Everything that a reflex file holds, counted in spans of standing; what they are too short for keeps its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....components.arrays import F64
from ....components.reflex import Standing, limits
from . import swaying
from .breath import breaths
from .breath import told as must_be_told
from .counts import between, dwell, leans, loads, places, silent
from .events import LEAST, LEAST_FIDGET, Events, events
from .moves import GRAIN
from .stance import PAUSE, RATE, Stand
from .talking import Talking, talking
from .waits import Counted, histogram, sizes, why_not

FEWEST_BREATHS = 30


@dataclass(frozen=True, slots=True)
class Fit:
    """A reflex file in the making.

    Fields:
        standing: what it says
        fitted:   by name, how it was counted; kept: by name, why the numbers before it stay
        spans, seconds, people: what it was counted in; seconds of speech among them
    """

    standing: Standing
    fitted: dict[str, str]
    kept: dict[str, str]
    spans: int
    seconds: float
    speech: float
    people: int


def fit(stands: Sequence[Stand], before: Standing, told: Callable[[int, int], None] | None = None) -> Fit:
    """Return what these spans say; `before` where they say too little.

    told: called with how many spans are done, of how many
    """
    both: list[tuple[Events, Events]] = []
    for number, one in enumerate(stands):
        both.append((events(one.pelvis[:, 0]), events(one.pelvis[:, 1])))
        if told is not None:
            told(number + 1, len(stands))
    quiet = [silent(one) for one in stands]
    counted: dict[str, tuple[Counted, str]] = {}
    side, front = [b[0] for b in both], [b[1] for b in both]
    counted["weight.dwell_s"] = dwell(side, quiet), "waits for a shift in silence"
    counted["weight.load"] = sizes(loads(side, stands)), "stays between shifts"
    counted["weight.sideways_mm"] = sizes(places(side)), "stays between shifts"
    counted["weight.seconds"] = sizes([s.seconds for e in side for s in e.shifts], GRAIN), "shifts"
    counted["lean.dwell_s"] = between([e.shifts for e in front], stands), "waits for a shift"
    counted["lean.mm"] = sizes(leans(front)), "stays between shifts"
    counted["lean.seconds"] = sizes([s.seconds for e in front for s in e.shifts], GRAIN), "shifts"
    counted["fidget.sideways_s"] = between([e.fidgets for e in side], stands), "waits for a fidget"
    counted["fidget.forward_s"] = between([e.fidgets for e in front], stands), "waits for a fidget"
    fidgets = [f for e in (*side, *front) for f in e.fidgets]
    counted["fidget.mm"] = sizes([1e3 * abs(f.size) for f in fidgets]), "fidgets"
    counted["fidget.seconds"] = sizes([f.seconds for f in fidgets], GRAIN), "fidgets"
    kept, bumps = _breathing(stands, counted)
    people = len({one.performer for one in stands})
    seconds = sum(one.seconds for one in stands)
    where = f"of {people} {'person' if people == 1 else 'people'}, {seconds / 60.0:.1f} min of standing"
    made, fitted = dict(before.histogram), {}
    for name, (values, what) in counted.items():
        reason = kept.get(name) or why_not(values, what)
        if reason:
            kept[name] = reason
            continue
        left = f", {values.left:.0%} longer than any that ended" if values.left > 0.005 else ""
        fitted[name] = f"fitted: {len(values.value)} {what} {where}{left}{_note(name, bumps)}"
        made[name] = histogram(values, limits(name), fitted[name])
    for name in made:
        if name not in fitted and name not in kept:
            kept[name] = "not fitted: a slow change of the middle is not told from shifts in takes of minutes"
    period, amplitude = _sways(both, stands, before, fitted, kept, where)
    said = talking(stands, side)
    number = _spoken(said, before, fitted, kept, where)
    standing = replace(before, histogram=made, number=number, amplitude=amplitude, period=period, people=people)
    standing = replace(standing, about="fitted to recordings" if fitted else before.about)
    if not fitted:
        standing = replace(standing, people=before.people)
    speech = sum(float(one.speaking.sum()) / RATE for one in stands)
    return Fit(standing, fitted, kept, len(stands), seconds, speech, people)


def _note(name: str, bumps: str) -> str:
    if name in ("weight.dwell_s", "weight.sideways_mm", "lean.dwell_s", "lean.mm"):
        return f"; shifts under {1e3 * LEAST:g} mm are not told from sway"
    if name.startswith("fidget."):
        return f"; fidgets under {1e3 * LEAST_FIDGET:g} mm, or 4 times the sway, are not told from it"
    if name == "weight.load":
        return "; from the centre of mass between the ankles (segments of Winter 2009)"
    return bumps if name.startswith("breath.") else ""


def _breathing(stands: Sequence[Stand], counted: dict[str, tuple[Counted, str]]) -> tuple[dict[str, str], str]:
    """Count breaths; return why each histogram of them is kept, and how clear breathing was."""
    seen = [breaths(one.breath, one.speaking) for one in stands]
    rate, ratio, depth = (
        np.concatenate([60.0 / b.seconds for b in seen]),
        np.concatenate([b.out_per_in for b in seen]),
        np.concatenate([b.depth for b in seen]),
    )
    if len(ratio):
        ratio = must_be_told(ratio, float(np.median(60.0 / rate)))
    names = ("breath.per_min", "breath.out_per_in", "breath.depth")
    for name, values in zip(names, (rate, ratio, depth), strict=True):
        counted[name] = sizes(values.tolist()), "breaths in silence"
    clear = float(np.median([b.bump for b in seen])) if seen else 0.0
    if len(rate) >= FEWEST_BREATHS:
        return {}, f"; breathing stands {clear:.0f} times above the noise beside it"
    why = f"{len(rate)} silent breaths, wanted {FEWEST_BREATHS}; breathing stands {clear:.1f} times above the noise"
    return dict.fromkeys(names, why), ""


def _sways(
    both: Sequence[tuple[Events, Events]],
    stands: Sequence[Stand],
    before: Standing,
    fitted: dict[str, str],
    kept: dict[str, str],
    where: str,
) -> tuple[F64, F64]:
    """Return periods as they are and the amplitudes that sway as measured; silent windows alone."""
    amplitude, counts = before.amplitude.copy(), []
    for side in range(2):
        period = before.period[side][before.amplitude[side] > 0.0]
        powers = []
        for pair, one in zip(both, stands, strict=True):
            found = pair[side]
            firsts = swaying.windows(found.rest, [(s.start, s.end) for s in found.shifts])
            width = round(swaying.WINDOW * RATE)
            firsts = [a for a in firsts if not one.speaking[a : a + width].any()]
            powers.append(swaying.power(found.rest, firsts, period))
        measured = np.concatenate(powers) if powers else np.zeros((0, len(period)))
        counts.append(len(measured))
        if len(measured) >= swaying.FEWEST and len(period):
            made = swaying.amplitudes(measured.mean(axis=0), period, side)
            amplitude[side][before.amplitude[side] > 0.0] = np.minimum(made, 20e-3)
    if min(counts) < swaying.FEWEST:
        kept["sway"] = f"{min(counts)} silent windows of {swaying.WINDOW:g} s, wanted {swaying.FEWEST}"
        return before.period, before.amplitude
    fitted["sway"] = (
        f"fitted: {counts[0]} sideways and {counts[1]} forward windows of {swaying.WINDOW:g} s {where}; "
        "the pelvis over the ankles, 0.6 of the head's; periods are given"
    )
    return before.period, amplitude


def _spoken(
    said: Talking, before: Standing, fitted: dict[str, str], kept: dict[str, str], where: str
) -> dict[str, float]:
    """Return the effect of speech."""
    number = dict(before.number)
    reason = said.why_not()
    if reason:
        kept["speech"] = reason
        return number
    number["speech.at_start"], number["speech.inside_per_s"] = round(said.at_start, 3), round(said.inside_per_s, 4)
    number["speech.pause_s"] = PAUSE
    fitted["speech"] = (
        f"fitted: {said.starts} starts and {said.inside / 60.0:.1f} min inside {where}; over the "
        f"{said.silent_per_s:.4f} a second of {said.silent / 60.0:.1f} min of silence"
    )
    return number
