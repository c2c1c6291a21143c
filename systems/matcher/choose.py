"""Which row: eligible first, then three ranks added, then the fade that keeps to the speed gate.

The work of one pick is cut into slices that a tick can spare: see `Purse`.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ...components.arrays import F64, I32
from ...components.config import Config
from ...components.index import Index
from ...components.motion import Motion
from ...components.plan import Asked, Pick
from ..kernels import blend as kernel
from ..kernels import quat, search
from ..retarget.repertoire import ROW
from .aside import ask, wait
from .blend import ARMS, BASE, place
from .wide import Question

FADES = (1.0, 1.25, 1.5, 2.0, 3.0)  # times pi J / 180 s, shortest first (MOTION section 2)
LONGER = (4.0, 6.0, 9.0)  # for a forced cut that none of FADES keeps under the gate
LEAST_FADE = 12  # ticks: below 0.2 s the eye sees a cut even where the pose hardly changes (choice)
REST_FADES = (4.0, 5.5, 7.5)  # arms sink slower than they are moved: 1 x looks dropped (choice)
EASE = 8  # 60 Hz frames at a clip's end in which it comes to a stop (kernels.blend: 7.5)

# What work costs, in us of the machine of the published figures, with its caches as cold as a tick finds them. It
# decides how much of it a tick does, never what comes of it.
SLICES, SPARE = 23, 3  # it is cut into as many slices as there are ticks, but SPARE, until it is due, SLICES at least
WHERE = 20.0  # where she will be, and which rows are open
DISTANCE = 0.045  # three distances of a row
RANK = (0.0019, 0.0014, 0.0013, 0.0024, 0.0019, 0.0017, 0.0016, 0.0013)  # search.PARTS of the ranks, a row
TRY = 15.0  # a fade made ready to be tried
FADING, TRIED = 1.8, 90.0  # a tick of it, and how many are tried as a rule
COLD = 8.0  # the first call of the kernel that takes the longest
LEAST, FEWEST = 192, 4  # rows and ticks that are worth a call: a piece of a fade repeats its neighbour's last tick

REST = BASE[ARMS]  # what an incoming pick shows without a clip

Slices = Generator[None, None, "Pick | None"]


@dataclass(slots=True)
class Answer:
    """What came of a question. refused: legal rows turned down, by gate."""

    pick: Pick | None
    refused_jump: int = 0
    refused_fade: int = 0


@dataclass(slots=True)
class Purse:
    """What a tick may still spend. slice: us of each; left: us of this one."""

    slice: float
    left: float = 0.0

    def waits(self, cost: float) -> bool:
        """Pay for the next piece of work and return whether it has to wait for the next tick."""
        self.left -= cost
        if self.left >= 0.0:
            return False
        self.left = self.slice - cost
        return True


@dataclass(slots=True)
class Trial:
    """What fades are tried from.

    here: (8, 4) f64 wxyz, the gated joints when the pick begins, as the corpus layer alone shows them and rows store
        theirs; outgoing: (8, 4), what the outgoing pick shows without a clip; old, new: (5,) i32, both as kernels read
        them
    """

    here: F64
    outgoing: F64
    old: I32
    new: I32

    @classmethod
    def of(cls, motion: Motion, index: Index, asked: Asked) -> Trial:
        """Return where she will be when the pick begins: no fade runs then."""
        playing = asked.playing
        outgoing = REST if playing is None or playing.pose is None else playing.pose[ARMS]
        trial = cls(np.empty_like(outgoing), outgoing, np.zeros(5, np.int32), np.zeros(5, np.int32))
        place(motion, playing, asked.due, trial.old)
        since = float(asked.due - playing.tick) if playing is not None else 0.0
        kernel.row(index.arms, trial.old, outgoing, index.arm_gain, since, index.moved, trial.here)
        quat.mul_each(index.base, trial.here, trial.here)
        return trial


def answer(
    motion: Motion, index: Index, asked: Asked, recent: list[int], config: Config
) -> Generator[None, None, Answer]:
    """Yield after each slice of the work and return the pick whose audio shape, timbre and starting pose rank best.

    A row whose fade is longer than `asked.most` is passed over while she has others: it would outlast her speech.
    Without an eligible row whose fade keeps to the speed gate the nearest row is forced.
    """
    rows = index.packed[1].shape[0]  # none where a thread searches
    slices = asked.ready - asked.tick - SPARE
    if asked.known == 2:  # one that nobody could foresee comes once a sentence: rather one long tick than several
        slices = max(slices, SLICES)
    purse = Purse(max((rows * (DISTANCE + sum(RANK)) + TRY + TRIED * FADING) / max(slices, 1), WHERE))
    yield  # the tick that asks has done its share
    purse.waits(WHERE)
    trial = Trial.of(motion, index, asked)
    if asked.rest:
        return Answer((yield from _fading(motion, index, asked, trial, purse, -1, REST_FADES, (-1, -1, -1), config)))
    going_on = continuation(motion, index, asked.playing, asked.due)
    if index.wide is not None:
        reply = ask(index.wide, _question(index, asked, trial, _lately(index, recent, going_on, config), config))
        yield from wait(index, reply)
        found = reply.result()
        order, places, refused = found.rows, found.ranks, found.refused
    else:
        _open(index, going_on, recent, config)
        listed, refused = yield from _sliced(index, asked, trial, purse, config)
        order, places = index.rows[:listed], index.ranks
    late: Pick | None = None
    too_fast = 0
    for k in range(len(order)):
        chosen, ranks = int(order[k]), tuple(places[k].tolist())
        if chosen == going_on and asked.playing is not None:
            frame = asked.playing.frame + asked.due - asked.playing.tick
            return Answer(Pick(asked.due, chosen, asked.playing.clip, frame, 0, 0.0, False, ranks), refused, too_fast)
        pick = yield from _fading(motion, index, asked, trial, purse, chosen, FADES, ranks, config)
        if pick is not None and pick.fade <= asked.most:
            return Answer(pick, refused, too_fast)
        late = late or pick
        too_fast += pick is None
    if late is None:
        late = yield from _forced(motion, index, asked, trial, purse, config)
    return Answer(late, refused, too_fast)


def _sliced(
    index: Index, asked: Asked, trial: Trial, purse: Purse, config: Config
) -> Generator[None, None, tuple[int, int]]:
    """Return how many rows are listed in `index.rows` and how many were refused for their jump, a slice a tick."""
    rows = index.packed[1].shape[0]
    count, refused, first = 0, 0, 0
    while first < rows:
        if purse.waits(LEAST * DISTANCE + (0.0 if first else COLD)):
            yield
        stop = min(first + LEAST + int(purse.left / DISTANCE), rows)
        purse.left -= (stop - first - LEAST) * DISTANCE
        count, jumps = search.distances(
            index.packed, index.open, trial.here, asked.envelope, asked.timbre, asked.has_timbre, config.gates.jump,
            first, stop, count, index.work,
        )  # fmt: skip
        refused, first = refused + jumps, stop
    listed = 0
    for part, cost in enumerate(RANK):
        if purse.waits(cost * count):
            yield
        listed = search.rank_part(part, count, index.work, index.rows, index.ranks, index.jump)
    return listed, refused


def _question(index: Index, asked: Asked, trial: Trial, barred: list[int], config: Config) -> Question:
    return Question(
        trial.here, asked.envelope, asked.timbre, asked.has_timbre, config.gates.jump, np.array(barred, np.int32)
    )


def _open(index: Index, going_on: int, recent: list[int], config: Config) -> None:
    """Write which rows may be picked: legal, not shown lately; a natural continuation may always be."""
    index.open[:] = index.choice
    for row in _lately(index, recent, going_on, config):
        index.open[row] = False


def _lately(index: Index, recent: list[int], going_on: int, config: Config) -> list[int]:
    """Return the rows shown lately but for the natural continuation."""
    legal = index.packed[1].shape[0] + index.others[1].shape[0] if index.wide is None else index.wide.legal
    lately = min(config.matcher.history, legal // 4)
    return [row for row in recent[-lately:] if row != going_on] if lately else []


def _fading(
    motion: Motion,
    index: Index,
    asked: Asked,
    trial: Trial,
    purse: Purse,
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
    if purse.waits(TRY):
        yield
    clip, frame, pose = -1, 0, index.base
    if row >= 0:
        clip, frame = int(repertoire.row_clip[row]), int(repertoire.row_frame[row])
        pose = repertoire.row_pose[row]
    jump = quat.furthest(trial.here, pose)
    limit, whole = config.gates.speed_deg_s, round(config.matcher.pick_s * 60.0)
    place(motion, Pick(asked.due, row, clip, frame, 0, 0.0), asked.due, trial.new)
    # past the fade the row alone shows, and it is legal, except that it is slowed down at its clip's end
    ends = row >= 0 and frame + ROW > 2 * int(trial.new[1] - 1 - trial.new[0]) - EASE
    for factor in factors:
        fade = fade_ticks(jump, factor)
        last = max(fade, ROW) if ends else fade
        third, peak = fade // 3, 0.0
        # the middle first: a fade is fastest there, and one that is too fast is found out in a tick or two
        for first, end in ((third, fade - third), (0, third), (fade - third, last)):
            while first < end and peak <= limit:
                if purse.waits(FADING * FEWEST):
                    yield
                more = min(FEWEST + int(purse.left / FADING), end - first)
                purse.left -= (more - FEWEST) * FADING
                peak = kernel.peak_speed(
                    index.arms, index.arm_gain, trial.old, trial.new, trial.outgoing, REST, float(fade), first,
                    first + more, limit, index.moved, index.tried,
                )  # fmt: skip
                first += more
        if peak <= limit:
            jump_deg, slow = math.degrees(jump), max(fade, whole)
            return Pick(asked.due, row, clip, frame, fade, jump_deg, is_forced, ranks, slow=slow)
    return None


def _forced(motion: Motion, index: Index, asked: Asked, trial: Trial, purse: Purse, config: Config) -> Slices:
    """Return the least jump there is, on a fade as long as it takes: nothing was in reach."""
    if index.wide is not None:
        reply = ask(index.wide, trial.here)
        yield from wait(index, reply)
        nearest, jump = reply.result()
    else:
        nearest, jump = search.nearest(index.packed, index.legal, trial.here, index.work)
        other, its_jump = search.nearest(index.others, index.legal, trial.here, index.work)
        if (its_jump, other) < (jump, nearest):
            nearest, jump = other, its_jump
    repertoire = motion.repertoire
    if nearest < 0 or repertoire is None:
        return None
    yield
    none = (-1, -1, -1)
    longer = FADES + LONGER
    pick = yield from _fading(motion, index, asked, trial, purse, nearest, longer, none, config, is_forced=True)
    if pick is not None:
        return pick
    clip, frame = int(repertoire.row_clip[nearest]), int(repertoire.row_frame[nearest])
    fade = fade_ticks(jump, LONGER[-1])
    return Pick(asked.due, nearest, clip, frame, fade, math.degrees(jump), True, slow=fade)


def continuation(motion: Motion, index: Index, playing: Pick | None, tick: int) -> int:
    """Return the row that goes on where the running clip is on `tick`, -1 at its end: a candidate like any other."""
    repertoire = motion.repertoire
    if playing is None or playing.clip < 0 or playing.end >= 0 or repertoire is None:
        return -1
    frame = playing.frame + tick - playing.tick
    if frame + ROW > 2 * int(repertoire.start[playing.clip + 1] - 1 - repertoire.start[playing.clip]):
        return -1
    return search.row_at(repertoire.row_clip, repertoire.row_frame, index.legal, playing.clip, frame, ROW)


def fade_ticks(jump: float, factor: float) -> int:
    """Return the length of a sine fade over `jump` rad: its own peak speed, pi J / 2T, is 90 deg/s at factor 1."""
    return max(LEAST_FADE, math.ceil(factor * math.pi * math.degrees(jump) / 180.0 * 60.0))
