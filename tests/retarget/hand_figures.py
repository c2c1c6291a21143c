"""What a viewer calls a broken wrist and crossed fingers, as numbers; by scipy from where the joints are."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from kinesics.components.anatomy import FINGERS, KNUCKLES, SIDES
from kinesics.components.rig import Rig

ELLIPSE = (54.0, 60.0, 17.0, 40.0)  # deg flexion, extension, radial, ulnar: functional range of a wrist (Ryu 1991)


def joints(rig: Rig, local: np.ndarray) -> np.ndarray:
    """Return where every joint is, (J, T, 3) m. local: (T, J, 4) wxyz."""
    place, turned = [], []
    for joint, above in enumerate(rig.parent):
        own = Rotation.from_quat(local[:, joint], scalar_first=True)
        offset = np.array(rig.rest_offset[joint])
        if above < 0:
            place.append(np.tile(offset, (len(local), 1)))
            turned.append(own)
        else:
            place.append(place[above] + turned[above].apply(offset))
            turned.append(turned[above] * own)
    return np.array(place)


def wrists(rig: Rig, local: np.ndarray) -> np.ndarray:
    """Return how much of the functional wrist ellipse is used, (2, T), 1 = its edge."""
    at, out = joints(rig, local), []
    for side in SIDES:
        elbow, wrist = (at[rig.humanoid[side + n]] for n in ("LowerArm", "Hand"))
        along, thumb, palm = _palm(rig, at, side)
        fore = _unit(wrist - elbow)
        ahead = (fore * along).sum(1)
        flexion = np.degrees(np.arctan2(-(fore * palm).sum(1), ahead))
        radial = np.degrees(np.arctan2(-(fore * thumb).sum(1), ahead))
        a = flexion / np.where(flexion > 0.0, ELLIPSE[0], ELLIPSE[1])
        b = radial / np.where(radial > 0.0, ELLIPSE[2], ELLIPSE[3])
        out.append(np.hypot(a, b))
    return np.array(out)


def order(rig: Rig, local: np.ndarray) -> np.ndarray:
    """Return mm by which each finger lies on the thumb's side of its neighbour, the least along it, (2, 3, T).

    Index, middle, ring, little in a row across the palm, at every joint and at the tip; below 0 two are crossed.
    """
    at, out = joints(rig, local), []
    for side in SIDES:
        _, thumb, _ = _palm(rig, at, side)
        rows = []
        for knuckle in (*KNUCKLES, "Tip"):
            places = [
                _tip(rig, at, side + f) if knuckle == "Tip" else at[rig.humanoid[side + f + knuckle]] for f in FINGERS
            ]
            across = np.stack([(place * thumb).sum(1) for place in places])
            rows.append(across[:-1] - across[1:])
        out.append(1e3 * np.min(rows, axis=0))
    return np.array(out)


def _tip(rig: Rig, at: np.ndarray, finger: str) -> np.ndarray:
    end = rig.humanoid[finger + "Distal"]
    children = np.flatnonzero(rig.parent == end)
    if len(children):
        return at[children[0]]
    return at[end] + 0.8 * (at[end] - at[rig.humanoid[finger + "Intermediate"]])


def _palm(rig: Rig, at: np.ndarray, side: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return along the hand, toward the thumb and out of the palm, (T, 3) unit."""
    wrist, index, middle, little = (
        at[rig.humanoid[side + n]] for n in ("Hand", "IndexProximal", "MiddleProximal", "LittleProximal")
    )
    along, thumb = _unit(middle - wrist), index - little
    thumb = _unit(thumb - along * (thumb * along).sum(1, keepdims=True))
    return along, thumb, np.cross(thumb, along) * (1.0 if side == "left" else -1.0)


def _unit(v: np.ndarray) -> np.ndarray:
    return v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-12)
