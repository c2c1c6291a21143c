"""Which row: eligible first, then three ranks added, then the fade that keeps to the speed gate.

The work of one pick is cut into slices of a few dozen microseconds, so that no tick stalls.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...components.arrays import F64
from ...components.config import Config
from ...components.index import Index
from ...components.motion import Motion
from ...components.plan import Asked, Pick
from ..kernels import blend as kernel
from ..kernels import quat, search
from .blend import ARMS, bases, place, stood

FADES = (1.0, 1.25, 1.5, 2.0, 3.0)  # times pi J / 180 s, shortest first (MOTION section 2)
LONGER = (4.0, 6.0, 9.0)  # for a forced cut that none of FADES keeps under the gate
LEAST_FADE = 12  # ticks: below 0.2 s the eye sees a cut even where the pose hardly changes (choice)
REST_FADES = (4.0, 5.5, 7.5)  # arms sink slower than they are moved: 1 x looks dropped (choice)
ROW = 60  # ticks
BLOCKS = 3  # blocks of 256 rows a slice; a slice takes about 20 us
TICKS = 12  # ticks of a thought fade a slice

Slices = Generator[None, None, "Pick | None"]


@dataclass(slots=True)
class Answer:
    """What came of a question. refused: legal rows turned down, by gate."""

    pick: Pick | None
    refused_jump: int = 0
    refused_fade: int = 0


def answer(
    motion: Motion, index: Index, asked: Asked, recent: list[int], config: Config
) -> Generator[None, None, Answer]:
    """Yield after each slice of the work and return the pick whose audio shape, timbre and starting pose rank best.

    A row whose fade is longer than `asked.most` is passed over while she has others: it would outlast her speech.
    Without an eligible row whose fade keeps to the speed gate the nearest row is forced.
    """
    if asked.rest:
        return Answer((yield from _fading(motion, index, asked, -1, REST_FADES, (-1, -1, -1), config)))
    _open(index, asked, recent, config)
    count, refused = 0, 0
    for first in range(0, index.packed[0].shape[0], BLOCKS):
        stop = min(first + BLOCKS, index.packed[0].shape[0])
        count, more = search.distances(
            index.packed, index.open, asked.here, asked.envelope, asked.timbre, asked.has_timbre, config.gates.jump,
            first, stop, count, index.work,
        )  # fmt: skip
        refused += more
        yield
    listed = search.rank(count, index.work, index.rows, index.ranks, index.jump)
    rows, ranks = index.rows[:listed].copy(), index.ranks[:listed].copy()
    yield
    late: Pick | None = None
    too_fast = 0
    for chosen, three in zip(rows.tolist(), ranks.tolist(), strict=True):
        if chosen == asked.going_on and asked.playing is not None:
            frame = asked.playing.frame + asked.due - asked.playing.tick
            return Answer(
                Pick(asked.due, chosen, asked.playing.clip, frame, 0, 0.0, False, tuple(three)), refused, too_fast
            )
        pick = yield from _fading(motion, index, asked, chosen, FADES, tuple(three), config)
        if pick is not None and pick.fade <= asked.most:
            return Answer(pick, refused, too_fast)
        late = late or pick
        too_fast += pick is None
    if late is None:
        late = yield from _forced(motion, index, asked, config)
    return Answer(late, refused, too_fast)


def _open(index: Index, asked: Asked, recent: list[int], config: Config) -> None:
    """Write which rows may be picked: legal, not shown lately; a natural continuation may always be."""
    index.open[:] = index.legal & ~index.hangs
    lately = min(config.matcher.history, int(index.legal.sum()) // 4)
    if lately:
        index.open[recent[-lately:]] = False
    if asked.going_on >= 0:
        index.open[asked.going_on] = index.legal[asked.going_on] and not index.hangs[asked.going_on]


def _fading(
    motion: Motion,
    index: Index,
    asked: Asked,
    row: int,
    factors: tuple[float, ...],
    ranks: tuple[int, int, int],
    config: Config,
    *,
    is_forced: bool = False,
) -> Slices:
    """Return the pick of a row with the shortest fade that keeps the blend under the speed gate, None if none does."""
    repertoire = motion.repertoire
    assert repertoire is not None
    clip, frame, pose = -1, 0, bases(motion.anatomy)
    if row >= 0:
        clip, frame = int(repertoire.row_clip[row]), int(repertoire.row_frame[row])
        pose = repertoire.row_pose[row]
    jump = furthest(asked.here, pose)
    limit, old, new = config.gates.speed_deg_s, np.zeros(5, np.int32), np.zeros(5, np.int32)
    outgoing, incoming = (np.ascontiguousarray(stood(p)[ARMS]) for p in (asked.playing, None))
    whole = round(config.matcher.pick_s * 60.0)
    for factor in factors:
        fade = fade_ticks(jump, factor)
        pick = Pick(asked.due, row, clip, frame, fade, math.degrees(jump), is_forced, ranks, slow=max(fade, whole))
        place(motion, asked.playing, pick, old)
        place(motion, pick, pick, new)
        last = max(fade, ROW) if row >= 0 else fade
        peak = 0.0
        for first in range(0, last, TICKS):
            peak = kernel.peak_speed(
                index.arms, index.arm_gain, old, new, outgoing, incoming, float(fade), first,
                min(first + TICKS, last), limit, index.moved, index.tried,
            )  # fmt: skip
            yield
            if peak > limit:
                break
        if peak <= limit:
            return pick
    return None


def _forced(motion: Motion, index: Index, asked: Asked, config: Config) -> Slices:
    """Return the least jump there is, on a fade as long as it takes: nothing was in reach."""
    nearest, jump = search.nearest(index.packed, index.legal, asked.here, index.work)
    repertoire = motion.repertoire
    if nearest < 0 or repertoire is None:
        return None
    yield
    none = (-1, -1, -1)
    pick = yield from _fading(motion, index, asked, nearest, FADES + LONGER, none, config, is_forced=True)
    if pick is not None:
        return pick
    clip, frame = int(repertoire.row_clip[nearest]), int(repertoire.row_frame[nearest])
    fade = fade_ticks(jump, LONGER[-1])
    return Pick(asked.due, nearest, clip, frame, fade, math.degrees(jump), True, slow=fade)


def placed(motion: Motion, here: F64) -> F64:
    """Return the gated joints as the corpus layer alone shows them, (8, 4) wxyz local, as rows store theirs."""
    arms = np.ascontiguousarray(here[ARMS])
    quat.mul_each(bases(motion.anatomy), arms, arms)
    return arms


def furthest(a: F64, b: NDArray[np.floating]) -> float:
    """Return the largest angle between two sets of the gated joints, rad."""
    angle = np.empty(len(ARMS))
    quat.angle_each(a, np.ascontiguousarray(b, np.float64), angle)
    return float(angle.max())


def continuation(motion: Motion, playing: Pick | None, tick: int, speed_deg_s: float) -> int:
    """Return the row that goes on where the running clip is on `tick`, -1 at its end: a candidate like any other."""
    repertoire = motion.repertoire
    if playing is None or playing.clip < 0 or playing.end >= 0 or repertoire is None:
        return -1
    frame = playing.frame + tick - playing.tick
    first, last = np.searchsorted(repertoire.row_clip, (playing.clip, playing.clip + 1))
    index = int(first + np.searchsorted(repertoire.row_frame[first:last], frame, side="right")) - 1
    if index < first or frame - int(repertoire.row_frame[index]) >= ROW:
        return -1
    count = 2 * int(repertoire.start[playing.clip + 1] - 1 - repertoire.start[playing.clip])
    if frame + ROW > count:
        return -1
    # between two rows it plays the end of the first and runs into the second: both must be legal
    later = index + 1 if index + 1 < last and frame > repertoire.row_frame[index] else index
    return index if repertoire.row_speed[later] <= speed_deg_s else -1


def fade_ticks(jump: float, factor: float) -> int:
    """Return the length of a sine fade over `jump` rad: its own peak speed, pi J / 2T, is 90 deg/s at factor 1."""
    return max(LEAST_FADE, math.ceil(factor * math.pi * math.degrees(jump) / 180.0 * 60.0))
