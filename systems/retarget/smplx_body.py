"""The joints of SMPL-X motion, and how its hands are made: what neither a take's file nor a model's output holds.

The model's own skeleton and mean hand belong to its licensed file. Only directions matter for a retarget, so a T-pose
of our own stands in for the first; for the second the user's file, or a relaxed hand of our own.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ...components.anatomy import FINGER_SLOTS, KNUCKLES, SIDES, THUMB
from ...components.arrays import F64
from ...components.rig import Rig
from ...components.take import HandAxes
from .anatomy import FINGERS_HANGING

JOINTS = 55
BODY: tuple[str, ...] = (
    "hips", "leftUpperLeg", "rightUpperLeg", "spine", "leftLowerLeg", "rightLowerLeg", "chest", "leftFoot",
    "rightFoot", "upperChest", "leftToes", "rightToes", "neck", "leftShoulder", "rightShoulder", "head",
    "leftUpperArm", "rightUpperArm", "leftLowerArm", "rightLowerArm", "leftHand", "rightHand", "jaw", "leftEye",
    "rightEye",
)  # fmt: skip
FINGERS = ("Index", "Middle", "Little", "Ring", "Thumb")  # the little finger comes before the ring finger
NAMES: tuple[str, ...] = BODY + tuple(
    side + part
    for side in SIDES
    for finger in FINGERS
    for part in (THUMB if finger == "Thumb" else tuple(finger + knuckle for knuckle in KNUCKLES))
)
SLOT: tuple[int, ...] = tuple(NAMES.index(name) for name in FINGER_SLOTS)  # joint of each finger slot

_ABOVE = {
    "spine": "hips", "chest": "spine", "upperChest": "chest", "neck": "upperChest", "head": "neck", "jaw": "head",
    "UpperLeg": "hips", "LowerLeg": "UpperLeg", "Foot": "LowerLeg", "Toes": "Foot", "Shoulder": "upperChest",
    "UpperArm": "Shoulder", "LowerArm": "UpperArm", "Hand": "LowerArm", "Eye": "head",
}  # fmt: skip
# m, left side, from the joint above: a woman of 1.65 m in a T-pose with a flat hand (ours, rounded)
_PLACE = {
    "hips": (0.0, 0.92, 0.0), "spine": (0.0, 0.1, 0.0), "chest": (0.0, 0.12, -0.01), "upperChest": (0.0, 0.06, 0.0),
    "neck": (0.0, 0.2, -0.02), "head": (0.0, 0.08, 0.02), "jaw": (0.0, 0.0, 0.02), "UpperLeg": (0.07, -0.08, 0.0),
    "LowerLeg": (0.02, -0.38, 0.0), "Foot": (0.0, -0.4, -0.03), "Toes": (0.02, -0.05, 0.12),
    "Shoulder": (0.05, 0.12, -0.01), "UpperArm": (0.11, 0.02, 0.0), "LowerArm": (0.26, 0.0, 0.0),
    "Hand": (0.24, 0.0, 0.0), "Eye": (0.03, 0.06, 0.07),
    "IndexProximal": (0.1, 0.0, 0.024), "MiddleProximal": (0.104, 0.0, 0.0), "RingProximal": (0.1, 0.0, -0.02),
    "LittleProximal": (0.088, 0.0, -0.038), "Intermediate": (0.036, 0.0, 0.0), "Distal": (0.023, 0.0, 0.0),
    "ThumbMetacarpal": (0.03, -0.012, 0.026), "ThumbProximal": (0.025, -0.012, 0.028),
    "ThumbDistal": (0.024, -0.008, 0.02),
}  # fmt: skip

# Curl axes of the flat hand, left; measured on one BEAT2 take with the model's mean hand (uncentred second moment,
# share 0.90 to 1.00), both hands pooled in a mirror; used where a take has too little finger motion to tell its own.
# Index, middle, ring, little, thumb, from the base out; right: y and z mirrored.
_LEFT_AXES = [
    [0.201, 0.441, -0.875], [0.101, -0.235, -0.967], [0.08, -0.38, -0.921],
    [-0.082, 0.056, -0.995], [-0.11, 0.011, -0.994], [-0.212, -0.42, -0.883],
    [-0.051, -0.247, -0.968], [-0.464, -0.106, -0.879], [-0.554, -0.328, -0.765],
    [-0.39, -0.556, -0.734], [-0.51, 0.117, -0.852], [-0.983, 0.066, -0.17],
    [0.902, 0.427, 0.06], [-0.954, 0.21, -0.214], [0.958, 0.246, -0.144],
]  # fmt: skip
AXES: F64 = np.concatenate([np.array(_LEFT_AXES), np.array(_LEFT_AXES) * [1.0, -1.0, -1.0]])
AXES = AXES / np.linalg.norm(AXES, axis=1, keepdims=True)
# deg, a relaxed hand about these axes (choice): fingers each more curled than the one before it, and where a thumb
# shows as a relaxed thumb of ours. A stand-in for the model's mean hand, and not that.
_RELAXED = [25, 40, 15, 30, 40, 18, 35, 40, 20, 40, 38, 24, 48, 28, 30]
RELAXED: F64 = np.radians(np.array(_RELAXED * 2, np.float64))
# About its second joint's axis the thumb's motion is positive where it stretches: seen from the other side it flexes.
FLEXES: F64 = np.where([name.endswith("ThumbProximal") for name in FINGER_SLOTS], -1.0, 1.0)


@cache
def body() -> Rig:
    """Return the stand-in skeleton: the take's 55 joints in their order, all frames along the world's axes."""
    parent, place = [], []
    for name in NAMES:
        side = next((s for s in SIDES if name.startswith(s)), "")
        part = name[len(side) :]
        above = _above(part)
        parent.append(NAMES.index(side + above if side + above in NAMES else above) if above else -1)
        x, y, z = _PLACE.get(part) or _PLACE[next(k for k in KNUCKLES if part.endswith(k))]
        place.append((-x if side == "right" else x, y, z))
    still = np.zeros((JOINTS, 4))
    still[:, 0] = 1.0
    humanoid = {name: joint for joint, name in enumerate(NAMES)}
    return Rig(NAMES, np.full(JOINTS, -1), np.array(parent), np.array(place), still, humanoid)


def _above(part: str) -> str:
    if part in _ABOVE or part == "hips":
        return _ABOVE.get(part, "")
    if part in THUMB:
        return ("Hand", *THUMB)[THUMB.index(part)]
    finger, knuckle = next((part.removesuffix(k), k) for k in KNUCKLES if part.endswith(k))
    return "Hand" if knuckle == KNUCKLES[0] else finger + KNUCKLES[KNUCKLES.index(knuckle) - 1]


def thumb_shown() -> F64:
    """Return (30,) rad: what each joint shows at RELAXED. Fingers: the curl itself; thumbs: a relaxed thumb of ours."""
    flex, end = FINGERS_HANGING[12], FINGERS_HANGING[13]
    of = {"ThumbMetacarpal": 0.5 * flex, "ThumbProximal": 0.8 * flex, "ThumbDistal": end}
    return np.array([next((v for k, v in of.items() if name.endswith(k)), 0.0) for name in FINGER_SLOTS])


def mean_hands() -> F64:
    """Return (30, 3) rad, our stand-in for the mean hand that its hands are offsets from, joints 25 to 54."""
    mean = np.zeros((len(SLOT), 3))
    for slot, joint in enumerate(SLOT):
        mean[joint - 25] = AXES[slot] * RELAXED[slot]
    return mean


def axes(axis: F64 | None = None) -> HandAxes:
    """Return what its fingers bend about. axis: (30, 3) unit, where they were measured; None: the table's."""
    axis = AXES * FLEXES[:, None] if axis is None else axis
    zero = np.zeros_like(axis)
    for s, name in enumerate(FINGER_SLOTS):
        if "Thumb" in name:
            zero[s] = AXES[s] * RELAXED[s]
    return HandAxes(axis, zero, thumb_shown(), is_known=True)
