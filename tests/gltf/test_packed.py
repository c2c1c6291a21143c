"""Packed meshes: the same person with the extra `codecs`, one true line without it, one line for broken bytes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from kinesics.components.gltf.skeleton import rest_frames, rest_vertices
from kinesics.components.skin import Body
from tests.gltf.bytes_of import glb, unpack
from tests.gltf.figures import build

WIDE = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}


def plain(folder: Path, **options: Any) -> tuple[Path, dict[str, Any], bytes]:
    data, _ = build(**options)
    path = folder / "plain.glb"
    path.write_bytes(data)
    return path, *unpack(data)


def column(document: dict[str, Any], chunk: bytes, index: int) -> np.ndarray:
    row = document["accessors"][index]
    view = document["bufferViews"][row["bufferView"]]
    dtype, wide = np.dtype(TYPES[row["componentType"]]), WIDE[row["type"]]
    start = view["byteOffset"] + row.get("byteOffset", 0)
    return np.frombuffer(chunk, dtype, row["count"] * wide, start).reshape(row["count"], wide)


def with_meshopt(document: dict[str, Any], chunk: bytes, extension: str = "EXT_meshopt_compression") -> bytes:
    """Every buffer view whose elements are a multiple of 4 bytes wide, packed; index views as index sequences."""
    meshopt = pytest.importorskip("meshopt", reason="the extra `codecs` is not installed")
    packed, fallback = bytearray(), 0
    indices = {p["indices"] for m in document["meshes"] for p in m["primitives"] if "indices" in p}
    of_view: dict[int, int] = {}
    for number, row in enumerate(document["accessors"]):
        if "bufferView" in row:
            of_view.setdefault(row["bufferView"], number)
    for number, view in enumerate(document["bufferViews"]):
        raw = chunk[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        packed += b"\0" * (-len(packed) % 4)
        start = len(packed)
        odd = number not in of_view or len(column(document, chunk, of_view[number])[0].tobytes()) % 4
        if odd and of_view.get(number) not in indices:
            packed += raw
            document["bufferViews"][number] = {"buffer": 0, "byteOffset": start, "byteLength": len(raw)}
            continue
        values = column(document, chunk, of_view[number])
        mode = "INDICES" if of_view[number] in indices else "ATTRIBUTES"
        packed += meshopt.encode_gltf_buffer(values[:, 0].copy() if mode == "INDICES" else values.copy(), mode)
        document["bufferViews"][number] = {
            "buffer": 1, "byteOffset": fallback, "byteLength": len(raw),
            "extensions": {extension: {
                "buffer": 0, "byteOffset": start, "byteLength": len(packed) - start, "count": len(values),
                "byteStride": values[0].nbytes, "mode": mode,
            }},
        }  # fmt: skip
        fallback += len(raw)
    document["buffers"] = [
        {"byteLength": len(packed)}, {"byteLength": fallback, "extensions": {extension: {"fallback": True}}},
    ]  # fmt: skip
    document["extensionsUsed"] = document["extensionsRequired"] = [extension]
    return glb(document, bytes(packed))


def with_draco(document: dict[str, Any], chunk: bytes) -> bytes:
    """Every primitive's attributes and indices packed losslessly in their order; morphs stay plain."""
    codec = pytest.importorskip("DracoPy", reason="the extra `codecs` is not installed")
    data = bytearray(chunk)
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            at = primitive["attributes"]
            corners = column(document, chunk, primitive["indices"]).reshape(-1, 3).astype(np.uint32)
            names = [name for name in at if name != "POSITION"]
            blob = codec.encode(
                column(document, chunk, at["POSITION"]).astype(np.float32),
                corners,
                quantization_bits=20,
                preserve_order=True,
                generic_attributes={k: column(document, chunk, at[name]).copy() for k, name in enumerate(names)},
            )
            found = {row["attribute_type"]: row["unique_id"] for row in codec.decode(blob).attributes}
            data += b"\0" * (-len(data) % 4)
            document["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(blob)})
            primitive["extensions"] = {
                "KHR_draco_mesh_compression": {
                    "bufferView": len(document["bufferViews"]) - 1,
                    "attributes": {"POSITION": found[0]} | {name: k for k, name in enumerate(names)},
                }
            }
            data += blob
            for index in (*at.values(), primitive["indices"]):
                document["accessors"][index].pop("bufferView", None)
    document["extensionsUsed"] = document["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    document["buffers"] = [{"byteLength": len(data)}]
    return glb(document, bytes(data))


def assert_the_same(one: Body, two: Body, near: float) -> None:
    assert one.rig.names == two.rig.names
    assert np.abs(rest_frames(one.rig) - rest_frames(two.rig)).max() < near
    for a, b in zip(one.skin.meshes, two.skin.meshes, strict=True):
        assert np.abs(rest_vertices(one.rig, one.skin, a) - rest_vertices(two.rig, two.skin, b)).max() < near
        assert (a.triangle == b.triangle).all()
        assert [m.name for m in a.morphs] == [m.name for m in b.morphs]
        assert all(np.abs(m.position - n.position).max() < near for m, n in zip(a.morphs, b.morphs, strict=True))


@pytest.mark.parametrize("extension", ["EXT_meshopt_compression", "KHR_meshopt_compression"])
@pytest.mark.parametrize("options", [{}, {"weights": "u1", "skins": 2}], ids=["floats", "bytes"])
def test_a_meshopt_file_is_the_plain_one(tmp_path: Path, options: dict[str, Any], extension: str) -> None:
    path, document, chunk = plain(tmp_path, **options)
    packed = tmp_path / "packed.glb"
    packed.write_bytes(with_meshopt(document, chunk, extension))
    assert_the_same(read(path), read(packed), 1e-9)


def test_a_draco_file_is_the_plain_one(tmp_path: Path) -> None:
    path, document, chunk = plain(tmp_path)
    packed = tmp_path / "packed.glb"
    packed.write_bytes(with_draco(document, chunk))
    assert_the_same(read(path), read(packed), 1e-5)  # m; 20 bits of Draco's quantisation over 1.6 m


def test_a_draco_accessor_of_another_length_is_refused(tmp_path: Path) -> None:
    _, document, chunk = plain(tmp_path)
    data = with_draco(document, chunk)
    document, chunk = unpack(data)
    document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["count"] = 7
    path = tmp_path / "packed.glb"
    path.write_bytes(glb(document, chunk))
    with pytest.raises(AvatarError, match=r"declares 7 elements, \d+ are packed"):
        read(path)


@pytest.mark.parametrize(
    ("library", "pack", "name"),
    [("meshopt", with_meshopt, "EXT_meshopt_compression"), ("DracoPy", with_draco, "KHR_draco_mesh_compression")],
)
def test_without_the_extra_the_line_says_which_and_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, pack: Any, name: str
) -> None:
    _, document, chunk = plain(tmp_path)
    path = tmp_path / "packed.glb"
    path.write_bytes(pack(document, chunk))
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(AvatarError) as error:
        read(path)
    assert f"packed with {name}; pip install 'kinesics[codecs]'" in str(error.value)


@pytest.mark.parametrize("pack", [with_meshopt, with_draco])
def test_broken_packed_bytes_end_in_one_line(tmp_path: Path, pack: Any) -> None:
    _, document, chunk = plain(tmp_path)
    document, chunk = unpack(pack(document, chunk))
    rng = np.random.default_rng(2)
    path = tmp_path / "packed.glb"
    ends = {"read": 0, "refused": 0}
    for _ in range(60):
        raw = np.frombuffer(chunk, np.uint8).copy()
        raw[rng.integers(0, len(raw), 200)] ^= 0x55
        path.write_bytes(glb(document, raw.tobytes()))
        line = ""
        try:
            read(path)
        except AvatarError as error:
            line = str(error)
        ends["refused" if line else "read"] += 1
        assert "\n" not in line
    assert ends["refused"] > 20


def test_an_unpacked_size_that_lies_is_refused_before_memory_is_spent(tmp_path: Path) -> None:
    _, document, chunk = plain(tmp_path)
    document, chunk = unpack(with_meshopt(document, chunk))
    view = next(v for v in document["bufferViews"] if "extensions" in v)
    view["byteLength"] = 1 << 32
    view["extensions"]["EXT_meshopt_compression"]["count"] = (1 << 32) // 4
    path = tmp_path / "packed.glb"
    path.write_bytes(glb(document, chunk))
    with pytest.raises(AvatarError, match=r"unpacks to more than 256 MB|wanted 0\.\."):
        read(path)
