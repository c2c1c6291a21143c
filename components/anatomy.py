"""What was measured once on a rig and every motion system reads: slots, base pose, hinges, legs, twist. Frozen.

A *slot* is one of the joints that motion can hold, in one fixed order for every avatar: 13 of the body, then 30 of
the fingers. A rig without some of them has -1 there and the slot is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass

from .arrays import F64, I32

SIDES = ("left", "right")
TORSO = ("spine", "chest", "upperChest")
ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")
FINGERS = ("Index", "Middle", "Ring", "Little")
KNUCKLES = ("Proximal", "Intermediate", "Distal")
THUMB = ("ThumbMetacarpal", "ThumbProximal", "ThumbDistal")

BODY_SLOTS: tuple[str, ...] = (*TORSO, "neck", "head", *(side + part for side in SIDES for part in ARM))
FINGER_SLOTS: tuple[str, ...] = tuple(
    side + part
    for side in SIDES
    for part in (*(finger + knuckle for finger in FINGERS for knuckle in KNUCKLES), *THUMB)
)
SLOTS: tuple[str, ...] = BODY_SLOTS + FINGER_SLOTS
ARM_SLOTS: tuple[int, ...] = tuple(range(5, 13))  # the 8 gated joints: collar, upper arm, elbow, wrist, both sides

HAND_CHANNELS: tuple[str, ...] = (
    *(f"{finger} {knuckle}".lower() for finger in FINGERS for knuckle in KNUCKLES),
    "thumb flex",
    "thumb end",
    "thumb opposition",
    "spread",
)  # 16 numbers a hand, rad: how far each joint is curled, absolute (0 = straight)

SLOT_GROUP: tuple[str, ...] = (
    *("torso",) * 3,
    "neck",
    "head",
    *("collar", "upper_arm", "elbow", "wrist") * 2,
    *("fingers",) * len(FINGER_SLOTS),
)  # (43,) the group that a gain turns together, of each of SLOTS; defaults: config.Gains


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Her measured joints. Frames: `local` is the joint's own frame as in Rig; `world` the avatar's frame in rest.

    Fields:
        slot_joint: (43,) i32, joint of each slot or -1
        base:       (J, 4) f64 wxyz local, the pose every layer's delta is over: standing, arms hanging, hands relaxed
        base_root:  (3,) f64 m, added to the root's rest offset so that the soles stand on y = 0 in the base pose
        leg:        (2, 3) i32, upper leg, lower leg, foot of left and right; -1 where she has no such leg
        foot:       (2, 3) f64 m world, ankles in the base pose: where planted feet stay
        pole:       (2, 3) f64 unit world, the way her knees point
        twist:      (K, 3) i32: twist joint, the joint whose roll it shares, slot parent (the bone both lie on);
                    leaves and joints on the chain, along each bone from its start
        twist_axis: (K, 3) f64 unit, local to the twist joint, along the bone toward the joint whose roll it shares
        twist_share:(K,) f64, 0..1 of that roll (counted from the rest) that shows at the twist joint
        height:     m, top of the head's bone chain in rest, soles on y = 0
        digest:     hash of all of the above
    """

    slot_joint: I32
    base: F64
    base_root: F64
    leg: I32
    foot: F64
    pole: F64
    twist: I32
    twist_axis: F64
    twist_share: F64
    height: float
    digest: str
