"""Her arms as a hold moves them, measured once."""

from __future__ import annotations

import numpy as np

from ...components.anatomy import BODY_SLOTS, SIDES, Anatomy
from ...components.arrays import F64, I32, frozen
from ...components.holds import Reach
from ...components.rig import Rig
from ..kernels import fk

ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")


def reach_of(rig: Rig, anatomy: Anatomy, neutral: F64) -> Reach | None:
    """Return her arms for holds, None where she has not two whole ones.

    neutral: (13, 4) wxyz, orientation of BODY_SLOTS in the neutral T-pose (retarget.neutral_frames)
    """
    joint = np.array([[rig.humanoid.get(side + part, -1) for part in ARM] for side in SIDES], np.int32)
    if (joint[:, 1:] < 0).any():
        return None
    count = len(rig.names)
    place, turn = np.empty((count, 3)), np.empty((count, 4))
    fk.world(rig.parent, rig.rest_offset, anatomy.base_root.copy(), anatomy.base.copy(), place, turn)
    top = np.array([j[0] if j[0] >= 0 else j[1] for j in joint], np.int32)
    upper, lower, hand = (place[joint[:, k]] for k in (1, 2, 3))
    length = np.stack([np.linalg.norm(lower - upper, axis=1), np.linalg.norm(hand - lower, axis=1)], axis=1)
    return Reach(
        frozen(place[top], np.float64, (2, 3)), frozen(upper - place[top], np.float64, (2, 3)),
        frozen(length, np.float64, (2, 2)), frozen(arms_of_slots(neutral), np.float64, (2, 4, 4)),
        frozen(joint, np.int32, (2, 4)),
        frozen(turn, np.float64, (count, 4)), frozen(place, np.float64, (count, 3)),
        frozen(rig.parent[top], np.int32, (2,)), frozen(_below(rig, top), np.int32, (None,)),
        frozen(anatomy.slot_joint[len(BODY_SLOTS) :], np.int32, (30,)),
    )  # fmt: skip


def arms_of_slots(neutral: F64) -> F64:
    """Return the rows of collar, upper arm, forearm and hand, (2, 4, 4), of (13, 4) body slots."""
    first = BODY_SLOTS.index("leftShoulder")
    return neutral[first : first + 8].reshape(2, 4, 4)


def _below(rig: Rig, top: I32) -> list[int]:
    """Return every joint from the collar bones down, parents first."""
    out: list[int] = []
    for joint in range(len(rig.names)):
        if joint in top or int(rig.parent[joint]) in out:
            out.append(joint)
    return out
