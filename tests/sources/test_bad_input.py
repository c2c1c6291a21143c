"""What other programs stumbled over (public reports), built into one corpus: read right, or left out with a reason."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kinesics.components.corpus import Corpus, clip_arrays
from kinesics.systems import matcher
from kinesics.systems.matcher.offline import recorded, sources

from .test_other_files import beat
from .written import bvh, shown, talk, wav, without_armature

pytestmark = pytest.mark.long  # each reader has its own fast test of the same case

RIG = without_armature()
ORDERS = {"leftUpperArm": "ZYX", "leftLowerArm": "ZXY", "head": "YXZ"}
BVH = {
    "a36-mixed-orders": {"orders": ORDERS},  # Nehon/bvhretarget 5, assimp 2187
    "a37-six-channels": {"six": ("leftLowerArm",), "root_positions": False},  # Anytop 9, GenMM 5
    "a38-frame-time": {"time": 1.0 / 24.0},  # PantoMatrix 93
    "a39-metres": {"unit": 1.0, "write": "%.9f"},  # SlimeVR-Server 1021
    "a39-5.6444": {"unit": 5.6444, "write": "%.9f"},
    "a39-0.01": {"unit": 0.01, "write": "%.9f"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("reports")
    motion = shown(RIG, *talk())
    for name, kind in BVH.items():
        fast = name.startswith("a38")
        (here / f"{name}.bvh").write_text(bvh(RIG, shown(RIG, *talk(4.0, 120.0)) if fast else motion, **kind))
        wav(here / f"{name}.wav", 4.0)
    sound, rate = soundfile.read(here / "a39-0.01.wav", dtype="float32")
    for subtype, form in (("FLOAT", "WAV"), ("PCM_24", "WAVEX")):  # tags 3 and 65534: SubtitleEdit 13745
        (here / f"a40-{subtype}.bvh").write_text(bvh(RIG, motion))
        soundfile.write(here / f"a40-{subtype}.wav", sound, rate, subtype=subtype, format=form)
    beat(here / "a41-empty.npz")  # librosa 129
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36, b"WAVE", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16, b"data", 0)
    (here / "a41-empty.wav").write_bytes(head)
    offset = RIG.rest_offset.copy()
    for name in ("leftIndexIntermediate", "neck"):
        offset[RIG.names.index(name)] *= 1.7e-7 / np.linalg.norm(offset[RIG.names.index(name)])  # bevy_vrm1 65
    short = type(RIG)(RIG.names, RIG.node, RIG.parent, offset, RIG.rest_rotation, RIG.humanoid)
    (here / "a43-no-length.bvh").write_text(bvh(short, motion, unit=1.0, write="%.9f"))
    wav(here / "a43-no-length.wav", 4.0)
    (here / "a44-silence.bvh").write_text(bvh(RIG, motion))
    wav(here / "a44-silence.wav", 5.0, level=0.0)  # masr 132
    return here


@pytest.fixture(scope="module")
def built(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, dict[str, recorded.Done]]:
    out = tmp_path_factory.mktemp("built") / "corpus"
    made, done = recorded.build(sources.files([folder]), out)
    return made, {one.source.stem: one for one in done}


def test_only_the_take_without_a_sound_is_left_out_and_says_so(built: tuple[Corpus, dict[str, recorded.Done]]) -> None:
    made, done = built
    assert [name for name, one in done.items() if one.reason] == ["a41-empty"]
    assert "no voice" in done["a41-empty"].reason
    assert {clip.name for clip in made.clips} == set(done) - {"a41-empty"}


def test_every_take_that_is_read_shows_the_motion_it_was_written_from(
    built: tuple[Corpus, dict[str, recorded.Done]],
) -> None:
    truth = talk()[0][::2]
    for number, clip in enumerate(built[0].clips):
        if clip.name == "a43-no-length":  # a neck without a length has no direction of its own
            continue
        found = clip_arrays(built[0], number)["rotation"]
        count = min(len(found), len(truth))
        assert count >= 118, clip.name
        assert np.degrees(np.abs(found[:count] - truth[:count]).max()) < 0.1, f"{clip.name}, deg"


def test_nothing_that_is_kept_is_not_a_number(built: tuple[Corpus, dict[str, recorded.Done]]) -> None:
    for name in ("rotation", "hand", "envelope", "coefficient"):
        assert np.isfinite(getattr(built[0], name)).all(), name


def test_what_was_doubted_is_told(built: tuple[Corpus, dict[str, recorded.Done]]) -> None:
    _, done = built
    assert any("read as 120" in line for line in done["a38-frame-time"].warnings)
    assert any("nobody speaks" in line for line in done["a44-silence"].warnings)


def test_voices_of_three_sample_formats_sound_alike(built: tuple[Corpus, dict[str, recorded.Done]]) -> None:
    made, _ = built
    names = [clip.name for clip in made.clips]
    heard = [clip_arrays(made, names.index(f"a40-{kind}"))["envelope"] for kind in ("FLOAT", "PCM_24")]
    plain = clip_arrays(made, names.index("a39-0.01"))["envelope"]
    for one in heard:
        assert np.abs(one - plain).max() < 0.1, "dB"


def test_silence_can_be_matched_by_its_pose(built: tuple[Corpus, dict[str, recorded.Done]]) -> None:
    made, _ = built
    number = [clip.name for clip in made.clips].index("a44-silence")
    assert not clip_arrays(made, number)["voiced"].any()
    assert matcher.load(Path(made.where)).digest == made.digest
