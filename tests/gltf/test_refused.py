"""Files that cannot become an avatar end in one line that says why, before memory or time is spent."""

from __future__ import annotations

import base64
import json
import struct
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from tests.gltf.bytes_of import Writer, glb, pack, unpack
from tests.gltf.figures import build

Edit = Callable[[dict[str, Any]], None]


def refused(path: Path) -> str:
    """Return the line a file is refused with; it must be one, and name the file."""
    with pytest.raises(AvatarError) as error:
        read(path)
    line = str(error.value)
    assert "\n" not in line
    assert line.startswith(f"{path.name}: ")
    assert len(line) < 400
    return line


def edited(folder: Path, edit: Edit, **options: Any) -> Path:
    document, chunk = unpack(build(**options)[0])
    edit(document)
    path = folder / "edited.glb"
    path.write_bytes(glb(document, chunk))
    return path


def _put(*keys: Any, value: Any) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        place: Any = document
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return edit


EDITS: dict[str, tuple[Edit, str]] = {
    "a circle of nodes": (_put("nodes", 5, "children", value=[2]), "is a child of"),
    "a circle without a root": (
        lambda d: d["nodes"].extend([{"children": [len(d["nodes"]) + 1]}, {"children": [len(d["nodes"])]}]),
        "runs in a circle: 2 of",
    ),
    "a child of two": (lambda d: d["nodes"][2]["children"].append(9), "is a child of nodes["),
    "a child that is not there": (_put("nodes", 3, "children", value=[999]), "nodes[3].children holds 999"),
    "a huge count": (_put("accessors", 0, "count", value=10**9), "accessors[0].count is 1000000000"),
    "a count beyond its bytes": (_put("accessors", 1, "count", value=5000), "bytes end before them"),
    "a negative offset": (_put("bufferViews", 0, "byteOffset", value=-4), "bufferViews[0].byteOffset is -4"),
    "a view beyond its buffer": (_put("bufferViews", 0, "byteLength", value=10**8), "truncated?"),
    "a buffer beyond its chunk": (_put("buffers", 0, "byteLength", value=10**8), "are there: truncated?"),
    "a stride below an element": (_put("bufferViews", 1, "byteStride", value=4), "a stride of 4 bytes"),
    "an unknown component": (_put("accessors", 1, "componentType", value=7), "componentType is 7"),
    "positions of the wrong width": (_put("accessors", 1, "type", value="VEC2"), "wanted (3,) numbers"),
    "a joint the skin has not": (
        lambda d: d["skins"][0].update(joints=d["skins"][0]["joints"][:-2]), "their skin has 53",
    ),
    "a node name of another type": (_put("nodes", 4, "translation", value="up"), "nodes[4].translation is 'up'"),
    "a number too large": (_put("nodes", 4, "translation", value=[1e308, 1e308, 1e308]), "units from her hips"),
    "a required extension nobody knows": (
        _put("extensionsRequired", value=["ACME_bodies"]), "requires 'ACME_bodies', which this version does not read",
    ),
    "glTF 1": (_put("asset", "version", value="1.0"), "glTF version '1.0' is not read"),
    "no arms by name": (
        lambda d: [
            n.update(name=n["name"].replace("Arm", "Rod"), translation=[0, 0, 0.01]) for n in d["nodes"]
        ],
        "no humanoid by its names: no leftLowerArm, rightLowerArm among 55 joints ('hips'",
    ),
    "an outside picture": (
        lambda d: d.update(
            images=[{"uri": "../face.png"}], textures=[{"source": 0}],
            materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        ),
        "images[0].uri is '../face.png', which leaves the avatar's folder: not read",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "reason"), EDITS.values(), ids=EDITS.keys())
