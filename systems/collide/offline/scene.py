"""A motion as the rule's figures see it: where the capsules and the arms' joints of every frame are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.anatomy import SIDES
from ....components.arrays import F64, I32
from ....components.capsules import CapsuleSet
from ....components.rig import Rig
from ...kernels import fk, quat

LINKS = ("UpperArm", "LowerArm", "Hand")


@dataclass(frozen=True, slots=True)
class Scene:
    """F frames of one avatar before any rule, avatar frame, m.

    Fields:
        arm_start, arm_along:   (F, A, 3), capsules of the arms, in the order of CapsuleSet.arm
        body_start, body_along: (F, B, 3), in the order of CapsuleSet.body
        joint:  (F, 2, 3, 3), left and right: shoulder, elbow, wrist
        side, link: (A,) i32: 0 left, 1 right; 0 upper arm, 1 forearm, 2 hand
        arm_radius: (A,); body_radius: (B,)
        allow:  (A, B), overlap that is none, FREE where a pair is never tested; allow_arms: (L, A - L)
        lefts:  L, arm capsules of the left arm: they come first
    """

    arm_start: F64
    arm_along: F64
    body_start: F64
    body_along: F64
    joint: F64
    side: I32
    link: I32
    arm_radius: F64
    body_radius: F64
    allow: F64
    allow_arms: F64
    lefts: int

    def __len__(self) -> int:
        return len(self.joint)

    def part(self, frames: Any) -> Scene:
        """Return some of the frames: a slice, or an array of their numbers."""
        moving = (self.arm_start, self.arm_along, self.body_start, self.body_along, self.joint)
        still = (self.side, self.link, self.arm_radius, self.body_radius, self.allow, self.allow_arms, self.lefts)
        whole: list[Any] = [*(np.ascontiguousarray(array[frames]) for array in moving), *still]
        return Scene(*whole)


def scene(rig: Rig, capsules: CapsuleSet, rotation: F64, root: F64) -> Scene:
    """Return the capsules and joints of a motion.

    rotation: (F, J, 4) wxyz local, the rest rotation included; root: (F, 3) m, added to the root's rest offset
    ValueError if the capsules were measured on another rig.
    """
    if capsules.rig != rig.digest:
        raise ValueError("these capsules were measured on another rig")
    frames, count = len(rotation), len(rig.names)
    position, orientation = np.empty((frames, count, 3)), np.empty((frames, count, 4))
    parent, offset = np.array(rig.parent), np.array(rig.rest_offset)
    fk.world_each(parent, offset, np.ascontiguousarray(root), np.ascontiguousarray(rotation), position, orientation)
    arm = _placed(capsules, capsules.arm, position, orientation)
    body = _placed(capsules, capsules.body, position, orientation)
    joint = np.empty((frames, 2, 3, 3))
    for side, name in enumerate(SIDES):
        last = 0
        for link, part in enumerate(LINKS):
            last = rig.humanoid.get(name + part, last)
            joint[:, side, link] = position[:, last]
    return Scene(
        *arm,
        *body,
        joint,
        (1 - capsules.left[capsules.arm]).astype(np.int32),
        np.array(capsules.link),
        np.array(capsules.radius[capsules.arm]),
        np.array(capsules.radius[capsules.body]),
        capsules.allow.astype(np.float64),
        capsules.allow_arms.astype(np.float64),
        capsules.lefts,
    )


def _placed(capsules: CapsuleSet, which: I32, position: F64, orientation: F64) -> tuple[F64, F64]:
    """Return starts and axes of some capsules in every frame, (F, N, 3) each."""
    joints = capsules.joint[which]
    frames = len(position)
    turn = np.ascontiguousarray(orientation[:, joints]).reshape(-1, 4)
    out = []
    for local in (capsules.start[which], capsules.end[which] - capsules.start[which]):
        turned = np.empty((frames * len(which), 3))
        quat.rotate_each(turn, np.ascontiguousarray(np.tile(local, (frames, 1))), turned)
        out.append(turned.reshape(frames, len(which), 3))
    return out[0] + position[:, joints], out[1]
