"""The sentence layer of one avatar: what was asked of the model, what came, and what of it plays. Part of Plan."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .anatomy import SLOTS
from .arrays import F32

NEVER = 1 << 60  # a tick that does not come
LEAD = 1  # rows of a motion before its first frame: without one its curve began at half its speed, which jerked
NO_MOTION: F32 = np.zeros((0, len(SLOTS), 3), np.float32)
NO_MOTION.flags.writeable = False


@dataclass(frozen=True, slots=True)
class Ask:
    """A sentence that motion was asked for.

    Fields:
        id:    of the utterance; tick: when it was asked
        after: utterance it goes on from, 0: from what she shows; frame: of that one, at 30 Hz, when this one begins
    """

    id: int
    tick: int
    after: int = 0
    frame: int = 0


@dataclass(frozen=True, slots=True)
class Track:
    """Motion of one sentence as she shows it, as far as it has come.

    Fields:
        id:       of the utterance
        motion:   (LEAD + n, 43, 3) f32 rad at 30 Hz, rotation vectors over her base pose, before the gains
        is_whole: nothing follows
        serial:   counts up with each motion that does not go on where the one before it shows
        start:    tick on which its first frame sounds, NEVER before its sentence begins
    """

    id: int
    motion: F32 = field(default_factory=lambda: NO_MOTION)
    is_whole: bool = False
    serial: int = 0
    start: float = float(NEVER)


@dataclass(slots=True)
class Sentences:
    """Choices of the sentence layer.

    Fields:
        asks:     sentences that motion was asked for and has not all come, newest last
        waiting:  motion of a sentence that has not begun
        playing:  the motion that shows or yields, None before the first
        is_on:    it shows, or is coming in; off it yields to the layers under it
        since:    tick of the last change of `is_on`
        serials:  motions begun since the start; asked: the newest utterance that motion was asked for,
                  asked_at: on which tick
        arrived:  windows that came since the last tick: utterance, first frame, motion, whether it is the last
        first_s:  the longest that she spoke, s, from when a sentence could be asked for to its first motion; NaN before
        sentences, late, lost: sentences moved, windows that came after their time, sentences nothing came for in time
    """

    asks: list[Ask] = field(default_factory=list)
    waiting: Track | None = None
    playing: Track | None = None
    is_on: bool = False
    since: int = -NEVER
    serials: int = 0
    asked: int = 0
    asked_at: int = -NEVER
    arrived: list[tuple[int, int, F32, bool]] = field(default_factory=list)
    first_s: float = float("nan")
    sentences: int = 0
    late: int = 0
    lost: int = 0
