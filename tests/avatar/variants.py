"""The shipped avatar's file edited into what other tools would have written of the same woman.

Each edit changes the file, not her: joints stand where they stood, except where its docstring says otherwise.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tests.avatar.glb import TYPE, WIDTH, Glb
from tests.gltf.bytes_of import Writer, glb
from tests.gltf.naming import FINGERS, KNUCKLES, SCHEMES

_THUMB_0X = {"ThumbMetacarpal": "ThumbProximal", "ThumbProximal": "ThumbIntermediate"}


class Edit:
    """A file taken apart: `document`, and its accessors as arrays in the file's own types."""

    def __init__(self, path: Path) -> None:
        source = Glb(path)
        self.document: dict[str, Any] = copy.deepcopy(source.document)
        self.arrays = [self._stored(source, i) for i in range(len(self.document["accessors"]))]
        self.nodes: list[dict[str, Any]] = self.document["nodes"]
        self.joints: list[int] = self.document["skins"][0]["joints"]
        human = self.document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
        self.bone = {name: int(entry["node"]) for name, entry in human.items()}

    @staticmethod
    def _stored(source: Glb, index: int) -> np.ndarray:
        entry, values = source.document["accessors"][index], source.accessor(index)
        if entry.get("normalized"):
            values = np.round(values * np.iinfo(TYPE[entry["componentType"]]).max)
        return values.astype("<" + TYPE[entry["componentType"]])

    @property
    def primitives(self) -> list[dict[str, Any]]:
        return [primitive for mesh in self.document["meshes"] for primitive in mesh["primitives"]]

    def parent(self) -> list[int]:
        above = [-1] * len(self.nodes)
        for index, node in enumerate(self.nodes):
            for child in node.get("children", ()):
                above[child] = index
        return above

    def add(self, array: np.ndarray, **more: Any) -> int:
        """Return a new accessor."""
        code = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}[array.dtype.str[1:]]
        wide = {v: k for k, v in WIDTH.items()}[array.shape[1]]
        self.document["accessors"].append({"componentType": code, "count": len(array), "type": wide} | more)
        self.arrays.append(array)
        return len(self.arrays) - 1

    def only_names(self) -> None:
        """Drop what VRM says, so that names and shape must do."""
        self.document.pop("extensions")
        self.document["extensionsUsed"] = ["KHR_materials_unlit"]

    def bytes(self) -> bytes:
        out, entries = Writer(), []
        strided = {i for p in self.primitives for t in (p["attributes"], *p.get("targets", ())) for i in t.values()}
        sparse = {i for p in self.primitives for t in p.get("targets", ()) for i in t.values()}
        for index, (entry, array) in enumerate(zip(self.document["accessors"], self.arrays, strict=True)):
            kept = {k: v for k, v in entry.items() if k in ("normalized", "componentType", "type", "count", "name")}
            if index in sparse or "min" in entry:
                kept |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
            moved = np.flatnonzero((array != 0).any(axis=1))
            if "sparse" in entry and len(moved):
                rows = moved.astype("<u2")
                kept["sparse"] = {
                    "count": len(moved),
                    "indices": {"bufferView": out.view(rows.tobytes()), "componentType": 5123},
                    "values": {"bufferView": out.view(np.ascontiguousarray(array[moved]).tobytes())},
                }
            elif "sparse" not in entry:
                size = array.dtype.itemsize * array.shape[1]
                padded = index in strided and size % 4
                raw = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
                raw = np.pad(raw, ((0, 0), (0, -size % 4))) if padded else raw
                kept["bufferView"] = out.view(raw.tobytes(), size + -size % 4 if padded else 0)
            entries.append(kept)
        data = bytes(out.data) + b"\0" * (-len(out.data) % 4)
        whole = {"accessors": entries, "bufferViews": out.views, "buffers": [{"byteLength": len(data)}]}
        return glb(self.document | whole, data)


