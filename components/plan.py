"""Every discrete choice about her future motion, each with the tick it starts on. The motion layers only read it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import F64
from .holds import Posture
from .sentences import NEVER, Sentences
from .world import PART


@dataclass(frozen=True, slots=True)
class Pick:
    """From `tick` on the corpus layer plays this.

    Fields:
        tick:     first tick it shows on
        row:      row of the Repertoire, -1 for the base pose (she lets her arms hang)
        clip:     clip of the Repertoire, -1 for the base pose
        frame:    60 Hz frame of the clip that shows on `tick`
        fade:     ticks of the sine crossfade from what played before; 0 for a natural continuation
        jump_deg: the largest of the 8 arm joints' angles between what shows and the row's first frame
        forced:   nothing was in reach, the nearest was taken
        ranks:    audio shape, timbre and starting pose: this row's rank in each among the eligible, -1 where none
        end:      60 Hz frame of the clip at which it eases to a stop since she fell silent, -1: at the clip's end
        slow:     ticks over which torso and head fade, `fade` or longer: a cut is seen there first
        pose:     (43, 4) f64 wxyz over the base pose, stood still in instead of the base pose; None: the base pose
    """

    tick: int
    row: int
    clip: int
    frame: int
    fade: int
    jump_deg: float
    forced: bool = False
    ranks: tuple[int, int, int] = (-1, -1, -1)
    end: int = -1
    slow: int = 0
    pose: F64 | None = field(default=None, compare=False)

    @property
    def free(self) -> int:
        """First tick on which no fade of this pick runs any more."""
        return self.tick + max(self.fade, self.slow)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to the search, answered on tick `due`; the ticks between share the work.

    Fields:
        tick, due: when it was asked and when the pick begins
        ready:  tick on which the answer goes onto the plan: as many before `due` as are looked ahead
        playing:   what will be outgoing then, None for the base pose
        voice:     id of the utterance it was asked for, 0 for a live voice or none
        rest:      only the way to the base pose is asked for
        envelope:  (60,) f64 dB without its mean, timbre: (13,) f64, has_timbre: whether it counts
        most:      ticks a fade may last
        known:     how much of the voice it asks for had come in (Voice.known)
    """

    tick: int
    due: int
    playing: Pick | None
    voice: int
    rest: bool
    envelope: F64
    timbre: F64
    has_timbre: bool
    most: int
    known: int = 2
    ready: int = -1


MOVES = ("load", "side", "front", "side drift", "front drift")  # rows of Plan.moves
BREATHS = 4  # rows of Plan.breathing


@dataclass(slots=True)
class Plan:
    """Choices of one avatar.

    Fields:
        picks:   corpus picks, by tick; the last two that have begun and all to come
        asked:   the pick that is being looked for, None while none is due soon
        moves:   (5, 4) f64, the last of each of MOVES: tick, s it takes, from, to; the load -1 all weight on the right
                 foot .. 1 on the left, the others m of the pelvis, to her left or forward
        fidget:  (4,) f64, the last one: tick, s out and back, m to her left and m forward at its turning point
        due:     ticks on which the next of each of the reflex's KINDS is decided; next_due: the first of them
        breathing: (4, 3) f64, quiet breath n in row n % 4: s, share of it that goes in, depth (1 is usual)
        breaths: quiet breaths decided so far
        taken:   (4,) f64, the last breath taken on purpose, to speak: tick, depth, inhale s, s of speech after it
        speaking_from, speaking_to: ticks of the voice's run of speech now or last, `speaking_to` NEVER while open
        recent:  rows picked lately, newest last: they are not picked again
        refused: candidates turned down since the start, by gate
        late:    tick on which a search was not done when its pick was due, and lates: how many were since the start
        forced:  forced cuts since the start
        interrupted: fades cut short since the start
        look:    (3,) f64 m, avatar frame, what her head turns toward, and looks: whether it does
        looked:  her head may still be on its way back
        posture: what she holds, None before she was ever asked to
        sentences: of the sentence layer, None where it is off
        changed: first tick whose motion the last change of the plan touches; the preview clears it
    """

    picks: list[Pick] = field(default_factory=list)
    asked: Asked | None = None
    moves: F64 = field(default_factory=lambda: np.tile([0.0, 1.0, 0.0, 0.0], (len(MOVES), 1)))
    fidget: F64 = field(default_factory=lambda: np.array([NEVER, 1.0, 0.0, 0.0]))
    due: list[int] = field(default_factory=list)
    next_due: int = NEVER
    breathing: F64 = field(default_factory=lambda: np.tile([60.0 / 14.0, 0.46, 1.0], (BREATHS, 1)))
    breaths: int = 0
    taken: F64 = field(default_factory=lambda: np.array([NEVER, 1.0, 1.0, 1.0]))
    speaking_from: int = -NEVER
    speaking_to: int = -NEVER
    recent: list[int] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=lambda: {"jump": 0, "speed": 0, "fade": 0})
    late: int = -1
    lates: int = 0
    forced: int = 0
    interrupted: int = 0
    look: F64 = field(default_factory=lambda: np.zeros(3))
    looks: bool = False
    looked: bool = False
    changed: int = NEVER
    sentences: Sentences | None = field(default=None, metadata=PART)
    posture: Posture | None = field(default=None, metadata=PART)

    def put(self, pick: Pick, now: int, most: int = 2) -> None:
        """Put a pick onto the plan, in place of those that were to come; `most` of those that have begun stay."""
        self.forget(max(pick.tick, now + 1))
        self.picks.append(pick)
        del self.picks[: -most - sum(p.tick > now for p in self.picks)]
        self.touch(pick.tick)

    def forget(self, tick: int) -> bool:
        """Take picks that begin on `tick` or later off the plan; return whether there were any."""
        before = len(self.picks)
        while self.picks and self.picks[-1].tick >= tick:
            pick = self.picks.pop()
            self.touch(pick.tick)
            if pick.row >= 0 and self.recent and self.recent[-1] == pick.row:
                del self.recent[-1]
        return len(self.picks) < before

    def touch(self, tick: int) -> None:
        """Say that motion from `tick` on is no longer what was previewed."""
        self.changed = min(self.changed, tick)
