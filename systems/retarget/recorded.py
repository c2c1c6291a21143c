"""A recorded motion on the rig it was recorded with, as neutral motion: what every avatar then shows.

The inverse of `neutral`: a body slot's neutral world rotation is D = W (A R)^-1, W its joint's recorded orientation,
R its rest and A the turn that brings the rest onto the neutral T-pose. Root and legs belong to the reflex, so her
pelvis stays upright: motion counts from where the source's pelvis faces, and its tilt shows in the spine. Joints
between two slots (metacarpals, a fifth spine joint) are part of the lower one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...components.anatomy import BODY_SLOTS, FINGER_SLOTS, SIDES, TORSO
from ...components.arrays import F64
from ...components.rig import Rig
from ...components.take import HandAxes
from ..kernels import quat, rotvec
from .anatomy import FINGERS_HANGING
from .fingers import Fingers, fingers
from .hinges import hinges_of
from .neutral import NEUTRAL_PARENT, alignments
from .rests import Rest, rest_of


@dataclass(frozen=True, slots=True)
class Neutral:
    """Motion on the neutral rig.

    Fields:
        rotation: (T, 13, 3) f64 rad; hand: (T, 2, 16) f64 rad, as in Corpus
        fingers:  what became of them, None for a source without any
    """

    rotation: F64
    hand: F64
    fingers: Fingers | None


def neutral(
    rig: Rig,
    rotation: F64,
    hands: HandAxes | None = None,
    *,
    is_ours: bool = False,
    pool: F64 | None = None,
) -> Neutral:
    """Return recorded motion as the neutral rig shows it.

    rig: the source's joints, in the source's own rest
    rotation: (T, J, 4) wxyz local, the rest rotation included
    hands: axes that come with the source; None: measured on this one
    is_ours: fingers turn about the rig's own hinges
    pool: (30, 4, 3), sum of `Fingers.moment` over the takes of one performer on this rig: for joints that move too
          little in this one
    """
    rest = rest_of(rig)
    orientation = orientations(rig.parent.tolist(), rotation)
    body = on_neutral(rest, orientation)
    turn = finger_turns(rest, orientation)
    if not any(name in rig.humanoid for name in FINGER_SLOTS):
        relaxed = np.tile(FINGERS_HANGING, (len(rotation), 2, 1))
        return Neutral(body, relaxed, None)
    hand, report = fingers(turn, hinges_of(rest), hands, is_ours=is_ours, pool=pool)
    return Neutral(body, hand, report)


def orientations(parent: Sequence[int], rotation: F64) -> F64:
    """Return (J, T, 4) wxyz: how every joint is turned in its file's or avatar's frame.

    parent: J of them, parents first, -1 for none; rotation: (T, J, 4) wxyz local
    """
    local = np.ascontiguousarray(np.asarray(rotation, np.float64).transpose(1, 0, 2))
    out = np.empty_like(local)
    for joint, above in enumerate(parent):
        if above < 0:
            out[joint] = local[joint]
        else:
            quat.mul_each(out[above], local[joint], out[joint])
    return out


def finger_turns(rest: Rest, orientation: F64) -> F64:
    """Return (30, T, 3) rad: each finger joint's rotation vector over its rest, on the joint above, in rest axes."""
    rig = rest.rig
    out = np.zeros((len(FINGER_SLOTS), orientation.shape[1], 3))
    slots = {rig.humanoid[name]: name for name in FINGER_SLOTS if name in rig.humanoid}
    hands = {rig.humanoid[side + "Hand"] for side in SIDES if side + "Hand" in rig.humanoid}
    for joint, name in slots.items():
        above = int(rig.parent[joint])
        while above >= 0 and above not in slots and above not in hands:
            above = int(rig.parent[above])
        turned = _turned(rest, orientation, joint)
        if above >= 0:
            quat.between_each(_turned(rest, orientation, above), turned, turned)
        rotvec.log_each(turned, out[FINGER_SLOTS.index(name)])
    return out


def _turned(rest: Rest, orientation: F64, joint: int, align: F64 | None = None) -> F64:
    """Return W (A R)^-1 of one joint, (T, 4); without `align` W R^-1."""
    own = np.empty((1, 4))
    if align is None:
        quat.copy(rest.orientation[joint], own[0])
    else:
        quat.mul(align, rest.orientation[joint], own[0])
    quat.conj(own[0], own[0])
    out = np.empty_like(orientation[joint])
    quat.mul_each(orientation[joint], own, out)
    return out


def on_neutral(rest: Rest, orientation: F64) -> F64:
    """Return BODY_SLOTS of a motion, (T, 13, 3) rad, local on the neutral rig. orientation: (J, T, 4), as above."""
    rig, align = rest.rig, alignments(rest)
    frames = orientation.shape[1]
    still = np.zeros((frames, 4))
    still[:, 0] = 1.0
    hips = rig.humanoid.get("hips", -1)
    pelvis = _heading(_turned(rest, orientation, hips)) if hips >= 0 else still
    world: dict[str, F64] = {}
    for slot, name in enumerate(BODY_SLOTS):
        if name in rig.humanoid:
            world[name] = _turned(rest, orientation, rig.humanoid[name], align[slot])
            quat.between_each(pelvis, world[name], world[name])
    _fill_torso(world, still)
    out = np.empty((frames, len(BODY_SLOTS), 3))
    local, vector = np.empty((frames, 4)), np.empty((frames, 3))
    for slot, name in enumerate(BODY_SLOTS):
        above = BODY_SLOTS[NEUTRAL_PARENT[slot]] if NEUTRAL_PARENT[slot] >= 0 else ""
        before = world[above] if above else still
        if name not in world:  # no collar, no wrist: it goes with what it hangs on
            world[name] = before
        quat.between_each(before, world[name], local)
        rotvec.log_each(local, vector)
        out[:, slot] = vector
    return out


def _heading(turn: F64) -> F64:
    """Return the part of each rotation about the vertical, (T, 4): where a pelvis faces."""
    out = np.zeros_like(turn)
    out[:, 0], out[:, 2] = turn[:, 0], turn[:, 2]
    length = np.hypot(out[:, 0], out[:, 2])
    # lying on its face or back it faces nowhere
    return np.where(length[:, None] > 1e-6, out / np.maximum(length, 1e-6)[:, None], [1.0, 0.0, 0.0, 0.0])


def _fill_torso(world: dict[str, F64], still: F64) -> None:
    """Spread the turn of a spine of one or two joints over the neutral three, and a missing neck's over it."""
    present = [name for name in TORSO if name in world]
    if present and present[-1] != TORSO[-1]:  # the last one she has shows the whole of the spine's turn
        world[TORSO[-1]] = world.pop(present[-1])
    before, at = still, -1
    for place, name in enumerate(TORSO):
        if name not in world:
            continue
        for between in range(at + 1, place):
            world[TORSO[between]] = _part(before, world[name], (between - at) / (place - at))
        before, at = world[name], place
    top = world.get(TORSO[-1], still)
    if "neck" in world and "head" not in world:
        world["head"] = world.pop("neck")
    if "neck" not in world and "head" in world:
        world["neck"] = _part(top, world["head"], 0.5)


def _part(a: F64, b: F64, share: float) -> F64:
    out = np.empty_like(a)
    quat.slerp_each(a, b, share, out)
    return out
