"""How the reflex's four numbers turn her joints: degrees about the avatar's axes, one row a joint and cause.

Axes: + x bends forward, + y turns to her left, + z lifts her left side. Sizes: the chest moves 2-6 mm, the shoulders
1-3 mm in a quiet breath (Kaneko & Horie 2012); the rest are choices, looked at on the default avatar.
"""

from __future__ import annotations

import numpy as np

from ...components.anatomy import SLOTS, TORSO, Anatomy
from ...components.arrays import F64

CAUSES = ("lift", "share", "side", "front")

_TABLE: dict[str, dict[str, tuple[float, float, float]]] = {
    # a quiet breath in: belly and chest come forward, the chest opens, the collars rise; head and arms stay level and
    # in place, for a head that nods with each breath was the first thing seen
    "lift": {
        "spine": (1.8, 0.0, 0.0),
        "chest": (-0.6, 0.0, 0.0),
        "upperChest": (-1.9, 0.0, 0.0),
        "neck": (0.4, 0.0, 0.0),
        "head": (0.3, 0.0, 0.0),
        "leftShoulder": (0.0, -0.4, 1.2),
        "rightShoulder": (0.0, 0.4, -1.2),
        "leftUpperArm": (0.7, 0.0, -1.0),
        "rightUpperArm": (0.7, 0.0, 1.0),
    },
    # all weight on her left: the pelvis has tipped (see HIPS), the trunk comes back over the foot, the shoulders tip
    # the other way by a little, the head is level
    "share": {
        "spine": (0.0, -1.2, -3.2),
        "chest": (0.0, -1.0, -2.9),
        "upperChest": (0.0, -0.5, -1.5),
        "neck": (0.0, 0.2, 0.9),
        "head": (0.0, 0.0, 0.2),
    },
    # a metre of the head's sway to her left or forward, as an inverted pendulum leans; the head follows by a third
    "side": {"spine": (0.0, 0.0, -14.0), "chest": (0.0, 0.0, -12.0), "head": (0.0, 0.0, 30.0)},
    "front": {"spine": (14.0, 0.0, 0.0), "chest": (12.0, 0.0, 0.0), "head": (-30.0, 0.0, 0.0)},
}

HIPS: dict[str, tuple[float, float, float]] = {
    "share": (0.0, 3.0, 6.0),  # the free side drops and comes forward: 4 to 6 degrees over one foot (choice)
    "side": (0.0, 0.0, -20.0),
    "front": (20.0, 0.0, 0.0),
}


def turns() -> F64:
    """Return (4, 44, 3) f64 rad a unit of each cause: 43 slots, then the pelvis; avatar's axes."""
    out = np.zeros((len(CAUSES), len(SLOTS) + 1, 3))
    for c, cause in enumerate(CAUSES):
        for name, degrees in _TABLE[cause].items():
            out[c, SLOTS.index(name)] = np.radians(degrees)
        out[c, -1] = np.radians(HIPS.get(cause, (0.0, 0.0, 0.0)))
    return out


_KNOWN: dict[str, F64] = {}


def turns_of(anatomy: Anatomy) -> F64:
    """Return `turns` for one avatar: what a torso joint, neck or head that she lacks would turn shows at its neighbour.

    Without it a trunk of one joint leaned with her weight: the joints that bring it back over her foot were missing.
    """
    found = _KNOWN.get(anatomy.digest)
    if found is None:
        found = turns()
        for chain in (TORSO, ("neck", "head")):
            slots = [SLOTS.index(name) for name in chain]
            held = [s for s in slots if anatomy.slot_joint[s] >= 0]
            for lost in (s for s in slots if held and s not in held):
                found[:, max((s for s in held if s < lost), default=held[0])] += found[:, lost]
                found[:, lost] = 0.0
        _KNOWN[anatomy.digest] = found
    return found
