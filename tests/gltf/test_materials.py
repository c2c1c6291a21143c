"""Colours, pictures and texture placement as the file gives them; a picture that cannot be had is no reason to stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.gltf import read
from kinesics.components.gltf.materials import Placement, placed_uv
from kinesics.components.skin import Body
from tests.gltf.bytes_of import glb, unpack
from tests.gltf.figures import build

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
WEBP = b"RIFF\x20\0\0\0WEBPVP8 " + bytes(16)
KTX = b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(20)


def painted(folder: Path, picture: bytes = PNG, vrm: str = "", **parts: Any) -> Body:
    """A person with one material, texture and picture, each overwritten by `parts`."""
    document, chunk = unpack(build(vrm=vrm)[0])
    document["bufferViews"].append({"buffer": 0, "byteOffset": len(chunk), "byteLength": len(picture)})
    chunk += picture + bytes(-len(picture) % 4)
    document["buffers"][0]["byteLength"] = len(chunk)
    document["images"] = [{"bufferView": len(document["bufferViews"]) - 1, "mimeType": "image/png", "name": "face"}]
    document["textures"] = [{"source": 0}]
    document["materials"] = [{"name": "skin", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    if "extensions" in parts:
        document["extensions"] = document.get("extensions", {}) | parts.pop("extensions")
    document |= parts
    path = folder / "painted.glb"
    path.write_bytes(glb(document, chunk))
    return read(path)


def test_a_material_is_read_whole(tmp_path: Path) -> None:
    body = painted(tmp_path, materials=[{
        "name": "lace", "alphaMode": "MASK", "alphaCutoff": 0.3, "doubleSided": True, "emissiveFactor": [0.1, 0.2, 0.3],
        "extensions": {"KHR_materials_unlit": {}, "KHR_materials_emissive_strength": {"emissiveStrength": 2.0}},
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.4, 0.3, 0.9], "roughnessFactor": 0.7, "metallicFactor": 0.2,
            "baseColorTexture": {"index": 0},
        },
    }])  # fmt: skip
    material = body.skin.materials[0]
    assert (material.name, material.alpha, material.cutoff, material.double_sided) == ("lace", "MASK", 0.3, True)
    assert (material.color, material.roughness, material.metallic) == ((0.5, 0.4, 0.3, 0.9), 0.7, 0.2)
    assert material.unlit
    assert np.allclose(material.emissive, (0.2, 0.4, 0.6))
    assert material.image == 0
    assert body.skin.images[0].data == PNG
    assert (body.skin.images[0].name, body.skin.images[0].mime) == ("face", "image/png")


def test_a_material_that_says_nothing_has_the_formats_defaults(tmp_path: Path) -> None:
    material = painted(tmp_path, materials=[{}]).skin.materials[0]
    assert (material.color, material.roughness, material.metallic) == ((1.0, 1.0, 1.0, 1.0), 1.0, 1.0)
    assert (material.alpha, material.image, material.unlit) == ("OPAQUE", -1, False)


def test_a_primitive_without_a_material_gets_one(tmp_path: Path) -> None:
    document, chunk = unpack(build(rigid=True)[0])
    path = tmp_path / "bare.glb"
    path.write_bytes(glb(document, chunk))
    body = read(path)
    assert {mesh.material for mesh in body.skin.meshes} == {1}
    assert body.skin.materials[1].name == "default"


def test_toon_materials_of_both_vrm_versions_are_lit_and_matt(tmp_path: Path) -> None:
    toon = {"name": "skin", "pbrMetallicRoughness": {"metallicFactor": 0.9}, "extensions": {"KHR_materials_unlit": {}}}
    new = painted(tmp_path, materials=[toon | {"extensions": {"VRMC_materials_mtoon": {}, "KHR_materials_unlit": {}}}])
    document, chunk = unpack(build(vrm="0.x")[0])
    document["materials"] = [toon]
    document["extensions"]["VRM"]["materialProperties"] = [{"name": "skin", "shader": "VRM/MToon"}]
    path = tmp_path / "toon.glb"
    path.write_bytes(glb(document, chunk))
    for body in (new, read(path)):
        material = body.skin.materials[0]
        assert (material.unlit, material.metallic, material.roughness) == (False, 0.0, 1.0)


def test_webp_is_kept_encoded_and_required_webp_is_no_reason_to_refuse(tmp_path: Path) -> None:
    body = painted(
        tmp_path,
        WEBP,
        textures=[{"extensions": {"EXT_texture_webp": {"source": 0}}}],
        extensionsRequired=["EXT_texture_webp"],
    )
    assert body.skin.images[0].mime == "image/webp"
    assert body.skin.images[0].data == WEBP
    assert not body.warnings


@pytest.mark.parametrize(
    ("picture", "parts", "reason"),
    [
        (KTX, {}, "is a KTX2 picture"),
        (b"GIF89a" + bytes(10), {}, "is no png, jpeg or webp picture"),
        (PNG, {"textures": [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]}, "textures[0] has no png"),
        (PNG, {"images": [{"uri": "lost.png"}]}, "'lost.png' cannot be read: No such file"),
        (PNG, {"images": [{"uri": "data:image/png;base64,%%"}]}, "broken base64"),
    ],
)
def test_a_picture_that_is_lost_is_said(tmp_path: Path, picture: bytes, parts: dict[str, Any], reason: str) -> None:
    body = painted(tmp_path, picture, **parts)
    assert body.skin.materials[0].image == -1
    assert not body.skin.images
    assert any(reason in warning and "plain colour" in warning for warning in body.warnings)


def test_one_picture_used_twice_is_kept_once(tmp_path: Path) -> None:
    textured = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    body = painted(tmp_path, materials=[textured, textured])
    assert [material.image for material in body.skin.materials] == [0, 0]
    assert len(body.skin.images) == 1


def test_texture_transform_lies_in_the_coordinates(tmp_path: Path) -> None:
    moved = {"offset": [0.25, -0.5], "scale": [2.0, 3.0]}
    texture = {"index": 0, "extensions": {"KHR_texture_transform": moved}}
    body = painted(tmp_path, materials=[{"pbrMetallicRoughness": {"baseColorTexture": texture}}])
    plain = painted(tmp_path)
    for a, b in zip(body.skin.meshes, plain.skin.meshes, strict=True):
        assert np.allclose(a.uv, b.uv * [2.0, 3.0] + [0.25, -0.5], atol=1e-6)


def test_a_texture_turned_by_a_quarter_goes_counter_clockwise_on_screen() -> None:
    """With v downward, the point right of the origin goes to above it: v negative."""
    uv = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    turned = placed_uv(Placement(rotation=np.pi / 2), uv)
    assert np.allclose(turned, [[0.0, -1.0], [1.0, 0.0]], atol=1e-9)


def test_the_specifications_own_example_shows_the_lower_left_quadrant() -> None:
    """KHR_texture_transform: offset (0, 1), a quarter turn, scale one half; v downward."""
    place = Placement(offset=(0.0, 1.0), rotation=np.pi / 2, scale=(0.5, 0.5))
    corners = placed_uv(place, np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32))
    assert np.allclose(corners.min(axis=0), [0.0, 0.5], atol=1e-9)
    assert np.allclose(corners.max(axis=0), [0.5, 1.0], atol=1e-9)


def test_toon_shading_keeps_its_shade_colour_and_its_edge(tmp_path: Path) -> None:
    """The same look in both versions: 0.x writes sRGB colours and a range, 1.0 linear colours and a margin."""
    mtoon = {
        "shadeColorFactor": [0.2158605, 0.5, 1.0], "shadingToonyFactor": 0.95, "shadingShiftFactor": -0.05,
        "outlineWidthMode": "worldCoordinates", "outlineWidthFactor": 0.002,
    }  # fmt: skip
    new = painted(tmp_path, materials=[{"name": "skin", "extensions": {"VRMC_materials_mtoon": mtoon}}])
    document, chunk = unpack(build(vrm="0.x")[0])
    document["materials"] = [{"name": "skin"}]
    document["extensions"]["VRM"]["materialProperties"] = [{
        "name": "skin", "shader": "VRM/MToon",
        "floatProperties": {"_ShadeShift": 0.0, "_ShadeToony": 0.9, "_OutlineWidthMode": 1, "_OutlineWidth": 0.5},
        "vectorProperties": {"_ShadeColor": [0.50196, 0.735357, 1.0, 1.0]},
    }]  # fmt: skip
    path = tmp_path / "toon.glb"
    path.write_bytes(glb(document, chunk))
    for body in (new, read(path)):
        material = body.skin.materials[0]
        assert material.shade == pytest.approx((0.2158605, 0.5, 1.0), abs=1e-4)
        assert material.shade_edge == pytest.approx((0.0, 0.1), abs=1e-9)
        assert any("toon outlines of 1" in warning for warning in body.warnings)
    assert painted(tmp_path).skin.materials[0].shade is None


def test_a_glow_whose_picture_is_not_drawn_does_not_paint_her_white(tmp_path: Path) -> None:
    """VRoid's hair: factor 1 over a picture of dim strands."""
    glowing = {"name": "hair", "emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0}}
    body = painted(tmp_path, materials=[glowing])
    assert body.skin.materials[0].emissive == (0.0, 0.0, 0.0)
    assert any("glowing pictures of 1" in warning for warning in body.warnings)
