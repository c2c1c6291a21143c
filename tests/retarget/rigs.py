"""One body in many files: rests, hands, local frames and missing bones vary, the body does not.

The body is written in the neutral T-pose: where its joints are, then how each is turned in a rest. Truth for the
tests is computed here with scipy from that description, never with the code under test.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from kinesics.components.anatomy import FINGERS, SIDES, Anatomy
from kinesics.components.rig import Rig
from kinesics.systems.retarget.anatomy import measure

KNUCKLE_Z = {"Index": 0.024, "Middle": 0.0, "Ring": -0.02, "Little": -0.038}
BONE = {"Proximal": 0.04, "Intermediate": 0.026, "Distal": 0.02}
THUMB_AT = {"ThumbMetacarpal": (0.02, -0.008, 0.02), "ThumbProximal": (0.05, -0.02, 0.05)}
THUMB_END = {"ThumbDistal": (0.072, -0.028, 0.068), "thumbTip": (0.09, -0.034, 0.08)}
SHARES = {"Index": 1.0, "Middle": 0.0, "Ring": -0.75, "Little": -1.5}


def _body() -> dict[str, tuple[str, tuple[float, float, float]]]:
    """Joint -> (parent, place in the T-pose, m), parents first."""
    joints = {
        "armature": ("", (0.0, 0.0, 0.0)),
        "hips": ("armature", (0.0, 0.92, 0.0)),
        "spine": ("hips", (0.0, 1.0, -0.01)),
        "chest": ("spine", (0.0, 1.12, -0.015)),
        "upperChest": ("chest", (0.0, 1.24, -0.02)),
        "neck": ("upperChest", (0.0, 1.4, -0.01)),
        "head": ("neck", (0.0, 1.5, 0.01)),
        "crown": ("head", (0.0, 1.7, 0.0)),
    }
    for side, g in zip(SIDES, (1, -1)):
        leg = {"UpperLeg": (0.09, 0.88, 0.0), "LowerLeg": (0.09, 0.48, 0.01), "Foot": (0.09, 0.08, -0.02)}
        above = "hips"
        for part, (x, y, z) in leg.items():
            joints[side + part] = (above, (g * x, y, z))
            above = side + part
        joints[side + "Toes"] = (above, (g * 0.09, 0.02, 0.1))
        arm = {"Shoulder": (0.03, 1.38, 0.0), "UpperArm": (0.16, 1.39, -0.02)}
        arm |= {"LowerArm": (0.42, 1.39, -0.02), "Hand": (0.66, 1.39, -0.02)}
        above = "upperChest"
        for part, (x, y, z) in arm.items():
            joints[side + part] = (above, (g * x, y, z))
            above = side + part
        for finger in FINGERS:
            above, x = side + "Hand", 0.66 + 0.09
            for knuckle, length in BONE.items():
                joints[side + finger + knuckle] = (above, (g * x, 1.39, -0.02 + KNUCKLE_Z[finger]))
                above, x = side + finger + knuckle, x + length
            joints[side + finger + "Tip"] = (above, (g * x, 1.39, -0.02 + KNUCKLE_Z[finger]))
        above = side + "Hand"
        for part, (x, y, z) in (THUMB_AT | THUMB_END).items():
            joints[side + part] = (above, (g * (0.66 + x), 1.39 + y, -0.02 + z))
            above = side + part
    return joints


BODY = _body()


@dataclass(frozen=True)
class Variant:
    """How one file holds the body. Angles in deg; arms and hands of both sides alike."""

    name: str
    lowered: float = 0.0  # arm below the horizontal
    forward: float = 0.0  # arm turned forward
    arm_roll: float = 0.0  # upper arm about itself
    elbow: float = 0.0
    wrist_roll: float = 0.0  # hand about the forearm: palm forward positive
    wrist_bend: float = 0.0
    curls: tuple[float, float, float] = (0.0, 0.0, 0.0)
    splay: float = 0.0  # spread channel of the rest
    legs: float = 0.0  # each leg outward
    seed: int | None = None  # of random local frames
    without: tuple[str, ...] = ()  # bones, without their side
    tips: bool = True
    extra: tuple[tuple[str, str, str, float], ...] = ()  # twist joint, its bone, child, place along the bone 0..1


T_POSE = Variant("T-pose")
A_POSE = Variant("A-pose", lowered=45.0, wrist_roll=20.0)
A_FORWARD = Variant(
    "A-pose, arms forward, elbows bent", lowered=47.3, forward=25.0, elbow=38.6, wrist_bend=7.0, wrist_roll=15.0,
    arm_roll=20.0, curls=(5.0, 10.0, 6.0), splay=12.0, legs=8.1,
)  # fmt: skip
SPLAYED = Variant("splayed hands", lowered=10.0, curls=(-4.0, 8.0, 5.0), splay=16.0)
HANGING = Variant("arms down", lowered=88.0, elbow=15.0, curls=(20.0, 30.0, 15.0), splay=3.0)
RANDOM_FRAMES = Variant("random frames", lowered=47.3, forward=25.0, elbow=38.6, arm_roll=-15.0, splay=9.0, seed=4)
RESTS = (T_POSE, A_POSE, A_FORWARD, SPLAYED, HANGING, RANDOM_FRAMES)

ROLLED_FRAMES = Variant("T-pose in random frames", seed=9)
NO_CHEST = Variant("no chest", without=("chest",), lowered=30.0, seed=1)
NO_UPPER_CHEST = Variant("no upper chest", without=("upperChest",), seed=2)
SPINE_ONLY = Variant("one spine joint", without=("chest", "upperChest"), lowered=45.0, seed=3)
NO_NECK = Variant("no neck", without=("neck",), seed=5)
NO_COLLAR = Variant("no collar bones", without=("Shoulder",), lowered=45.0, elbow=20.0, seed=6)
MISSING = (NO_CHEST, NO_UPPER_CHEST, SPINE_ONLY, NO_NECK, NO_COLLAR)


def turns(variant: Variant) -> dict[str, Rotation]:
    """Return how each joint is turned in this rest, in T-pose axes, on top of its parent."""
    out: dict[str, Rotation] = {}
    for side, g in zip(SIDES, (1, -1)):
        y, z = (0, g, 0), (0, 0, g)

        def turn(axis: tuple[float, ...], angle: float) -> Rotation:
            return Rotation.from_rotvec(np.radians(angle) * np.array(axis, float))

        out[side + "UpperArm"] = (
            turn(y, -variant.forward) * turn(z, -variant.lowered) * turn((1, 0, 0), variant.arm_roll)
        )
        out[side + "LowerArm"] = turn(y, -variant.elbow)
        out[side + "Hand"] = turn((1, 0, 0), -variant.wrist_roll) * turn(z, -variant.wrist_bend)
        out[side + "UpperLeg"], out[side + "Foot"] = turn(z, variant.legs), turn(z, -variant.legs)
        for finger in FINGERS:
            for knuckle, curl in zip(BONE, variant.curls):
                out[side + finger + knuckle] = turn(z, -curl)
            spread = turn(y, -SHARES[finger] * variant.splay)
            out[side + finger + "Proximal"] = spread * out[side + finger + "Proximal"]
    return out


@cache
def rig_of(variant: Variant) -> Rig:
    """Return the body as this file would give it."""
    rng = np.random.default_rng(variant.seed)
    turned, names = turns(variant), []
    dropped = {side + bone for side in ("", *SIDES) for bone in variant.without}
    orientation: dict[str, Rotation] = {}
    place: dict[str, np.ndarray] = {}
    above: dict[str, str] = {}
    for name, (parent, at) in BODY.items():
        own = turned.get(name, Rotation.identity())
        if parent:
            offset = np.array(at) - np.array(BODY[parent][1])
            orientation[name] = orientation[parent] * own
            place[name] = place[parent] + orientation[parent].apply(offset)
        else:
            orientation[name], place[name] = own, np.array(at, float)
        above[name] = parent
        if name not in dropped and (variant.tips or not name.endswith("Tip")):
            names.append(name)
    for twist, bone, child, share in variant.extra:
        place[twist] = place[bone] * (1 - share) + place[child] * share
        orientation[twist] = orientation[bone]
        if twist.startswith("chain"):
            above[twist], above[child] = above[child], twist
            names.insert(names.index(child), twist)
        else:
            above[twist] = bone
            names.append(twist)
    drop = place["leftFoot"][1] - BODY["leftFoot"][1][1] if "leftFoot" in names else 0.0
    for name in place:  # legs apart are shorter: soles stand on the floor all the same
        place[name] = place[name] - [0.0, drop, 0.0]
    if variant.seed is not None:  # any file may choose any axes for its joints
        for name in names:
            orientation[name] = orientation[name] * Rotation.random(random_state=int(rng.integers(1 << 30)))
    offsets, rotations, parents = [], [], []
    for name in names:
        parent = above[name]
        while parent and parent not in names:
            parent = above[parent]
        if parent:
            inverse = orientation[parent].inv()
            parents.append(names.index(parent))
            offsets.append(inverse.apply(place[name] - place[parent]))
            rotations.append((inverse * orientation[name]).as_quat(scalar_first=True))
        else:
            parents.append(-1)
            offsets.append(place[name])
            rotations.append(orientation[name].as_quat(scalar_first=True))
    no_bones = ("armature", "crown", "Tip", "thumbTip", *(row[0] for row in variant.extra))
    humanoid = {name: j for j, name in enumerate(names) if not name.endswith(no_bones)}
    return Rig(tuple(names), np.arange(len(names)), np.array(parents), np.array(offsets), np.array(rotations), humanoid)


@cache
def anatomy_of(variant: Variant) -> Anatomy:
    """Return what is measured on it."""
    return measure(rig_of(variant))