def renamed(edit: Edit, scheme: str) -> None:
    """Give her bones another tool's names and no map."""
    edit.only_names()
    for bone, node in edit.bone.items():
        edit.nodes[node]["name"] = SCHEMES[scheme][bone]


def bound_in_t(edit: Edit) -> None:
    """Bind mesh and skeleton in T, and turn the arms down to where they were: the rest is not the bind pose."""
    positions, turn = _turned_arms(edit)
    bind = edit.arrays[edit.document["skins"][0]["inverseBindMatrices"]]
    for row, joint in enumerate(edit.joints):
        bind[row] = np.linalg.inv(_matrix(turn[joint], positions[joint])).T.ravel()
    rest = _places(edit)
    for primitive in edit.primitives:
        a = primitive["attributes"]
        point, normal = edit.arrays[a["POSITION"]].astype(np.float64), edit.arrays[a["NORMAL"]].astype(np.float64)
        joint, share = np.array(edit.joints)[edit.arrays[a["JOINTS_0"]]], edit.arrays[a["WEIGHTS_0"]] / 65535.0
        moved, tilted = np.zeros_like(point), np.zeros_like(normal)
        for k in range(4):
            r = turn[joint[:, k]]
            there = np.einsum("nij,nj->ni", r, point - rest[joint[:, k]]) + positions[joint[:, k]]
            moved += share[:, k, None] * there
            tilted += share[:, k, None] * np.einsum("nij,nj->ni", r, normal)
        edit.arrays[a["POSITION"]] = moved.astype("<f4")
        edit.arrays[a["NORMAL"]] = (tilted / np.linalg.norm(tilted, axis=1, keepdims=True)).astype("<f4")


def _turned_arms(edit: Edit) -> tuple[np.ndarray, np.ndarray]:
    """Return where all nodes are with arms in T, (N, 3) m, and how far they are turned, (N, 3, 3)."""
    place, above = _places(edit), edit.parent()
    out, turn = place.copy(), np.tile(np.eye(3), (len(place), 1, 1))
    for index in _order(above):
        p = above[index]
        if p >= 0:
            out[index] = out[p] + turn[p] @ (place[index] - place[p])
            turn[index] = turn[p]
        for side, sign in (("left", 1.0), ("right", -1.0)):
            if index == edit.bone[side + "UpperArm"]:
                c, s = np.cos(np.pi / 4), sign * np.sin(np.pi / 4)
                turn[index] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return out, turn


def scaled(edit: Edit, factor: float) -> None:
    """Put her under an armature of this scale; nodes, mesh and binds are in its units."""
    for node in edit.nodes:
        if "translation" in node:
            node["translation"] = [x / factor for x in node["translation"]]
    top = len(edit.nodes)
    edit.nodes.append({"name": "Armature", "scale": [factor] * 3, "children": [edit.joints[0]]})
    scene = edit.document["scenes"][0]
    scene["nodes"] = [top, *(n for n in scene["nodes"] if n != edit.joints[0])]
    edit.arrays[edit.document["skins"][0]["inverseBindMatrices"]][:, 12:15] /= factor
    for index in _points(edit):
        edit.arrays[index] = (edit.arrays[index] / factor).astype("<f4")


def dense(edit: Edit) -> None:
    """Write every morph out in full."""
    for entry in edit.document["accessors"]:
        entry.pop("sparse", None)
        entry.setdefault("min", [])
    for index in range(len(edit.arrays)):
        if index not in _points(edit):
            edit.document["accessors"][index].pop("min")


