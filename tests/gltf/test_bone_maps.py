"""A user's bone map is the last word, and every mistake in it is one line that lists what exists."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.config import Config
from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from kinesics.components.gltf.skeleton import rest_frames
from tests.gltf.bytes_of import glb, unpack
from tests.gltf.figures import build
from tests.gltf.naming import SCHEMES


def dressed(folder: Path, **options: Any) -> Path:
    path = folder / "her.glb"
    path.write_bytes(build(**options)[0])
    return path


def map_of(folder: Path, text: str, name: str = "map.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_bones_of_any_name_are_where_the_map_says(tmp_path: Path) -> None:
    data, truth = build()
    document, chunk = unpack(data)
    names = {}
    for number, node in enumerate(document["nodes"]):
        if node.get("name") in truth.bone_of:
            names[node["name"]] = node["name"] = f"ctl {number * 37 % 101} ü"
    path = tmp_path / "her.glb"
    path.write_bytes(glb(document, chunk))
    lines = "\n".join(f'{bone} = "{name}"' for bone, name in names.items())
    body = read(path, map_of(tmp_path, f"[bones]\n{lines}\n"))
    frames = rest_frames(body.rig)
    assert set(body.rig.humanoid) == set(truth.bone_of)
    for bone, joint in body.rig.humanoid.items():
        assert np.abs(frames[joint, :3, 3] - truth.joints[truth.bone_of[bone]]).max() < 1e-5, bone
    assert body.rig.humanoid == read(path, names).rig.humanoid  # a dict does what a file does


def test_a_map_of_one_bone_leaves_the_others_to_the_file(tmp_path: Path) -> None:
    path = dressed(tmp_path, scheme="mixamo", hair=2)
    plain = read(path)
    body = read(path, {"jaw": "hair1", "leftEye": ""})
    assert body.node_names[body.rig.humanoid["jaw"]] == "hair1"
    assert set(plain.rig.humanoid) - set(body.rig.humanoid) == {"leftEye"}


def test_a_map_beside_the_avatar_is_found_and_said(tmp_path: Path) -> None:
    path = dressed(tmp_path, scheme="mixamo")
    map_of(tmp_path, '[bones]\njaw = ""\n', "her.bones.toml")
    body = read(path)
    assert "jaw" not in body.rig.humanoid
    assert "1 bones are from her.bones.toml beside it" in body.warnings
    assert "jaw" in read(path, {}).rig.humanoid


def test_a_number_stands_for_a_node_without_a_name(tmp_path: Path) -> None:
    path = dressed(tmp_path, scheme="none")
    plain = read(path)
    node = int(plain.rig.node[plain.rig.humanoid["head"]])
    below = next(
        int(n) for n in plain.rig.node if plain.rig.node[plain.rig.parent[list(plain.rig.node).index(n)]] == node
    )
    body = read(path, {"head": node, "jaw": below})
    assert int(body.rig.node[body.rig.humanoid["jaw"]]) == below


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[bones\n", "map.toml: not TOML"),
        ("hips = 1\n", "map.toml: unknown section or key 'hips'; a bone map has one section, [bones]"),
        ("", "map.toml: no section [bones]"),
        ('[bones]\nleftElbow = "x"\n', "'leftElbow' is no bone; the bones are"),
        ("[bones]\nhips = 1.5\n", "hips = 1.5: wanted a node's name, its number"),
        ("[bones]\nhips = true\n", "hips = True: wanted a node's name"),
        (
            '[bones]\nhips = "mixamorig:Hip"\n',
            "hips = 'mixamorig:Hip', which is no node; the nodes are mixamorig:Hips,",
        ),
        ("[bones]\nhips = 900\n", "hips = 900; the file has nodes 0.."),
        ('[bones]\nhead = "mixamorig:Head"\njaw = "mixamorig:Head"\n', "to head and to jaw"),
        ('[bones]\nhead = "mixamorig:LeftFoot"\n', "head = 'mixamorig:LeftFoot', which does not lie below"),
    ],
)
def test_a_mistake_in_a_map_is_one_line_that_says_what_exists(tmp_path: Path, text: str, reason: str) -> None:
    path = dressed(tmp_path, scheme="mixamo")
    with pytest.raises(AvatarError) as error:
        read(path, map_of(tmp_path, text))
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_name_that_two_nodes_have_needs_a_number(tmp_path: Path) -> None:
    data, _ = build(hair=2)
    document, chunk = unpack(data)
    for node in document["nodes"]:
        if node.get("name", "").startswith("hair"):
            node["name"] = "lock"
    path = tmp_path / "her.glb"
    path.write_bytes(glb(document, chunk))
    with pytest.raises(AvatarError, match=r"nodes \d+, \d+ have that name: write a number"):
        read(path, {"jaw": "lock"})


def test_the_shipped_example_is_a_map_that_is_read(tmp_path: Path) -> None:
    from kinesics.components.gltf.bone_map import read_bone_map
    from kinesics.systems.headless import ASSETS

    example = read_bone_map(ASSETS / "bones.example.toml")
    assert example["hips"] == "pelvis"
    path = dressed(tmp_path, scheme="unreal")
    known = set(SCHEMES["unreal"].values())
    fitting = {bone: node for bone, node in example.items() if node == "" or node in known}
    assert len(fitting) == len(example)
    assert read(path, fitting).rig.humanoid["hips"] == read(path).rig.humanoid["hips"]


@pytest.mark.long
@pytest.mark.parametrize("lost", [("neck",), ("chest",), ("upperChest",), ("chest", "upperChest"), ("spine",)])
def test_without_a_bone_of_her_trunk_her_hands_still_go_where_they_went(shared: Path, lost: tuple[str, ...]) -> None:
    """Four seconds of speech with and without: the same picks, hands and head within 2.5 cm.

    Without the rule, which has other capsules where a joint is lost: that moves a hand by another 3 cm.
    """
    from kinesics.systems import headless

    config = Config.default()
    layers = tuple(layer for layer in config.run.layers if layer != "rule")
    config = dataclasses.replace(config, run=dataclasses.replace(config.run, layers=layers))
    runs, rigs = [], []
    for bones in ({}, dict.fromkeys(lost, "")):
        body = read(shared / "data" / "avatars" / "brunette-t.glb", bones)
        world = headless.world(body, seed=3, config=config)
        world.avatar.say(shared / "data" / "speech" / "ss_0890.wav")
        runs.append(headless.run(world, seconds=4.0))
        rigs.append(body.rig)
    assert not set(lost) & set(rigs[1].humanoid)
    assert (runs[0].window == runs[1].window).all()
    for bone, near in (("leftHand", 0.025), ("rightHand", 0.025), ("head", 0.025), ("leftFoot", 0.001)):
        one, two = (run.position[:, rig.humanoid[bone]] for run, rig in zip(runs, rigs, strict=True))
        assert np.linalg.norm(one - two, axis=1).max() < near, bone
