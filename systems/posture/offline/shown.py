"""A tried pose as her own local rotations."""

from __future__ import annotations

import numpy as np

from ....components.anatomy import BODY_SLOTS
from ....components.arrays import F64
from ...collide.offline.figure import rolled
from ...kernels import fk, quat
from ...retarget.neutral import bind, show
from ...retarget.rests import rest_of
from .arms import Arms


class Shower:
    """Turns links and fingers into a pose of one body."""

    def __init__(self, arms: Arms) -> None:
        self.arms = arms
        self.binding = bind(rest_of(arms.figure.rig))

    def pose(self, links: F64, fingers: F64 | None = None) -> F64:
        """Return (J, 4) wxyz local rotations.

        links: (2, 4, 3, 3) neutral rotations of collar, upper arm, forearm, hand
        fingers: (2, 16) rad, HAND_CHANNELS, or None for those of the base pose
        """
        arms, figure = self.arms, self.arms.figure
        rig = figure.rig
        out = np.array(figure.capsules.base)
        wanted: dict[int, F64] = {}
        for s in range(2):
            for k in range(4):
                joint = int(arms.joint[s, k])
                if joint < 0:
                    continue
                turned, world = np.empty(4), np.empty(4)
                quat.from_matrix(np.ascontiguousarray(links[s, k]), turned)
                quat.mul(turned, arms.turn[joint] if k == 0 else arms.neutral[s, k], world)
                wanted[joint] = world
        orientation = np.array(arms.turn)
        first = min(wanted)
        for joint in range(first, len(rig.names)):
            above = int(rig.parent[joint])
            if joint in wanted:
                if above >= 0:
                    quat.between(orientation[above], wanted[joint], out[joint])
                else:
                    out[joint] = wanted[joint]
            if above >= 0:
                quat.mul(orientation[above], out[joint], orientation[joint])
            else:
                orientation[joint] = out[joint]
        if fingers is not None:
            curled = show(self.binding, np.zeros((1, len(BODY_SLOTS), 3)), fingers[None])[0]
            for slot, joint in enumerate(figure.anatomy.slot_joint):
                if slot >= len(BODY_SLOTS) and joint >= 0:
                    out[joint] = curled[slot]
        return rolled(figure, out[None])[0]

    def world(self, rotation: F64) -> tuple[F64, F64]:
        """Return where every joint of a pose is, (J, 3) m, and how it is turned, (J, 4) wxyz."""
        rig = self.arms.figure.rig
        place, turn = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
        fk.world(rig.parent, rig.rest_offset, self.arms.figure.anatomy.base_root.copy(), rotation, place, turn)
        return place, turn