def quantised(edit: Edit) -> None:
    """Positions as 16 bit, normals as 8 bit; the scale goes into the binds (KHR_mesh_quantization)."""
    points = np.concatenate([edit.arrays[p["attributes"]["POSITION"]] for p in edit.primitives])
    middle = (points.min(axis=0) + points.max(axis=0)).astype(np.float64) / 2.0
    half = float((points.max(axis=0) - points.min(axis=0)).max()) / 2.0
    bind = edit.arrays[edit.document["skins"][0]["inverseBindMatrices"]]
    grow = np.diag([half, half, half, 1.0])
    grow[:3, 3] = middle
    for row in range(len(bind)):
        bind[row] = (bind[row].reshape(4, 4).T @ grow).T.ravel()
    for primitive in edit.primitives:
        for number, table in enumerate((primitive["attributes"], *primitive.get("targets", ()))):
            for name, index in table.items():
                if name == "POSITION":
                    value = (edit.arrays[index] - (middle if number == 0 else 0.0)) / half
                    _as_integers(edit, index, value, "<i2", 32767)
                elif name == "NORMAL" and number == 0:
                    _as_integers(edit, index, edit.arrays[index], "i1", 127)
                elif name == "NORMAL":
                    _as_integers(edit, index, np.clip(edit.arrays[index], -1.0, 1.0), "i1", 127)
    edit.document["extensionsUsed"].append("KHR_mesh_quantization")
    edit.document["extensionsRequired"] = ["KHR_mesh_quantization"]


def _as_integers(edit: Edit, index: int, value: np.ndarray, kind: str, top: int) -> None:
    edit.arrays[index] = np.round(value * top).astype(kind)
    edit.document["accessors"][index] |= {"componentType": 5122 if top > 127 else 5120, "normalized": True}


def vrm_0(edit: Edit) -> None:
    """Write her as VRM 0.x: turned about, with the older bone map and thumb names."""
    says = edit.document["extensions"]["VRMC_vrm"]["expressions"]["preset"]["aa"]["morphTargetBinds"]
    human = []
    for bone, node in edit.bone.items():
        side, rest = ("left", bone[4:]) if bone.startswith("left") else ("right", bone[5:])
        old = side + _THUMB_0X[rest] if bone.startswith(("left", "right")) and rest in _THUMB_0X else bone
        human.append({"bone": old, "node": node, "useDefaultValues": True})
    mesh = next(n["mesh"] for n in edit.nodes if n.get("name") == "Face" and "mesh" in n)
    binds = [{"mesh": mesh, "index": bind["index"], "weight": 100.0 * bind["weight"]} for bind in says]
    hair = [n for n, node in enumerate(edit.nodes) if node["name"].startswith("hair_") and node["name"].endswith("1")]
    edit.document["extensions"] = {
        "VRM": {
            "humanoid": {"humanBones": human},
            "blendShapeMaster": {"blendShapeGroups": [{"name": "A", "presetName": "a", "binds": binds}]},
            "secondaryAnimation": {
                "boneGroups": [
                    {
                        "stiffiness": 0.85, "gravityPower": 0.08, "gravityDir": {"x": 0, "y": -1, "z": 0},
                        "dragForce": 0.38, "center": -1, "hitRadius": 0.006, "bones": hair, "colliderGroups": [0],
                    }
                ],
                "colliderGroups": [
                    {"node": edit.bone["neck"], "colliders": [{"offset": {"x": 0, "y": 0.02, "z": 0}, "radius": 0.04}]}
                ],
            },
        }
    }  # fmt: skip
    edit.document["extensionsUsed"] = ["KHR_materials_unlit", "VRM"]
    back = np.array([-1.0, 1.0, -1.0], "f4")
    for node in edit.nodes:
        if "translation" in node:
            node["translation"] = [-node["translation"][0], node["translation"][1], -node["translation"][2]]
    edit.arrays[edit.document["skins"][0]["inverseBindMatrices"]][:, 12:15] *= back
    for primitive in edit.primitives:
        for table in (primitive["attributes"], *primitive.get("targets", ())):
            for name in ("POSITION", "NORMAL"):
                edit.arrays[table[name]] = edit.arrays[table[name]] * back


