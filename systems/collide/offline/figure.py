"""One avatar to try motions on: her rig, what was measured on it, her capsules; neutral motion shown on her."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.anatomy import BODY_SLOTS, SIDES, Anatomy
from ....components.arrays import F64
from ....components.capsules import CapsuleSet
from ....components.rig import Rig
from ...kernels import quat, rotvec, twist
from ...retarget import measure
from ...retarget.neutral import pose
from .scene import Scene, scene


@dataclass(frozen=True, slots=True)
class Figure:
    """A body that motions are tried on. name: what tables call it."""

    name: str
    rig: Rig
    anatomy: Anatomy
    capsules: CapsuleSet

    def root(self, frames: int) -> F64:
        """Return where she stands, (frames, 3) m."""
        return np.repeat(self.anatomy.base_root[None], frames, axis=0)

    def scene(self, rotation: F64) -> Scene:
        """Return her capsules in every frame of (F, J, 4) local rotations."""
        return scene(self.rig, self.capsules, rotation, self.root(len(rotation)))

    def base(self, frames: int) -> F64:
        """Return her solved base pose, (frames, J, 4)."""
        return np.repeat(self.capsules.base[None], frames, axis=0)

    def joint(self, side: int, part: str) -> int:
        """Return an arm joint of side 0 left or 1 right, -1 where she has none."""
        return self.rig.humanoid.get(SIDES[side] + part, -1)


def figure(name: str, rig: Rig, capsules: CapsuleSet) -> Figure:
    """Return a body that motions are tried on."""
    return Figure(name, rig, measure(rig), capsules)


def shown(body: Figure, rotation: F64, hand: F64 | None = None, gain: F64 | None = None) -> F64:
    """Return her local rotations for neutral motion, (F, J, 4) wxyz; what is no slot stands as in her base pose.

    rotation: (F, 13, 3) rad, BODY_SLOTS; hand: (F, 2, 16) rad, or None for the base pose's fingers
    gain: (43,) how much of each slot's turn away from the base pose shows, all of it by default
    """
    curled = np.zeros((len(rotation), 2, 16)) if hand is None else hand
    out = body.base(len(rotation))
    posed = pose(body.rig, body.anatomy, rotation, curled)
    for slot, joint in enumerate(body.anatomy.slot_joint):
        if joint < 0 or (hand is None and slot >= len(BODY_SLOTS)):
            continue
        out[:, joint] = posed[:, slot]
        if gain is not None:
            start = np.repeat(body.capsules.base[joint][None], len(out), axis=0)
            away, turn = np.empty((len(out), 4)), np.empty((len(out), 3))
            quat.between_each(start, np.ascontiguousarray(posed[:, slot]), away)
            rotvec.log_along(away, turn)
            rotvec.apply_each(start, turn * gain[slot], away)
            out[:, joint] = away
    return rolled(body, out)


def rolled(body: Figure, rotation: F64) -> F64:
    """Share the roll of hands over her twist joints, in place, as the tick does; returns `rotation`."""
    a = body.anatomy
    work, fixed = np.empty((5, 4)), (body.rig.parent, body.rig.rest_rotation)
    if len(a.twist):
        for frame in rotation:
            twist.share(*fixed, a.twist, a.twist_axis, a.twist_share, work, frame)
    return rotation


def turned(body: Figure, rotation: F64, joint: int, vector: Any) -> None:
    """Turn one joint further in its own frame, in place. vector: (F, 3) or (3,) rad."""
    if joint < 0:
        return
    every = np.ascontiguousarray(np.broadcast_to(np.asarray(vector, np.float64), (len(rotation), 3)))
    out = np.empty((len(rotation), 4))
    rotvec.apply_each(np.ascontiguousarray(rotation[:, joint]), every, out)
    rotation[:, joint] = out
