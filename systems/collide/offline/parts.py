"""Which joint holds which skin: every joint folded onto a humanoid bone above it, hair and loose cloth left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ....components.anatomy import FINGERS, KNUCKLES, SIDES, THUMB
from ....components.arrays import I32
from ....components.skin import Body

TRUNK = ("hips", "spine", "chest", "upperChest", "neck", "head", "leftShoulder", "rightShoulder")
FINGER_BONES = tuple(
    tuple(finger + knuckle for knuckle in KNUCKLES) if finger != "Thumb" else THUMB for finger in ("Thumb", *FINGERS)
)
LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")

# What hangs on a body and swings or grows past it: no arm is kept out of it, and it makes no arm thicker.
HAIR = re.compile(r"hair|bang|fringe|pony|braid|strand|ahoge|beard|ribbon|veil", re.IGNORECASE)
LOOSE = re.compile(r"tail|wing|cape|cloak|scarf|ear_|_ear|sleeve|strap", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parts:
    """The bones that capsules hang on, and what each joint's skin counts as.

    Fields:
        names:  H str, VRM 1.0 bones she has; joint: (H,) i32 into Rig
        group:  (H,) i32, bones of one group share their capsules while these are fitted: 0 the trunk
        part:   (H,) i32 as in CapsuleSet; left: (H,) i32
        holder: (J,) i32, row that holds each joint's skin, -1 where it is left out
    """

    names: tuple[str, ...]
    joint: I32
    group: I32
    part: I32
    left: I32
    holder: I32

    def has(self, name: str) -> bool:
        """Whether she has this bone."""
        return name in self.names

    def row(self, name: str) -> int:
        """Return the row of a bone she has."""
        return self.names.index(name)


def parts_of(body: Body) -> Parts:
    """Return which bone holds the skin of every joint of this avatar."""
    rig = body.rig
    rows: list[tuple[str, int, int, int]] = [(name, 0, 0, 0) for name in TRUNK]
    group = 1
    for side in SIDES:
        left = int(side == "left")
        for name, part in (("UpperArm", 1), ("LowerArm", 2), ("Hand", 3)):
            rows.append((side + name, group, part, left))
            group += 1
        for finger in FINGER_BONES:
            for bone in finger:
                rows.append((side + bone, group, 4, left))
                group += 1
        for name in LEG:
            rows.append((side + name, group, 0, 0))
            group += name != "Foot"  # a foot and its toes are fitted together
    rows = [row for row in rows if row[0] in rig.humanoid]
    names = tuple(row[0] for row in rows)
    of = {rig.humanoid[name]: k for k, name in enumerate(names)}
    return Parts(
        names,
        np.array([rig.humanoid[name] for name in names], np.int32),
        np.array([row[1] for row in rows], np.int32),
        np.array([row[2] for row in rows], np.int32),
        np.array([row[3] for row in rows], np.int32),
        _holders(body, names, of),
    )


def _holders(body: Body, names: tuple[str, ...], of: dict[int, int]) -> I32:
    """Return the row of each joint: its own, or that of the nearest bone above it.

    A spring under the head is hair, one under an arm is cloth that swings by itself; one under the trunk or a leg is
    a skirt or a bust, which an arm shall not enter: it counts as the bone it hangs on.
    """
    rig = body.rig
    springs = set(body.springs.below.tolist()) if body.springs is not None else set()
    arm = {k for k, name in enumerate(names) if name[4:].startswith("UpperArm") or "Arm" in name or "Hand" in name}
    arm |= {k for k, name in enumerate(names) if any(f in name for f in ("Thumb", *FINGERS))}
    head = {k for k, name in enumerate(names) if name in ("head", "neck")}
    out = np.full(len(rig.names), -1, np.int32)
    hips = rig.humanoid.get("hips", -1)
    above = hips
    while above >= 0:  # what hangs on a root above her hips moves with them
        out[above] = of.get(hips, -1)
        above = int(rig.parent[above])
    for joint in range(len(rig.names)):
        if joint in of:
            out[joint] = of[joint]
            continue
        if out[joint] >= 0:
            continue
        held = int(out[rig.parent[joint]]) if rig.parent[joint] >= 0 else -1
        if rig.parent[joint] >= 0 and hips >= 0 and not _is_below(rig.parent, joint, hips):
            held = -1
        if held >= 0:
            name = rig.names[joint]
            is_hair = held in head and (joint in springs or HAIR.search(name) is not None)
            is_loose = joint in springs and (held in arm or LOOSE.search(name) is not None)
            if is_hair or is_loose:
                held = -1
        out[joint] = held
    return out


def _is_below(parent: I32, joint: int, top: int) -> bool:
    while joint >= 0:
        if joint == top:
            return True
        joint = int(parent[joint])
    return False
