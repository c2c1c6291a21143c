"""The trainer sees the body that the viewer sees: an export agrees with the renderer, or is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components import gltf
from kinesics.components.errors import FenceError
from kinesics.engine_plugin.fence_export import export
from kinesics.systems import headless
from kinesics.systems.fence.exported import Export
from kinesics.systems.fence.offline import export as kept
from tests.collide.person import Build, person

pytest.importorskip("panda3d.core", reason="panda3d is not installed")
FOREIGN = ("brunette-t.glb", "Xbot.glb")


@pytest.fixture(scope="module")
def host() -> Iterator[Any]:
    """A renderer without a window."""
    from direct.showbase.ShowBase import ShowBase
    from panda3d.core import loadPrcFileData

    loadPrcFileData("tests", "audio-library-name null\nkinesics-sound false\nnotify-level-device fatal")
    made = ShowBase(windowType="none")
    yield made
    made.destroy()


@pytest.fixture(scope="module")
def hers(host: Any) -> Export:
    return export(host, gltf.read(headless.AVATAR), poses=4)


def test_every_joint_is_where_the_renderer_has_it_to_a_ten_thousandth_of_a_millimetre(hers: Export) -> None:
    assert np.abs(hers.position).max() < kept.REACH
    assert 0.0 < 1e3 * kept.verify(hers) <= 1e-4  # equal to the last bit would be a copy of ours, not the renderer's


@pytest.mark.long
def test_a_body_with_joint_frames_of_its_own_agrees_too(host: Any) -> None:
    assert 1e3 * kept.verify(export(host, person(Build(girth=1.2, turned=True)), poses=4)) <= 1e-4


@pytest.mark.long
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_avatars_agree_too(host: Any, shared: Path, name: str) -> None:
    assert 1e3 * kept.verify(export(host, gltf.read(shared / "data" / "avatars" / name), poses=4)) <= 1e-4


def test_live_poses_are_of_a_figure_that_talks(hers: Export) -> None:
    hands = [hers.rig.humanoid[side + "Hand"] for side in ("left", "right")]
    assert np.ptp(hers.position[:, hands], axis=0).max() > 0.02


def test_a_file_gives_back_the_same_body(hers: Export, tmp_path: Path) -> None:
    kept.save(tmp_path / "e.npz", hers)
    found = kept.load(tmp_path / "e.npz")
    assert (found.rig.digest, found.capsules.digest) == (hers.rig.digest, hers.capsules.digest)
    for name in ("base_root", "rotation", "root", "position", "turn"):
        assert np.array_equal(getattr(found, name), getattr(hers, name))
    with np.load(tmp_path / "e.npz", allow_pickle=False) as file:
        assert int(file["version"]) == kept.VERSION


def test_a_joint_a_thousandth_of_a_millimetre_off_is_refused_by_name(hers: Export) -> None:
    joint = hers.rig.humanoid["leftLowerArm"]
    position = hers.position.copy()
    position[2, joint, 1] += 1e-6
    with pytest.raises(
        FenceError, match=r"joint 'leftLowerArm' of pose 2 is 0\.00\d+ mm along y .*0\.0001 mm are allow"
    ):
        kept.verify(replace(hers, position=position))


def test_a_joint_that_is_turned_otherwise_is_refused_by_name(hers: Export) -> None:
    joint = hers.rig.humanoid["rightHand"]
    turn = hers.turn.copy()
    turn[1, joint] = turn[1, joint] @ np.array([[1.0, -1e-4, 0.0], [1e-4, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(FenceError, match=r"joint 'rightHand' of pose 1 is turned by 9.*e-05 rad"):
        kept.verify(replace(hers, turn=turn))


def test_a_bone_of_another_length_is_found_by_the_trainer(hers: Export) -> None:
    offset = hers.rig.rest_offset.copy()
    offset[hers.rig.humanoid["rightHand"], 0] += 1e-3
    rig = replace(hers.rig, rest_offset=offset)
    with pytest.raises(FenceError, match="joint 'right"):
        kept.verify(replace(hers, rig=rig))


def _changed(path: Path, **arrays: Any) -> None:
    with np.load(path, allow_pickle=False) as file:
        held = {name: file[name] for name in file.files}
    np.savez(path, allow_pickle=False, **(held | arrays))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("capsules_radius", None, "was changed since it was written"),
        ("rest_offset", None, "was changed since it was written"),
        ("version", np.array(99, np.int32), "of version 99 of the export, this is 1"),
    ],
)
def test_a_file_that_was_tampered_with_is_one_line(
    hers: Export, tmp_path: Path, name: str, value: np.ndarray | None, why: str
) -> None:
    path = tmp_path / "e.npz"
    kept.save(path, hers)
    if value is None:
        with np.load(path, allow_pickle=False) as file:
            value = file[name] * 1.0001
    _changed(path, **{name: value})
    with pytest.raises(FenceError, match=why) as caught:
        kept.load(path)
    assert "\n" not in str(caught.value)
    assert "kinesics fence export" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"not a file of numpy's", b"PK\x03\x04 half"])
def test_bytes_that_are_no_export_are_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "e.npz"
    path.write_bytes(data)
    with pytest.raises(FenceError, match="no export can be read from it") as caught:
        kept.load(path)
    assert "\n" not in str(caught.value)


def test_pickles_are_never_read(tmp_path: Path) -> None:
    path = tmp_path / "e.npz"
    np.savez(path, version=np.array([{}], dtype=object), digest=np.array(""))
    with pytest.raises(FenceError, match="no export can be read"):
        kept.load(path)
