"""A head's weights laid out for its kernel, and which joints of an avatar it looks at."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.anatomy import SIDES
from ...components.arrays import I32
from ...components.head import WEIGHTS, Head
from ...components.rig import Rig
from ..kernels import head as kernel

# Of each arm, and what stands for a joint that a rig lacks
_ARM = (
    ("Shoulder",), ("UpperArm",), ("LowerArm",), ("Hand",), ("MiddleProximal", "IndexProximal"),
    ("MiddleDistal", "MiddleIntermediate", "IndexDistal"), ("ThumbDistal", "ThumbProximal"),
)  # fmt: skip
_TORSO = ("upperChest", "chest", "spine", "hips")


def tables_of(head: Head, rig: Rig) -> tuple[Any, ...]:
    """Return what `kernels.head.propose` takes from `joints` to `work`, in its order."""
    width = len(head.entered)
    room = kernel.INPUTS + width + 7 * kernel.HIDDEN + kernel.OUTPUTS
    weights = tuple(getattr(head, name) for name in WEIGHTS)
    return (joints_of(rig), *weights, np.zeros(kernel.SEEN + kernel.ROOM), np.zeros(room, np.float32))


def joints_of(rig: Rig) -> I32:
    """Return the joints that a head looks at, (JOINTS,) i32, in the kernel's order."""
    known = rig.humanoid
    chest = next((known[name] for name in _TORSO if name in known), 0)
    hips = known.get("hips", 0)
    out = [chest, hips, known.get("head", chest), known.get("leftUpperLeg", hips), known.get("rightUpperLeg", hips)]
    for side in SIDES:
        last = chest
        for names in _ARM:
            last = next((known[side + name] for name in names if side + name in known), last)
            out.append(last)
    return np.array(out, np.int32)
