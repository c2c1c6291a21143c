"""What is measured once on a rig: slots, the pose every delta is over, legs, twist joints, height."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from ...components.anatomy import BODY_SLOTS, HAND_CHANNELS, SIDES, SLOTS, Anatomy
from ...components.arrays import F64, I32, frozen
from ...components.errors import AvatarError
from ...components.rig import Rig
from ..kernels import fk, quat, rotvec
from ..kernels import twist as kernel
from .neutral import bind, show
from .rests import SIGN, Rest, across, frame, rest_of, unit
from .twist import twists_of

# Arms that hang: shoulder to wrist (out, up, forward) as in the home `hang` of the synthetic performers, which sits at
# 27, -42.4, 8.5 cm from the middle of the shoulders on a body whose shoulder joints are 15.2 cm out; direction only,
# so it fits any length of arm.
HANGING = np.array([27.0 - 15.2, -42.4, 8.5])
ELBOW = math.radians(20.0)  # relaxed elbow
POLE = np.array([0.46, -0.62, -0.63])  # (out, up, forward) where the elbow points, same source
# Relaxed fingers, deg, same source (`hang`): base, middle, end of index..little; thumb flex, end, opposition; spread
FINGERS_HANGING = np.radians([20, 22, 10, 27, 28, 13, 31, 31, 14, 32, 30, 14, 14, 16, 10, 3])
KNEE = 0.015  # of the leg's length: a knee that stands out less in rest does not tell which way it bends


def measure(rig: Rig) -> Anatomy:
    """Return what the motion systems know of this body.

    Raises:
        AvatarError: none of the joints is one that motion can hold.
    """
    slot_joint = frozen([rig.humanoid.get(name, -1) for name in SLOTS], np.int32)
    if not (slot_joint >= 0).any():
        raise AvatarError(
            "this rig has 0 of the 43 humanoid joints that motion needs (spine, head, arms, fingers); "
            "name its bones after the VRM humanoid, or give the file a VRM bone map"
        )
    rest = rest_of(rig)
    leg = np.array(
        [[rig.humanoid.get(side + part, -1) for part in ("UpperLeg", "LowerLeg", "Foot")] for side in SIDES], np.int32
    )
    leg[(leg < 0).any(axis=1)] = -1
    base, root, foot, pole = _standing(rest, leg, _arms(rest))
    twist, axis, share = twists_of(rest)
    _roll_leaves(rest, twist, axis, share, base)
    height = _height(rest)
    h = hashlib.blake2b(rig.digest.encode(), digest_size=16)
    for array in (slot_joint, base, root, leg, foot, pole, twist, axis, share, np.float64(height)):
        h.update(np.ascontiguousarray(array).tobytes())
    return Anatomy(
        slot_joint=slot_joint,
        base=frozen(base, np.float64, (len(rig.names), 4)),
        base_root=frozen(root, np.float64, (3,)),
        leg=frozen(leg, np.int32, (2, 3)),
        foot=frozen(foot, np.float64, (2, 3)),
        pole=frozen(pole, np.float64, (2, 3)),
        twist=frozen(twist, np.int32, (None, 3)),
        twist_axis=frozen(axis, np.float64, (None, 3)),
        twist_share=frozen(share, np.float64, (None,)),
        height=height,
        digest=h.hexdigest(),
    )


def _arms(rest: Rest) -> F64:
    """Return local rotations with hanging arms and relaxed fingers, (J, 4) wxyz; everything else as in rest."""
    rotation = np.zeros((1, len(BODY_SLOTS), 3))
    for side in SIDES:
        upper, lower = hanging(*_lengths(rest, side), SIGN[side])
        first = BODY_SLOTS.index(side + "UpperArm")
        turn = np.empty(4)
        quat.from_matrix(upper, turn)
        rotvec.log(turn, rotation[0, first])
        quat.from_matrix(np.ascontiguousarray(upper.T @ lower), turn)
        rotvec.log(turn, rotation[0, first + 1])
    hand = np.tile(FINGERS_HANGING, (1, 2, 1)).reshape(1, 2, len(HAND_CHANNELS))
    shown = show(bind(rest), rotation, hand)[0]
    base = rest.rig.rest_rotation.copy()
    for slot, name in enumerate(SLOTS):
        if name in rest.rig.humanoid:
            base[rest.rig.humanoid[name]] = shown[slot]
    return base


def _roll_leaves(rest: Rest, twist: I32, axis: F64, share: F64, base: F64) -> None:
    """Give the twist joints beside the chain their share of what the base pose rolls; those on it stay at rest.

    A joint on the chain turns its child too, which only `kernels.twist.share` undoes, after every layer.
    """
    rolled = base.copy()
    # Frozen, as a tick has them: numba compiles another version, 1 s, for arrays that may be written.
    held = frozen(twist, np.int32), frozen(axis, np.float64), frozen(share, np.float64)
    kernel.share(rest.rig.parent, rest.rig.rest_rotation, *held, np.empty((5, 4)), rolled)
    for joint in twist[:, 0]:
        if not (rest.rig.parent == joint).any():
            base[joint] = rolled[joint]


def _lengths(rest: Rest, side: str) -> tuple[float, float]:
    """Return the lengths of upper arm and forearm, m; equal ones where she lacks a joint."""
    shoulder, elbow, wrist = (rest.at(side + part) for part in ("UpperArm", "LowerArm", "Hand"))
    if shoulder is None or elbow is None or wrist is None:
        return 1.0, 1.0
    return max(float(np.linalg.norm(elbow - shoulder)), 1e-3), max(float(np.linalg.norm(wrist - elbow)), 1e-3)


def hanging(upper: float, lower: float, g: float) -> tuple[F64, F64]:
    """Return the neutral world rotations of upper arm and forearm of an arm that hangs, (3, 3) each.

    upper, lower: m, lengths of the two bones
    g: 1 for the left arm, -1 for the right
    """
    mirror = np.array([g, 1.0, 1.0])
    line = unit(HANGING * mirror)
    pole = across(POLE * mirror, line) if line is not None else None
    assert line is not None
    assert pole is not None
    reach = math.sqrt(upper * upper + lower * lower + 2.0 * upper * lower * math.cos(ELBOW))
    lift = math.asin(lower * math.sin(ELBOW) / reach)  # between the upper arm and the line to the wrist
    along = line * math.cos(lift) + pole * math.sin(lift)
    onward = line * reach - along * upper
    hinge = np.cross(along, onward)
    rest = frame(np.array([g, 0.0, 0.0]), np.array([0.0, -g, 0.0])).T
    return frame(along, hinge) @ rest, frame(onward / lower, hinge) @ rest


def _standing(rest: Rest, leg: I32, base: F64) -> tuple[F64, F64, F64, F64]:
    """Return base pose, root shift, ankles and knee directions, with each leg turned until it stands under its hip.

    The knee's own rest bend and the feet's rest orientation stay: the mesh was made with them.
    """
    rig = rest.rig
    turn = np.zeros((2, 4))
    for side, (hip, _, ankle) in enumerate(leg):
        if hip >= 0:
            line = rest.position[ankle] - rest.position[hip]
            quat.arc(np.array([line[0], line[1], 0.0]), np.array([0.0, -1.0, 0.0]), turn[side])
    wanted: dict[int, F64] = {}
    for side, (hip, knee, ankle) in enumerate(leg):
        if hip >= 0:
            for joint in (int(hip), int(knee)):
                wanted[joint] = np.empty(4)
                quat.mul(turn[side], rest.orientation[joint], wanted[joint])
            wanted[int(ankle)] = rest.orientation[ankle].copy()
    orientation = np.empty_like(rest.orientation)
    out = base.copy()
    for joint in range(len(rig.names)):
        above = int(rig.parent[joint])
        if joint in wanted:
            orientation[joint] = wanted[joint]
            if above >= 0:
                quat.between(orientation[above], wanted[joint], out[joint])
            else:
                out[joint] = wanted[joint]
        elif above >= 0:
            quat.mul(orientation[above], out[joint], orientation[joint])
        else:
            orientation[joint] = out[joint]
    position, turned = np.empty_like(rest.position), np.empty_like(rest.orientation)
    fk.world(rig.parent, rig.rest_offset, np.zeros(3), out, position, turned)
    stands = [int(ankle) for hip, _, ankle in leg if hip >= 0]
    root = np.zeros(3)
    if stands:
        root[1] = float(np.mean(rest.position[stands, 1] - position[stands, 1]))
    foot, pole = np.zeros((2, 3)), np.tile([0.0, 0.0, 1.0], (2, 1))
    for side, (hip, knee, ankle) in enumerate(leg):
        if hip >= 0:
            foot[side] = position[ankle] + root
            pole[side] = _knee(position[hip], position[knee], position[ankle])
    return out, root, foot, pole


def _knee(hip: F64, knee: F64, ankle: F64) -> F64:
    """Return the way a knee points: its own bend where that shows and is forward, else straight ahead."""
    line = unit(ankle - hip)
    ahead = np.array([0.0, 0.0, 1.0])
    if line is None:
        return ahead
    out = (knee - hip) - line * float((knee - hip) @ line)
    size = float(np.linalg.norm(out))
    if size > KNEE * float(np.linalg.norm(ankle - hip)) and out[2] > 0.5 * size:
        return out / size
    flat = across(ahead, line)
    return flat if flat is not None else ahead


def _height(rest: Rest) -> float:
    """Return the highest joint of the head and what hangs on it, m; of the whole body where she has no head."""
    head = rest.rig.humanoid.get("head", -1)
    if head < 0:
        return float(rest.position[:, 1].max())
    on_head = np.zeros(len(rest.position), bool)
    for joint in range(head, len(on_head)):
        on_head[joint] = joint == head or (rest.rig.parent[joint] >= 0 and on_head[rest.rig.parent[joint]])
    return float(rest.position[on_head, 1].max())
