"""How her fingers bend: each joint's hinge, and how curled and spread it is in rest, from joint positions alone.

A hinge lies across the finger's rest chain and the palm normal, so parallel fingers of a paddle get parallel hinges
and splayed fingers each their own. Curls and the spread are absolute: 0 is a straight finger in the palm's plane,
beside the middle finger, whose own lean from the line wrist to knuckle is how her hand is made (8 degrees on a body
of MakeHuman's proportions) and stays. The thumb's rest is no pose that positions tell: its channels count from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...components.anatomy import FINGER_SLOTS, FINGERS, HAND_CHANNELS, KNUCKLES, SIDES, THUMB
from ...components.arrays import F64, I32
from .rests import SIGN, Palm, Rest, across, knuckle_of, palm_of, toward, unit

SPREAD = {"Index": 1.0, "Middle": 0.0, "Ring": -0.75, "Little": -1.5}  # of the spread channel (synthetic performers)
THUMB_FLEX = {"ThumbMetacarpal": 0.5, "ThumbProximal": 0.8}  # of the flex channel, same source
END_SHARE = 2.0 / 3.0  # an end joint's rest curl where the file has no fingertip: the usual coupling to the middle one
END_MAX = math.radians(20.0)  # and no more than this: a middle joint bent further says nothing about the end


@dataclass(frozen=True, slots=True)
class Hinges:
    """Both hands' finger joints, S = 30 in the order of FINGER_SLOTS, C = 16 HAND_CHANNELS; avatar frame in rest.

    A joint's turn in rest axes is exp(turn_axis (turn_weight . channels - turn_rest)) after the same of its curl.

    Fields:
        joint:       (S,) i32 or -1
        curl_axis:   (S, 3) unit, what a curl turns about; curl_weight: (S, C); curl_rest: (S,) rad
        turn_axis:   (S, 3) unit, what spread or the thumb's opposition turns about; turn_weight, turn_rest likewise
    """

    joint: I32
    curl_axis: F64
    curl_weight: F64
    curl_rest: F64
    turn_axis: F64
    turn_weight: F64
    turn_rest: F64


def hinges_of(rest: Rest) -> Hinges:
    """Return the measured hinges of every finger joint she has."""
    slots, channels = len(FINGER_SLOTS), len(HAND_CHANNELS)
    axis = np.zeros((slots, 3))
    axis[:, 0] = 1.0
    out = Hinges(
        np.array([rest.rig.humanoid.get(name, -1) for name in FINGER_SLOTS], np.int32),
        axis.copy(),
        np.zeros((slots, channels)),
        np.zeros(slots),
        axis.copy(),
        np.zeros((slots, channels)),
        np.zeros(slots),
    )
    for side in SIDES:
        palm = palm_of(rest, side)
        if palm.forward is None:
            continue
        normal = palm.normal if palm.normal is not None else _guessed_normal(palm.forward)
        hand = Palm(palm.forward, normal)
        straight = _straight(rest, side, hand)
        for number, finger in enumerate(FINGERS):
            _finger(out, rest, side, finger, number, hand, straight)
        _thumb(out, rest, side, hand)
    return out


def _guessed_normal(forward: F64) -> F64:
    """Return down, or back where the hand hangs: a single finger has no palm to measure."""
    down = across(np.array([0.0, -1.0, 0.0]), forward)
    return down if down is not None else np.array([0.0, 0.0, -1.0])


def _straight(rest: Rest, side: str, palm: Palm) -> F64:
    """Return the direction in the palm's plane that a finger without spread has: her middle finger's."""
    assert palm.forward is not None
    assert palm.normal is not None
    names = [name for name in (side + "Middle" + knuckle for knuckle in KNUCKLES) if name in rest.rig.humanoid]
    bone = _bones(rest, names)[0] if names else None
    flat = across(bone, palm.normal) if bone is not None else None
    if flat is None:
        return palm.forward
    return flat if flat @ palm.forward > 0.0 else -flat  # a fist points back at the wrist


def _finger(out: Hinges, rest: Rest, side: str, finger: str, number: int, palm: Palm, straight: F64) -> None:
    """Fill in one finger. A missing joint's curl goes to the next one toward the tip, where there is one."""
    g, forward, normal = SIGN[side], palm.forward, palm.normal
    assert forward is not None
    assert normal is not None
    names = [side + finger + knuckle for knuckle in KNUCKLES]
    present = [k for k in range(3) if names[k] in rest.rig.humanoid]
    if not present:
        return
    bones = _bones(rest, [names[k] for k in present])
    known = [bone for bone in bones if bone is not None]
    chain = unit(np.sum(known, axis=0)) if known else forward
    ahead = np.cross(forward, normal)
    hinge = unit(np.cross(chain if chain is not None else forward, normal))
    if hinge is None:  # pointing straight into the palm
        hinge = ahead
    elif hinge @ ahead < 0.0:  # a fist points back at the wrist; its hinge is still the open finger's
        hinge = -hinge
    before = forward
    for place, k in enumerate(present):
        row = FINGER_SLOTS.index(names[k])
        first = present[place - 1] + 1 if place else 0
        out.curl_weight[row, 3 * number + first : 3 * number + k + 1] = 1.0
        out.curl_axis[row] = hinge
        bone = bones[place]
        if place == 0:
            _base(out, row, bone, straight, normal, g, finger)
        elif bone is None:  # no tip in the file
            out.curl_rest[row] = min(max(END_SHARE * out.curl_rest[row - 1], 0.0), END_MAX)
        else:
            out.curl_rest[row] = math.atan2(float(hinge @ np.cross(before, bone)), float(before @ bone))
        before = bone if bone is not None else before


