"""How the reflex's five numbers turn her joints: degrees about the avatar's axes, one row a joint and cause.

Axes: + x bends forward, + y turns to her left, + z lifts her left side. Sizes: the chest moves 2-6 mm, the shoulders
1-3 mm in a quiet breath (Kaneko & Horie 2012); the rest are choices, kept so small that no cause shows on its own.
"""

from __future__ import annotations

import numpy as np

from ...components.anatomy import SLOTS
from ...components.arrays import F64

CAUSES = ("lift", "share", "side", "front")

_TABLE: dict[str, dict[str, tuple[float, float, float]]] = {
    # a quiet breath in: the chest opens, the collars rise, the head stays level
    "lift": {
        "spine": (0.25, 0.0, 0.0),
        "chest": (-0.9, 0.0, 0.0),
        "upperChest": (-1.1, 0.0, 0.0),
        "neck": (0.9, 0.0, 0.0),
        "head": (0.7, 0.0, 0.0),
        "leftShoulder": (0.0, -0.4, 1.3),
        "rightShoulder": (0.0, 0.4, -1.3),
        "leftUpperArm": (0.0, 0.0, -0.7),
        "rightUpperArm": (0.0, 0.0, 0.7),
    },
    # all weight on her left: the pelvis has tipped (see HIPS), the trunk comes back over the foot, the head is level
    "share": {
        "spine": (0.0, -0.8, -1.3),
        "chest": (0.0, -0.6, -1.1),
        "upperChest": (0.0, -0.3, -0.6),
        "neck": (0.0, 0.3, 0.5),
        "head": (0.0, 0.2, 0.4),
    },
    # a metre of sway sideways or forward, as an inverted pendulum would lean: the trunk half follows
    "side": {"spine": (0.0, 0.0, -25.0), "chest": (0.0, 0.0, -20.0), "head": (0.0, 0.0, 25.0)},
    "front": {"spine": (25.0, 0.0, 0.0), "chest": (20.0, 0.0, 0.0), "head": (-30.0, 0.0, 0.0)},
}

HIPS: dict[str, tuple[float, float, float]] = {
    "lift": (-0.1, 0.0, 0.0),
    "share": (0.0, 1.6, 2.6),  # the free side drops
    "side": (0.0, 0.0, 0.0),
    "front": (10.0, 0.0, 0.0),
}


def turns() -> F64:
    """Return (4, 44, 3) f64 rad a unit of each cause: 43 slots, then the pelvis; avatar's axes."""
    out = np.zeros((len(CAUSES), len(SLOTS) + 1, 3))
    for c, cause in enumerate(CAUSES):
        for name, degrees in _TABLE[cause].items():
            out[c, SLOTS.index(name)] = np.radians(degrees)
        out[c, -1] = np.radians(HIPS[cause])
    return out
