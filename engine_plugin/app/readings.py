"""What a panel shows: her figures in the units a viewer sees, as lines of text. No engine, no picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

KEEP = 600  # ticks that the times are taken over: 10 s


@dataclass(frozen=True, slots=True)
class Reading:
    """One line. share: 0..1 of its limit, None where it has none; is_bad: somebody should look at it."""

    label: str
    text: str
    share: float | None = None
    is_bad: bool = False


class TickTimes:
    """How long the last KEEP ticks took. Give `take` every tick's time."""

    def __init__(self) -> None:
        self._seconds = np.zeros(KEEP)
        self._count = 0

    def take(self, seconds: float) -> None:
        """Keep one tick's time, s."""
        self._seconds[self._count % KEEP] = seconds
        self._count += 1

    def quantiles(self) -> tuple[float, float, float] | None:
        """Return the median, the 99th percentile and the longest, ms; None before the first tick."""
        held = self._seconds[: min(self._count, KEEP)] * 1e3
        return None if not len(held) else tuple(np.percentile(held, (50, 99, 100)).tolist())


def readings(
    figures: Mapping[str, Any], times: TickTimes, frames_s: float, states: Mapping[str, str]
) -> list[tuple[str, list[Reading]]]:
    """Return the panel's lines under their headings.

    figures: of `her.figures()`; frames_s: drawn frames a second
    states: name -> why it is off or degraded, of what the engine knows
    """
    return [
        ("Voice", _voice(figures)),
        ("Motion", [*_motion(figures), *_sentence(figures)]),
        ("Turned down", _refused(figures)),
        ("Time", _time(times, frames_s)),
        ("State", _state(figures, states)),
    ]


def _voice(f: Mapping[str, Any]) -> list[Reading]:
    if f["position_s"] is None:
        doing = "listens to the microphone" if f["listening"] else "silent"
        return [Reading("Says", doing + (f", {f['queued']} waiting" if f["queued"] else ""))]
    length = f["seconds"] or 0.0
    more = f", {f['queued']} waiting" if f["queued"] else ""
    share = min(f["position_s"] / length, 1.0) if length > 0.0 else None
    return [Reading("Says", f"{f['position_s']:.1f} of {length:.1f} s{more}", share)]


def _motion(f: Mapping[str, Any]) -> list[Reading]:
    row = f["window"]
    out = [
        Reading("Layers", ", ".join(f["layers"]) or "none"),
        Reading("Face", f"{f['mood']}, " + ("looks before herself" if f["looks_at"] is None else "looks at somebody")),
        Reading("Look-ahead", f"{f['lookahead']} ticks"),
        Reading("Row", "arms at rest" if row < 0 else f"{row} of {f['clip'] or 'her corpus'}"),
    ]
    ranks = f["ranks"] if row >= 0 else None
    out.append(Reading("Ranks", "-" if ranks is None else "sound {}, timbre {}, pose {}".format(*ranks)))
    jump, limit = f["jump_deg"], f["jump_limit_deg"]
    forced = ", forced" if f["forced"] else ""
    out.append(
        Reading("Jump", "-" if jump is None else f"{jump:.0f} of {limit:.0f}°{forced}", _of(jump, limit), f["forced"])
    )
    out.append(Reading("Fade", f"{100 * f['fade']:.0f} %" if f["fade"] < 1.0 else "done", f["fade"]))
    speed, most = f["corpus_speed_deg_s"], f["speed_limit_deg_s"]
    out.append(Reading("Fastest arm joint", f"{speed:.0f} of {most:.0f}°/s", _of(speed, most)))
    return out


def _sentence(f: Mapping[str, Any]) -> list[Reading]:
    told = f.get("sentence")
    if told is None:
        return []
    state = told["state"] + (f", {told['detail']}" if told["detail"] else "")
    out = [Reading("Sentence model", state, is_bad=told["state"] in ("off", "dead", "degraded"))]
    first = told["first_motion_s"]
    moved = "nothing moved yet" if first is None else f"first motion after {first:.2f} s"
    words = f", words {told['words']}" if told["words"] else ""
    return [*out, Reading("Sentence", moved + words, f["sentence_share"])]


def _refused(f: Mapping[str, Any]) -> list[Reading]:
    rows, legal, refused = f["rows"], f["rows_legal"], f["refused"]
    if rows is None:
        return [Reading("Rows", "no corpus")]
    return [
        Reading(f"Over {f['speed_limit_deg_s']:.0f}°/s", f"{rows - legal} of {rows} rows"),
        Reading(f"Over {f['jump_limit_deg']:.0f}° away", f"{refused['jump']}"),
        Reading("Fade too fast", f"{refused['fade']}"),
        Reading("Forced cuts", f"{f['forced_cuts']}", is_bad=f["forced_cuts"] > 0),
    ]


def _time(times: TickTimes, frames_s: float) -> list[Reading]:
    found = times.quantiles()
    if found is None:
        return [Reading("Tick", "-")]
    median, late, longest = found
    return [
        Reading("Tick", f"{median:.2f} ms, p99 {late:.2f}, max {longest:.1f}", is_bad=late > 1000.0 / 60.0),
        Reading("Pictures", f"{frames_s:.0f} a second"),
    ]


def _state(f: Mapping[str, Any], states: Mapping[str, str]) -> list[Reading]:
    out = [Reading("Mode", f["mode"])]
    fence = f.get("fence")
    if fence is not None:
        why = f": {fence['reason']}" if fence["reason"] else ""
        held = f", holds {max(fence['moved_mm']):.0f} mm" if fence["stage"] == "live" else ""
        out.append(Reading("Fence", fence["stage"] + held + why, is_bad=bool(why)))
    out += [Reading(name[:1].upper() + name[1:], why, is_bad=True) for name, why in states.items()]
    out += [Reading("Degraded", what, is_bad=True) for what in f["degraded"]]
    return out if any(reading.is_bad for reading in out) else [*out, Reading("Parts", "all well")]


def _of(value: float | None, limit: float) -> float | None:
    return None if value is None or limit <= 0.0 else min(value / limit, 1.0)


def lines(groups: Sequence[tuple[str, Sequence[Reading]]]) -> int:
    """Return how many lines the groups take, a heading each included."""
    return sum(1 + len(rows) for _, rows in groups)
