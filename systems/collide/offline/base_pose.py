"""Her base pose without fingers in her thighs: the least displacement of her arms that clears them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....components.anatomy import SIDES, Anatomy
from ....components.arrays import F64
from ....components.capsules import CapsuleSet
from ....components.rig import Rig
from ...kernels import quat, rotvec
from ...kernels.project import METRIC
from .pairs import Near, near, place

CLEAR = 0.003  # m, gap that is aimed at: 1 mm more than the rule's margin, so that it sleeps in the base pose
LOOK = 0.02  # m, pairs nearer than this take part
STIFF = 400.0  # weight of a contact's miss against the displacement, both m^2
ROUNDS, STEP = 40, 0.15  # steps, and rad of the largest turn in one
OUTWARD = (6.0, 12.0, 20.0, 35.0, 50.0, 70.0)  # deg that the arms start spread by
EASY = 5.0  # deg, a turn of so little needs no other start


@dataclass(frozen=True, slots=True)
class Solved:
    """A base pose.

    rotation: (J, 4) wxyz local; inside_mm: deepest contact left; turned_deg: largest turn it took; moved: m, its cost
    """

    rotation: F64
    inside_mm: float
    turned_deg: float
    moved: float


def solve(rig: Rig, anatomy: Anatomy, capsules: CapsuleSet) -> Solved:
    """Return the pose nearest to the base pose in which no arm is inside her; the least bad one where there is none."""
    found = [_descend(rig, anatomy, capsules, 0.0)]
    if found[0].inside_mm > 0.0 or found[0].turned_deg > EASY:  # from farther out another way may be nearer
        found += [_descend(rig, anatomy, capsules, math.radians(degrees)) for degrees in OUTWARD]
    free = [solved for solved in found if solved.inside_mm <= 0.0]
    return min(free, key=lambda s: s.moved) if free else min(found, key=lambda s: s.inside_mm)


def _descend(rig: Rig, anatomy: Anatomy, capsules: CapsuleSet, spread: float) -> Solved:
    """Return what damped Gauss-Newton steps make of the base pose with arms spread by so many rad."""
    joints = np.array(
        [[rig.humanoid.get(side + part, -1) for part in ("UpperArm", "LowerArm", "Hand")] for side in SIDES]
    )
    rotation = anatomy.base.copy()
    moved = np.zeros((2, 3, 3))
    start = np.zeros((2, 3, 3))
    start[0, 0, 2], start[1, 0, 2] = spread, -spread
    weight = np.repeat(np.square(np.tile(METRIC, 2)), 3)
    has = np.repeat((joints >= 0).ravel(), 3)
    if spread > 0.0:
        _turn(rig, anatomy, capsules, rotation, joints, start)
        moved += start
    for _ in range(ROUNDS):
        placed = place(rig, capsules, rotation, anatomy.base_root)
        rows, miss = _rows(capsules, placed.position, near(capsules, placed, LOOK), joints)
        active = miss > 0.0
        if not active.any() and not moved.any():  # it was free: its bits stay
            break
        matrix = np.diag(weight) + STIFF * rows[active].T @ rows[active]
        right = -weight * moved.ravel() + STIFF * rows[active].T @ miss[active]
        step = np.where(has, np.linalg.solve(matrix, right), 0.0)
        size = float(np.abs(step).max())
        step *= min(1.0, STEP / max(size, 1e-9))
        _turn(rig, anatomy, capsules, rotation, joints, step.reshape(2, 3, 3))
        moved += step.reshape(2, 3, 3)
        if size < 1e-4:
            break
    left = near(capsules, place(rig, capsules, rotation, anatomy.base_root))
    inside = float(-left.gap.min()) * 1e3 if len(left.gap) else 0.0
    cost = float(np.sqrt((weight * moved.ravel() ** 2).sum()))
    return Solved(rotation, inside, float(np.degrees(np.linalg.norm(moved, axis=2).max())), cost)


def _rows(capsules: CapsuleSet, position: F64, found: Near, joints: npt.NDArray[np.int64]) -> tuple[F64, F64]:
    """Return each contact's gap per rad of each of the 18 turns, (K, 18), and how much gap it lacks, (K,) m."""
    rows = np.zeros((len(found.gap), 2, 3, 3))
    link = np.maximum(np.minimum(capsules.part, 3) - 1, 0)
    for capsule, way, place_of in (
        (found.first, found.way, found.place[:, 0]),
        (found.second, -found.way, found.place[:, 1]),
    ):
        is_arm = capsules.part[capsule] > 0
        side = 1 - capsules.left[capsule]
        for k in range(3):
            joint = joints[side, k]
            moves = is_arm & (link[capsule] >= k) & (joint >= 0)
            turn = np.cross(place_of - position[joint], way)
            which = np.flatnonzero(moves)
            rows[which, side[which], k] += turn[which]
    return rows.reshape(-1, 18), CLEAR - found.gap


def _turn(
    rig: Rig, anatomy: Anatomy, capsules: CapsuleSet, rotation: F64, joints: npt.NDArray[np.int64], turn: F64
) -> None:
    """Turn upper arm, forearm and hand of both arms by rotation vectors of the avatar's frame, in place."""
    q, world, above = np.empty(4), np.empty(4), np.empty(4)
    for k in range(3):
        for side in range(2):
            joint = int(joints[side, k])
            if joint < 0:
                continue
            orientation = place(rig, capsules, rotation, anatomy.base_root).orientation
            rotvec.exp(np.ascontiguousarray(turn[side, k]), q)
            quat.mul(q, orientation[joint], world)
            above[:] = orientation[rig.parent[joint]] if rig.parent[joint] >= 0 else (1.0, 0.0, 0.0, 0.0)
            quat.between(above, world, rotation[joint])
            rotation[joint] /= np.linalg.norm(rotation[joint])