def test_it_is_refused_in_one_true_line(tmp_path: Path, edit: Edit, reason: str) -> None:
    assert reason in refused(edited(tmp_path, edit))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "its JSON cannot be read"),
        (b"glTF", "truncated: 4 bytes"),
        (b"Kaydara FBX Binary  \0", "not a glTF or VRM file, it starts with b'Kaydara '"),
        (b"\x89PNG\r\n\x1a\n" * 9, "not a glTF or VRM file"),
        (struct.pack("<4sIIII", b"glTF", 1, 24, 4, 0) + b"{}  ", "glTF version 1"),
        (struct.pack("<4sIIII", b"glTF", 2, 24, 2**31, 0x4E4F534A) + b"{}  ", "truncated: a chunk at byte 12"),
        (struct.pack("<4sIIII", b"glTF", 2, 24, 4, 7) + b"{}  ", "its first chunk is not JSON"),
        (b'{"nodes": [{"translation": [NaN, 0, 0]}]}', "its JSON holds NaN"),
        (b'{"nodes": 1e999}', "nodes is inf, wanted a list"),
        (b'{"asset": ' + b"[" * 200_000, "nested too deeply"),
        (b"[" * 4_000_000, "not a glTF"),
        (b'{"asset": [' + b"1," * 4_000_000 + b"1]}", "values: not read"),
        (b'{"scene": 1' + b"0" * 9000 + b"}", "its JSON cannot be read"),
        (b'{"nodes": "\xff"}', "its JSON cannot be read"),
        (b"{}", "it has 0 nodes"),
        (b'{"nodes": [{}]}', "not a humanoid: its 0 joints tell no body, and neither do names or a VRM map"),
    ],
)
def test_bytes_that_are_no_avatar_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "stranger.glb"
    path.write_bytes(data)
    assert reason in refused(path)


def test_every_cut_of_a_file_is_refused(tmp_path: Path) -> None:
    data = build()[0]
    path = tmp_path / "cut.glb"
    for size in np.linspace(1, len(data) - 1, 40).astype(int):
        path.write_bytes(data[:size])
        refused(path)


@pytest.mark.parametrize(
    "uri",
    ["../{}", "/{}", "file:///{}", "http://host/{}", "a/../../{}", "..%2F{}", "C:\\{}", "link/{}", "a\0{}", "\ud800{}"],
)
def test_a_buffer_outside_the_folder_is_never_opened(tmp_path: Path, uri: str) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(10_000))
    home = tmp_path / "home"
    home.mkdir()
    (home / "link").symlink_to(tmp_path)
    path = home / "curious.gltf"
    document = {"nodes": [{}], "buffers": [{"byteLength": 4, "uri": uri.format("secret.bin")}]}
    _with_view(path, document)
    assert any(word in refused(path) for word in ("leaves the avatar's folder", "cannot be read"))


def test_a_buffer_beside_the_file_is_read(tmp_path: Path) -> None:
    document, chunk = unpack(build()[0])
    (tmp_path / "her body.bin").write_bytes(chunk)
    document["buffers"][0]["uri"] = "her%20body.bin"
    path = tmp_path / "her.gltf"
    path.write_text(json.dumps(document))
    digest = read(path).digest
    (tmp_path / "her body.bin").write_bytes(chunk + b"\0")
    assert read(path).digest != digest
    (tmp_path / "her body.bin").unlink()
    assert "'her%20body.bin' cannot be read: No such file" in refused(path)


def test_a_broken_data_uri_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.gltf"
    for uri, reason in (("data:;base64,####", "broken base64"), ("data:text/plain,abc", "not base64")):
        _with_view(path, {"nodes": [{}], "buffers": [{"byteLength": 4, "uri": uri}]})
        assert reason in refused(path)


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder.glb"
    folder.mkdir()
    assert "is a folder" in refused(folder)
    assert "No such file" in refused(tmp_path / "nobody.vrm")


def test_an_animal_on_four_legs_is_refused_though_it_has_upper_arms(tmp_path: Path) -> None:
    """Her spine laid level over her legs and her arms turned down, as a fox has them."""

    def edit(document: dict[str, Any]) -> None:
        for node in document["nodes"]:
            if node["name"] == "spine":
                node["rotation"] = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]

    line = refused(edited(tmp_path, edit))
    assert "not a standing humanoid: its legs leave its spine at " in line
    assert "four legs" in line


