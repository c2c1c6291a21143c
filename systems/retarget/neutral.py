"""Neutral motion shown on one avatar: rests aligned once, then her local rotations for any number of frames.

Every body slot shows its neutral world rotation D: its joint's orientation is D A R, R its rest orientation and A the
turn that brings her rest bone onto the neutral T-pose (bone direction, elbow hinge for the arm's roll, palm normal for
the hand's). So the same motion gives the same directions of arms and hands whatever pose her file rests in. Torso,
neck, head and collar bones keep her own rest posture: A is no turn there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...components.anatomy import BODY_SLOTS, FINGER_SLOTS, HAND_CHANNELS, SIDES, SLOTS, TORSO, Anatomy
from ...components.arrays import F64, I32
from ...components.errors import CorpusError
from ...components.rig import Rig
from ..kernels import quat, retarget
from .hinges import Hinges, hinges_of
from .rests import SIGN, Rest, arm_of, frame, palm_of, rest_of, turn_between

_ABOVE = {"spine": "", "chest": "spine", "upperChest": "chest", "neck": "upperChest", "head": "neck"}
for _side in SIDES:
    _ABOVE.update(
        {
            _side + "Shoulder": "upperChest",
            _side + "UpperArm": _side + "Shoulder",
            _side + "LowerArm": _side + "UpperArm",
            _side + "Hand": _side + "LowerArm",
        }
    )
# (13,) i32: slot above each body slot on the neutral rig, -1 at the pelvis
NEUTRAL_PARENT: I32 = np.array(
    [BODY_SLOTS.index(_ABOVE[name]) if _ABOVE[name] else -1 for name in BODY_SLOTS], dtype=np.int32
)


@dataclass(frozen=True, slots=True)
class Binding:
    """One rig tied to the neutral rig; what the kernels of `kernels.retarget` take.

    Fields:
        source, anchor: (13,) i32, slots; left, right: (13, 4) wxyz
        hinges:         of the fingers
        finger_left, finger_right: (30, 4) wxyz; finger_side: (30,) i32
    """

    source: I32
    anchor: I32
    left: F64
    right: F64
    hinges: Hinges
    finger_left: F64
    finger_right: F64
    finger_side: I32


def pose(rig: Rig, anatomy: Anatomy, rotation: npt.ArrayLike, hand: npt.ArrayLike) -> F64:
    """Return her local rotations of SLOTS for frames of neutral motion, (F, 43, 4) f64 wxyz, rest included.

    A slot she does not have is no rotation; the motion of a missing chest, neck or collar bone shows at its neighbour.

    rig: her joints
    anatomy: as measured on this rig
    rotation: (F, 13, 3) rad, neutral local rotation vectors of BODY_SLOTS
    hand: (F, 2, 16) rad, HAND_CHANNELS of the left and right hand

    Raises:
        CorpusError: the arrays do not fit each other or the slots.
    """
    if [int(j) for j in anatomy.slot_joint] != [rig.humanoid.get(name, -1) for name in SLOTS]:
        raise ValueError("this anatomy was measured on another rig")
    return show(bind(rest_of(rig)), rotation, hand)


def show(binding: Binding, rotation: npt.ArrayLike, hand: npt.ArrayLike) -> F64:
    """Return what `pose` does, for a rig that is already bound."""
    body, fingers = np.ascontiguousarray(rotation, np.float64), np.ascontiguousarray(hand, np.float64)
    frames = len(body)
    want_body, want_hand = (frames, len(BODY_SLOTS), 3), (frames, 2, len(HAND_CHANNELS))
    if body.shape != want_body or fingers.shape != want_hand:
        raise CorpusError(
            f"neutral motion of shape {body.shape} with hands {fingers.shape}: wanted {want_body} and {want_hand}"
        )
    out = np.empty((frames, len(SLOTS), 4))
    b, h = binding, binding.hinges
    retarget.body(NEUTRAL_PARENT, b.source, b.anchor, b.left, b.right, body, out)
    retarget.hands(
        h.joint,
        b.finger_side,
        b.finger_left,
        b.finger_right,
        h.curl_axis,
        h.curl_weight,
        h.curl_rest,
        h.turn_axis,
        h.turn_weight,
        h.turn_rest,
        fingers,
        len(BODY_SLOTS),
        out,
    )
    return out


def bind(rest: Rest) -> Binding:
    """Return her rest aligned with the neutral T-pose."""
    rig = rest.rig
    align = alignments(rest)
    slot_of = {rig.humanoid[name]: s for s, name in enumerate(BODY_SLOTS) if name in rig.humanoid}
    source = _sources(rig)
    anchor = np.full(len(BODY_SLOTS), -1, np.int32)
    left, right = _identities(len(BODY_SLOTS)), _identities(len(BODY_SLOTS))
    for joint, s in slot_of.items():
        above = int(rig.parent[joint])
        if above >= 0:
            quat.conj(rest.orientation[above], left[s])
        while above >= 0 and above not in slot_of:
            above = int(rig.parent[above])
        if above >= 0:
            anchor[s] = source[slot_of[above]]
            undo = np.empty(4)
            quat.conj(align[slot_of[above]], undo)
            quat.mul(left[s], undo, left[s])
        quat.mul(align[s], rest.orientation[joint], right[s])
    finger_left, finger_right = _identities(len(FINGER_SLOTS)), _identities(len(FINGER_SLOTS))
    for s, name in enumerate(FINGER_SLOTS):
        joint = rig.humanoid.get(name, -1)
        if joint >= 0:
            if rig.parent[joint] >= 0:
                quat.conj(rest.orientation[rig.parent[joint]], finger_left[s])
            quat.copy(rest.orientation[joint], finger_right[s])
    side = np.array([int(name.startswith("right")) for name in FINGER_SLOTS], np.int32)
    return Binding(source, anchor, left, right, hinges_of(rest), finger_left, finger_right, side)


def alignments(rest: Rest) -> F64:
    """Return the turn A of each body slot, (13, 4) wxyz: her rest brought onto the neutral T-pose, avatar frame."""
    out = _identities(len(BODY_SLOTS))
    for side in SIDES:
        g = SIGN[side]
        along, hinge, down = np.array([g, 0.0, 0.0]), np.array([0.0, -g, 0.0]), np.array([0.0, -1.0, 0.0])
        arm, palm = arm_of(rest, side), palm_of(rest, side)
        upper = np.eye(3) if arm.upper is None else frame(along, hinge) @ frame(arm.upper, arm.hinge).T
        if arm.lower is None:
            lower = upper
        elif abs(float(arm.lower @ arm.hinge)) > 0.99:  # only without an upper arm to measure the hinge across
            lower = turn_between(arm.lower, along)
        else:
            lower = frame(along, hinge) @ frame(arm.lower, arm.hinge).T
        if palm.forward is None:
            hand = lower
        elif palm.normal is None:
            hand = turn_between(lower @ palm.forward, along) @ lower
        else:
            hand = frame(along, down) @ frame(palm.forward, palm.normal).T
        for part, matrix in (("UpperArm", upper), ("LowerArm", lower), ("Hand", hand)):
            quat.from_matrix(np.ascontiguousarray(matrix), out[BODY_SLOTS.index(side + part)])
    return out


def wrist_frames(rig: Rig) -> F64:
    """Return what follows the orientation of forearm and hand to give the neutral T-pose's, (2, 2, 4) wxyz.

    Then a wrist that is not bent is no turn between the two. Rows: left and right; no turn where she has no joint.
    """
    rest, out = rest_of(rig), np.zeros((2, 2, 4))
    out[..., 0] = 1.0
    align = alignments(rest)
    for k, side in enumerate(SIDES):
        for p, name in enumerate((side + "LowerArm", side + "Hand")):
            if name in rig.humanoid:
                quat.mul(align[BODY_SLOTS.index(name)], rest.orientation[rig.humanoid[name]], out[k, p])
                quat.conj(out[k, p], out[k, p])
    return out


def neutral_frames(rig: Rig) -> F64:
    """Return how each body slot's joint is turned in the neutral T-pose, (13, 4) wxyz; no turn where she has none."""
    rest, out = rest_of(rig), _identities(len(BODY_SLOTS))
    for slot, (align, name) in enumerate(zip(alignments(rest), BODY_SLOTS, strict=True)):
        if name in rig.humanoid:
            quat.mul(align, rest.orientation[rig.humanoid[name]], out[slot])
    return out


def _sources(rig: Rig) -> I32:
    """Return the slot whose neutral rotation each slot shows; -1 where she has no joint.

    The last torso joint that she has takes the rest of the spine's turn, and a neck without a head the head's.
    """
    source = np.array([s if name in rig.humanoid else -1 for s, name in enumerate(BODY_SLOTS)], np.int32)
    torso = [s for s in range(len(TORSO)) if source[s] >= 0]
    if torso:
        source[torso[-1]] = len(TORSO) - 1
    neck, head = BODY_SLOTS.index("neck"), BODY_SLOTS.index("head")
    if source[head] < 0 <= source[neck]:
        source[neck] = head
    return source


def _identities(count: int) -> F64:
    out = np.zeros((count, 4))
    out[:, 0] = 1.0
    return out
