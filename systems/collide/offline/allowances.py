"""How much overlap is no collision: the folds of her armpits over a set of natural poses."""

from __future__ import annotations

import numpy as np

from ....components.anatomy import Anatomy
from ....components.arrays import F64, I32
from ....components.capsules import FREE, CapsuleSet
from ....components.rig import Rig
from .pairs import near, overlap, place
from .poses import natural

SLACK = 0.0005  # m beyond the largest overlap seen
MOST = 0.035  # m; on the shipped woman the deepest fold is 28 mm: more is a body that an arm hangs inside of


def of_folds(rig: Rig, anatomy: Anatomy, capsules: CapsuleSet) -> tuple[I32, F64]:
    """Return pairs (upper arm, body) and how far each may overlap, (P, 2) i32 and (P,) m.

    Hands and forearms get none: fingers inside a thigh are the pose's fault.
    """
    arm = capsules.arm[capsules.link == 0]
    body = capsules.body
    most = np.zeros((len(arm), len(body)))
    for rotation in natural(rig, anatomy):
        np.maximum(most, overlap(capsules, place(rig, capsules, rotation), arm, body), out=most)
    tested = capsules.allow[capsules.link == 0] < 0.5 * FREE
    i, j = np.nonzero((most > 0.0) & tested)
    pair = np.stack([arm[i], body[j]], axis=1).astype(np.int32).reshape(-1, 2)
    return pair, np.minimum(most[i, j] + SLACK, MOST)


def of_base(rig: Rig, anatomy: Anatomy, capsules: CapsuleSet, base: F64) -> tuple[I32, F64]:
    """Return what still touches in the base pose after it was solved, and by how much: the arm rests there."""
    found = near(capsules, place(rig, capsules, base, anatomy.base_root))
    pair = np.stack([found.first, found.second], axis=1).astype(np.int32).reshape(-1, 2)
    return pair, -found.gap + SLACK
