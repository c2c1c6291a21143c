"""What people can change or break: the table of shapes, the weights, phones beside a voice. One line each."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.errors import AudioError, FaceError
from kinesics.components.face_map import VISEMES, FaceMap, Look
from kinesics.systems.face import net, visemes
from kinesics.systems.voice import phones

SHIPPED = visemes.SHIPPED.read_text(encoding="utf-8")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def test_the_shipped_weights_are_small_and_whole() -> None:
    made = net.load()
    assert net.SHIPPED.stat().st_size <= 1_000_000
    assert len(made.delays) * 15 == len(made.left)
    np.testing.assert_allclose(np.exp(made.prior).sum(), 1.0, atol=1e-6)
    np.testing.assert_allclose(np.exp(made.after).sum(axis=1) + np.exp(made.stay), 1.0, atol=1e-3)


@given(at=st.integers(0, 5_000), byte=st.integers(0, 255), cut=st.booleans())
@settings(max_examples=30)
def test_broken_weights_never_end_in_a_traceback(at: int, byte: int, cut: bool) -> None:
    data = bytearray(net.SHIPPED.read_bytes())
    at = at * len(data) // 5_001
    if cut:
        data = data[:at]
    else:
        data[at] ^= byte or 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lips.npz"
        path.write_bytes(bytes(data))
        with suppress(FaceError):  # a byte that only rounds a weight is no fault; anything but FaceError is
            assert len(net.load(path).delays) > 0


def test_weights_that_are_not_there_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(FaceError, match="cannot be read"):
        net.load(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[kk]", "[KK]", "no shape 'kk'"),
        ("rate = 75", "rate = 500", r"\[PP\] rate = 500: wanted a number, 5..200"),
        ("rate = 75", "rate = true", "wanted a number"),
        ("lead = 0.1\n", "lead = nan\n", "wanted a number, 0..0.2"),
        ("jawOpen = 0.48", "jawOpn = 0.48", r"\[aa\] arkit has no 'jawOpn'"),
        ("jawOpen = 0.48", "jawOpen = 1.5", "arkit.jawOpen = 1.5: wanted a number, 0..1"),
        ("vrm = { aa = 0.85 }", "vrm = { ah = 0.85 }", "vrm has no 'ah'"),
        ("vrm = { aa = 0.85 }", "vrm = 3", "wanted names with weights"),
        ("vrm = { aa = 0.85 }", "colour = 3", "holds 'colour'"),
        ("[kk]", "[kk", "not TOML"),
    ],
)
def test_a_table_that_is_wrong_says_where_and_what_may_be(table: Path, old: str, new: str, said: str) -> None:
    assert old in SHIPPED
    table.write_text(SHIPPED.replace(old, new), encoding="utf-8")
    with pytest.raises(FaceError, match=said) as fault:
        visemes.read(table)
    assert str(table) in str(fault.value)
    assert "\n" not in str(fault.value)


def test_a_changed_weight_is_shown(table: Path) -> None:
    table.write_text(SHIPPED.replace("jawOpen = 0.48", "jawOpen = 0.9"), encoding="utf-8")
    face = FaceMap("ARKit", (), (), units={"jawOpen": ((2, 1.0),)})
    k = VISEMES.index("aa")
    assert visemes.table(face, visemes.read(), 3)[k, 2] == pytest.approx(0.48)
    assert visemes.table(face, visemes.read(table), 3)[k, 2] == pytest.approx(0.9)


def test_a_face_with_the_fifteen_shapes_of_her_own_shows_those() -> None:
    face = FaceMap("Oculus", ((10, 0.9),), (), visemes={name: ((k, 1.0),) for k, name in enumerate(VISEMES)})
    shown = visemes.table(face, visemes.read(), 15)
    np.testing.assert_array_equal(shown[1:], np.eye(15)[1:])
    assert shown[0].max() == 0.0  # at rest her file's own rest


def test_a_face_of_five_vowels_closes_on_p_and_rounds_on_w() -> None:
    looks = {name: Look(((k, 1.0),)) for k, name in enumerate(("aa", "ih", "ou", "ee", "oh"))}
    shown = visemes.table(FaceMap("VRM", ((0, 0.9),), (), expressions=MappingProxyType(looks)), visemes.read(), 5)
    assert shown[VISEMES.index("PP")].max() == 0.0
    assert shown[VISEMES.index("ou")].argmax() == 2
    assert shown[VISEMES.index("aa")].argmax() == 0


def test_a_face_with_one_shape_opens_it_by_the_jaw() -> None:
    shown = visemes.table(FaceMap("one shape", ((4, 0.9),), ()), visemes.read(), 5)[:, 4]
    assert shown[VISEMES.index("aa")] == pytest.approx(0.9)
    assert shown[VISEMES.index("PP")] == 0.0
    assert 0.0 < shown[VISEMES.index("SS")] < 0.3


def test_a_face_that_cannot_move_shows_nothing() -> None:
    assert visemes.table(FaceMap("none", (), ()), visemes.read(), 3).max() == 0.0


def test_phones_become_shapes_where_they_sound() -> None:
    shown = phones.given([("HH", 0.0, 0.1), ("AY1", 0.1, 0.3), ("m", 0.3, 0.4), ("SIL", 0.4, 0.5)], 0.6)
    names = [VISEMES[k] for k in shown[5::10]]
    assert names == ["aa", "aa", "ih", "PP", "sil", "sil"]
    assert len(phones.given([], 1.0)) == 0


@pytest.mark.parametrize("row", [("p", 0.2, 0.1), ("p", -1.0, 0.1), ("p", 0.0, float("nan")), ("p", 1), "p", None])
def test_phones_without_times_are_refused_in_one_line(row: object) -> None:
    with pytest.raises(AudioError, match="phones: number 1") as fault:
        phones.given([row], 1.0)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("text", ["{", "[1]", '[["p", "x", 1]]', "3", '[["p", 1]]'])
def test_a_phones_file_that_is_wrong_names_itself(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.phones.json"
    path.write_text(text)
    assert phones.phones_beside(tmp_path / "a.wav") == path
    with pytest.raises(AudioError, match=r"a\.phones\.json"):
        phones.read_phones(path)
    path.write_text(json.dumps([["p", 0, 0.1]]))
    assert phones.read_phones(path) == [("p", 0.0, 0.1)]
