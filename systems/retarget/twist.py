"""Twist joints: which of her joints lie on an upper arm or forearm only to share its roll."""

from __future__ import annotations

import numpy as np

from ...components.anatomy import SIDES
from ...components.arrays import F64, I32
from ..kernels import quat
from .rests import Rest

NAMES = ("twist", "roll")
OFF = 0.12  # of the bone's length: how far beside the bone a twist joint may lie (files place them by eye)
ENDS = (0.1, 0.9)  # of the bone's length: a leaf nearer to an end says nothing about its share


def twists_of(rest: Rest) -> tuple[I32, F64, F64]:
    """Return her twist joints: (K, 3) i32 twist, child and bone joints, (K, 3) f64 axes, (K,) f64 shares.

    A joint between the two ends of the bone is one whatever its name: only its roll can be meant. A leaf needs the
    name. The share is the place along the bone; joints that all sit at one end are spread evenly.
    """
    rows: list[tuple[int, int, int]] = []
    axes: list[F64] = []
    shares: list[float] = []
    for side in SIDES:
        for upper, lower in (("UpperArm", "LowerArm"), ("LowerArm", "Hand")):
            bone, child = (rest.rig.humanoid.get(side + part, -1) for part in (upper, lower))
            if min(bone, child) >= 0:
                for joint, axis, share in _along(rest, bone, child):
                    rows.append((joint, child, bone))
                    axes.append(axis)
                    shares.append(share)
    return (
        np.array(rows, np.int32).reshape(-1, 3),
        np.array(axes, np.float64).reshape(-1, 3),
        np.array(shares, np.float64),
    )


def _along(rest: Rest, bone: int, child: int) -> list[tuple[int, F64, float]]:
    """Return the twist joints of one bone in their order along it: joint, axis in its own frame, share."""
    line = rest.position[child] - rest.position[bone]
    length = float(np.linalg.norm(line))
    if length < 1e-4:
        return []
    line = line / length
    parent = rest.rig.parent
    chain = set()
    above = int(parent[child])
    while above not in (bone, -1):
        chain.add(above)
        above = int(parent[above])
    if above == -1:  # the child does not hang under this bone
        return []
    humanoid = set(rest.rig.humanoid.values())
    found: list[tuple[float, int]] = []
    for joint in range(bone + 1, len(parent)):
        if joint in humanoid or not (joint in chain or _is_leaf_twist(rest, joint, bone, chain)):
            continue
        offset = rest.position[joint] - rest.position[bone]
        place = float(offset @ line) / length
        if np.linalg.norm(offset - line * (offset @ line)) < OFF * length and -OFF < place < 1.0 + OFF:
            found.append((place, joint))
    found.sort()
    places = [place for place, _ in found]
    inside = all(ENDS[0] <= place <= ENDS[1] for place in places) and len({round(p, 2) for p in places}) == len(places)
    out: list[tuple[int, F64, float]] = []
    for number, (place, joint) in enumerate(found):
        axis = np.empty(3)
        quat.rotate_back(rest.orientation[joint], line, axis)
        out.append((joint, axis, place if inside else (number + 1) / (len(found) + 1)))
    return out


def _is_leaf_twist(rest: Rest, joint: int, bone: int, chain: set[int]) -> bool:
    """Tell whether a joint beside the chain is named as a twist joint and hangs from the bone."""
    above = int(rest.rig.parent[joint])
    return (above == bone or above in chain) and any(word in rest.rig.names[joint].lower() for word in NAMES)