def paddle_hands(edit: Edit) -> None:
    """Lay her four fingers side by side, all straight along the middle one: her fingers stand elsewhere."""
    place = _places(edit)
    bind = edit.arrays[edit.document["skins"][0]["inverseBindMatrices"]]
    for side in ("left", "right"):
        along = place[edit.bone[side + "MiddleProximal"]] - place[edit.bone[side + "Hand"]]
        along = along / np.linalg.norm(along)
        for finger in FINGERS[1:]:
            chain = [edit.bone[side + finger + k] for k in ("Proximal", "Intermediate", "Distal")]
            lengths = [np.linalg.norm(place[b] - place[a]) for a, b in pairwise(chain)]
            for node, length in zip(chain[1:], lengths, strict=True):
                edit.nodes[node]["translation"] = (along * length).tolist()
    moved = _places(edit)
    for row, joint in enumerate(edit.joints):
        bind[row, 12:15] = -moved[joint]  # bound so: her skin keeps its shape and hangs a little beside its joints


def without(edit: Edit, *bones: str) -> None:
    """Take these joints out: what hung on them hangs on their parents."""
    place, above = _places(edit), edit.parent()
    gone = {edit.bone[bone] for bone in bones}
    heir = {}
    for node in gone:
        heir[node] = above[node]
        while heir[node] in gone:
            heir[node] = above[heir[node]]
    for node in range(len(edit.nodes)):
        if node not in gone and above[node] in gone:
            kept = heir[above[node]]
            edit.nodes[node]["translation"] = (place[node] - place[kept]).tolist()
            edit.nodes[kept].setdefault("children", []).append(node)
    for node in edit.nodes:
        node["children"] = [child for child in node.get("children", []) if child not in gone]
    for node in gone:
        edit.nodes[node].update(name=f"unused {node}", children=[])
    for node in edit.nodes:
        if not node["children"]:
            node.pop("children")
    edit.document["scenes"][0]["nodes"] += sorted(gone)  # lying about, as exporters leave them
    row = {joint: number for number, joint in enumerate(edit.joints)}
    heirs = np.array([row[heir.get(joint, joint)] for joint in edit.joints], np.uint8)
    for index in {p["attributes"]["JOINTS_0"] for p in edit.primitives}:
        edit.arrays[index] = heirs[edit.arrays[index]]
    for primitive in edit.primitives:  # a joint twice in one vertex is legal only where the second weighs nothing
        a = primitive["attributes"]
        _merged(edit.arrays[a["JOINTS_0"]], edit.arrays[a["WEIGHTS_0"]])
    table = edit.document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
    for bone in bones:
        table.pop(bone)
        edit.bone.pop(bone)
    keep = [number for number, joint in enumerate(edit.joints) if joint not in gone]
    fresh = np.zeros(len(edit.joints), np.uint8)
    fresh[keep] = np.arange(len(keep))
    for index in {p["attributes"]["JOINTS_0"] for p in edit.primitives}:
        edit.arrays[index] = fresh[edit.arrays[index]]
    skin = edit.document["skins"][0]
    edit.arrays[skin["inverseBindMatrices"]] = edit.arrays[skin["inverseBindMatrices"]][keep]
    edit.document["accessors"][skin["inverseBindMatrices"]]["count"] = len(keep)
    skin["joints"] = edit.joints = [edit.joints[number] for number in keep]


def _merged(joint: np.ndarray, weight: np.ndarray) -> None:
    for a in range(4):
        for b in range(a + 1, 4):
            same = (joint[:, a] == joint[:, b]) & (weight[:, b] > 0)
            weight[same, a] += weight[same, b]
            weight[same, b] = 0
    joint[weight == 0] = 0