def _base(out: Hinges, row: int, bone: F64 | None, straight: F64, normal: F64, g: float, finger: str) -> None:
    """Fill in a finger's first joint: curl out of the palm's plane, spread within it, toward the thumb positive."""
    out.turn_axis[row] = g * normal
    out.turn_weight[row, HAND_CHANNELS.index("spread")] = SPREAD[finger]
    if bone is None:
        return
    flat = across(bone, normal)
    out.curl_rest[row] = math.asin(min(max(float(bone @ normal), -1.0), 1.0))
    if flat is None:
        return
    if flat @ straight < 0.0:  # curled past a right angle: the plane's part points back at the wrist
        flat = -flat
        out.curl_rest[row] = math.pi - out.curl_rest[row]
    out.turn_rest[row] = math.atan2(float(g * normal @ np.cross(straight, flat)), float(straight @ flat))
    out.curl_axis[row] = np.cross(flat, normal)


def _bones(rest: Rest, names: list[str]) -> list[F64 | None]:
    """Return each joint's direction to the next of these, the last one's to its own tip; None where unknown."""
    out: list[F64 | None] = []
    for place, name in enumerate(names):
        if place + 1 < len(names):
            out.append(toward(rest.at(name), (rest.at(names[place + 1]),)))
        else:
            out.append(toward(rest.at(name), rest.children(rest.rig.humanoid[name])))
    return out


def _thumb(out: Hinges, rest: Rest, side: str, palm: Palm) -> None:
    """Fill in the thumb: flexion toward the little finger's base, opposition about the hand's length, palmwards."""
    assert palm.forward is not None
    assert palm.normal is not None
    names = [side + name for name in THUMB]
    present = [name for name in names if name in rest.rig.humanoid]
    if not present:
        return
    start = rest.at(present[0])
    known = [bone for bone in _bones(rest, present) if bone is not None]
    bone = known[0] if known else palm.forward
    ends = (knuckle_of(rest, side, finger) for finger in reversed(FINGERS))
    target = toward(start, ends)
    flexion = unit(np.cross(bone, target)) if target is not None else None
    if flexion is None:
        flexion = unit(np.cross(bone, palm.normal))
    if flexion is None:
        return
    flex, end, opposition = (HAND_CHANNELS.index("thumb " + word) for word in ("flex", "end", "opposition"))
    for name in present:
        row = FINGER_SLOTS.index(name)
        out.curl_axis[row] = flexion
        part = name.removeprefix(side)
        if part in THUMB_FLEX:
            out.curl_weight[row, flex] = THUMB_FLEX[part]
        else:
            out.curl_weight[row, end] = 1.0
    row = FINGER_SLOTS.index(present[0])
    out.turn_axis[row] = palm.forward * SIGN[side]
    out.turn_weight[row, opposition] = 1.0
