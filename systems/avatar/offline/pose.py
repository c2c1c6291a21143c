"""The source's half-bent stance turned into a clean A-pose with straight knees, by skinning, before anything is built.

Everything later (clothes, hair, capsules) is made on the re-posed body, so the file's rest is the pose itself and
every joint can have an identity rest rotation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....components.anatomy import SIDES
from ....components.arrays import F64
from .skeleton import Skeleton

ARM_BELOW_HORIZONTAL = np.radians(45.0)
# With vertical legs her thighs seem to slant back to the knees and her belly to lead, for a thigh is thicker in front.
# Turned so that the ankles are a little before the hips she stands straight.
FEET_AHEAD = np.radians(1.5)
FOREARM_ROLL_SHARE = 0.6  # of the wrist's roll carried by the forearm's twist joint; the rest shears at the wrist


@dataclass(frozen=True, slots=True)
class Posed:
    """A re-posed body.

    Fields:
        position: (V, 3) f64 m
        skeleton: the joints where they are now, weights unchanged
        turn:     (V, 3, 3) f64, what the skinning did to directions at each vertex: morph offsets follow it
    """

    position: F64
    skeleton: Skeleton
    turn: F64


def _unit(vector: npt.ArrayLike) -> F64:
    array = np.asarray(vector, np.float64)
    return array / np.linalg.norm(array)


def _frame(axis: F64, side: npt.ArrayLike) -> F64:
    """Return the (3, 3) orthonormal frame with this first axis and `side` in the plane of the first two."""
    first = _unit(axis)
    third = _unit(np.cross(first, np.asarray(side, np.float64)))
    return np.stack([first, np.cross(third, first), third], axis=1)


def _world_turns(skeleton: Skeleton) -> F64:
    """Return (J, 3, 3): how far each joint turns in the world to reach the clean stance."""
    at, turn = skeleton.at, np.tile(np.eye(3), (len(skeleton.names), 1, 1))

    def put(names: tuple[str, ...], rotation: F64) -> None:
        for name in names:
            turn[skeleton.names.index(name)] = rotation

    for side, sign in zip(SIDES, (1.0, -1.0)):
        upper = at(side + "LowerArm") - at(side + "UpperArm")
        fore = at(side + "Hand") - at(side + "LowerArm")
        knuckles = at(side + "MiddleProximal") - at(side + "Hand")
        across = at(side + "IndexProximal") - at(side + "LittleProximal")
        down = np.array([sign * np.cos(ARM_BELOW_HORIZONTAL), -np.sin(ARM_BELOW_HORIZONTAL), 0.0])
        front = np.array([0.0, 0.0, 1.0])
        # The source's elbow is bent by 39 deg, which shows its hinge: bending must bring the forearm to the front.
        straight = _frame(down, front)
        put((side + "UpperArm", side + "UpperArmTwist"), straight @ _frame(upper, fore).T)
        elbow = straight @ _frame(fore, -upper).T
        wrist = straight @ _frame(knuckles, across).T  # index side to the front: palm towards the thigh
        roll = _log(wrist @ _frame(knuckles, elbow.T @ front) @ straight.T)
        put((side + "LowerArm",), elbow)
        put((side + "LowerArmTwist",), _exp(roll * FOREARM_ROLL_SHARE) @ elbow)
        hand = [n for n in skeleton.names if n.startswith(side) and n.endswith(("Hand", "Proximal", "Intermediate"))]
        hand += [n for n in skeleton.names if n.startswith(side) and n.endswith(("Distal", "Metacarpal"))]
        put(tuple(hand), wrist)

        down = np.array([0.0, -np.cos(FEET_AHEAD), np.sin(FEET_AHEAD)])
        thigh, shin = at(side + "LowerLeg") - at(side + "UpperLeg"), at(side + "Foot") - at(side + "LowerLeg")
        toes = at(side + "Toes") - at(side + "Foot")
        yaw = np.arctan2(toes[0], toes[2])
        flat = _exp(np.array([0.0, -yaw, 0.0]))  # only yaw: the sole is already flat
        put((side + "UpperLeg",), _between(thigh, down))
        put((side + "LowerLeg",), _exp(np.array([0.0, -0.5 * yaw, 0.0])) @ _between(shin, down))
        put((side + "Foot", side + "Toes"), flat)
    return turn


def _between(start: F64, end: F64) -> F64:
    """Return the smallest (3, 3) rotation that takes one direction to the other; not for opposite ones."""
    a, b = _unit(start), _unit(end)
    axis = np.cross(a, b)
    cross = _cross_matrix(axis)
    return np.eye(3) + cross + cross @ cross / (1.0 + a @ b)


def _cross_matrix(v: F64) -> F64:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _exp(vector: F64) -> F64:
    """Return the (3, 3) rotation of a rotation vector in rad (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    cross = _cross_matrix(vector / angle)
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def _log(rotation: F64) -> F64:
    """Return the rotation vector in rad of a (3, 3) rotation of less than half a turn."""
    angle = np.arccos(np.clip((np.trace(rotation) - 1.0) / 2.0, -1.0, 1.0))
    if angle < 1e-9:
        return np.zeros(3)
    skew = (rotation - rotation.T) / (2.0 * np.sin(angle))
    return angle * np.array([skew[2, 1], skew[0, 2], skew[1, 0]])


def straightened(position: F64, skeleton: Skeleton) -> Posed:
    """Return the body with arms 45 deg below horizontal, elbows, wrists and knees straight, feet parallel."""
    turn = _world_turns(skeleton)
    joint = skeleton.position.copy()
    for k, parent in enumerate(skeleton.parent):
        if parent >= 0:
            joint[k] = joint[parent] + turn[parent] @ (skeleton.position[k] - skeleton.position[parent])
    offset = joint - np.einsum("jab,jb->ja", turn, skeleton.position)
    blended = np.einsum("vj,jab->vab", skeleton.weight, turn)
    moved = np.einsum("vab,vb->va", blended, position) + skeleton.weight @ offset
    return Posed(moved, Skeleton(skeleton.names, skeleton.parent, joint, skeleton.weight), blended)