def eight_influences(edit: Edit) -> None:
    """Add a second set of weights: four more joints that hold 2 % in all."""
    spare = np.array([edit.joints.index(edit.bone[b]) for b in ("hips", "spine", "chest", "upperChest")], np.uint8)
    for primitive in edit.primitives:
        a = primitive["attributes"]
        joint, weight = edit.arrays[a["JOINTS_0"]], edit.arrays[a["WEIGHTS_0"]].astype(np.float64) / 65535.0
        free = ~(joint[:, :, None] == spare).any(axis=1)
        second = np.where(free, 0.005, 0.0)
        first = weight * (1.0 - second.sum(axis=1, keepdims=True))
        whole = np.round(np.concatenate([first, second], axis=1) * 65535).astype(np.int64)
        whole[:, 0] += 65535 - whole.sum(axis=1)
        edit.arrays[a["WEIGHTS_0"]] = whole[:, :4].astype("<u2")
        a["JOINTS_1"] = edit.add(np.where(second > 0, spare, 0).astype(np.uint8))
        a["WEIGHTS_1"] = edit.add(whole[:, 4:].astype("<u2"), normalized=True)


def with_joints(edit: Edit, count: int) -> None:
    """Give her a plait down her back, so that the skin has this many joints."""
    skin, above = edit.document["skins"][0], edit.bone["head"]
    place = _places(edit)[above] + [0.0, 0.05, -0.1]
    bind = [edit.arrays[skin["inverseBindMatrices"]]]
    offset = place - _places(edit)[above]
    while len(skin["joints"]) < count:
        node = len(edit.nodes)
        edit.nodes.append({"name": f"plait {node}", "translation": offset.tolist()})
        edit.nodes[above].setdefault("children", []).append(node)
        row = np.eye(4)
        row[3, :3] = -place
        bind.append(row.reshape(1, 16).astype("<f4"))
        skin["joints"].append(node)
        above, offset = node, np.array([0.0, -0.004, 0.0])
        place = place + offset
    edit.arrays[skin["inverseBindMatrices"]] = np.concatenate(bind)
    edit.document["accessors"][skin["inverseBindMatrices"]]["count"] = count


def _points(edit: Edit) -> set[int]:
    return {t["POSITION"] for p in edit.primitives for t in (p["attributes"], *p.get("targets", ()))}


def _order(above: list[int]) -> list[int]:
    children: dict[int, list[int]] = {}
    for index, p in enumerate(above):
        children.setdefault(p, []).append(index)
    out, stack = [], list(children.get(-1, []))
    while stack:
        out.append(stack.pop())
        stack += children.get(out[-1], [])
    return out


def _places(edit: Edit) -> np.ndarray:
    """Return (N, 3) m, every node in rest; the shipped file has only translations."""
    above = edit.parent()
    out = np.zeros((len(edit.nodes), 3))
    for index in _order(above):
        out[index] = edit.nodes[index].get("translation", (0.0, 0.0, 0.0))
        if above[index] >= 0:
            out[index] += out[above[index]]
    return out


def _matrix(turn: np.ndarray, place: np.ndarray) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn, place
    return out


FINGER_BONES = tuple(
    side + finger + knuckle for side in ("left", "right") for finger in FINGERS for knuckle in KNUCKLES[finger]
)
NAMES = ("mixamo", "unreal", "rigify", "makehuman", "blender")

VARIANTS: dict[str, Callable[[Edit], None]] = {
    "as it is": lambda edit: None,
    **{scheme: partial(renamed, scheme=scheme) for scheme in NAMES},
    "bound in T": bound_in_t,
    "scale 0.01": lambda edit: scaled(edit, 0.01),
    "scale 100": lambda edit: scaled(edit, 100.0),
    "dense morphs": dense,
    "quantised": quantised,
    "VRM 0.x": vrm_0,
    "paddle hands": paddle_hands,
    "no fingers": lambda edit: without(edit, *FINGER_BONES),
    "no neck": lambda edit: without(edit, "neck"),
    "no shoulders": lambda edit: without(edit, "leftShoulder", "rightShoulder"),
    "no toes": lambda edit: without(edit, "leftToes", "rightToes"),
    "8 influences": eight_influences,
    "250 joints": lambda edit: with_joints(edit, 250),
}
"""What is done to the file, by what it is then."""
