"""SMPL-X takes, glTF and VRMA clips and runs say the same motion; voices beside them of every kind."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from scipy.spatial.transform import Rotation

from kinesics.components.anatomy import BODY_SLOTS, FINGER_SLOTS, HAND_CHANNELS, SIDES
from kinesics.components.errors import CorpusError
from kinesics.systems.matcher.offline import sources
from kinesics.systems.matcher.offline.sources import offset
from kinesics.systems.matcher.offline.sources.spline import resampled, resampled_turns
from kinesics.systems.retarget import smplx_body
from kinesics.systems.retarget.recorded import neutral
from kinesics.systems.voice.analyse import analyse

from ..retarget.rigs import A_POSE, RANDOM_FRAMES, T_POSE, rig_of
from ..retarget.talkers import MEASURED, curls, fist, turns
from ..talker import voice
from .written import bvh, clip, npz, shown, talk, wav, without_armature


def beat(path: Path, hands: np.ndarray | None = None, seconds: float = 4.0, fps: int = 30, **more: object) -> Path:
    """Write a take in the layout of BEAT2. hands: (30, T, 3) rad in the order of FINGER_SLOTS."""
    frames = round(seconds * fps)
    poses = np.zeros((frames, 55, 3))
    t = np.arange(frames) / fps
    poses[:, 16, 2] = -1.0 + 0.3 * np.sin(t)
    poses[:, 18, 1] = -0.5 + 0.3 * np.sin(2 * t)
    if hands is not None:
        for slot, joint in enumerate(smplx_body.SLOT):
            poses[:, joint] = hands[slot, :frames]
    npz(
        path,
        poses=poses.reshape(frames, 165).astype(np.float32),
        trans=np.zeros((frames, 3)),
        mocap_frame_rate=fps,
        **more,
    )
    return path


def made(path: Path, **how: object):
    take = sources.read(path, **how)
    return neutral(take.rig, take.rotation, take.hands, is_ours=take.is_ours)


def test_a_beat_take_says_who_talks_and_where_her_arms_are(tmp_path: Path) -> None:
    take = sources.read(beat(tmp_path / "2_scott_0_1_1.npz"))
    assert (take.performer, take.licence, take.kind, take.fps) == ("scott", "unknown", "smplx", 60.0)
    assert take.rotation.shape == (239, 55, 4)
    found = neutral(take.rig, take.rotation, take.hands)
    assert np.allclose(found.rotation[0, 6], [0, 0, -1.0], atol=1e-6)  # leftUpperArm
    assert np.allclose(found.rotation[0, 7], [0, -0.5, 0], atol=1e-6)


def test_zero_hands_are_flat_if_the_mean_is_in_and_relaxed_if_it_is_not(tmp_path: Path) -> None:
    """The same zeros, told apart by the flag in the file, or by the user's word over it."""
    index = HAND_CHANNELS.index("index intermediate")
    flat = made(beat(tmp_path / "a.npz", flat_hand_mean=True)).hand[0, :, index]
    relaxed = made(beat(tmp_path / "b.npz", flat_hand_mean=False)).hand[0, :, index]
    asked = made(beat(tmp_path / "c.npz", flat_hand_mean=False), hand_mean="in").hand[0, :, index]
    assert np.abs(np.degrees(flat)).max() < 0.01
    assert np.abs(np.degrees(asked)).max() < 0.01
    assert np.degrees(relaxed) == pytest.approx([40.0, 40.0], abs=1.0)
    warned = sources.read(beat(tmp_path / "d.npz")).warnings
    assert any("a relaxed hand of ours stands in" in w for w in warned)


def test_a_models_own_mean_hand_is_added_to_the_offsets(tmp_path: Path) -> None:
    mean = MEASURED * np.radians(50.0)
    left, right = np.zeros((15, 3)), np.zeros((15, 3))
    for slot, joint in enumerate(smplx_body.SLOT):
        (left if joint < 40 else right)[(joint - 25) % 15] = mean[slot]
    npz(tmp_path / "model.npz", hands_meanl=left.ravel(), hands_meanr=right.ravel())
    found = made(beat(tmp_path / "a.npz"), hand_mean=tmp_path / "model.npz")
    for s, name in enumerate(FINGER_SLOTS):
        if "Thumb" not in name:
            channel = HAND_CHANNELS.index(next(c for c in HAND_CHANNELS if name.lower().endswith(c.replace(" ", ""))))
            curl = np.degrees(found.hand[0, int(s >= 15), channel])
            assert curl == pytest.approx(50.0, abs=3.0), name
    with pytest.raises(CorpusError, match="hands_meanl"):
        sources.read(beat(tmp_path / "b.npz"), hand_mean=tmp_path / "a.npz")


