"""One person in every dress a file may wear: the same joints, the same skin, the same names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from kinesics.components.gltf.inspect import inspect
from kinesics.components.gltf.skeleton import rest_frames, rest_vertices
from kinesics.components.skin import Body
from tests.gltf.bytes_of import glb, unpack
from tests.gltf.figures import Truth, build
from tests.gltf.naming import SCHEMES

NEAR = 1e-5  # m

VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "A-pose": {"pose": "A"},
    "rest differs from bind": {"pose": "A", "bind_pose": "T"},
    "every joint has its own frame": {"turned": True},
    "armature in centimetres": {"armature_scale": 0.01},
    "armature scaled by 100": {"armature_scale": 100.0},
    "armature lying as Blender's": {
        "armature_turn": (-np.pi / 2, 0, 0), "armature_scale": 0.01, "armature_at": (0.1, -0.2, 0.3), "turned": True,
        "pose": "A", "bind_pose": "T",
    },
    "matrices instead of TRS": {"matrices": True, "turned": True, "armature_scale": 0.01},
    "centimetres": {"unit": 100.0},
    "facing away": {"world_turn": np.pi},
    "facing aside": {"world_turn": 1.0, "turned": True},
    "standing half a metre up": {"lift": 0.5},
    "VRM 1.0": {"vrm": "1.0", "scheme": "numbers"},
    "VRM 0.x": {"vrm": "0.x", "scheme": "numbers", "turned": True},
    "VRM 0.x in centimetre armature": {"vrm": "0.x", "scheme": "unity_spaces", "armature_scale": 0.01},
    "u8 weights": {"weights": "u1"},
    "u16 weights and joints": {"weights": "u2", "joints": "u2"},
    "sparse morphs over zeros": {"sparse": "based"},
    "sparse morphs without a base": {"sparse": "bare"},
    "interleaved": {"interleaved": True, "weights": "u1", "color": "vec3"},
    "two skins over one skeleton": {"skins": 2, "turned": True, "armature_scale": 0.01},
    "three skins in 0.x": {"skins": 3, "vrm": "0.x"},
    "no skin, boxes on nodes": {"rigid": True, "turned": True},
    "no skin, VRM 1.0, centimetres": {"rigid": True, "vrm": "1.0", "scheme": "numbers", "armature_scale": 0.01},
    "quantised positions": {"quantised": True, "weights": "u2"},
    "eight influences": {"influences": 8},
    "six influences interleaved": {"influences": 6, "interleaved": True, "weights": "u2"},
    "137 joints": {"hair": 80},
    "307 joints": {"hair": 250, "joints": "u2", "turned": True},
    "no indices": {"indices": False},
    "no normals, no uv": {"normals": False, "uv": False},
    "text with data URIs": {"text": True},
    "few bones": {"drop": ("neck", "jaw", "leftShoulder", "rightShoulder", "leftToes", "rightToes", "upperChest")},
    "no fingers": {"drop": tuple(b for b in SCHEMES["unity"] if b.endswith(("imal", "iate", "Distal", "carpal")))},
}  # fmt: skip


def written(folder: Path, **options: Any) -> tuple[Body, Truth]:
    data, truth = build(**options)
    path = folder / ("person.gltf" if options.get("text") else "person.glb")
    path.write_bytes(data)
    return read(path), truth


def assert_stands_as(body: Body, truth: Truth) -> None:
    frames = rest_frames(body.rig)
    for bone, name in truth.bone_of.items():
        joint = body.rig.humanoid[bone]
        assert body.node_names[joint] == name, bone
        assert np.abs(frames[joint, :3, 3] - truth.joints[name]).max() < NEAR, bone
    for joint, name in enumerate(body.node_names):
        if name in truth.joints and len(set(truth.joints)) == len(truth.joints):
            assert np.abs(frames[joint, :3, 3] - truth.joints[name]).max() < NEAR, name
    assert len(body.skin.meshes) == len(truth.vertices)
    for mesh in body.skin.meshes:
        assert np.abs(rest_vertices(body.rig, body.skin, mesh) - truth.vertices[mesh.name]).max() < NEAR, mesh.name


@pytest.mark.parametrize("dress", VARIANTS.values(), ids=VARIANTS.keys())
def test_the_same_person_stands_the_same_however_her_file_is_written(tmp_path: Path, dress: dict[str, Any]) -> None:
    body, truth = written(tmp_path, **dress)
    assert_stands_as(body, truth)
    assert set(truth.bone_of) == set(body.rig.humanoid)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_bone_is_found_by_the_names_of(tmp_path: Path, scheme: str) -> None:
    body, truth = written(tmp_path, scheme=scheme, turned=True)
    assert_stands_as(body, truth)
    assert set(truth.bone_of) == set(body.rig.humanoid)
    assert {bone: inspect(body)["bones"][bone] for bone in truth.bone_of} == truth.bone_of


def test_joint_frames_keep_the_rotation_their_node_has(tmp_path: Path) -> None:
    body, truth = written(tmp_path, turned=True, armature_scale=0.01, armature_turn=(-np.pi / 2, 0, 0))
    frames = rest_frames(body.rig)
    for joint, name in enumerate(body.node_names):
        assert np.abs(frames[joint, :3, :3] - truth.turns[name]).max() < 1e-6


def test_names_with_left_and_right_exchanged_are_put_right_by_the_feet(tmp_path: Path) -> None:
    data, truth = build(scheme="blender")
    document, chunk = unpack(data)
    for node in document["nodes"]:
        if node["name"][-2:] in (".L", ".R"):
            node["name"] = node["name"][:-1] + ("R" if node["name"][-1] == "L" else "L")
    path = tmp_path / "swapped.glb"
    path.write_bytes(glb(document, chunk))
    body = read(path)
    hand = rest_frames(body.rig)[body.rig.humanoid["leftHand"], :3, 3]
    assert np.abs(hand - truth.joints["Hand.L"]).max() < NEAR
    assert any("swapped" in warning for warning in body.warnings)


def test_somebody_lying_in_the_file_is_stood_up(tmp_path: Path) -> None:
    """Z-up without an armature that says so: her head at +Z, her face to -Y."""
    data, truth = build()
    document, chunk = unpack(data)
    tops = document["scenes"][0]["nodes"]
    document["nodes"].append({"children": tops, "rotation": [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]})
    document["scenes"][0]["nodes"] = [len(document["nodes"]) - 1]
    path = tmp_path / "lying.glb"
    path.write_bytes(glb(document, chunk))
    body = read(path)
    assert_stands_as(body, truth)
    assert any("stood up" in warning for warning in body.warnings)


def test_more_than_four_influences_are_said(tmp_path: Path) -> None:
    body, _ = written(tmp_path, influences=8)
    assert any("best four" in warning for warning in body.warnings)
    for mesh in body.skin.meshes:
        assert np.abs(mesh.weight.sum(axis=1) - 1.0).max() < 1e-6


def test_helper_joints_stay_and_names_are_unique(tmp_path: Path) -> None:
    data, _ = build(hair=3)
    document, chunk = unpack(data)
    for node in document["nodes"]:
        if node.get("name", "").startswith("hair"):
            node["name"] = "head"  # a stray node may not take the name of the head
    path = tmp_path / "hair.glb"
    path.write_bytes(glb(document, chunk))
    body = read(path)
    assert {"head", "head#2", "head#3", "head#4"} <= set(body.rig.names)
    assert body.node_names[body.rig.humanoid["head"]] == "head"
    assert body.rig.parent[body.rig.names.index("head#2")] == body.rig.humanoid["head"]


@pytest.mark.parametrize("sparse", ["", "based", "bare"])
def test_morphs_move_what_the_file_moves_under_its_own_names(tmp_path: Path, sparse: str) -> None:
    body, _ = written(tmp_path, sparse=sparse, morph_names=("jawOpen", "a b.c", "a b.c", "", "瞬き"))
    mesh = body.skin.meshes[0]
    assert [morph.name for morph in mesh.morphs] == ["jawOpen", "a b.c", "a b.c#2", "part0[3]", "瞬き"]
    assert body.morph_names == tuple(morph.name for morph in mesh.morphs)
    for which, morph in enumerate(mesh.morphs):
        moved = np.arange(len(mesh.position))[which :: 5 + which]
        assert (morph.index == moved).all()
        assert np.allclose(morph.position, [[0.01, 0.02 + which, -0.03]], atol=1e-7)
        assert not morph.normal.any()


def test_expressions_of_both_vrm_versions_bind_the_same_morph(tmp_path: Path) -> None:
    new, _ = written(tmp_path, vrm="1.0")
    old, _ = written(tmp_path, vrm="0.x")
    assert new.format == "VRM 1.0"
    assert old.format == "VRM 0.x"
    assert new.expressions["aa"].binds == ((0, "jawOpen", 0.8),) == old.expressions["aa"].binds
    assert new.expressions["aa"].is_binary
    assert new.expressions["aa"].overrides == (("blink", "block"),)
    assert old.expressions["happy"].binds == ((0, "a b.c", 1.0),)
    assert old.expressions["happy"].is_binary
    assert new.expressions["pout"].binds == ((0, "a b.c#2", 1.0),)
    assert old.expressions["surprised"].binds == ()


def test_vrm_0_thumbs_are_named_as_in_vrm_1(tmp_path: Path) -> None:
    body, truth = written(tmp_path, vrm="0.x", scheme="mixamo")
    assert body.node_names[body.rig.humanoid["leftThumbMetacarpal"]] == "mixamorig:LeftHandThumb1"
    assert body.node_names[body.rig.humanoid["leftThumbDistal"]] == "mixamorig:LeftHandThumb3"
    assert truth.joints["mixamorig:LeftHandThumb1"][0] > 0


def test_normals_are_unit_and_computed_where_they_are_missing(tmp_path: Path) -> None:
    given, _ = written(tmp_path)
    made, _ = written(tmp_path, normals=False)
    for a, b in zip(given.skin.meshes, made.skin.meshes, strict=True):
        assert np.abs(np.linalg.norm(b.normal, axis=1) - 1.0).max() < 1e-6
        assert ((a.normal * b.normal).sum(axis=1) > 0.5).mean() > 0.95  # both point out of the boxes


def test_colours_and_texture_coordinates_are_scaled_to_one(tmp_path: Path) -> None:
    three, _ = written(tmp_path, color="vec3", uv=True)
    four, _ = written(tmp_path, color="vec4")
    plain, _ = written(tmp_path, uv=False)
    grey = 128 / 255
    assert np.allclose(three.skin.meshes[0].color, [grey, grey, grey, 1.0])
    assert np.allclose(four.skin.meshes[0].color, grey)
    assert (plain.skin.meshes[0].color == 1.0).all()
    assert not plain.skin.meshes[0].uv.any()
    mesh = three.skin.meshes[0]
    assert np.abs(mesh.uv - mesh.position[:, :2] % 1).max() < 1e-5


def test_a_mirrored_node_keeps_its_outside_out(tmp_path: Path) -> None:
    data, _ = build(rigid=True)
    document, chunk = unpack(data)
    for node in document["nodes"]:
        if "mesh" in node:
            node["scale"] = [-2.0, 2.0, 2.0]
    path = tmp_path / "mirrored.glb"
    path.write_bytes(glb(document, chunk))
    plain, _ = written(tmp_path, rigid=True)
    mirrored = read(path)
    assert (mirrored.skin.meshes[0].triangle == plain.skin.meshes[0].triangle[:, ::-1]).all()


def test_her_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    one, two = written(tmp_path)[0], written(tmp_path)[0]
    other = written(tmp_path, pose="A")[0]
    assert one.digest == two.digest != other.digest
    assert one.rig.digest == two.rig.digest != other.rig.digest


def test_inspect_tells_what_the_command_prints(tmp_path: Path) -> None:
    body, _ = written(tmp_path, scheme="unreal", pose="A", drop=("jaw", "leftLittleDistal"), hair=4)
    told = inspect(body)
    assert list(told)[:10] == [
        "file", "format", "bones", "missing", "joints", "skins", "vertices", "triangles", "morphs", "expressions",
    ]  # fmt: skip
    assert told["file"] == "person.glb"
    assert told["bones"]["leftHand"] == "hand_l"
    assert told["missing"] == ["jaw", "leftLittleDistal"]
    assert told["rest_pose"] == "A"
    assert told["joints"] == len(body.rig.names)
    assert told["vertices"] == 8 * told["joints"]
    assert told["triangles"] == 12 * told["joints"]
    assert 1.5 < told["height_m"] < 1.7
    assert json.loads(json.dumps(told)) == told


def test_a_bone_that_holds_no_skin_is_still_found(tmp_path: Path) -> None:
    """Exporters leave joints without weights out of the skin: eyes, hips."""
    data, truth = build(scheme="mixamo", armature_scale=0.01)
    document, chunk = unpack(data)
    old = next(n for n, node in enumerate(document["nodes"]) if node["name"] == "mixamorig:LeftEye")
    document["nodes"].append(dict(document["nodes"][old]))
    document["nodes"][old]["name"] = "some joint"
    head = next(node for node in document["nodes"] if node["name"] == "mixamorig:Head")
    head["children"].append(len(document["nodes"]) - 1)
    path = tmp_path / "eye.glb"
    path.write_bytes(glb(document, chunk))
    body = read(path)
    joint = body.rig.humanoid["leftEye"]
    assert body.rig.node[joint] == len(document["nodes"]) - 1
    assert np.abs(rest_frames(body.rig)[joint, :3, 3] - truth.joints["mixamorig:LeftEye"]).max() < NEAR


def test_clothes_on_a_skeleton_of_their_own_are_told(tmp_path: Path) -> None:
    data, _ = build()
    document, chunk = unpack(data)
    document["nodes"] += [{"name": "coat bone"}, {"name": "Coat", "mesh": 0, "skin": 1}]
    joint = len(document["nodes"]) - 2
    document["skins"].append({"joints": [joint] * len(document["skins"][0]["joints"])})
    document["scenes"][0]["nodes"] += [joint, joint + 1]
    path = tmp_path / "coat.glb"
    path.write_bytes(glb(document, chunk))
    body = read(path)
    assert any("not below her hips" in warning for warning in body.warnings)
    assert body.rig.names[0] == "root"
    assert body.rig.node[0] == -1


def test_a_broken_humanoid_map_falls_back_on_names(tmp_path: Path) -> None:
    data, truth = build(vrm="1.0", scheme="mixamo")
    document, chunk = unpack(data)
    del document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]["leftLowerArm"]
    path = tmp_path / "half.glb"
    path.write_bytes(glb(document, chunk))
    body = read(path)
    assert_stands_as(body, truth)
    assert any("leftLowerArm" in warning for warning in body.warnings)


def test_an_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(AvatarError, match=r"^nobody\.glb: the file cannot be read: No such file"):
        read(tmp_path / "nobody.glb")
