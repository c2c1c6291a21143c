"""Where the search for each hold starts and how far it looks: found by looking at one body, kept as data.

From vaguer starts 2 of 5 searches ended in poses that no person takes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.arrays import F32, F64
from ....components.capsules import FREE
from ...kernels import gaps, holds
from .arms import ARM, Arms

ROOM = 0.005  # m between a forearm and her trunk: her hips turn by 5 deg under it when she shifts her weight
NAMES = ("clasped", "crossed", "hands_on_hips", "behind_back")


@dataclass(slots=True)
class Recipe:
    """One hold of one body.

    Fields:
        cost:   kernels.holds.crossed, stacked or hips; first: side of the hand that is placed first
        start, spread: (n,) of the unknowns; aim: what the cost is given beside them
        held:   (A, N) f32 m, how far capsules of this hold may overlap: they stand 3-9 mm off the skin, pair by pair
        offset: places in the unknowns of the gaps between skin and hand
    """

    cost: Any
    first: int
    start: F64
    spread: F64
    aim: F64
    held: F32
    offset: tuple[int, ...]


def recipe(name: str, arms: Arms, first: int | None = None) -> Recipe:
    """Return how one of NAMES is looked for on a body. first: 0 left or 1 right hand first, None as usual."""
    top = float(arms.shoulder[:, 1].mean())
    held = np.zeros_like(arms.allow)
    link, side = arms.part % 3, arms.part // 3
    trunk = np.flatnonzero(arms.trunk == 1)
    if name == "crossed":
        a = 0 if first is None else first
        start = np.array([top - 0.31 * ARM, math.radians(-35.0), -0.1, 0.9, 0.005, 0.8, math.pi, 0.1, 0.8, 0.25, 0.0,
                          0.25, 0.0, 0.005])  # fmt: skip
        spread = np.array([0.05, 0.25, 0.3, 0.3, 5e-4, 0.12, 0.5, 0.3, 0.3, 0.08, 0.04, 0.08, 0.04, 5e-4])
        _allow(held, np.flatnonzero(link == 2), trunk, 0.007)
        _allow(held, np.flatnonzero(link == 1), trunk, 0.008)
        _among(held, arms, 0.004)
        _among(held, arms, 0.001, 1, 1)
        _among(held, arms, 0.007, 2, 1)
        _among(held, arms, 0.007, 1, 2)
        for mine, theirs, metres in ((2, 0, 0.0), (0, 2, 0.007)) if a == 0 else ((0, 2, 0.0), (2, 0, 0.007)):
            _among(held, arms, metres, mine, theirs)
        return Recipe(holds.crossed, a, start, spread, np.array([0.005, 0.005]), held, (4, 13))
    if name == "hands_on_hips":
        start = np.array([top - 0.52 * ARM, 1.35, 0.4, 0.005, 0.9, 0.0, 0.0, 0.0])
        spread = np.array([0.04, 0.2, 0.3, 5e-4, 0.4, 0.05, 0.04, 0.1])
        _allow(held, np.flatnonzero(link == 2), np.flatnonzero(arms.trunk > 0), 0.008)
        return Recipe(holds.hips, 0, start, spread, np.array([top - 0.56 * ARM, 0.0, 0.0]), held, (3,))
    spread = np.array([0.04, 0.12, 0.3, 0.008, 1e-3, 0.4, 0.01, 0.01, 5e-4, 0.3, 0.3, 0.06, 0.06, 0.04, 0.15, 0.15])
    _among(held, arms, 0.007, 2, 2)
    if name == "clasped":
        a = 0 if first is None else first
        start = np.array([top - 0.68 * ARM, 0.0, 0.6, 0.012, 0.0, 1.4 if a == 0 else -1.4, 0.0, 0.0, 0.004, 0.0, 0.0,
                          0.05, 0.05, 0.0, 0.0, 0.0])  # fmt: skip
        aim = np.array([0.53, 0.03, 0.07, 0.03, top - 0.60 * ARM, 0.05, 1.5, 0.4, 0.0, 0.0, 0.0])
        _allow(held, np.flatnonzero((link == 2) & (side == a)), trunk, 0.005)
    elif name == "behind_back":
        a = 1 if first is None else first
        start = np.array([top - 0.66 * ARM, math.pi * (0.97 if a == 1 else -0.97), 0.5, 0.004, 0.0,
                          -1.5 if a == 1 else 1.5, 0.0, 0.0, 0.004, 0.0, 0.0, -0.15, -0.15, 0.0, 0.0, 0.0])  # fmt: skip
        aim = np.array([0.70, 0.06, 0.06, 0.16, top - 0.62 * ARM, -0.15, 1.5, 0.5, 1.6, 1.0, 1.0])
        _allow(held, np.flatnonzero((link == 2) & (side == a)), trunk, 0.007)
    else:
        raise ValueError(f"no hold '{name}'; there are {', '.join(NAMES)}")
    return Recipe(holds.stacked, a, start, spread, aim, held, (3, 8))


def _allow(held: F32, rows: Any, columns: Any, metres: float) -> None:
    held[np.ix_(rows, columns)] = metres


def _among(held: F32, arms: Arms, metres: float, left: int = -1, right: int = -1) -> None:
    """Let links of the left arm overlap links of the right one by so much, all where none is named."""
    lefts, count = int(arms.bound[gaps.LEFTS]), len(arms.part)
    link = arms.part % 3
    rows = np.flatnonzero((link[:lefts] == left) | (left < 0))
    columns = lefts + np.flatnonzero((link[lefts:count] == right) | (right < 0))
    held[np.ix_(rows, columns)] = metres


def opened(arms: Arms, held: F32) -> F32:
    """Return the allowances of every pair in this hold, (A, N) f32 m: a forearm that lies on nothing stays off her."""
    off = ((arms.part % 3 == 1)[:, None] & (arms.trunk > 0)[None] & (held <= 0.0)) * np.float32(ROOM)
    return np.where(arms.allow < FREE, arms.allow + held - off, arms.allow).astype(np.float32)
