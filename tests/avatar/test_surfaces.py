"""Each of her surfaces is lit as what it is, and the pieces that make her look alive are in the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesics.components.skin import Material

from .glb import Glb

FILE = Path(__file__).parents[2] / "assets" / "avatar" / "default.vrm"


@pytest.fixture(scope="module")
def glb() -> Glb:
    return Glb(FILE)


def _part(glb: Glb, material: str) -> dict[str, np.ndarray]:
    return next(p for p in glb.primitives if p["material"] == material)


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("skin", {}, ("SKIN",)),
        ("hair", {}, ("HAIR",)),
        ("fabric", {}, ("CLOTH",)),
        ("trousers", {}, ("CLOTH",)),
        ("eye", {}, ()),
        ("teeth", {}, ()),
        ("catchlight", {"unlit": True}, ("UNLIT",)),
        ("Body_00_SKIN", {"image": 3}, ("SKIN", "TEXTURED")),
        ("Hair_00", {"shade": (0.5, 0.5, 0.5)}, ("TOON",)),
    ],
)
def test_a_material_is_lit_as_its_name_says(name: str, more: dict, words: tuple[str, ...]) -> None:
    materials = pytest.importorskip("kinesics.engine_plugin.materials")
    assert materials.variant(Material(name=name, **more)) == words


def test_her_neck_lies_in_the_shade_of_her_chin(glb: Glb) -> None:
    skin = _part(glb, "skin")
    place, light = skin["POSITION"], skin["COLOR_0"][:, :3].mean(axis=1)
    chin = glb.places["head"] + [0.0, -0.045, 0.0]
    front = np.abs(place[:, 0]) < 0.015
    under = front & (np.abs(place[:, 1] - chin[1]) < 0.012) & (place[:, 2] > chin[2]) & (place[:, 2] < chin[2] + 0.03)
    brow = front & (np.abs(place[:, 1] - glb.places["leftEye"][1] - 0.045) < 0.01) & (place[:, 2] > chin[2] + 0.06)
    assert under.any()
    assert brow.any()
    assert light[under].mean() < 0.8 * light[brow].mean()


def test_her_upper_teeth_show_when_her_jaw_falls_and_hide_when_it_does_not(glb: Glb) -> None:
    """The edge of the upper teeth lies below the upper lip and above the parted lower one."""
    face = next(p for p in glb.primitives if p["mesh"] == "Face" and p["material"] == "skin")
    names = next(mesh["extras"]["targetNames"] for mesh in glb.document["meshes"] if "extras" in mesh)
    teeth = _part(glb, "teeth")["POSITION"]
    middle = np.abs(teeth[:, 0]) < 0.004
    split = (teeth[:, 1].max() + teeth[:, 1].min()) / 2
    front = teeth[middle & (teeth[:, 2] > teeth[:, 2].max() - 0.004)]
    edge = front[front[:, 1] > split - 0.004][:, 1].min()
    jaw = glb.accessor(face["targets"][names.index("jawOpen")]["POSITION"])
    lip = face["POSITION"]
    near = (np.abs(lip[:, 0]) < 0.004) & (np.abs(lip[:, 1] - edge) < 0.012) & (lip[:, 2] > teeth[:, 2].max())
    falls = jaw[:, 1] < -0.004
    lower = lip[near & falls][:, 1].max()
    assert lower > edge - 0.0005, "shut, the lower lip covers the edge"
    assert (lip + 0.4 * jaw)[near & falls][:, 1].max() < edge - 0.002, "open, 2 mm of teeth show"


def test_each_eye_has_its_catch_light_on_the_same_side_as_the_key_light(glb: Glb) -> None:
    lights = _part(glb, "catchlight")["POSITION"]
    for side in ("left", "right"):
        eye = glb.places[side + "Eye"]
        mine = lights[np.linalg.norm(lights - eye, axis=1) < 0.02]
        assert len(mine) == 26
        big = mine[:13].mean(axis=0) - eye
        assert big[0] < 0.0 < big[1], "above, to her right: where figure.frag has the key light"
        assert big[2] > 0.008


def test_every_strand_of_hair_tells_where_it_runs(glb: Glb) -> None:
    uv = _part(glb, "hair")["TEXCOORD_0"]
    assert uv.min() >= 0.0
    assert uv.max() <= 1.0
    assert np.ptp(uv[:, 1]) > 0.99
