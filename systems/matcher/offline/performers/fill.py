"""What hands do when nothing is planned for them: small overlapping moves, so that a rest gives but never freezes."""

from __future__ import annotations

import numpy as np

from .....components.arrays import F64
from .....components.corpus import FPS
from .moves import Move, Track
from .noise import wander
from .shapes import CHANNELS, FINGERS, FLEX, LIFT, PLACE, RADIAL, ROLL, SWIVEL
from .styles import Style

# s that a small move may reach into its neighbours, and the least it may last: longer ones were dropped again where
# they met a stroke, and raised hands stood still in the air half of the time (recorded: a twentieth)
_INTO, _SHORTEST = 0.15, 0.4
_HANGS = -37.0  # cm up, below this a hand hangs and wanders less


def fill(rng: np.random.Generator, style: Style, seconds: float, tracks: tuple[Track, Track]) -> None:
    """Fill every gap of both tracks on one jittered grid, so that the two hands stir together.

    seconds: length of the clip
    """
    common = wander(rng, int((seconds + 4.0) * FPS), 0.3, 3)
    grid: list[tuple[float, float]] = []
    at = 0.0
    while at < seconds + 2.0:
        time = rng.uniform(0.5, 0.95)
        grid.append((at, time))
        at += time * rng.uniform(0.55, 0.85)
    for track in tracks:
        track.moves.sort(key=lambda m: m.end)
        busy = [(m.end - 0.9 * m.duration, m.end, m) for m in track.moves]
        rests: list[Move] = []
        here, since, offset = track.begin, -1.0, np.zeros(CHANNELS)
        for begin, end, move in [*busy, (seconds + 1.0, seconds + 1.0, None)]:
            hangs = here[1] < _HANGS
            size = style.drift * (0.25 if hangs else 1.0)
            for at, time in grid:
                time = min(time, begin + _INTO - at)
                if at < since - _INTO or time < _SHORTEST:
                    continue
                shared = common[min(int((at + time) * FPS), len(common) - 1)]
                offset = _drifted(rng, offset, shared, size, hangs)
                cap = rng.uniform(0.5, 0.85)
                rests.append(Move(at + time, time, here + offset, "drift", cap=cap, relative=offset))
            if move is not None:
                here, since, offset = move.target, end, np.zeros(CHANNELS)
        track.moves = sorted([*track.moves, *rests], key=lambda m: m.end)


def _drifted(rng: np.random.Generator, offset: F64, shared: F64, size: float, hangs: bool) -> F64:
    out = 0.5 * offset
    step = (0.85 * shared + 0.45 * rng.standard_normal(3)) * size * [0.85, 1.0, 0.9]
    out[PLACE] = np.clip(0.15 * offset[PLACE] + step, -2.6 * size, 2.6 * size)
    out[[RADIAL, SWIVEL, LIFT]] = 0.0
    out[ROLL] += rng.normal(0.0, 4.5)
    out[FLEX] += rng.normal(0.0, 2.2)
    curl = rng.standard_normal() * np.array([2.2] * 12 + [1.0] * 4) + rng.normal(0.0, 1.6, 16)
    out[FINGERS] += curl * (0.4 if hangs else 1.0)
    return out


def make_room(track: Track) -> None:
    """Keep a retraction only where the next stroke leaves room for it."""
    strokes = [(m.end - 1.35 * m.duration, m.end) for m in track.moves if m.kind in ("prep", "stroke")]

    def fits(move: Move) -> bool:
        near = [(a, b) for a, b in strokes if b > move.end - 0.5]
        return all(b <= move.end - 0.7 * move.duration or a >= move.end + 0.3 for a, b in near)

    track.moves = [m for m in track.moves if m.kind != "retract" or fits(m)]
