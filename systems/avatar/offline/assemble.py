"""Parts and joints become a VRM 1.0 file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....components.arrays import F64
from ....components.gltf.write import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Writer
from . import vrm
from .chains import Chains
from .expressions import UNITS
from .mesh import solid
from .part import Part

GRID = 1e-5  # m: positions are rounded, so that another processor's last bit does not change the file
INFLUENCES = 4
STILL = 2e-5  # m: smaller morph offsets are dropped

# name -> (roughness, double sided)
MATERIALS: dict[str, tuple[float, bool]] = {
    "skin": (0.55, False),
    "eye": (0.12, False),
    "catchlight": (0.10, False),
    "teeth": (0.60, False),
    "tongue": (0.35, False),
    "lash": (0.90, True),
    "brow": (0.90, True),
    "hair": (0.45, True),
    "fabric": (0.92, True),
    "trousers": (0.95, True),
    "shoe": (0.60, True),
}


def file_bytes(chains: Chains, meshes: dict[str, list[Part]], version: str) -> tuple[bytes, int]:
    """Return the .vrm file and its triangle count. Meshes keep their order; parts with morphs must share one mesh."""
    out = Writer("kinesics avatar builder " + version)
    doc, skeleton = out.document, chains.skeleton
    place = np.round(skeleton.position / GRID) * GRID
    joints = len(skeleton.names)
    nodes: list[dict[str, Any]] = []
    for name, at, parent in zip(skeleton.names, place, skeleton.parent):
        offset = at - (place[parent] if parent >= 0 else 0.0)
        nodes.append({"name": name, "translation": [round(float(x), 6) + 0.0 for x in offset]})
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(len(nodes) - 1)
    node_of = {name: node for node, name in enumerate(skeleton.names)}
    for joint, end in chains.ends.items():  # a chain's tail: a node that no vertex hangs on
        offset = np.round(end / GRID) * GRID - place[node_of[joint]]
        node_of[joint + "_end"] = len(nodes)
        nodes[node_of[joint]].setdefault("children", []).append(len(nodes))
        nodes.append({"name": joint + "_end", "translation": [round(float(x), 6) + 0.0 for x in offset]})
    trees = len(nodes)
    inverse = np.tile(np.eye(4, dtype=np.float32), (joints, 1, 1))
    inverse[:, 3, :3] = -place  # row by row here is column by column in the file
    bind = out.accessor(inverse.reshape(joints, 16))
    doc["skins"] = [{"joints": list(range(joints)), "skeleton": 0, "inverseBindMatrices": bind}]
    used = sorted({part.material for parts in meshes.values() for part in parts}, key=list(MATERIALS).index)
    doc["materials"] = [_material(name) for name in used]
    doc["meshes"], face_node = [], -1
    for name, parts in meshes.items():
        morphed = any(part.morph for part in parts)
        mesh: dict[str, Any] = {"name": name, "primitives": [_primitive(out, p, used, morphed) for p in parts]}
        if morphed:
            mesh["extras"] = {"targetNames": list(UNITS)}
            mesh["weights"] = [0.0] * len(UNITS)
            face_node = len(nodes)
        nodes.append({"name": name, "mesh": len(doc["meshes"]), "skin": 0})
        doc["meshes"].append(mesh)
    doc["nodes"] = nodes
    doc["scenes"] = [{"nodes": [0, *range(trees, len(nodes))]}]
    doc["scene"] = 0
    doc["extensionsUsed"] = ["KHR_materials_unlit", "VRMC_springBone", "VRMC_vrm"]
    doc["extensions"] = {
        "VRMC_vrm": {
            "specVersion": "1.0",
            "meta": vrm.meta("kinesics default avatar", version),
            "humanoid": vrm.humanoid(skeleton.names),
            "expressions": vrm.expressions(face_node),
            "lookAt": vrm.look_at(),
        },
        "VRMC_springBone": chains.extension(node_of),
    }
    drawn = (doc["accessors"][p["indices"]]["count"] // 3 for mesh in doc["meshes"] for p in mesh["primitives"])
    return out.glb(), sum(drawn)


def _material(name: str) -> dict[str, Any]:
    roughness, double = MATERIALS[name]
    entry: dict[str, Any] = {
        "name": name,
        "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": roughness},  # the colour is the vertices'
    }
    if double:
        entry["doubleSided"] = True
    if name == "catchlight":
        entry["extensions"] = {"KHR_materials_unlit": {}}
    return entry


def _primitive(out: Writer, part: Part, materials: list[str], morphed: bool) -> dict[str, Any]:
    position = np.round(part.position / GRID) * GRID
    triangle = solid(position, part.triangle)
    used = np.unique(triangle)
    fresh = np.zeros(len(position), np.int64)
    fresh[used] = np.arange(len(used))
    kept = np.zeros(len(position), bool)
    kept[used] = True
    normal = _unit(part.normal[used])
    colour = np.concatenate([np.clip(part.color[used], 0.0, 1.0), np.ones((len(used), 1))], axis=1)
    joint, weight = influences(part.weight[used])
    attributes = {
        "POSITION": out.accessor(position[used].astype(np.float32), bounds=True, target=ARRAY_BUFFER),
        "NORMAL": out.accessor(normal.astype(np.float32), target=ARRAY_BUFFER),
        "COLOR_0": out.accessor(np.round(colour * 65535).astype(np.uint16), normalized=True, target=ARRAY_BUFFER),
        "JOINTS_0": out.accessor(joint, target=ARRAY_BUFFER),
        "WEIGHTS_0": out.accessor(weight, normalized=True, target=ARRAY_BUFFER),
    }
    if part.uv is not None:
        uv = np.round(np.clip(part.uv[used], 0.0, 1.0) * 65535).astype(np.uint16)
        attributes["TEXCOORD_0"] = out.accessor(uv, normalized=True, target=ARRAY_BUFFER)
    index = out.accessor(fresh[triangle].ravel().astype(np.uint16), target=ELEMENT_ARRAY_BUFFER)
    entry: dict[str, Any] = {"attributes": attributes, "indices": index, "material": materials.index(part.material)}
    if morphed:
        entry["targets"] = [_target(out, part, unit, kept, fresh, len(used)) for unit in UNITS]
    return entry


def _target(out: Writer, part: Part, unit: str, kept: np.ndarray, fresh: np.ndarray, count: int) -> dict[str, int]:
    nothing = (np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 3)))
    index, move, tilt = part.morph.get(unit, nothing)
    move = np.round(move / GRID) * GRID
    target = {}
    for name, values, still in (("POSITION", move, STILL), ("NORMAL", np.round(tilt, 3), 0.01)):
        big = kept[index] & (np.abs(values).max(axis=1, initial=0.0) >= still)
        target[name] = out.sparse(count, fresh[index[big]], values[big].astype(np.float32))
    return target


def _unit(normal: F64) -> F64:
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


def influences(weight: F64) -> tuple[np.ndarray, np.ndarray]:
    """Return the (V, 4) u8 joints and (V, 4) u16 weights of 65535 in all that come nearest to these (V, J) weights."""
    joint = np.argsort(-weight, axis=1, kind="stable")[:, :INFLUENCES]
    share = np.take_along_axis(weight, joint, axis=1)
    share = share / share.sum(axis=1, keepdims=True)
    whole = np.round(share * 65535).astype(np.int64)
    whole[:, 0] += 65535 - whole.sum(axis=1)
    return np.where(whole > 0, joint, 0).astype(np.uint8), whole.astype(np.uint16)
