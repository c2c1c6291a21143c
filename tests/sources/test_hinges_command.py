"""`kinesics avatar hinges`: a table, an object, a picture of her hands; a file without fingers is no error."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kinesics.engine_plugin.cli import main
from kinesics.systems import headless
from kinesics.systems.retarget.survey import hands

from ..retarget.rigs import SPLAYED, T_POSE, rig_of

HER = str(headless.AVATAR)


def test_her_hands_are_told_joint_by_joint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["avatar", "hinges", HER, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fingers"] == 30
    assert found["missing"] == []
    assert found["mirrored_deg"] < 0.5
    for side in ("left", "right"):
        assert found[side]["kind"] == "splayed"
        joints = found[side]["joints"]
        assert len(joints) == 15
        assert 10.0 < joints["LittleProximal"]["from_middle_deg"] < 25.0
        for joint in joints.values():
            assert np.linalg.norm(joint["hinge"]) == pytest.approx(1.0, abs=1e-3)
    assert main(["avatar", "hinges", HER]) == 0
    out = capsys.readouterr().out
    assert "left hand: splayed" in out
    assert "LittleDistal" in out


def test_a_paddle_and_a_splayed_hand_are_called_so() -> None:
    assert hands(rig_of(T_POSE))["left"]["kind"] == "paddle"
    assert hands(rig_of(SPLAYED))["right"]["kind"] == "splayed"


@pytest.mark.long
def test_the_picture_shows_both_hands_in_four_poses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "hands.png"
    assert main(["avatar", "hinges", HER, "--picture", str(target)]) == 0
    with Image.open(target) as picture:
        seen = np.asarray(picture.convert("RGB")).astype(int)
    assert seen.shape == (1224, 1200, 3)
    purple = (np.abs(seen - [0x7D, 0x3C, 0x98]).sum(axis=2) < 30).reshape(1224, 4, 300).sum(axis=(0, 2))
    assert purple.min() > 100  # the little finger's hinges, in every pose
    opened, curled = seen[:1200, :300], seen[:1200, 600:900]
    assert np.abs(opened - curled).mean() > 3.0
    assert main(["avatar", "hinges", HER, "--picture", str(tmp_path / "hands.jpg")]) == 2
    assert main(["avatar", "hinges", str(tmp_path / "none.vrm")]) == 1
    capsys.readouterr()


def test_avatars_without_fingers_have_no_hinges_and_say_so(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["avatar", "hinges", str(shared / "data" / "avatars" / "CesiumMan.glb"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["fingers"], found["left"]["kind"]) == (0, "none")
