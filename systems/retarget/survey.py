"""What a rig's hands are like, joint by joint, for people to read: hinges, rest curls and spreads in degrees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...components.anatomy import FINGER_SLOTS, FINGERS, KNUCKLES, SIDES
from ...components.arrays import F64
from ...components.rig import Rig
from .hinges import Hinges, hinges_of
from .rests import palm_of, rest_of

PARALLEL_DEG = 3.0  # hinges of four fingers within this of one another: a paddle
SPLAYED_DEG = 10.0  # fingers that rest further than this from the middle one


def hands(rig: Rig) -> dict[str, Any]:
    """Return both hands: kind ("paddle", "splayed", "relaxed", "none"), and of each joint what was measured.

    A joint's hinge is a unit direction in the avatar's frame, rest; from_middle: deg between it and the middle finger's
    hinge of the same knuckle.
    """
    rest = rest_of(rig)
    hinges = hinges_of(rest)
    out: dict[str, Any] = {"fingers": int((hinges.joint >= 0).sum())}
    for side in SIDES:
        rows = [s for s, name in enumerate(FINGER_SLOTS) if name.startswith(side) and hinges.joint[s] >= 0]
        normal = palm_of(rest, side).normal
        out[side] = {
            "kind": _kind(hinges, side),
            "palm_normal": None if normal is None else [round(float(x), 4) for x in normal],
            "joints": {FINGER_SLOTS[s].removeprefix(side): _joint(hinges, s, side) for s in rows},
        }
    out["missing"] = [name for name in FINGER_SLOTS if name not in rig.humanoid]
    out["mirrored_deg"] = _mirrored(hinges)
    return out


def _joint(hinges: Hinges, s: int, side: str) -> dict[str, Any]:
    name = FINGER_SLOTS[s].removeprefix(side)
    knuckle = next((k for k in KNUCKLES if name.endswith(k)), "")
    middle = FINGER_SLOTS.index(f"{side}Middle{knuckle}") if "Thumb" not in name else -1
    apart = None
    if middle >= 0 and hinges.joint[middle] >= 0:
        apart = round(_angle(hinges.curl_axis[s], hinges.curl_axis[middle]), 2)
    return {
        "hinge": [round(float(x), 4) for x in hinges.curl_axis[s]],
        "rest_curl_deg": round(math.degrees(float(hinges.curl_rest[s])), 2),
        "rest_spread_deg": round(math.degrees(float(hinges.turn_rest[s])), 2),
        "from_middle_deg": apart,
    }


def _kind(hinges: Hinges, side: str) -> str:
    bases = [FINGER_SLOTS.index(f"{side}{finger}Proximal") for finger in FINGERS]
    bases = [s for s in bases if hinges.joint[s] >= 0]
    if not bases:
        return "none"
    widest = max(_angle(hinges.curl_axis[a], hinges.curl_axis[b]) for a in bases for b in bases)
    if widest <= PARALLEL_DEG:
        return "paddle"
    return "splayed" if math.degrees(float(np.abs(hinges.turn_rest[bases]).max())) > SPLAYED_DEG else "relaxed"


def _mirrored(hinges: Hinges) -> float | None:
    """Return deg: how far left and mirrored right hinges are apart at most, None without a pair."""
    half = len(FINGER_SLOTS) // 2
    both = [s for s in range(half) if hinges.joint[s] >= 0 and hinges.joint[s + half] >= 0]
    if not both:
        return None
    mirror = np.array([1.0, -1.0, -1.0])
    return round(max(_angle(hinges.curl_axis[s] * mirror, hinges.curl_axis[s + half]) for s in both), 2)


def _angle(a: F64, b: F64) -> float:
    return math.degrees(math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)))
