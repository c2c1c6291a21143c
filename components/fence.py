"""What the learned fence does on one avatar: its head's memory and proposal, and what it was put back for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .arrays import F64, Bool
from .head import Head


@dataclass(slots=True)
class Asked:
    """What somebody has just asked the fence for. stage: off, shadow or live; head: what shall run, None for off."""

    stage: str
    head: Head | None = None


@dataclass(slots=True)
class Fence:
    """A head that runs on one avatar. Off is no Fence at all, and so is public mode.

    A proposal is six rotation vectors, as the corrections of Contacts, of the motion before any rule.

    Fields:
        head:     its weights
        asked:    shadow or live; is_live: its proposals are put into the pose, and the rule runs after them
        reason:   why it is in shadow though live was asked for; it stays there until somebody asks again
        memory:   (STATE,) f64, the head's own
        proposal, rate: (18,) f64 rad and rad/s, of this tick
        is_new:   there is no proposal before this one to hold it against
        looked:   ticks that the head has looked on since its memory was empty
        is_put:   the proposal is in the pose, below the rule's correction; shown, shown_rate: which one, (18,)
        deep:     (W,) bool, the ticks of the window on which she was too deep after the proposal; at: the next place
        ticks:    since it began; fast, not_finite, too_deep: of those with such a proposal
        refused:  live ticks whose proposal was left out: deeper than the motion itself, or her hands rest in a hold
        fell:     how often it was put back
        raw_mm, depth_mm: deepest contact without the proposal and with it, before the rule
        moved_mm: (2,) how far the proposal holds each wrist; left_mm: (2,) what the rule does after it
        proposed, left: mm, the sums of both over its ticks and wrists
    """

    head: Head
    asked: str
    memory: F64
    deep: Bool
    is_live: bool = False
    reason: str = ""
    proposal: F64 = field(default_factory=lambda: np.zeros(18))
    rate: F64 = field(default_factory=lambda: np.zeros(18))
    is_new: bool = True
    looked: int = 0
    is_put: bool = False
    shown: F64 = field(default_factory=lambda: np.zeros(18))
    shown_rate: F64 = field(default_factory=lambda: np.zeros(18))
    at: int = 0
    ticks: int = 0
    fast: int = 0
    not_finite: int = 0
    too_deep: int = 0
    refused: int = 0
    fell: int = 0
    raw_mm: float = 0.0
    depth_mm: float = 0.0
    moved_mm: F64 = field(default_factory=lambda: np.zeros(2))
    left_mm: F64 = field(default_factory=lambda: np.zeros(2))
    proposed: float = 0.0
    left: float = 0.0


@dataclass(slots=True)
class Proposer:
    """A head's weights laid out for its kernel, with room to work in. tables: `kernels.head.propose` from `joints` on.

    out: (6,) f64, what the kernel tells of a proposal
    """

    CACHE: ClassVar[bool] = True
    tables: tuple[Any, ...]
    out: F64 = field(default_factory=lambda: np.zeros(6))
