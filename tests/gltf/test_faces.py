"""What a face can show is found under the names tools give it, and what it cannot is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinesics.components.face_map import UNITS, VISEMES, FaceMap
from kinesics.components.gltf import read
from kinesics.components.gltf.faces import map_face
from kinesics.components.gltf.inspect import inspect
from kinesics.components.skin import Body
from tests.gltf.bytes_of import glb, unpack
from tests.gltf.figures import build


def faced(folder: Path, *names: str, **options: str) -> tuple[Body, FaceMap]:
    path = folder / "face.glb"
    path.write_bytes(build(morph_names=names, **options)[0])
    body = read(path)
    return body, map_face(body)


def _snake(name: str) -> str:
    return "".join("_" + c if c.isupper() else c for c in name)


SPELLINGS = {
    "ARKit": lambda u: u,
    "capitals": str.upper,
    "Jaw_Open": lambda u: _snake(u)[:1].upper() + _snake(u)[1:],
    "mouthSmile_L": lambda u: u.replace("Left", "_L").replace("Right", "_R") if u[-1] == "t" and len(u) > 10 else u,
    "head.jawOpen": lambda u: "head_blendShapes." + u,
    "Face|jawOpen": lambda u: "Face|" + u,
}


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_all_52_units_are_found_in_any_spelling(tmp_path: Path, spell: object) -> None:
    names = [spell(unit) for unit in UNITS]  # type: ignore[operator]
    body, face = faced(tmp_path, *names)
    assert len(UNITS) == 52
    assert {unit: body.morph_names[pairs[0][0]] for unit, pairs in face.units.items()} == dict(
        zip(UNITS, names, strict=True)
    )
    assert face.kind == "ARKit"
    assert {body.morph_names[c] for c, _ in face.blink} == {spell("eyeBlinkLeft"), spell("eyeBlinkRight")}  # type: ignore[operator]


@pytest.mark.parametrize("prefix", ["viseme_", "vrc.v_", "V_", "Viseme "])
def test_all_15_visemes_are_found_in_any_spelling(tmp_path: Path, prefix: str) -> None:
    names = [prefix + name.lower() for name in VISEMES]
    body, face = faced(tmp_path, *names)
    assert {name: body.morph_names[pairs[0][0]] for name, pairs in face.visemes.items()} == dict(
        zip(VISEMES, names, strict=True)
    )
    assert face.kind == "Oculus"
    assert body.morph_names[face.open[0][0]] == prefix + "aa"


def test_visemes_of_ready_player_me_are_found(tmp_path: Path) -> None:
    _, face = faced(tmp_path, "viseme_I", "viseme_O", "viseme_U", "viseme_E", "viseme_aa")
    assert set(face.visemes) == {"ih", "oh", "ou", "E", "aa"}


@pytest.mark.parametrize("names", [("Fcl_MTH_A", "Fcl_EYE_Close", "Fcl_ALL_Joy"), ("あ", "まばたき", "笑顔")])
def test_faces_of_vroid_and_mmd_speak_blink_and_smile(tmp_path: Path, names: tuple[str, ...]) -> None:
    body, face = faced(tmp_path, *names)
    assert [body.morph_names[c] for c, _ in face.open] == [names[0]]
    assert [body.morph_names[c] for c, _ in face.blink] == [names[1]]
    assert [body.morph_names[c] for c, _ in face.expressions["happy"].channels] == [names[2]]


def test_the_files_own_map_goes_before_names(tmp_path: Path) -> None:
    body, face = faced(tmp_path, "aaa_odd", "Fcl_MTH_A", "x", vrm="1.0")
    assert [(body.morph_names[c], w) for c, w in face.expressions["aa"].channels] == [("aaa_odd", 0.8)]
    assert face.kind == "VRM"
    assert face.expressions["aa"].is_binary
    assert face.expressions["aa"].blink == "block"
    assert "aa" in face.visemes


def test_a_shape_that_moves_nothing_is_not_used_and_is_told(tmp_path: Path) -> None:
    """A VRoid file fitted to ARKit's names has a jawOpen without one moved vertex: her mouth stayed shut."""
    data, _ = build(morph_names=("jawOpen", "Fcl_MTH_A", "viseme_sil"), sparse="bare")
    document, chunk = unpack(data)
    for primitive in (p for mesh in document["meshes"] for p in mesh["primitives"]):
        for target in (primitive["targets"][0], primitive["targets"][2]):
            document["accessors"][target["POSITION"]].pop("sparse")
    path = tmp_path / "still.glb"
    path.write_bytes(glb(document, chunk))
    body = read(path)
    face = map_face(body)
    assert [body.morph_names[c] for c, _ in face.open] == ["Fcl_MTH_A"]
    assert "show 1 shapes that move nothing in the file: jawOpen" in face.cannot


def test_a_smile_that_closes_her_eyes_is_known_by_its_shape(tmp_path: Path) -> None:
    """The file has no flag for it; here both shapes move the same vertices the same way."""
    data, _ = build(morph_names=("Fcl_EYE_Close", "Fcl_ALL_Joy"))
    document, chunk = unpack(data)
    for primitive in (p for mesh in document["meshes"] for p in mesh["primitives"]):
        primitive["targets"][1] = primitive["targets"][0]
    path = tmp_path / "joy.glb"
    path.write_bytes(glb(document, chunk))
    face = map_face(read(path))
    assert face.expressions["happy"].lids == 1.0
    assert face.expressions["blink"].lids == 0.0


def test_a_face_without_shapes_says_what_she_will_not_do(tmp_path: Path) -> None:
    body, face = faced(tmp_path, "shoe size")
    assert (face.kind, face.open, face.blink) == ("none", (), ())
    told = inspect(body)
    assert not told["face"]["speaks"]
    assert any("speak with her mouth" in line for line in told["degrades"])
    assert any("blink" in line for line in told["degrades"])


def test_the_strangers_faces_speak_as_they_can(shared: Path) -> None:
    folder = shared / "data" / "avatars"
    brunette = map_face(read(folder / "brunette-t.glb"))
    assert (brunette.kind, len(brunette.units), len(brunette.visemes)) == ("ARKit", 52, 15)
    pytest.importorskip("meshopt", reason="the extra `codecs` is not installed")
    body = read(folder / "vroid.glb")
    vroid = map_face(body)
    assert [body.morph_names[c] for c, _ in vroid.open] == ["Fcl_MTH_A"]
    assert vroid.expressions["happy"].lids == 1.0
    assert vroid.expressions["angry"].lids == 0.0
