"""How right a track of mouth shapes is, in the figures that a viewer feels: closed lips, calm, jaw, rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.arrays import I32
from ....components.face_map import VISEMES

# Shapes that look alike: 8 groups
GROUP = np.array([0, 1, 2, 3, 3, 3, 4, 4, 3, 4, 5, 6, 6, 7, 7])
# How far the jaw is open and the lips are round in each shape, 0..1 (seen on ARKit faces; for correlations only)
JAW = np.array([0.0, 0.0, 0.1, 0.25, 0.25, 0.3, 0.2, 0.15, 0.25, 0.3, 1.0, 0.6, 0.4, 0.7, 0.35])
ROUND = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.8, 1.0])
NEAR = 4  # frames a closure may be off and still be this one
CLOSED = VISEMES.index("PP")
_SMOOTH = 7  # frames over which jaw and rounding are averaged: lips have no edges
_BLOCK = 500  # frames: errors within 5 s hang together, so the bootstrap draws whole blocks


@dataclass(frozen=True, slots=True)
class Track:
    """A voice's true and found classes. true, found: (F,) i32; likely: (F, 15), of the classes; known: (F,) bool."""

    source: str
    true: I32
    found: I32
    likely: Any
    known: Any


def events(track: I32) -> list[tuple[int, int]]:
    """Return (first frame, frame after) of each closure."""
    edge = np.diff(np.concatenate([[0], (track == CLOSED).astype(int), [0]]))
    return list(zip(np.flatnonzero(edge == 1).tolist(), np.flatnonzero(edge == -1).tolist()))


def closures(found: I32, true: I32, known: Any = None) -> dict[str, Any]:
    """Return how many closures were there, found, shown, shown rightly, and the onset errors, ms."""
    there, shown = events(true), events(found)
    if known is not None:
        there = [e for e in there if known[e[0]]]
        shown = [e for e in shown if known[e[0]]]

    def meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
        return a[0] < b[1] + NEAR and b[0] < a[1] + NEAR

    errors, hit = [], 0
    for event in there:
        near = [other[0] - event[0] for other in shown if meet(event, other)]
        if near:
            hit += 1
            errors.append(10.0 * min(near, key=abs))
    right = sum(any(meet(event, other) for other in there) for event in shown)
    return {"there": len(there), "hit": hit, "shown": len(shown), "right": right, "errors": errors}


def figures(tracks: list[Track], *, draws: int = 400, seed: int = 1) -> dict[str, Any]:
    """Return the figures of `face evaluate` over all tracks, with `low` and `high` of each: 95 % of bootstrap draws."""
    blocks = [_counted(track, at) for track in tracks for at in range(0, len(track.true), _BLOCK)]
    out = _of(blocks)
    draw = np.random.default_rng(seed)
    many = [_of([blocks[k] for k in draw.integers(len(blocks), size=len(blocks))]) for _ in range(draws)]
    for name in ("frame_accuracy", "group_accuracy", "closure_recall", "closure_precision", "jaw_r", "rounding_r"):
        values = [m[name] for m in many if m[name] is not None]
        if values:
            out[name + "_low"], out[name + "_high"] = (round(float(v), 3) for v in np.percentile(values, (2.5, 97.5)))
    return out


def _counted(track: Track, at: int) -> dict[str, Any]:
    """Return what one block adds to every figure."""
    part = slice(at, at + _BLOCK)
    true, found, known = track.true[part], track.found[part], track.known[part]
    jaw = _soft(track.likely @ JAW)[part], _soft(JAW[track.true])[part]
    rounded = _soft(track.likely @ ROUND)[part], _soft(ROUND[track.true])[part]
    return {
        "frames": int(known.sum()),
        "right": int((true == found)[known].sum()),
        "group": int((GROUP[true] == GROUP[found])[known].sum()),
        "closures": closures(found, true, known),
        "switches": int((np.diff(found) != 0)[known[1:]].sum()),
        "true_switches": int((np.diff(true) != 0)[known[1:]].sum()),
        "jaw": [series[known] for series in jaw],
        "round": [series[known] for series in rounded],
    }


def _of(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    frames = sum(b["frames"] for b in blocks)
    close = {key: sum(b["closures"][key] for b in blocks) for key in ("there", "hit", "shown", "right")}
    errors = [e for b in blocks for e in b["closures"]["errors"]]
    switches = sum(b["true_switches"] for b in blocks)

    def share(a: float, b: float) -> float | None:
        return round(a / b, 3) if b else None

    return {
        "frame_accuracy": share(sum(b["right"] for b in blocks), frames),
        "group_accuracy": share(sum(b["group"] for b in blocks), frames),
        "closure_recall": share(close["hit"], close["there"]),
        "closure_precision": share(close["right"], close["shown"]),
        "closure_p90_ms": round(float(np.percentile(np.abs(errors), 90)), 1) if errors else None,
        "switch_ratio": share(sum(b["switches"] for b in blocks), switches),
        "jaw_r": _correlation([b["jaw"] for b in blocks]),
        "rounding_r": _correlation([b["round"] for b in blocks]),
        "closures": close["there"],
        "seconds": round(frames / 100.0, 1),
    }


def _soft(series: Any) -> Any:
    return np.convolve(series, np.full(_SMOOTH, 1.0 / _SMOOTH), "same")


def _correlation(pairs: list[list[Any]]) -> float | None:
    a, b = (np.concatenate([pair[k] for pair in pairs]) for k in (0, 1))
    return round(float(np.corrcoef(a, b)[0, 1]), 3) if len(a) > 2 and a.std() > 0 and b.std() > 0 else None
