"""Strangers' files beside the checkout: read as an independent walk over their nodes reads them, or refused truly."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from kinesics.components.gltf.inspect import inspect
from kinesics.components.gltf.skeleton import rest_frames, rest_vertices
from kinesics.components.skin import Body
from tests.gltf.bytes_of import unpack
from tests.gltf.figures import affine

READ = {
    "Xbot.glb": (82, 1.809, "T"),
    "brunette-t.glb": (67, 1.779, "T"),
    "cryptovoxels.vrm": (57, 1.490, "T"),
    "mesh2motion_rigify_DEF.glb": (53, 1.830, "T"),
    "CesiumMan.glb": (19, 1.507, "A"),
    "VRMC_vrm_expressions_isBinary_Overridden.vrm": (22, 1.350, "T"),
    "BrainStem.glb": (18, 1.835, "T"),
    "vroid.glb": (244, 1.773, "T"),
}  # joints, m, rest
REFUSED = {"Fox.glb": "not a standing humanoid: its legs leave its spine at 111 deg"}


def walked(path: Path) -> tuple[dict[str, Any], dict[int, np.ndarray], bytes]:
    """Every node's world matrix, by recursion, nothing shared with the reader."""
    document, chunk = unpack(path.read_bytes())
    world: dict[int, np.ndarray] = {}

    def walk(index: int, above: np.ndarray) -> None:
        node = document["nodes"][index]
        x, y, z, w = np.array(node.get("rotation", [0, 0, 0, 1])) / np.linalg.norm(node.get("rotation", [0, 0, 0, 1]))
        left = np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
        right = np.array([[w, -z, y, -x], [z, w, -x, -y], [-y, x, w, -z], [x, y, z, w]])
        turn = (left @ right)[:3, :3]
        local = affine(turn * node.get("scale", [1, 1, 1]), node.get("translation", [0, 0, 0]))
        world[index] = above @ (np.reshape(node["matrix"], (4, 4)).T if "matrix" in node else local)
        for child in node.get("children", []):
            walk(child, world[index])

    for top in set(range(len(document["nodes"]))) - {c for n in document["nodes"] for c in n.get("children", [])}:
        walk(top, np.eye(4))
    return document, world, chunk


def column(document: dict[str, Any], chunk: bytes, index: int) -> np.ndarray:
    """A packed, strided or compressed accessor, plainly."""
    row = document["accessors"][index]
    view = document["bufferViews"][row["bufferView"]]
    kind = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[row["componentType"]]
    dtype, wide = np.dtype(kind), {"VEC3": 3, "VEC4": 4, "MAT4": 16}[row["type"]]
    packed = view.get("extensions", {}).get("EXT_meshopt_compression")
    start, step = view.get("byteOffset", 0), view.get("byteStride", dtype.itemsize * wide)
    if packed:
        meshopt = pytest.importorskip("meshopt", reason="the extra `codecs` is not installed")
        at = packed.get("byteOffset", 0)
        chunk = meshopt.decode_gltf_buffer(
            chunk[at : at + packed["byteLength"]], packed["count"], packed["byteStride"], packed["mode"],
            packed.get("filter"),
        ).tobytes()  # fmt: skip
        start = 0
    start += row.get("byteOffset", 0)
    raw = [np.frombuffer(chunk, dtype, wide, start + step * k) for k in range(row["count"])]
    scale = {"i1": 127.0, "u1": 255.0, "i2": 32767.0, "u2": 65535.0}[kind[1:]] if row.get("normalized") else 1.0
    return np.array(raw, float) / scale


def turned(document: dict[str, Any], world: dict[int, np.ndarray], body: Body) -> np.ndarray:
    """The file's world to her frame: half a turn for VRM 0.x, then what puts the lowest foot vertex on y = 0."""
    return np.diag([-1.0, 1.0, -1.0]) if body.format == "VRM 0.x" else np.eye(3)


