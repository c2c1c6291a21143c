"""Her base pose in her own frame, measured once."""

from __future__ import annotations

import numpy as np

from ...components.anatomy import SLOTS, Anatomy
from ...components.errors import AvatarError
from ...components.motion import Stance
from ...components.rig import Rig
from ..kernels import fk


def measure_stance(rig: Rig, anatomy: Anatomy) -> Stance:
    """Return where the base pose's joints point. AvatarError if there is no pelvis to stand on."""
    if "hips" not in rig.humanoid:
        bones = ", ".join(list(rig.humanoid)[:8]) or "no humanoid bones"
        raise AvatarError(f"the rig has no hips, so nothing can stand; name that bone hips. It has {bones}")
    position = np.empty((len(rig.names), 3))
    world = np.empty((len(rig.names), 4))
    root, base = anatomy.base_root.copy(), anatomy.base.copy()  # writable, as a tick's: see retarget/rests.py
    fk.world(rig.parent, rig.rest_offset, root, base, position, world)
    frame = np.zeros((len(SLOTS), 4))
    frame[:, 0] = 1.0
    has = anatomy.slot_joint >= 0
    frame[has] = world[anatomy.slot_joint[has]]
    foot_frame = np.zeros((2, 4))
    foot_frame[:, 0] = 1.0
    for side in range(2):
        if anatomy.leg[side, 2] >= 0:
            foot_frame[side] = world[anatomy.leg[side, 2]]
    hips = rig.humanoid["hips"]
    upright = float(position[hips, 1] - anatomy.foot[:, 1].mean())
    for array in (frame, foot_frame):
        array.flags.writeable = False
    return Stance(hips, frame, world[hips].copy(), foot_frame, upright, rig.digest + anatomy.digest)
