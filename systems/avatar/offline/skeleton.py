"""Her 58 joints with VRM 1.0 names: where they are on the shaped mesh and which source bones feed their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.anatomy import FINGERS, KNUCKLES, THUMB
from ....components.arrays import F64, I32
from .source import Source

_FACE_BONES = ("levator", "oculi", "orbicularis", "oris", "risorius", "special", "temporalis", "tongue", "jaw")


@dataclass(frozen=True, slots=True)
class Bone:
    """One joint: its VRM name, its parent, the source bone it starts at, the source bones whose weights it takes."""

    name: str
    parent: str
    start: str
    merged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """Joints in file order, parents first.

    Fields:
        names:    J str
        parent:   (J,) i32, root -1
        position: (J, 3) f64 m
        weight:   (V, J) f64, sums to 1
    """

    names: tuple[str, ...]
    parent: I32
    position: F64
    weight: F64

    def at(self, name: str) -> F64:
        """Return the (3,) position of a joint in m."""
        return self.position[self.names.index(name)]


def _side(side: str, source_bones: tuple[str, ...]) -> list[Bone]:
    tag = "." + side[0].upper()
    bones = [
        Bone(side + "Eye", "head", "eye" + tag, ()),
        Bone(side + "Shoulder", "upperChest", "clavicle" + tag, ("shoulder01" + tag,)),
        Bone(side + "UpperArm", side + "Shoulder", "upperarm01" + tag, ()),
        Bone(side + "UpperArmTwist", side + "UpperArm", "upperarm02" + tag, ()),
        Bone(side + "LowerArm", side + "UpperArm", "lowerarm01" + tag, ()),
        Bone(side + "LowerArmTwist", side + "LowerArm", "lowerarm02" + tag, ()),
        Bone(side + "Hand", side + "LowerArm", "wrist" + tag, tuple(f"metacarpal{k}{tag}" for k in (1, 2, 3, 4))),
    ]
    for finger, parts in enumerate((THUMB, *(tuple(f + k for k in KNUCKLES) for f in FINGERS)), start=1):
        parent = side + "Hand"
        for knuckle, part in enumerate(parts, start=1):
            bones.append(Bone(side + part, parent, f"finger{finger}-{knuckle}{tag}", ()))
            parent = side + part
    toes = tuple(b for b in source_bones if b.startswith("toe") and b.endswith(tag) and b != "toe1-1" + tag)
    return [
        *bones,
        Bone(side + "UpperLeg", "hips", "upperleg01" + tag, ("upperleg02" + tag,)),
        Bone(side + "LowerLeg", side + "UpperLeg", "lowerleg01" + tag, ("lowerleg02" + tag,)),
        Bone(side + "Foot", side + "LowerLeg", "foot" + tag, ()),
        Bone(side + "Toes", side + "Foot", "toe1-1" + tag, toes),
    ]


def bones(source_bones: tuple[str, ...]) -> list[Bone]:
    """Return the 58 joints; every source bone that carries weights is merged into exactly one of them."""
    face = tuple(b for b in source_bones if b.startswith(_FACE_BONES))
    return [
        Bone("hips", "", "root", ("pelvis.L", "pelvis.R", "spine05")),
        Bone("spine", "hips", "spine04", ()),
        Bone("chest", "spine", "spine03", ()),
        Bone("upperChest", "chest", "spine02", ("spine01", "breast.L", "breast.R")),
        Bone("neck", "upperChest", "neck01", ("neck02", "neck03")),
        Bone("head", "neck", "head", face),
        *_side("left", source_bones),
        *_side("right", source_bones),
    ]


def _end(source: Source, position: F64, end: dict[str, Any]) -> F64:
    if end["strategy"] == "CUBE":
        return position[source.vertex_group(end["cube_name"])].mean(axis=0)
    if end["strategy"] == "VERTEX":
        return position[end["vertex_index"]]
    return position[end["vertex_indices"]].mean(axis=0)


def skeleton(source: Source, position: F64) -> Skeleton:
    """Return her joints on this (V, 3) m mesh, left and right made mirror images."""
    rig, pairs = source.rig(), source.weights()
    table = bones(tuple(pairs))
    names = tuple(bone.name for bone in table)
    joint = np.array([_end(source, position, rig[bone.start]["head"]) for bone in table])
    joint[0] = _end(source, position, rig["root"]["tail"])  # the pelvis; the source's root sits between the feet
    mirror = np.array([names.index(_mirrored(name)) for name in names])
    joint = (joint + joint[mirror] * [-1.0, 1.0, 1.0]) / 2.0
    weight = np.zeros((len(position), len(table)))
    for column, bone in enumerate(table):
        for source_bone in (bone.start, *bone.merged):
            rows = np.array(pairs.get(source_bone, ()), np.float64).reshape(-1, 2)
            np.add.at(weight[:, column], rows[:, 0].astype(np.int64), rows[:, 1])
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1e-12)
    parent = np.array([names.index(bone.parent) if bone.parent else -1 for bone in table], np.int32)
    return Skeleton(names, parent, joint, weight)


def _mirrored(name: str) -> str:
    if name.startswith("left"):
        return "right" + name[4:]
    return "left" + name[5:] if name.startswith("right") else name
