"""BVH files of every honest kind say the same motion; broken ones say what is wrong in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesics.components.anatomy import SLOTS
from kinesics.components.errors import CorpusError
from kinesics.systems.matcher.offline import sources
from kinesics.systems.retarget.recorded import neutral

from ..retarget.rigs import RANDOM_FRAMES, ROLLED_FRAMES
from ..retarget.shown import apart, directions, places
from .written import bvh, shown, talk, wav, without_armature

RIG = without_armature()
CHAIN = (
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT b\n{\nOFFSET 0 1 0\n"
    "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 90\n"
    "Frame Time: 0.0166667\n" + "0 0 0 0 0 0\n" * 90
)


def file(folder: Path, text: str, name: str = "take.bvh") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def said(path: Path) -> np.ndarray:
    take = sources.read(path)
    return neutral(take.rig, take.rotation, take.hands).rotation


def motion(fps: float = 60.0) -> np.ndarray:
    return shown(RIG, *talk(4.0, fps))


def test_a_bvh_gives_back_the_motion_it_was_written_from(tmp_path: Path) -> None:
    path = file(tmp_path, bvh(RIG, motion()))
    assert np.degrees(np.abs(said(path) - talk()[0]).max()) < 0.01
    take = sources.read(path)
    assert take.kind == "bvh"
    assert np.abs(take.root).max() < 1e-3


ORDERS = {"leftUpperArm": "XYZ", "leftLowerArm": "ZYX", "head": "YXZ", "spine": "ZYX", "rightUpperArm": "YZX"}


@pytest.mark.parametrize(
    "kind",
    [
        {"orders": ORDERS},  # orders mixed within one file
        {"six": ("chest", "leftLowerArm", "rightHand")},  # 6 channels on some joints
        {"root_positions": False},  # 3 channels on the root
        {"six": ("leftUpperArm",), "root_positions": False, "orders": ORDERS},
        {"newline": "\r\n"},
        {"write": "%.7e"},  # exponents
        {"write": "%+.6f", "separator": ""},  # glued: +1.000000-2.000000
        {"write": "%+.6e", "separator": ""},
        {"separator": "\t"},
        {"frames": "9999"},  # wrong count
        {"frames": "3"},
        {"z_up": True},
    ],
    ids=str,
)
def test_every_honest_kind_says_the_same(tmp_path: Path, kind: dict) -> None:
    path = file(tmp_path, bvh(RIG, motion(), **kind))
    assert np.degrees(np.abs(said(path) - talk()[0]).max()) < 0.02
    if "frames" in kind:
        assert any("241" in w for w in sources.read(path).warnings)


@pytest.mark.parametrize("unit", [1.0, 100.0, 5.6444, 0.01, 39.37, 17.7167], ids=lambda u: f"x{u:g}")
def test_the_unit_is_found_from_the_height(tmp_path: Path, unit: float) -> None:
    take = sources.read(file(tmp_path, bvh(RIG, motion(), unit=unit, write="%.9f")))
    tall = np.ptp(np.array(list(places(take.rig, take.rig.rest_rotation).values()))[:, 1])
    assert 1.4 < tall < 2.1
    assert np.degrees(np.abs(neutral(take.rig, take.rotation).rotation - talk()[0]).max()) < 0.05


def test_two_orders_put_the_hand_where_they_say(tmp_path: Path) -> None:
    """ZYX on the shoulder and ZXY on the elbow, angles written down by hand."""
    text = bvh(RIG, np.tile(RIG.rest_rotation, (90, 1, 1)), orders={"leftUpperArm": "ZYX"})
    head, numbers = text.split("Frame Time: 0.0166667\n")
    names = [line.split()[1] for line in head.splitlines() if "ROOT" in line or "JOINT" in line]
    first = 3 + 3 * names.index("LeftArm")
    row = numbers.splitlines()[0].split()
    row[first : first + 6] = ["-60", "30", "0", "0", "0", "45"]  # LeftArm Z Y X, LeftForeArm Z X Y
    take = sources.read(file(tmp_path, head + "Frame Time: 0.0166667\n" + "\n".join([" ".join(row)] * 90) + "\n"))
    found = directions(places(take.rig, take.rotation[0]))
    c, s = np.cos(np.radians(60)), np.sin(np.radians(60))
    down, turned = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), np.radians(30.0)
    upper = down @ [np.cos(turned), 0.0, -np.sin(turned)]
    lower = down @ [np.cos(turned + np.pi / 4), 0.0, -np.sin(turned + np.pi / 4)]
    assert apart(found["left upper arm"], upper) < 0.01
    assert apart(found["left forearm"], lower) < 0.01


@pytest.mark.parametrize("fps", [24.0, 30.0, 50.0, 120.0])
def test_any_frame_rate_comes_out_at_60(tmp_path: Path, fps: float) -> None:
    path = file(tmp_path, bvh(RIG, motion(fps), fps=fps))
    found, truth = said(path), talk()[0]
    count = min(len(found), len(truth))
    assert count >= 239
    assert np.degrees(np.abs(found[:count] - truth[:count]).max()) < 0.5


def test_a_frame_time_that_contradicts_the_voice_is_read_from_the_voice(tmp_path: Path) -> None:
    """PantoMatrix 93: it says 24 frames a second, and was 120."""
    path = file(tmp_path, bvh(RIG, motion(120.0), time=1.0 / 24.0))
    wav(path.with_suffix(".wav"), 4.0)
    take = sources.read(path)
    assert len(take.rotation) == pytest.approx(240, abs=2)
    assert any("read as 120" in w for w in take.warnings)
    assert np.degrees(np.abs(said(path)[:230] - talk()[0][:230]).max()) < 0.1


def test_motion_and_voice_are_cut_to_the_shorter(tmp_path: Path) -> None:
    path = file(tmp_path, bvh(RIG, motion()))
    wav(path.with_suffix(".wav"), 3.5)
    take = sources.read(path)
    assert len(take.rotation) == 210
    assert len(take.audio) / take.rate == pytest.approx(3.5)
    assert any("motion is 0.5" in w for w in take.warnings)


def test_a_bone_without_length_breaks_nothing(tmp_path: Path) -> None:
    offset = RIG.rest_offset.copy()
    for name in ("leftIndexIntermediate", "leftIndexTip", "neck", "rightMiddleTip"):
        offset[RIG.names.index(name)] *= 1e-6
    rig = type(RIG)(RIG.names, RIG.node, RIG.parent, offset, RIG.rest_rotation, RIG.humanoid)
    take = sources.read(file(tmp_path, bvh(rig, motion(), write="%.6f")))
    made = neutral(take.rig, take.rotation)
    assert np.isfinite(made.rotation).all()
    assert np.isfinite(made.hand).all()


def test_a_pose_for_calibration_in_front_is_the_rest_and_not_shown(tmp_path: Path) -> None:
    """As CMU's library has it: offsets that lean, one frame of a T-pose, then the motion."""
    leaning = without_armature(RANDOM_FRAMES)
    local = np.concatenate([leaning.rest_rotation[None], shown(leaning, *talk())])
    straight = without_armature(ROLLED_FRAMES)
    for rig, motion_of in (
        (leaning, local),
        (straight, np.concatenate([straight.rest_rotation[None], shown(straight, *talk())])),
    ):
        take = sources.read(file(tmp_path, bvh(rig, motion_of)))
        assert len(take.rotation) == 241
        assert any("calibration" in w for w in take.warnings)
        found = neutral(take.rig, take.rotation).rotation
        assert np.degrees(np.abs(found - talk()[0]).max()) < 0.05


