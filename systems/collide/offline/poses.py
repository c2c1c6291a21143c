"""Poses that everybody's upper arms take: where the folds of an armpit overlap in them, that is no collision."""

from __future__ import annotations

import numpy as np

from ....components.anatomy import BODY_SLOTS, HAND_CHANNELS, SIDES, SLOTS, Anatomy
from ....components.arrays import F64
from ....components.rig import Rig
from ...kernels import quat, rotvec
from ...retarget.anatomy import FINGERS_HANGING
from ...retarget.neutral import pose
from ...retarget.rests import SIGN, frame, unit

# Upper arm and forearm, (out, up, front), any length. Choice: what idle and talking arms pass through.
NATURAL: tuple[tuple[tuple[float, float, float], tuple[float, float, float]], ...] = (
    ((1.0, 0.0, 0.0), (1.0, 0.0, 0.02)),  # a T
    ((0.09, -1.0, 0.0), (0.03, -1.0, 0.2)),  # hanging close
    ((0.16, -1.0, 0.0), (0.05, -1.0, 0.2)),  # hanging wider
    ((0.12, -0.95, 0.25), (-0.60, 0.10, 0.80)),  # folded over the belly
    ((0.12, -0.95, 0.20), (-0.30, 0.50, 0.80)),  # hand before the chest
    ((0.35, -0.80, 0.45), (0.15, 0.25, 0.95)),  # talking
)


def natural(rig: Rig, anatomy: Anatomy) -> list[F64]:
    """Return her local rotations of each of these poses, (J, 4) wxyz, her own rest and her base pose among them."""
    rotation = np.zeros((len(NATURAL), len(BODY_SLOTS), 3))
    for number, (upper, lower) in enumerate(NATURAL):
        for side in SIDES:
            turns = arm(np.array(upper), np.array(lower), SIGN[side])
            first = BODY_SLOTS.index(side + "UpperArm")
            turn = np.empty(4)
            quat.from_matrix(turns[0], turn)
            rotvec.log(turn, rotation[number, first])
            quat.from_matrix(np.ascontiguousarray(turns[0].T @ turns[1]), turn)
            rotvec.log(turn, rotation[number, first + 1])
    hand = np.tile(FINGERS_HANGING, (len(NATURAL), 2, 1)).reshape(len(NATURAL), 2, len(HAND_CHANNELS))
    shown = pose(rig, anatomy, rotation, hand)
    out = []
    for number in range(len(NATURAL)):
        made = anatomy.base.copy()
        for slot, name in enumerate(SLOTS):
            if name in rig.humanoid and name.startswith(SIDES):
                made[rig.humanoid[name]] = shown[number, slot]
        out.append(made)
    return [rig.rest_rotation.copy(), anatomy.base.copy(), *out]


def arm(upper: F64, lower: F64, g: float) -> tuple[F64, F64]:
    """Return the neutral world rotations of upper arm and forearm that point there, (3, 3) each.

    upper, lower: (3,) out, up, front; g: 1 for the left arm, -1 for the right
    """
    mirror = np.array([g, 1.0, 1.0])
    u, f = unit(upper * mirror), unit(lower * mirror)
    assert u is not None
    assert f is not None
    hinge = np.cross(u, f)
    rest = frame(np.array([g, 0.0, 0.0]), np.array([0.0, -g, 0.0])).T
    return frame(u, hinge) @ rest, frame(f, hinge) @ rest