def test_a_rig_of_four_joints_is_refused(tmp_path: Path) -> None:
    out = Writer()
    at = {
        "POSITION": out.add(np.eye(3, dtype="f4")),
        "JOINTS_0": out.add(np.zeros((3, 4), "u1")),
        "WEIGHTS_0": out.add(np.eye(4, dtype="f4")[[0, 0, 0]]),
    }
    nodes = [{"name": f"Bone.{k:03}", "children": [k + 1]} for k in range(3)] + [{"name": "Bone.003"}]
    document = {
        "asset": {"version": "2.0"},
        "nodes": [*nodes, {"mesh": 0, "skin": 0}],
        "meshes": [{"primitives": [{"attributes": at}]}],
        "skins": [{"joints": [0, 1, 2, 3]}],
    }
    path = tmp_path / "simple.glb"
    path.write_bytes(pack(document, out))
    line = refused(path)
    assert "no hips, head, leftUpperArm" in line
    assert "among 4 joints ('Bone.000'" in line


def _bomb_zeros(document: dict[str, Any], out: Writer) -> None:
    """Accessors without bytes: each claims what fits the limit of one."""
    document["accessors"] += [{"componentType": 5126, "type": "VEC3", "count": 8_000_000} for _ in range(400)]
    primitive = document["meshes"][0]["primitives"][0]
    primitive["attributes"]["POSITION"] = len(document["accessors"]) - 1
    primitive.pop("indices")


def _bomb_morphs(document: dict[str, Any], out: Writer) -> None:
    """Twelve thousand dense targets over the same bytes."""
    target = document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
    document["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": target}] * 400
    document["meshes"] += [document["meshes"][0]] * 30
    document["nodes"] += [{"mesh": k + 1, "skin": 0} for k in range(30)]
    document["scenes"][0]["nodes"] += range(len(document["nodes"]) - 30, len(document["nodes"]))


def _bomb_chain(document: dict[str, Any], out: Writer) -> None:
    """A chain of nodes of one name, as deep as nodes are read."""
    first = len(document["nodes"])
    document["nodes"] += [{"name": "hair", "children": [first + k + 1]} for k in range(3000)] + [{"name": "hair"}]
    document["nodes"][1]["children"].append(first)
    document["skins"][0]["joints"] += list(range(first, first + 3001))
    document["skins"][0].pop("inverseBindMatrices")


def _bomb_rigid(document: dict[str, Any], out: Writer) -> None:
    """Six thousand nodes that show one mesh without a skin."""
    first = len(document["nodes"])
    document["nodes"] += [{"mesh": 0} for _ in range(6_000)]
    document["nodes"][1]["children"] += range(first, first + 6_000)


def _bomb_pictures(document: dict[str, Any], out: Writer) -> None:
    """Five hundred pictures over the same bytes."""
    document["images"] = [{"bufferView": 0}] * 500
    document["bufferViews"][0] = {"buffer": 0, "byteLength": document["buffers"][0]["byteLength"]}
    document["textures"] = [{"source": k} for k in range(500)]
    document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": k}}} for k in range(500)]


_LONG = [pytest.param(bomb, marks=pytest.mark.long) for bomb in (_bomb_morphs, _bomb_rigid)]


@pytest.mark.parametrize("bomb", [_bomb_zeros, _bomb_chain, _bomb_pictures, *_LONG])
def test_a_small_file_cannot_ask_for_much_memory_or_time(tmp_path: Path, bomb: Any) -> None:
    document, chunk = unpack(build()[0])
    if bomb is _bomb_pictures:
        chunk = chunk + bytes(4 << 20)
        document["buffers"][0]["byteLength"] = len(chunk)
    bomb(document, None)
    path = tmp_path / "bomb.glb"
    path.write_bytes(glb(document, chunk))
    line = ""
    tracemalloc.start()
    start = time.process_time()
    try:
        read(path)
    except AvatarError as error:
        line = str(error)
    seconds, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "\n" not in line
    assert seconds < 5.0  # s, tracing included
    assert peak < 800e6  # bytes


def _with_view(path: Path, document: dict[str, Any]) -> None:
    """A person whose every byte lies in the buffer of `document`, so that it must be opened."""
    whole, chunk = unpack(build()[0])
    whole["buffers"] = [document["buffers"][0] | {"byteLength": len(chunk)}]
    path.write_text(json.dumps(whole))


def test_a_data_uri_holds_the_same_person(tmp_path: Path) -> None:
    whole, chunk = unpack(build()[0])
    whole["buffers"][0]["uri"] = "data:application/gltf-buffer;base64," + base64.b64encode(chunk).decode()
    path = tmp_path / "text.gltf"
    path.write_text(json.dumps(whole), encoding="utf-8-sig")
    assert len(read(path).rig.names) == 55