def test_a_talkers_hands_arrive_with_all_their_curl(tmp_path: Path) -> None:
    """Thirty planted axes, the mean hand in: each finger joint keeps 95 % and its curl within 5 %."""
    curl = curls(300, 4)
    found = made(beat(tmp_path / "a.npz", turns(MEASURED, curl, 5), seconds=10.0), hand_mean="in")
    assert found.fingers.kept.min() >= 0.95
    for s, name in enumerate(FINGER_SLOTS):
        if "Thumb" not in name:
            channel = next(k for k, c in enumerate(HAND_CHANNELS) if name.lower().endswith(c.replace(" ", "")))
            assert found.hand[:, int(s >= 15), channel].mean() == pytest.approx(curl[s].mean(), rel=0.05), name


def test_an_own_rig_whose_fingers_bend_about_other_axes_is_measured(tmp_path: Path) -> None:
    """A BVH with fingers that turn about axes rolled by 40 deg: read along them, all of the curl is there."""
    rig = without_armature()
    draw, axis = np.random.default_rng(2), np.zeros((30, 3))
    for s, name in enumerate(FINGER_SLOTS):
        g = 1.0 if name.startswith("left") else -1.0
        tilt = Rotation.from_rotvec([0.0, np.radians(40.0) * draw.choice([-1, 1]), 0.0])
        axis[s] = tilt.apply([0, 0, -g])
    curl = curls(300, 6)
    path = tmp_path / "a.bvh"
    path.write_text(bvh(rig, fist(rig, turns(axis, curl, 7))))
    found = made(path)
    for s, name in enumerate(FINGER_SLOTS):
        if "Thumb" not in name:
            assert found.fingers.source[s] == "measured"
            assert found.fingers.kept[s] >= 0.95
            assert found.fingers.copied[s] < 0.85


@pytest.mark.parametrize("variant", [T_POSE, A_POSE, RANDOM_FRAMES], ids=lambda v: v.name)
@pytest.mark.parametrize("kind", ["baked", "vrma", "scaled", "sparse", "cubic"])
def test_clips_say_the_motion_between_their_keys(tmp_path: Path, variant, kind: str) -> None:
    rig = rig_of(variant)
    every = {"sparse": 6, "cubic": 6}.get(kind, 2)
    local = shown(rig, *talk())
    time = np.arange(len(local))[::every] / 60.0
    keys = local[::every]
    if kind == "cubic":
        step = every / 60.0
        keys = np.stack([np.gradient(keys, step, axis=0), keys, np.gradient(keys, step, axis=0)], axis=1)
    data = clip(rig, time, keys, between="CUBICSPLINE" if kind == "cubic" else "LINEAR", names=kind != "vrma",
                vrma=kind == "vrma", scale=0.01 if kind == "scaled" else 1.0)  # fmt: skip
    path = tmp_path / ("a.vrma" if kind == "vrma" else "a.glb")
    path.write_bytes(data)
    found = made(path)
    truth = talk()[0]
    limit = {"baked": 0.05, "vrma": 0.05, "scaled": 0.05, "sparse": 0.5, "cubic": 0.3}[kind]
    assert np.degrees(np.abs(found.rotation - truth[: len(found.rotation)]).max()) < limit


def test_a_stepped_clip_stays_until_its_next_key(tmp_path: Path) -> None:
    rig = rig_of(T_POSE)
    local = shown(rig, *talk())[::60]
    (tmp_path / "a.glb").write_bytes(clip(rig, np.arange(len(local)) * 1.0, local, between="STEP"))
    take = sources.read(tmp_path / "a.glb")
    arm = take.rotation[:, take.rig.humanoid["leftLowerArm"]]
    moves = np.flatnonzero(np.abs(np.diff(arm, axis=0)).max(axis=1) > 1e-6) + 1
    assert moves.tolist() == [60, 120, 180, 240]


