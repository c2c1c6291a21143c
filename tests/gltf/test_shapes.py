"""Skeletons without names: told by where their joints lie, or refused with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from kinesics.components.gltf.skeleton import rest_frames
from tests.gltf.bytes_of import glb, unpack
from tests.gltf.figures import build

BODY = (
    "hips", "spine", "chest", "upperChest", "neck", "head",
    *(s + p for s in ("left", "right") for p in ("Shoulder", "UpperArm", "LowerArm", "Hand")),
    *(s + p for s in ("left", "right") for p in ("UpperLeg", "LowerLeg", "Foot", "Toes")),
)  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        {}, {"pose": "A", "turned": True}, {"armature_scale": 0.01}, {"world_turn": np.pi}, {"world_turn": 1.0},
        {"drop": ("neck", "leftShoulder", "rightShoulder")}, {"drop": ("upperChest", "chest")},
        {"drop": ("leftToes", "rightToes")},
    ],
)  # fmt: skip
@pytest.mark.parametrize("scheme", ["none", "numbers"])
def test_a_nameless_body_has_its_bones_where_they_are(tmp_path: Path, scheme: str, options: dict[str, Any]) -> None:
    """Against the same person with names, bone by bone."""
    named, nameless = tmp_path / "named.glb", tmp_path / "nameless.glb"
    named.write_bytes(build(scheme="mixamo", **options)[0])
    nameless.write_bytes(build(scheme=scheme, **options)[0])
    a, b = read(named), read(nameless)
    assert any("told by their places" in warning for warning in b.warnings)
    wanted = {bone for bone in BODY if bone in a.rig.humanoid}
    assert set(b.rig.humanoid) == wanted
    one, two = rest_frames(a.rig)[:, :3, 3], rest_frames(b.rig)[:, :3, 3]
    for bone in wanted:
        assert np.abs(one[a.rig.humanoid[bone]] - two[b.rig.humanoid[bone]]).max() < 1e-5, bone


def test_the_robot_without_names_is_told_by_its_shape(shared: Path) -> None:
    body = read(shared / "data" / "avatars" / "BrainStem.glb")
    assert {"hips", "spine", "head", "leftUpperArm", "leftLowerArm", "leftFoot", "leftToes"} <= set(body.rig.humanoid)
    at = rest_frames(body.rig)[:, :3, 3]
    assert at[body.rig.humanoid["leftUpperArm"], 0] > 0.3 > -0.3 > at[body.rig.humanoid["rightUpperArm"], 0]
    assert at[body.rig.humanoid["head"], 1] > 1.5


@pytest.mark.parametrize("what", ["one arm longer", "legs crossed forward", "head below"])
def test_who_does_not_fit_is_refused_not_guessed(tmp_path: Path, what: str) -> None:
    document, chunk = unpack(build(scheme="vrm")[0])
    at = {node.get("name"): node for node in document["nodes"]}
    if what == "one arm longer":
        at["leftLowerArm"]["translation"] = [0.9, 0.4, 0.0]
    elif what == "legs crossed forward":
        for side in ("left", "right"):
            at[side + "LowerLeg"]["translation"] = [0.0, 0.0, 0.4]
            at[side + "Foot"]["translation"] = [0.0, 0.0, 0.4]
    else:
        at["neck"]["translation"] = [0.0, -1.0, 0.0]
    for node in document["nodes"]:
        node.pop("name", None)
    path = tmp_path / "odd.glb"
    path.write_bytes(glb(document, chunk))
    with pytest.raises(AvatarError, match=r"not a humanoid|not a standing humanoid"):
        read(path)
