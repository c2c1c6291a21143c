"""A coat with bones of its own moves with her; a second person beside her does not."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.gltf import read
from kinesics.components.gltf.skeleton import rest_vertices
from kinesics.components.skin import Body
from tests.gltf.bytes_of import glb, unpack
from tests.gltf.figures import build


def twice(
    folder: Path, rename: Any = lambda name: name, at: tuple[float, float, float] = (0, 0, 0), first: bool = False,
    keep: Any = lambda name: True,
) -> Body:  # fmt: skip
    """Return her with a copy of her skeleton that a copy of her skin hangs on."""
    document, chunk = unpack(build(scheme="mixamo", turned=True, armature_scale=0.01)[0])
    nodes = document["nodes"]
    count = len(nodes)
    mesh = next(k for k, node in enumerate(nodes) if "mesh" in node)
    copies = copy.deepcopy(nodes)
    for node in copies:
        if "children" in node:
            node["children"] = [child + count for child in node["children"]]
        node["name"] = rename(node.get("name", ""))
    copies[mesh] |= {"name": "Coat", "skin": 1}
    place = copies[0].get("translation", [0, 0, 0])
    copies[0]["translation"] = [a + b for a, b in zip(place, at, strict=True)]
    document["nodes"] = nodes + copies
    document["skins"].append(copy.deepcopy(document["skins"][0]))
    document["skins"][1]["joints"] = [joint + count for joint in document["skins"][0]["joints"]]
    tops = document["scenes"][0]["nodes"]
    document["scenes"][0]["nodes"] = tops + [n + count for n in tops]
    path = folder / "coat.glb"
    path.write_bytes(glb(document, chunk))
    return read(path)


@pytest.mark.parametrize("suffix", ["", ".001", "_1"])
def test_a_coat_with_bones_of_its_own_hangs_on_hers(tmp_path: Path, suffix: str) -> None:
    plain = tmp_path / "plain.glb"
    plain.write_bytes(build(scheme="mixamo", turned=True, armature_scale=0.01)[0])
    alone, body = read(plain), twice(tmp_path, lambda name: name + suffix)
    assert body.rig.names == alone.rig.names
    coat = next(mesh for mesh in body.skin.meshes if mesh.name == "Coat")
    hers = next(mesh for mesh in body.skin.meshes if mesh.name != "Coat")
    assert (coat.joint == hers.joint).all()
    assert np.abs(rest_vertices(body.rig, body.skin, coat) - rest_vertices(body.rig, body.skin, hers)).max() < 1e-5
    assert any("joints of a second skeleton" in warning for warning in body.warnings)
    assert not any("stay when she moves" in warning for warning in body.warnings)


def test_a_coat_laid_beside_her_is_set_onto_her(tmp_path: Path) -> None:
    body = twice(tmp_path, at=(0.0, 0.1, 0.2))
    coat = next(mesh for mesh in body.skin.meshes if mesh.name == "Coat")
    hers = next(mesh for mesh in body.skin.meshes if mesh.name != "Coat")
    assert np.abs(rest_vertices(body.rig, body.skin, coat) - rest_vertices(body.rig, body.skin, hers)).max() < 1e-5
    assert any("is set onto hers" in warning for warning in body.warnings)


def test_a_second_person_is_not_worn(tmp_path: Path) -> None:
    body = twice(tmp_path, at=(1.0, 0.0, 0.0))
    assert not any("second skeleton" in warning for warning in body.warnings)
    assert any("stay when she moves" in warning for warning in body.warnings)


def test_a_skirts_own_bones_hang_on_her_hips(tmp_path: Path) -> None:
    """Bones of the coat that she does not have keep their place in the tree, below hers."""
    body = twice(tmp_path, lambda name: "skirt " + name if "Toe" in name else name)
    joint = body.rig.names.index("skirt mixamorig:LeftToeBase")
    assert body.rig.parent[joint] == body.rig.humanoid["leftFoot"]
    assert not any("stay when she moves" in warning for warning in body.warnings)


def test_a_morph_that_the_file_starts_with_is_in_her_rest(tmp_path: Path) -> None:
    """Weight 0 shows the start, weight 1 the whole morph as the file has it."""
    document, chunk = unpack(build()[0])
    plain = tmp_path / "plain.glb"
    plain.write_bytes(glb(document, chunk))
    node = next(node for node in document["nodes"] if "mesh" in node)
    document["meshes"][0]["weights"] = [0.9, 0.9, 0.9]
    node["weights"] = [0.25, 0.0, 0.0]  # a node's own weights stand over its mesh's
    begun = tmp_path / "begun.glb"
    begun.write_bytes(glb(document, chunk))
    a, b = read(plain).skin.meshes[0], read(begun).skin.meshes[0]
    move, rest = a.morphs[0], b.morphs[0]
    expected = a.position.astype(float)
    expected[move.index] += 0.25 * move.position
    assert np.abs(b.position - expected).max() < 1e-6
    expected[rest.index] += rest.position
    whole = a.position.astype(float)
    whole[move.index] += move.position
    assert np.abs(expected - whole).max() < 1e-6
    assert (b.morphs[1].position == a.morphs[1].position).all()
    assert any("starts with morphs as the file asks: 'jawOpen 0.25'" in w for w in read(begun).warnings)