def test_offsets_that_are_no_pose_are_read_from_the_first_frame(tmp_path: Path) -> None:
    """As LAFAN1 has it: every bone along one axis, the motion from the first frame on."""
    rig = without_armature(ROLLED_FRAMES)
    rotation, hand = (np.array(part) for part in talk())
    ease = np.minimum(np.arange(241) / 120.0, 1.0) ** 2
    local = shown(rig, rotation * ease[:, None, None], hand * ease[:, None, None])
    take = sources.read(file(tmp_path, bvh(rig, local)))
    assert any("the first frame is taken as the rest" in w for w in take.warnings)
    found = neutral(take.rig, take.rotation).rotation
    assert np.degrees(np.abs(found - rotation * ease[:, None, None]).max()) < 0.05


def test_beats_own_names_for_fingers_are_known(tmp_path: Path) -> None:
    text = bvh(RIG, motion())
    letters = {"Index": "I", "Middle": "M", "Ring": "R", "Pinky": "P", "Thumb": "T"}
    for side in ("Left", "Right"):
        for finger, letter in letters.items():
            text = text.replace(f"{side}Hand{finger}", f"{side[0]}Hand{letter}")
        text = text.replace(f"{side}ForeArm", f"{side[0]}Arm1")
        for part in ("Hand", "Arm", "Shoulder", "UpLeg", "Leg", "Foot"):
            text = text.replace(f"JOINT {side}{part}\n", f"JOINT {side[0]}{part}\n")
    take = sources.read(file(tmp_path, text))
    assert set(take.rig.humanoid) >= set(SLOTS)
    assert np.degrees(np.abs(neutral(take.rig, take.rotation).rotation - talk()[0]).max()) < 0.02


