"""What the rule does to one avatar's arms now, and which capsules it found near each other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import F64, I32
from .world import PART

MOST = 64  # contacts kept to be drawn and told
LENGTH = 33  # ticks that corrections and poses are kept for: 31 ahead, this one, the one before
ROWS = 48  # contacts of a tick ahead that what shows is kept clear of (kernels/path.py)


@dataclass(slots=True)
class Window:
    """What the rule keeps where it looks ahead; see kernels/window.py.

    Fields:
        ahead: ticks looked ahead, of which it was made
        until: last tick that is in `nearest`
        nearest: (LENGTH, 18) f64 rad, by tick modulo LENGTH: the least corrections, each near the one before it
        force: (LENGTH, ROWS) f64, how hard each contact of a slot pushes what shows away
        past:  (2, 18) f64 rad, what was shown before Contacts.applied, newest first
    """

    ahead: int = -1
    until: int = -1
    nearest: F64 = field(default_factory=lambda: np.zeros((LENGTH, 18)))
    force: F64 = field(default_factory=lambda: np.zeros((LENGTH, ROWS)))
    past: F64 = field(default_factory=lambda: np.zeros((2, 18)))


@dataclass(slots=True)
class Contacts:
    """State of the rule.

    A correction is six rotation vectors, left upper arm, forearm, hand, then right: each turns its link and all
    beyond it about the link's joint, in the avatar's frame as it stands once the links before it are corrected.

    Fields:
        memory:  (4, 18) f64, rows `applied` and `velocity`, rad and rad/s, what shows and how it changes, then
                 `target`, where it is going, and how that moves, smoothed
        was:     (6, N) f64 m, the capsules on the tick before, before the rule, in the columns of the rule's tables
        was_at:  (2, 3, 3) f64 m, the links' joints then
        fresh:   the next tick starts at its solved target: after a spawn, a teleport, another avatar
        raw_mm, depth_mm: deepest contact beyond its allowance, before and after the rule; 0 when clear
        moved_mm:(2,) f64, how far the rule holds each wrist from where the motion has it
        count:   how many rows of the arrays below hold a contact of this tick
        pair:    (MOST, 2) i32 capsules, arm first; point: (MOST, 3) f64 m between them, avatar frame
        depth:   (MOST,) f64 m beyond the allowance, before the rule
        touching: whether a contact was there on the last tick, for the event
        window:  of a rule that looks ahead, None of one that does not
    """

    was: F64
    was_at: F64 = field(default_factory=lambda: np.zeros((2, 3, 3)))
    memory: F64 = field(default_factory=lambda: np.zeros((4, 18)))
    fresh: bool = True
    raw_mm: float = 0.0
    depth_mm: float = 0.0
    moved_mm: F64 = field(default_factory=lambda: np.zeros(2))
    count: int = 0
    pair: I32 = field(default_factory=lambda: np.zeros((MOST, 2), np.int32))
    point: F64 = field(default_factory=lambda: np.zeros((MOST, 3)))
    depth: F64 = field(default_factory=lambda: np.zeros(MOST))
    touching: bool = False
    window: Window | None = field(default=None, metadata=PART)

    @property
    def applied(self) -> F64:
        """(2, 3, 3) rad, the correction that shows: writes through."""
        return self.memory[0].reshape(2, 3, 3)

    @property
    def velocity(self) -> F64:
        """(2, 3, 3) rad/s, how it changes."""
        return self.memory[1].reshape(2, 3, 3)

    @property
    def target(self) -> F64:
        """(2, 3, 3) rad, the correction it is going to."""
        return self.memory[2].reshape(2, 3, 3)

    @classmethod
    def of(cls, columns: int) -> Contacts:
        """Return the state of a rule that has not run, for tables of so many columns."""
        return cls(np.zeros((6, columns)))
