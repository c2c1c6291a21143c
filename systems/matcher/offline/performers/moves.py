"""A hand's motion as overlapping submovements: what one is, how a chain of them is kept consistent and drawn.

Superposed minimum-jerk steps blend by themselves, as strokes of real talkers do: speed does not fall to zero between
neighbours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .....components.arrays import F64
from .....components.corpus import FPS
from .noise import swing
from .shapes import BODY, CHANNELS, PLACE, ROLL

# s, when each channel starts against the hand as a whole: fingers trail by 50 ms, proximal joints lead (measured lags)
DELAY = np.concatenate(
    [
        [0.015, -0.012, 0.0, 0.035, 0.06, 0.05, -0.02, -0.03],
        [knuckle + late for late in (0.0, 0.012, 0.022, 0.03) for knuckle in (0.065, 0.08, 0.095)],
        [0.06, 0.07, 0.07, 0.06],
    ]
)
SPAN = np.concatenate([[1.0, 1.0, 1.0, 0.95, 0.9, 0.9, 1.15, 1.1], np.full(CHANNELS - 8, 0.8)])  # share of duration
WRIST = slice(ROLL, ROLL + 3)
SLOW_KINDS = ("drift", "hold", "retract")  # moves that give way when they meet a stroke


@dataclass(slots=True)
class Move:
    """One submovement of one hand.

    Fields:
        end:      s, when the place is reached; duration: s
        target:   (24,) channels at the end, cm and deg
        kind:     "prep", "stroke", "hold", "drift" or "retract"
        link:     moves of both hands with the same (link, kind) are one gesture and are slowed together; -1 alone
        cap:      share of the speed limit this move may use, so that peaks differ
        bulge:    (3,) cm, how far the path bows off its chord
        relative: (24,) or None: the target measured from the last absolute one; a shrunken stroke takes it along
        origin:   (24,) channels it starts from: filled by `rechain`
        wrist:    how much longer the forearm's roll and the wrist take than the hand's place
        path:     how much of the first distance is left
        planned:  s, duration before any slowing
    """

    end: float
    duration: float
    target: F64
    kind: str
    link: int = -1
    cap: float = 1.0
    bulge: F64 = field(default_factory=lambda: np.zeros(3))
    relative: F64 | None = None
    origin: F64 = field(default_factory=lambda: np.zeros(CHANNELS))
    wrist: float = 1.15
    path: float = 1.0
    planned: float = 0.0

    def __post_init__(self) -> None:
        self.planned = self.duration

    @property
    def start(self) -> float:
        """When it begins, s."""
        return self.end - self.duration


@dataclass(slots=True)
class Track:
    """One hand: where it is at the start, where it goes in pauses, and its moves in order of their ends."""

    begin: F64
    home: F64
    moves: list[Move] = field(default_factory=list)

    @property
    def last(self) -> F64:
        """Channels after the last planned move."""
        return self.moves[-1].target if self.moves else self.begin


def law(path_cm: float, tempo: float) -> float:
    """Return the duration of a stroke, s: .86 * path_m^.42 / tempo (measured on one speaker, r .67 to .81)."""
    return 0.86 * max(path_cm / 100.0, 0.03) ** 0.42 / tempo


def rechain(track: Track) -> None:
    """Make each move start where the one before it ends, and relative ones follow the last absolute target."""
    anchor = here = track.begin
    for move in track.moves:
        if move.relative is not None:
            move.target = anchor + move.relative
        else:
            anchor = move.target
        move.origin, here = here, move.target


def settle(track: Track) -> None:
    """Order the moves and drop rests, holds and retractions that overlap a neighbour by more than .8 of the shorter.

    Two moves that fight look like neither: a retraction left over from the phrase before ate the next stroke.
    """
    kept: list[Move] = []
    for move in sorted(track.moves, key=lambda m: m.end):
        while kept:
            before = kept[-1]
            overlap = (before.end - move.start) / min(before.duration, move.duration)
            gives_way = overlap > 0.8 and before.kind in SLOW_KINDS
            if not gives_way and not (overlap > 1.05 and before.kind == "prep"):
                break
            kept.pop()
        if kept and move.kind in SLOW_KINDS:
            before = kept[-1]
            if (before.end - move.start) / min(before.duration, move.duration) > 0.8:
                continue
        kept.append(move)
    track.moves = kept
    rechain(track)


def draw(track: Track, frames: int) -> F64:
    """Return (frames, 24) channels, cm and deg: the start plus every move's own course."""
    out = np.tile(track.begin, (frames, 1))
    for move in track.moves:
        span = move.duration * SPAN
        start = move.start + DELAY
        span[WRIST] *= move.wrist
        start[WRIST] -= move.duration * (move.wrist - 1.0) * 0.6
        first = min(max(math.floor(start.min() * FPS), 0), frames)
        after = min(max(math.ceil((start + span).max() * FPS), first), frames)
        progress = np.clip((np.arange(first, after)[:, None] / FPS - start) / span, 0.0, 1.0)
        change = move.target - move.origin
        out[first:after] += change * swing(progress)
        out[after:] += change
        along = progress[:, :1]
        out[first:after, PLACE] += 64.0 * (along * (1.0 - along)) ** 3 * move.bulge
    return out


def shrink(move: Move, share: float) -> None:
    """Make the move's path shorter; fingers keep their shape."""
    move.path *= share
    move.bulge = move.bulge * share
    if move.relative is not None:
        move.relative[BODY] *= share
    else:
        target = move.target.copy()
        target[BODY] = move.origin[BODY] + (target[BODY] - move.origin[BODY]) * share
        move.target = target
