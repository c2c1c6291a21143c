"""What her motion layers read besides the plan: measured once on her, plus what the settings make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from .anatomy import SLOTS, Anatomy
from .arrays import F32, F64, I32
from .config import Config
from .corpus import Corpus, Repertoire
from .gaze import Sight
from .holds import Hold, Reach
from .index import Index
from .reflex import Standing, shipped
from .rig import Rig


@dataclass(frozen=True, slots=True)
class Stance:
    """The base pose in the avatar's frame.

    Fields:
        hips:      joint of the pelvis
        frame:     (43, 4) f64 wxyz, orientation of each slot's joint (identity where she has none)
        hips_frame: (4,) f64 wxyz; foot_frame: (2, 4) f64 wxyz, left and right
        upright:   m, pelvis above the ankles
        digest:    of the rig and anatomy it was computed from
    """

    hips: int
    frame: F64
    hips_frame: F64
    foot_frame: F64
    upright: float
    digest: str


@dataclass(frozen=True, slots=True)
class Fit:
    """A corpus made ready for one avatar at one set of settings. key: those settings (matcher.fit_key)."""

    key: tuple[float, ...]
    repertoire: Repertoire
    index: Index


def unturned(count: int) -> F64:
    """Return (count, 4) wxyz rotations that do not turn."""
    out = np.zeros((count, 4))
    out[:, 0] = 1.0
    return out


@dataclass(slots=True)
class Motion:
    """Assets and settings of one avatar's motion, with scratch space so that a tick allocates nothing.

    Fields:
        rate:   (43,) f64 1/s, corpus spring of each slot; gain: (43,) f64, of the corpus layer as shown
        sentence_gain: (43,) f64, of the sentence layer; sentence_limit: rad/s of its arm joints
        standing: how she stands; layers: names of the layers that are mixed
        placed: the two picks that `old`, `new` and `poses` were written from; work, quats, turn: scratch
        source: digests of the rig and the corpus this was measured from
        config: the settings `rate`, `gain` and `layers` were made from
        corpus: what the repertoire was made from; fit: the settings it was made for (matcher.fit_key)
        ready:  a repertoire made on a thread for settings that are on their way, or None
        refused: settings that left too little of the corpus, so that the old fit stays
        holds:  what was found on her body, by name; reach: her arms as holds move them, None without any
        sight:  what she can look with; None: she looks nowhere
    """

    CACHE: ClassVar[bool] = True  # assets and settings are the same by construction, the rest is scratch
    rig: Rig
    anatomy: Anatomy
    stance: Stance
    repertoire: Repertoire | None
    config: Config
    source: tuple[str, str] = ("", "")
    corpus: Corpus | None = None
    fit: tuple[float, ...] = ()
    ready: Fit | None = None
    refused: tuple[float, ...] = ()
    sight: Sight | None = None
    holds: dict[str, Hold] = field(default_factory=dict)
    reach: Reach | None = None
    rate: F64 = field(default_factory=lambda: np.ones(len(SLOTS)))
    gain: F64 = field(default_factory=lambda: np.ones(len(SLOTS)))
    sentence_gain: F64 = field(default_factory=lambda: np.ones(len(SLOTS)))
    sentence_limit: float = 7.0
    standing: Standing = field(default_factory=shipped)
    layers: frozenset[str] = frozenset()
    work: F64 = field(default_factory=lambda: np.zeros((len(SLOTS), 3)))
    quats: F64 = field(default_factory=lambda: np.zeros((2, len(SLOTS), 4)))
    turn: F64 = field(default_factory=lambda: np.zeros((5, 4)))
    placed: tuple[object, object] = (0, 0)
    poses: list[F64] = field(default_factory=lambda: [unturned(len(SLOTS)), unturned(len(SLOTS))])
    empty: F32 = field(default_factory=lambda: np.zeros((1, len(SLOTS), 3), np.float32))
    old: I32 = field(default_factory=lambda: np.zeros(5, np.int32))
    new: I32 = field(default_factory=lambda: np.zeros(5, np.int32))
