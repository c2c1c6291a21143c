"""The next ticks of her motion, already evaluated: a cache, so it is in no digest and may be dropped at any time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from .anatomy import SLOTS
from .arrays import F64, I32
from .carry import Carry
from .contacts import LENGTH, ROWS
from .sentences import NEVER

PAIRS = 256  # kept of a slot; where there are more they are listed each time
WIDTH = 24  # of a row of the rule's (kernels/path.py)


@dataclass(slots=True)
class Slot:
    """Her motion on one tick, before the rule.

    Fields:
        tick:     which tick, -1 while empty
        carry:    recurrent state after that tick
        root:     (3,) f64 m; rotation: (J, 4) f64 wxyz local; position, world: (J, 3) m and (J, 4) wxyz, avatar frame
        corpus:   (43, 3) f64 rad, the corpus layer's rotation vectors over the base pose, gains and spring included
        reflex:   (43, 3) f64 rad, the reflex's, hips apart
        sentence: (43, 3) f64 rad, the sentence layer's, gains included
        sentence_share: 0..1, how much of it shows; the corpus has the rest
        hips:     (3,) f64 rad and sink: (3,) f64 m, the reflex's turn and shift of the pelvis
        row:      corpus row shown or -1; fade: 0..1, 1 when none runs
        speed_deg_s: fastest of the 8 arm joints of the corpus layer alone, before its spring
    """

    rotation: F64
    position: F64
    world: F64
    tick: int = -1
    carry: Carry = field(default_factory=Carry)
    root: F64 = field(default_factory=lambda: np.zeros(3))
    corpus: F64 = field(default_factory=lambda: np.zeros((len(SLOTS), 3)))
    reflex: F64 = field(default_factory=lambda: np.zeros((len(SLOTS), 3)))
    sentence: F64 = field(default_factory=lambda: np.zeros((len(SLOTS), 3)))
    sentence_share: float = 0.0
    hips: F64 = field(default_factory=lambda: np.zeros(3))
    sink: F64 = field(default_factory=lambda: np.zeros(3))
    row: int = -1
    fade: float = 1.0
    speed_deg_s: float = 0.0

    @classmethod
    def of(cls, joints: int, carry: Carry | None = None) -> Slot:
        """Return an empty slot for a rig of this many joints, with room for as much as `carry` holds."""
        held = Carry() if carry is None else Carry(np.zeros_like(carry.data))
        return cls(np.zeros((joints, 4)), np.zeros((joints, 3)), np.zeros((joints, 4)), carry=held)


@dataclass(slots=True)
class Preview:
    """A ring of slots. slots[k] is the slot k ticks ahead of the shown one.

    Fields:
        changed: first tick whose motion a new plan changed, until the rule has seen it; NEVER while nothing is new
        position, world: (LENGTH, J, 3) m and (LENGTH, J, 4) wxyz, the slots' poses by tick modulo LENGTH, for the rule;
            empty where nothing is looked ahead
        listed: (LENGTH, PAIRS, 2) i32, good: (LENGTH, 3), rows: (LENGTH, ROWS, WIDTH), pairs that the rule looks at in
            each and its contacts there (kernels/window.py); pull: (LENGTH, 18), answer: (LENGTH, 4 + LENGTH), room
    """

    CACHE: ClassVar[bool] = True
    slots: list[Slot] = field(default_factory=list)
    changed: int = NEVER
    position: F64 = field(default_factory=lambda: np.zeros((0, 0, 3)))
    world: F64 = field(default_factory=lambda: np.zeros((0, 0, 4)))
    listed: I32 = field(default_factory=lambda: np.zeros((0, 0, 2), np.int32))
    good: F64 = field(default_factory=lambda: np.zeros((0, 3)))
    rows: F64 = field(default_factory=lambda: np.zeros((0, 0, 0)))
    pull: F64 = field(default_factory=lambda: np.zeros((0, 18)))
    answer: F64 = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def ahead(self) -> int:
        """How many ticks are looked ahead of the shown one."""
        return max(len(self.slots) - 1, 0)

    def keep(self, slot: Slot) -> None:
        """Lay out a slot's pose for the rule."""
        if len(self.position) < LENGTH:
            joints = len(slot.position)
            self.position, self.world = np.zeros((LENGTH, joints, 3)), np.zeros((LENGTH, joints, 4))
            self.listed, self.good = np.zeros((LENGTH, PAIRS, 2), np.int32), np.zeros((LENGTH, 3))
            self.rows, self.pull = np.zeros((LENGTH, ROWS, WIDTH)), np.zeros((LENGTH, 18))
            self.answer = np.zeros((LENGTH, 4 + LENGTH))
            self.good[:, 1:] = -1.0
        self.position[slot.tick % LENGTH] = slot.position
        self.world[slot.tick % LENGTH] = slot.world

    def take(self) -> int:
        """Return the first tick that a new plan changed since this was asked last."""
        changed, self.changed = self.changed, NEVER
        return changed

    def drop(self, tick: int = -1) -> None:
        """Forget every slot from `tick` on."""
        for slot in self.slots:
            if slot.tick >= tick:
                slot.tick = -1
