"""Both arms of one body as a search moves them: where their joints hang, how long they are, their capsules.

Everything is in neutral axes (retarget.neutral): an arm's bones lie along x in the T-pose, its elbow bends about y, its
palm looks down, so one solver fits every rig. Lengths are scaled to an arm of `ARM`: start values and weights were
found on a body of that size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....components.anatomy import SIDES
from ....components.arrays import F32, F64, I32
from ....components.capsules import FREE
from ....components.errors import PostureError
from ...collide.offline.figure import Figure
from ...collide.tables import BOUND, guard_of
from ...kernels import fk, quat
from ...retarget import neutral_frames, wrist_frames
from ...retarget.neutral import pose
from ..reach import arms_of_slots

ARM = 0.437  # m, upper arm and forearm of the body that the search's numbers were found on
# Fingers while the arms are searched, rad: nearly straight, they close afterwards (HAND_CHANNELS)
OPEN = np.radians([6, 8, 6] * 4 + [6, 6, 0, 0])
ARM_PARTS = ("Shoulder", "UpperArm", "LowerArm", "Hand")


@dataclass(frozen=True, slots=True)
class Arms:
    """Tables of one body, m times `scale`, avatar frame.

    Fields:
        scale:     ARM over her own arm's length
        collar:    (2, 3) joint of each collar bone in the base pose; hang: (2, 3) from there to the upper arm
        length:    (2, 2) of upper arm and forearm
        at, along: (A, 3), each arm capsule from its link's joint, in the link's neutral axes
        part:      (A,) i32, 3 side + link
        carried:   (N,) i32, 1 + side of the collar bone that a body capsule hangs on, 0 none
        trunk:     (N,) i32, 1 where a column is a capsule of hips, spine or chest, 2 of an upper leg
        thumb:     (N,) i32, 1 where a column is a thumb's
        caps:      (7, N) f32 in the base pose; allow: (A, N) f32, thumbs FREE; bound: as in gaps.py
        column:    (N,) i32, capsule of each column, -1 none
        turn:      (J, 4) wxyz, orientation of every joint in the base pose; place: (J, 3)
        neutral:   (2, 4, 4) wxyz, orientation of collar, upper arm, forearm and hand in the neutral T-pose
        joint:     (2, 4) i32 of these, -1 where she has none
    """

    figure: Figure
    scale: float
    collar: F64
    hang: F64
    length: F64
    at: F64
    along: F64
    part: I32
    carried: I32
    trunk: I32
    thumb: I32
    caps: F32
    allow: F32
    bound: I32
    column: I32
    turn: F64
    place: F64
    neutral: F64
    joint: I32

    @property
    def shoulder(self) -> F64:
        """Return both shoulder joints in the base pose, (2, 3) scaled m."""
        return self.collar + self.hang


def arms_of(figure: Figure) -> Arms:
    """Return the tables of a body; PostureError where she has no two whole arms."""
    rig, capsules = figure.rig, figure.capsules
    joint = np.array([[rig.humanoid.get(side + part, -1) for part in ARM_PARTS] for side in SIDES], np.int32)
    if (joint[:, 1:] < 0).any():
        missing = [s + p for k, s in enumerate(SIDES) for j, p in enumerate(ARM_PARTS) if j and joint[k, j] < 0]
        raise PostureError(f"no hold without both arms: this rig lacks {', '.join(missing)}; map these bones")
    base = np.array(capsules.base)
    place, turn = _world(figure, base)
    own = [float(np.linalg.norm(place[j[2]] - place[j[1]]) + np.linalg.norm(place[j[3]] - place[j[2]])) for j in joint]
    scale = ARM / max(float(np.mean(own)), 1e-3)
    length = scale * np.array(
        [[np.linalg.norm(place[j[2]] - place[j[1]]), np.linalg.norm(place[j[3]] - place[j[2]])] for j in joint],
        np.float64,
    )
    collar = scale * np.array([place[j[0] if j[0] >= 0 else j[1]] for j in joint])
    hang = scale * np.array([place[j[1]] for j in joint]) - collar
    neutral = arms_of_slots(neutral_frames(rig))
    guard = guard_of(capsules, rig, figure.anatomy, wrist_frames(rig))
    tables = guard.tables
    shape, part, allow, bound = tables[1], tables[8], tables[10], tables[BOUND]
    count = int(bound[1])
    # fingers as they are while she searches: rigid with the hand
    posed = base.copy()
    shown = pose(rig, figure.anatomy, np.zeros((1, 13, 3)), np.tile(OPEN, (1, 2, 1)))[0]
    for slot, j in enumerate(figure.anatomy.slot_joint):
        if slot >= 13 and j >= 0:
            posed[j] = shown[slot]
    spot, orient = _world(figure, posed)
    at, along = np.zeros((count, 3)), np.zeros((count, 3))
    for k in range(count):
        side, link = divmod(int(part[k]), 3)
        j, root = int(tables[0][k]), int(joint[side, link + 1])
        for out, local, is_point in ((at, shape[:3, k], True), (along, shape[3:6, k], False)):
            v = np.empty(3)
            quat.rotate(orient[j], np.ascontiguousarray(local), v)
            if is_point:
                v += spot[j] - spot[root]
            own, turned = np.empty(3), np.empty(3)
            quat.rotate_back(orient[root], v, own)
            quat.rotate(neutral[side, link + 1], own, turned)
            out[k] = scale * turned
    wide = len(guard.column)
    names = [""] * wide
    of = {j: name for name, j in rig.humanoid.items()}
    for k, c in enumerate(guard.column):
        if c >= 0:
            names[k] = of.get(int(capsules.joint[c]), "")
    carried = np.array([1 + SIDES.index(n[:-8]) if n.endswith("Shoulder") else 0 for n in names], np.int32)
    trunk = np.array(
        [1 if n in ("hips", "spine", "chest", "upperChest") else 2 if n.endswith("UpperLeg") else 0 for n in names],
        np.int32,
    )
    thumb = np.array([int("Thumb" in n) for n in names], np.int32)
    allow = np.where(allow < FREE, allow * np.float32(scale), allow)
    allow[:, thumb > 0] = FREE
    allow[thumb[:count] > 0] = FREE
    caps = np.zeros((7, wide), np.float32)
    caps[6] = np.where(guard.column >= 0, scale * shape[6], -1.0)
    for k in range(int(bound[2]), wide):
        if guard.column[k] < 0:
            continue
        j = int(tables[0][k])
        v = np.empty(3)
        quat.rotate(turn[j], np.ascontiguousarray(shape[:3, k]), v)
        caps[:3, k] = scale * (v + place[j])
        quat.rotate(turn[j], np.ascontiguousarray(shape[3:6, k]), v)
        caps[3:6, k] = scale * v
    return Arms(
        figure, scale, collar, hang, length, at, along, part[:count].astype(np.int32), carried, trunk, thumb, caps,
        np.ascontiguousarray(allow, np.float32), bound, guard.column, turn, place, neutral, joint,
    )  # fmt: skip


def _world(figure: Figure, rotation: F64) -> tuple[F64, F64]:
    rig = figure.rig
    place, turn = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    fk.world(rig.parent, rig.rest_offset, figure.anatomy.base_root.copy(), rotation, place, turn)
    return place, turn
