"""A repertoire prepared for searching at one set of gates: derived from it, so in no digest."""

from __future__ import annotations

import copy
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .arrays import F32, F64, I32, Bool
from .plan import Asked


@dataclass(slots=True)
class Index:
    """What the search kernels read and work in.

    Fields:
        packed:  the features of the rows to choose from in blocks, others: those of the other legal rows; work: scratch
        legal:   (W,) bool, rows that never exceed the speed gate at these gains
        choice:  (W,) bool, legal rows that may be picked while she speaks: at whose end not both arms hang, or all
                 where that would leave too few
        open:    (W,) bool scratch: a choice, and not shown lately
        rows:    (K,) i32, ranks: (K, 3) i32, jump: (K,) f64 rad: the best rows of the last search
        arms:    (F, 8, 3) f32 rad, the gated joints' deltas; arm_gain: (8,): a fade is tried on these alone
        base:    (8, 4) f64 wxyz, the gated joints in the base pose
        tried:   (3, 8, 4), moved: (8, 3) f64: scratch of that
        speed_deg_s: the gate `legal` was made with
        wide:    a large repertoire's rows instead of `packed` and `others`, which are empty then; None for a small one
        asked, job, answer: the question being worked on, the work, what came of it; begun anew where they were lost
        waits:   what a thread still works on for that question; is_due: the tick has come on which it is waited for
    """

    CACHE: ClassVar[bool] = True
    packed: Any
    others: Any
    work: Any
    legal: Bool
    choice: Bool
    open: Bool
    rows: I32
    ranks: I32
    jump: F64
    arms: F32
    arm_gain: F64
    base: F64
    tried: F64
    moved: F64
    speed_deg_s: float
    wide: Any = None
    asked: Asked | None = None
    job: Generator[None, None, Any] | None = None
    answer: Any = None
    waits: Any = None
    is_due: bool = False

    def __deepcopy__(self, memo: object) -> Index:
        """Return one of the same corpus with its own room to work in: what is read is shared."""
        return self.another()

    def another(self) -> Index:
        """Return an index of the same corpus for another avatar."""
        fresh = (np.empty_like(self.rows), np.empty_like(self.ranks), np.empty_like(self.jump))
        return Index(
            self.packed, self.others, copy.deepcopy(self.work), self.legal, self.choice, self.legal.copy(), *fresh,
            self.arms, self.arm_gain, self.base,
            np.empty_like(self.tried), np.empty_like(self.moved), self.speed_deg_s, self.wide,
        )  # fmt: skip