def test_a_hand_of_two_joints_is_shown_relaxed(tmp_path: Path) -> None:
    gone = [n for n in RIG.names if any(f in n for f in ("Index", "Middle", "Ring", "Little", "humb"))]
    gone = [n for n in gone if n not in ("leftIndexProximal", "leftThumbProximal")]
    keep = [j for j, n in enumerate(RIG.names) if n not in gone]
    where = {j: k for k, j in enumerate(keep)}

    def above(j: int) -> int:
        p = int(RIG.parent[j])
        while p >= 0 and p not in where:
            p = int(RIG.parent[p])
        return where.get(p, -1)

    rig = type(RIG)(
        tuple(RIG.names[j] for j in keep), np.arange(len(keep)), np.array([above(j) for j in keep]),
        RIG.rest_offset[keep], RIG.rest_rotation[keep],
        {n: where[j] for n, j in RIG.humanoid.items() if j in where},
    )  # fmt: skip
    take = sources.read(file(tmp_path, bvh(rig, motion()[:, keep])))
    hand = neutral(take.rig, take.rotation).hand
    assert np.degrees(hand[:, :, 3]) == pytest.approx(27.0)


def test_a_cut_off_last_frame_is_dropped(tmp_path: Path) -> None:
    text = bvh(RIG, motion())
    take = sources.read(file(tmp_path, text[: len(text) - 40]))
    assert len(take.rotation) == 240
    assert any("last frame" in w for w in take.warnings)


def test_bones_that_stand_in_the_channels_only(tmp_path: Path) -> None:
    names = [n for n in RIG.names if np.flatnonzero(RIG.parent == RIG.names.index(n)).size]
    text = bvh(RIG, motion(), six=names)
    lines = text.splitlines()
    for k, line in enumerate(lines):
        if line.strip().startswith("OFFSET"):
            lines[k] = "OFFSET 0 0 0"
    take = sources.read(file(tmp_path, "\n".join(lines)))
    assert any("offsets are all zero" in w for w in take.warnings)
    assert np.degrees(np.abs(neutral(take.rig, take.rotation).rotation[:, :5] - talk()[0][:, :5]).max()) < 0.1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: "", "not a BVH"),
        (lambda t: t.replace("MOTION", "MOTOIN"), "not a BVH"),
        (lambda t: t.replace("Frame Time: 0.0166667", "Frame Time: 0"), "Frame Time is '0'"),
        (lambda t: t.replace("Frame Time: 0.0166667", ""), "no 'Frame Time'"),
        (lambda t: t.replace("Xrotation", "Wrotation", 1), "wrotation"),
        (lambda t: t.replace("CHANNELS 3 Z", "CHANNELS 4 Z", 1), "declares 4 channels and names 3"),
        (lambda t: t.replace("}", "", 1), "breaks off"),
        (lambda t: t.replace("OFFSET 0.0", "OFFSET 0,0", 1), "wanted three numbers"),
        (lambda t: t.split("Frame Time")[0] + "Frame Time: 0.0166667\n1 2 3\n", "less than two frames"),
        (lambda t: t.split("Frame Time")[0] + "Frame Time: 0.0166667\n" + "0,5 " * 400, "','"),
        (lambda t: t.replace("\n0.000000", "\nnan", 1), "not finite"),
        (lambda t: CHAIN, "name its joints"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)  # fmt: skip
def test_a_broken_file_is_one_line_that_says_what(tmp_path: Path, change, says: str) -> None:
    path = file(tmp_path, change(bvh(RIG, motion())))
    with pytest.raises(CorpusError) as caught:
        sources.read(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_take_of_less_than_a_second_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="wanted 1 s"):
        sources.read(file(tmp_path, bvh(RIG, motion()[:30])))