def test_a_run_of_ours_comes_back_as_it_was_shown(tmp_path: Path) -> None:
    rig = rig_of(RANDOM_FRAMES)
    rotation, hand = talk()
    npz(
        tmp_path / "run.npz", fps=60, names=np.array(rig.names), parent=rig.parent, rest_offset=rig.rest_offset,
        rest_rotation=rig.rest_rotation, rotation=shown(rig, rotation, hand), root=np.zeros((len(rotation), 3)),
    )  # fmt: skip
    found = made(tmp_path / "run.npz")
    assert np.degrees(np.abs(found.rotation - rotation).max()) < 1e-6
    assert np.degrees(np.abs(found.hand - hand).max()) < 1e-4


def test_a_spline_goes_through_its_samples_without_a_kink() -> None:
    t = np.arange(60) / 30.0
    turn = Rotation.from_rotvec(np.stack([np.sin(3 * t), np.cos(2 * t), 0.5 * t], axis=1))
    quats = turn.as_quat(scalar_first=True)
    quats[::3] *= -1.0  # either sign is the same rotation
    found = resampled_turns(quats, 30.0)
    assert np.allclose(np.abs(np.einsum("tk,tk->t", found[::2], quats)), 1.0, atol=1e-12)
    fine = Rotation.from_quat(resampled_turns(quats, 30.0, 3000.0), scalar_first=True)
    speed = (fine[:-1].inv() * fine[1:]).as_rotvec() * 3000.0
    bend = np.linalg.norm(np.diff(speed, axis=0), axis=1) * 3000.0
    assert np.abs(np.diff(bend)).max() < 0.1  # rad/s^2 from one 1/3000 s to the next: angular acceleration has no jump
    straight = resampled(np.arange(10.0)[:, None], 24.0)
    assert np.allclose(np.diff(straight[:, 0]), 0.4)


@pytest.mark.parametrize("subtype", ["PCM_16", "FLOAT", "PCM_24"])
def test_voices_of_every_wav_kind_are_heard(tmp_path: Path, subtype: str) -> None:
    tone = 0.4 * np.sin(2 * np.pi * 440.0 * np.arange(64_000) / 16_000)
    form = "WAVEX" if subtype == "PCM_24" else "WAV"
    soundfile.write(tmp_path / "a.wav", tone, 16_000, subtype=subtype, format=form)
    take = sources.read(beat(tmp_path / "a.npz"))
    assert take.rate == 16_000
    assert np.abs(take.audio - tone[: len(take.audio)]).max() < 1e-3


def test_a_wav_of_44_bytes_is_no_voice_and_the_motion_stays(tmp_path: Path) -> None:
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36, b"WAVE", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16, b"data", 0)
    (tmp_path / "a.wav").write_bytes(head)
    take = sources.read(beat(tmp_path / "a.npz"))
    assert take.audio is None
    assert len(take.rotation) == 239
    assert any(w.startswith("no voice") for w in take.warnings)


