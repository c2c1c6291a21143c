"""Which row: eligible first, then three ranks added, then the fade that keeps to the speed gate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...components.arrays import F64
from ...components.config import Config
from ...components.corpus import Repertoire
from ...components.errors import CorpusError
from ...components.index import Index
from ...components.motion import Motion
from ...components.plan import Pick, Plan
from ..kernels import blend as kernel
from ..kernels import quat, search
from .blend import ARMS, place

FADES = (1.0, 1.25, 1.5, 2.0, 3.0)  # times pi J / 180 s, shortest first (MOTION section 2)
LONGER = (4.0, 6.0, 9.0)  # for a forced cut that none of FADES keeps under the gate
LEAST_FADE = 12  # ticks: below 0.2 s the eye sees a cut even where the pose hardly changes (choice)
REST_FADES = (4.0, 5.5, 7.5)  # arms sink slower than they are moved: 1 x looks dropped (choice)
LISTED = 64  # best rows whose fades are tried; the first one passes nearly always
ROW = 60  # ticks
LEAST_ROWS = 60  # legal rows below which she would repeat herself every minute
Heard = tuple[F64, F64, bool]


def prepare(repertoire: Repertoire, config: Config) -> Index:
    """Return a repertoire ready to be searched. CorpusError with the numbers if too little of it is legal."""
    legal = repertoire.row_speed <= config.gates.speed_deg_s
    if int(legal.sum()) < LEAST_ROWS:
        raise CorpusError(
            f"corpus: {int(legal.sum())} of {legal.shape[0]} rows stay under {config.gates.speed_deg_s:g} deg/s at "
            f"these gains, {LEAST_ROWS} are needed. Lower the arm gains, raise gates.speed_deg_s or add calmer clips"
        )
    packed = search.pack(
        repertoire.row_pose, repertoire.row_envelope, repertoire.row_timbre, repertoire.row_voiced, legal
    )
    work = search.workspace(int(legal.sum()), LISTED)
    best = np.zeros(LISTED, np.int32), np.zeros((LISTED, 3), np.int32), np.zeros(LISTED)
    return Index(packed, work, legal, legal.copy(), *best, config.gates.speed_deg_s)


def row(
    motion: Motion,
    index: Index,
    plan: Plan,
    playing: Pick | None,
    here: F64,
    heard: Heard,
    tick: int,
    config: Config,
    most: int,
) -> Pick | None:
    """Return the pick whose audio shape, timbre and starting pose rank best, None without any row.

    A row whose fade is longer than `most` ticks is passed over while she has others: it would outlast her speech.

    here: (43, 4) wxyz over the base pose, what the corpus layer shows now
    heard: envelope (60,) dB without its mean, timbre (13,), whether the timbre counts
    """
    going_on = continuation(motion, playing, tick, config.gates.speed_deg_s)
    index.open[:] = index.legal
    lately = min(config.matcher.history, int(index.legal.sum()) // 4)
    if lately:
        index.open[plan.recent[-lately:]] = False
    if going_on >= 0:
        index.open[going_on] = index.legal[going_on]
    arms = placed(motion, here)
    count, _, refused = search.best(
        index.packed, index.open, arms, *heard, config.gates.jump, index.work, index.rows, index.ranks, index.jump
    )
    plan.refused["jump"] += refused
    late: Pick | None = None
    for k in range(count):
        chosen = int(index.rows[k])
        ranks = (int(index.ranks[k, 0]), int(index.ranks[k, 1]), int(index.ranks[k, 2]))
        if chosen == going_on and playing is not None:
            return Pick(tick, chosen, playing.clip, playing.frame + tick - playing.tick, 0, 0.0, False, ranks)
        pick = _fading(motion, playing, chosen, arms, tick, config, FADES, ranks)
        if pick is not None and pick.fade <= most:
            return pick
        late = late or pick
        plan.refused["fade"] += pick is None
    return late or forced(motion, index, playing, arms, tick, config)


def _fading(
    motion: Motion,
    playing: Pick | None,
    row_index: int,
    arms: F64,
    tick: int,
    config: Config,
    factors: tuple[float, ...],
    ranks: tuple[int, int, int],
    *,
    is_forced: bool = False,
) -> Pick | None:
    """Return the pick of a row with the shortest fade that keeps the blend under the speed gate, None if none does."""
    repertoire = motion.repertoire
    assert repertoire is not None
    if row_index < 0:
        jump = furthest(arms, bases(motion))
        clip, frame = -1, 0
    else:
        jump = furthest(arms, repertoire.row_pose[row_index])
        clip, frame = int(repertoire.row_clip[row_index]), int(repertoire.row_frame[row_index])
    place(motion, playing, None, motion.old)
    limit = config.gates.speed_deg_s
    for factor in factors:
        fade = fade_ticks(jump, factor)
        pick = Pick(tick, row_index, clip, frame, fade, math.degrees(jump), is_forced, ranks)
        place(motion, playing, pick, motion.old)
        place(motion, pick, pick, motion.new)
        ticks = max(fade, ROW if row_index >= 0 else fade)
        peak = kernel.peak_speed(
            repertoire.delta, motion.gain, motion.old, motion.new, float(fade), ticks, ARMS, limit, motion.work,
            motion.fades,
        )
        if peak <= limit:
            return pick
    return None


def forced(motion: Motion, index: Index, playing: Pick | None, arms: F64, tick: int, config: Config) -> Pick | None:
    """Return the least jump there is, on a fade as long as it takes: nothing was in reach."""
    nearest, jump = search.nearest(index.packed, index.legal, arms, index.work)
    repertoire = motion.repertoire
    if nearest < 0 or repertoire is None:
        return None
    pick = _fading(motion, playing, nearest, arms, tick, config, FADES + LONGER, (-1, -1, -1), is_forced=True)
    if pick is not None:
        return pick
    clip, frame = int(repertoire.row_clip[nearest]), int(repertoire.row_frame[nearest])
    return Pick(tick, nearest, clip, frame, fade_ticks(jump, LONGER[-1]), math.degrees(jump), True)


def rest(motion: Motion, playing: Pick | None, here: F64, tick: int, config: Config) -> Pick | None:
    """Return the pick that lets her arms come to rest in the base pose, on a fade that keeps to the speed gate."""
    return _fading(motion, playing, -1, placed(motion, here), tick, config, REST_FADES, (-1, -1, -1))


def bases(motion: Motion) -> F64:
    """Return the gated joints in the base pose, (8, 4) wxyz local; no rotation where she has no joint."""
    joints = motion.anatomy.slot_joint[ARMS]
    out = np.zeros((len(ARMS), 4))
    out[:, 0] = 1.0
    out[joints >= 0] = motion.anatomy.base[joints[joints >= 0]]
    return out


def placed(motion: Motion, here: F64) -> F64:
    """Return the gated joints as the corpus layer alone shows them, (8, 4) wxyz local, as rows store theirs."""
    arms = np.ascontiguousarray(here[ARMS])
    quat.mul_each(bases(motion), arms, arms)
    return arms


def furthest(a: F64, b: NDArray[np.floating]) -> float:
    """Return the largest angle between two sets of the gated joints, rad."""
    angle = np.empty(len(ARMS))
    quat.angle_each(a, np.ascontiguousarray(b, np.float64), angle)
    return float(angle.max())


def continuation(motion: Motion, playing: Pick | None, tick: int, speed_deg_s: float) -> int:
    """Return the row that goes on where the running clip is, -1 at its end: a candidate like any other."""
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
