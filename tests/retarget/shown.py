"""What a viewer sees of a pose, and what the neutral rig would show: directions of bones, by scipy alone."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from kinesics.components.anatomy import BODY_SLOTS, FINGERS, HAND_CHANNELS, KNUCKLES, SIDES, SLOTS
from kinesics.components.rig import Rig

from .rigs import SHARES


def places(rig: Rig, local: np.ndarray, root: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Return where each joint is, m. local: (J, 4) wxyz."""
    own = Rotation.from_quat(local, scalar_first=True).as_matrix()
    turned, at = own.copy(), rig.rest_offset.copy()
    for j, p in enumerate(rig.parent):
        if p < 0:
            at[j] += 0.0 if root is None else root
        else:
            turned[j] = turned[p] @ own[j]
            at[j] = at[p] + turned[p] @ rig.rest_offset[j]
    return dict(zip(rig.names, at))


def with_slots(rig: Rig, slots: np.ndarray) -> np.ndarray:
    """Return all local rotations (J, 4) of one frame (43, 4) over the rest."""
    local = rig.rest_rotation.copy()
    for slot, name in enumerate(SLOTS):
        if name in rig.humanoid:
            local[rig.humanoid[name]] = slots[slot]
    return local


def directions(at: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return unit directions of arm bones, of the hand's length and width, and of the finger bones."""
    out = {}

    def put(name: str, start: str, end: str) -> None:
        if start in at and end in at:
            out[name] = (at[end] - at[start]) / np.linalg.norm(at[end] - at[start])

    for side in SIDES:
        put(side + " upper arm", side + "UpperArm", side + "LowerArm")
        put(side + " forearm", side + "LowerArm", side + "Hand")
        put(side + " hand", side + "Hand", side + "MiddleProximal")
        put(side + " palm width", side + "LittleProximal", side + "IndexProximal")
        for finger in FINGERS:
            for knuckle, after in zip(KNUCKLES, (*KNUCKLES[1:], "Tip")):
                put(f"{side} {finger} {knuckle}", side + finger + knuckle, side + finger + after)
    return out


def wanted(rotation: np.ndarray, hand: np.ndarray) -> dict[str, np.ndarray]:
    """Return the directions that the neutral rig shows in one frame. rotation: (13, 3), hand: (2, 16), rad."""
    out = {}
    local = {name: Rotation.from_rotvec(rotation[s]) for s, name in enumerate(BODY_SLOTS)}
    torso = local["spine"] * local["chest"] * local["upperChest"]
    for i, (side, g) in enumerate(zip(SIDES, (1.0, -1.0))):
        along = np.array([g, 0.0, 0.0])
        upper = torso * local[side + "Shoulder"] * local[side + "UpperArm"]
        lower = upper * local[side + "LowerArm"]
        palm = lower * local[side + "Hand"]
        out[side + " upper arm"], out[side + " forearm"], out[side + " hand"] = (
            r.apply(along) for r in (upper, lower, palm)
        )
        out[side + " palm width"] = palm.apply([0.0, 0.0, 1.0])
        spread = hand[i, HAND_CHANNELS.index("spread")]
        for f, finger in enumerate(FINGERS):
            turned = palm * Rotation.from_rotvec([0.0, -g * SHARES[finger] * spread, 0.0])
            for k, knuckle in enumerate(KNUCKLES):
                turned = turned * Rotation.from_rotvec([0.0, 0.0, -g * hand[i, 3 * f + k]])
                out[f"{side} {finger} {knuckle}"] = turned.apply(along)
    return out


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """Return the angle between two directions, deg."""
    return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)))


def mirrored_motion(rotation: np.ndarray, hand: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the motion seen in a mirror: sides swapped, x kept, y and z of the rotation vectors negated."""
    order = [BODY_SLOTS.index(_other(name)) for name in BODY_SLOTS]
    return rotation[:, order] * np.array([1.0, -1.0, -1.0]), hand[:, ::-1]


def _other(name: str) -> str:
    if name.startswith("left"):
        return "right" + name[4:]
    return "left" + name[5:] if name.startswith("right") else name


def random_motion(frames: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return neutral motion of human size: rotation (F, 13, 3), hand (F, 2, 16) rad."""
    rng = np.random.default_rng(seed)
    rotation = rng.normal(scale=0.5, size=(frames, 13, 3))
    rotation[:, :5] *= 0.3
    hand = rng.uniform(0.0, 1.4, size=(frames, 2, 16))
    hand[:, :, -1] = rng.uniform(-0.1, 0.3, size=(frames, 2))
    return rotation, hand