def test_a_voice_that_starts_late_is_told_and_one_on_time_is_not(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    loud = np.repeat(draw.uniform(0, 1, 40) > 0.5, 24).astype(float)  # 0.4 s on and off
    loud = np.convolve(loud, np.ones(12) / 12, mode="same")
    frames = len(loud)
    buzz = voice(4.0, pauses=())
    for late, heard in ((0.0, False), (0.9, True)):
        rig = without_armature()
        local = np.tile(rig.rest_rotation, (frames, 1, 1))
        angle = np.cumsum(loud * np.where(np.arange(frames) // 24 % 2, 1, -1)) * 0.03
        local[:, rig.humanoid["leftUpperArm"]] = Rotation.from_rotvec(angle[:, None] * [0, 0, 1.0]).as_quat(
            scalar_first=True
        )
        path = tmp_path / f"a{late}.bvh"
        path.write_text(bvh(rig, local))
        shift = round(late * 60)
        envelope = np.repeat(np.concatenate([np.zeros(shift), loud])[:frames], 16_000 // 60 + 1)[
            : frames * 16_000 // 60
        ]
        sound = np.resize(buzz, len(envelope)) * envelope
        soundfile.write(path.with_suffix(".wav"), sound, 16_000)
        take = sources.read(path)
        lag, told = offset(take, analyse(take.audio, take.rate))
        assert bool(told) == heard, told
        if heard:
            assert "late" in told
            assert lag == pytest.approx(late, abs=0.1)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"poses": np.zeros((90, 72))}, "(90, 72)"),
        ({"poses": np.full((90, 165), np.nan)}, "not finite in 90 frames"),
        ({"poses": np.full((90, 165), 180.0)}, "degrees"),
        ({"poses": np.zeros((90, 165)), "mocap_frame_rate": 0}, "5..1000 Hz"),
        ({"poses": np.array([object()] * 3)}, "poses"),
        ({"other": np.zeros(3)}, "neither an SMPL-X take"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_broken_npz_is_one_line_that_says_what(tmp_path: Path, change: dict, says: str) -> None:
    npz(tmp_path / "a.npz", **({"mocap_frame_rate": 30} | change))
    with pytest.raises(CorpusError) as caught:
        sources.read(tmp_path / "a.npz")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_motion_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "torn.npz").write_bytes(beat(tmp_path / "a.npz").read_bytes()[:5000])
    (tmp_path / "text.npz").write_text("hello")
    (tmp_path / "text.glb").write_text("hello")
    (tmp_path / "still.glb").write_bytes(
        clip(rig_of(T_POSE), np.zeros(1), np.tile(rig_of(T_POSE).rest_rotation, (1, 1, 1)))
    )
    for name in ("torn.npz", "text.npz", "text.glb", "still.glb"):
        with pytest.raises(CorpusError) as caught:
            sources.read(tmp_path / name)
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="no motion in this folder"):
        sources.files([tmp_path / "empty"])
    with pytest.raises(CorpusError, match="no such file"):
        sources.files([tmp_path / "nowhere"])


def test_the_real_take_keeps_95_percent_of_every_finger(shared: Path) -> None:
    found = made(shared / "data" / "mocap" / "2_scott_0_1_1.npz")
    assert found.fingers.kept.min() >= 0.95
    little = [FINGER_SLOTS.index(f"{side}LittleDistal") for side in SIDES]
    assert found.fingers.copied[little].max() < 0.4
    channel = HAND_CHANNELS.index("little distal")
    assert np.degrees(np.median(found.hand[:, :, channel], axis=0)).min() > 25.0


def test_the_real_take_in_a_mirror_is_hers_in_a_mirror(shared: Path, tmp_path: Path) -> None:
    """Left and right change places, everything else stays: within 1 deg on every joint and frame."""
    source = shared / "data" / "mocap" / "2_scott_0_1_1.npz"
    with np.load(source) as file:
        arrays = {key: file[key] for key in ("poses", "trans", "mocap_frame_rate")}

    def other(name: str) -> str:
        return (
            "right" + name[4:] if name.startswith("left") else "left" + name[5:] if name.startswith("right") else name
        )

    order = [smplx_body.NAMES.index(other(name)) for name in smplx_body.NAMES]
    poses = arrays["poses"].reshape(-1, 55, 3)[:, order] * np.array([1.0, -1.0, -1.0])
    npz(tmp_path / "a.npz", **(arrays | {"poses": poses.reshape(len(poses), 165)}))
    his, mirror = made(source), made(tmp_path / "a.npz")
    count = min(len(his.rotation), len(mirror.rotation))
    sides = [BODY_SLOTS.index(other(name)) for name in BODY_SLOTS]
    body = his.rotation[:count] - mirror.rotation[:count, sides] * [1.0, -1.0, -1.0]
    assert np.degrees(np.abs(body)).max() <= 1.0
    assert np.degrees(np.abs(his.hand[:count] - mirror.hand[:count, ::-1])).max() <= 1.0


def test_real_clips_of_others_are_read(shared: Path) -> None:
    for name in ("mocap/rpm_F_Talking_Variations_001.glb", "avatars/Xbot.glb"):
        found = made(shared / "data" / name)
        assert np.isfinite(found.rotation).all()
        assert np.abs(found.rotation).max() < np.pi


def test_a_voice_without_a_word_gives_finite_features(tmp_path: Path) -> None:
    wav(tmp_path / "a.wav", 5.0, level=0.0)
    take = sources.read(beat(tmp_path / "a.npz", seconds=5.0))
    speech = analyse(take.audio, take.rate)
    assert np.isfinite(speech.coefficient).all()
    assert np.isfinite(speech.envelope).all()
    assert offset(take, speech)[1] == ""