@pytest.mark.parametrize("name", READ)
def test_a_strangers_file_stands_as_its_nodes_stand(shared: Path, name: str) -> None:
    path = shared / "data" / "avatars" / name
    body = read(path)
    document, world, chunk = walked(path)
    turn = turned(document, world, body)
    joints = rest_frames(body.rig)[:, :3, 3]
    plain = np.array([turn @ world[node][:3, 3] for node in body.rig.node])
    lift = joints[0] - plain[0]
    assert np.abs(lift[[0, 2]]).max() < 1e-9
    assert np.abs(joints - plain - lift).max() < 1e-5  # m

    at = 0
    lowest = np.inf
    for node in document["nodes"]:
        if "mesh" not in node or "skin" not in node:
            continue
        skin = document["skins"][node["skin"]]
        bind = column(document, chunk, skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        place = np.array([world[j] for j in skin["joints"]]) @ bind
        feet = {body.rig.humanoid[s + p] for s in ("left", "right") for p in ("Foot", "Toes")}
        for part, primitive in enumerate(document["meshes"][node["mesh"]]["primitives"]):
            get = {
                k: column(document, chunk, v)
                for k, v in primitive["attributes"].items()
                if k[:3] in ("POS", "JOI", "WEI")
            }
            w = get["WEIGHTS_0"] / get["WEIGHTS_0"].sum(axis=1, keepdims=True)
            points = np.append(get["POSITION"], np.ones((len(w), 1)), axis=1)
            drawn = np.einsum("vk,vkij,vj->vi", w, place[get["JOINTS_0"].astype(int)], points)[:, :3] @ turn.T + lift
            many = len(document["meshes"][node["mesh"]]["primitives"]) > 1
            title = node.get("name") or document["meshes"][node["mesh"]].get("name") or f"mesh{node['mesh']}"
            mesh = next(m for m in body.skin.meshes if m.name == (f"{title}/{part}" if many else title))
            ours = rest_vertices(body.rig, body.skin, mesh)
            assert np.abs(ours - drawn).max() < 1e-5, mesh.name
            strongest = mesh.joint[np.arange(len(w)), mesh.weight.argmax(axis=1)]
            low = drawn[np.isin(strongest, list(feet)), 1]
            lowest = min(lowest, float(low.min(initial=np.inf)))
            at += 1
    assert at in (0, len(body.skin.meshes))
    if at:
        assert abs(lowest) < 1e-3  # m; below the toes' own end joints nothing is drawn in these files


@pytest.mark.parametrize("name", READ)
def test_what_inspect_tells_of_a_strangers_file(shared: Path, name: str) -> None:
    told = inspect(read(shared / "data" / "avatars" / name))
    assert (told["joints"], told["height_m"], told["rest_pose"]) == READ[name]
    joints = rest_frames(read(shared / "data" / "avatars" / name).rig)[:, :3, 3]
    rig = read(shared / "data" / "avatars" / name).rig
    assert joints[rig.humanoid["leftUpperArm"], 0] > 0.02 > -0.02 > joints[rig.humanoid["rightUpperArm"], 0]
    assert joints[rig.humanoid["leftToes"], 2] > joints[rig.humanoid["leftFoot"], 2]  # toes before ankles: she faces +Z


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_talk_is_refused_with_the_reason(shared: Path, name: str) -> None:
    with pytest.raises(AvatarError) as error:
        read(shared / "data" / "avatars" / name)
    assert REFUSED[name] in str(error.value)
    assert str(error.value).startswith(name + ": ")


def test_expressions_that_only_move_textures_are_told(shared: Path) -> None:
    body = read(shared / "data" / "avatars" / "VRMC_vrm_expressions_isBinary_Overridden.vrm")
    assert body.expressions["blink"].is_binary
    assert body.expressions["happy"].overrides == (("blink", "blend"),)
    assert any("blink, happy" in warning for warning in body.warnings)


def test_the_prototype_of_the_default_avatar_is_read_within_its_time(shared: Path) -> None:
    path = shared / "avatar" / "prototype_avatar.glb"
    start = time.process_time()
    body = read(path)
    seconds = time.process_time() - start
    told = inspect(body)
    assert told["joints"] == 58
    assert told["triangles"] == 60_356
    assert len(told["morphs"]) == 52
    assert told["missing"] == ["jaw"]
    assert seconds < 1.5  # s for 60k triangles and 260 dense morph targets
