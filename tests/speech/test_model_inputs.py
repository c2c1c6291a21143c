"""What the sentence model hears and reads, and the numbers it is filled with. No torch here."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.speech import Word
from kinesics.engine_plugin.cli import main
from kinesics.systems.speech_gesture.model import condition, filled, joints, layout, marked, word_ids

from .goldens import NETWORK, golden, listed, manifest, off


def test_the_envelope_is_the_recorded_one() -> None:
    recorded = golden("audio_features")
    audio = (recorded["pcm16"] / 32768.0).astype(np.float32)
    found = condition(audio, recorded["onset_frames"])
    assert off(found[::64, 0], recorded["amp_direct16k_every64"]) < NETWORK
    # Those who trained it went by way of 22.05 kHz, which moves it by less than a hundredth.
    assert off(found[::64, 0], recorded["amp_upstream_via22050_every64"]) < 0.01
    assert np.flatnonzero(found[:, 1]).tolist() == recorded["onset_idx_upstream"].tolist()


@settings(max_examples=30)
@given(st.integers(0, 3000), st.integers(0, 2**32 - 1))
def test_loudness_is_the_largest_of_64_ms_ahead(n: int, seed: int) -> None:
    audio = np.random.default_rng(seed).standard_normal(n).astype(np.float32)
    found = condition(audio)
    whole = max(n - 1023, 1)
    slow = [np.abs(audio[k : k + 1024]).max() for k in range(min(whole, n))]
    assert np.array_equal(found[:whole, 0], np.array(slow, np.float32))
    assert n == 0 or (found[whole:, 0] == found[whole - 1, 0]).all()
    assert not found[:, 1].any()


def test_every_frame_has_the_recorded_word() -> None:
    recorded = listed("golden_text_frames.json")
    words = [Word(row["mark"], row["min"], row["max"]) for row in recorded["intervals"]]
    found = word_ids(words, recorded["frames"], recorded["vocab"])
    assert found.tolist() == recorded["ids"]


def test_pauses_are_marked_and_words_are_written_as_it_learned_them() -> None:
    found = marked([Word("Hello,", 0.2, 0.5), Word("Don’t", 0.5, 0.7), Word("—", 0.7, 0.8)], 1.0)
    assert found == (Word("", 0.0, 0.2), Word("hello", 0.2, 0.5), Word("don't", 0.5, 0.7), Word("", 0.7, 1.0))


def test_the_layouts_are_the_published_ones() -> None:
    assert layout.generator(filled.VOCABULARY) == manifest("gesturelsm")
    assert len(layout.generator(filled.VOCABULARY)) == 334
    for part in layout.PARTS:
        assert layout.body(part) == manifest(f"rvqvae_{part}")
        assert len(layout.body(part)) == 84


def test_the_filled_weights_are_the_recorded_ones() -> None:
    for name, recorded in listed("weight_fill_check.json").items():
        key = name.rpartition(":")[2]
        found = filled.value(key, tuple(recorded["shape"]), name).reshape(-1)
        assert found[:4].tolist() == recorded["first4"]
        assert found[-1] == recorded["last"]
        assert found.sum(dtype=np.float64) == pytest.approx(recorded["sum"], abs=1e-6)
        assert np.square(found, dtype=np.float64).sum() == pytest.approx(recorded["sumsq"], rel=1e-9)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_rotations_survive_six_numbers(seed: int) -> None:
    draw = np.random.default_rng(seed)
    q = draw.standard_normal((50, 4)).astype(np.float32)
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    q[0], q[1] = (0, 1, 0, 0), (np.float32(1e-4), 0, 0, 1)  # half a turn, where quaternions of matrices go wrong
    rows = joints.to_rows(q) * draw.uniform(0.5, 2.0, (50, 1)).astype(np.float32)  # the model's are not of length 1
    back = joints.to_quaternion(rows)
    # Half of the angle between them, by its sine: a cosine near 1 would hide it.
    w = (q * back).sum(-1)
    left = np.linalg.norm(back * np.sign(w)[:, None] - q, axis=-1)
    assert np.degrees(2.0 * left).max() < 0.01  # deg
    assert (back[:, 0] >= 0).all()


def test_six_numbers_that_point_nowhere_are_still_a_rotation() -> None:
    for rows in ([0, 0, 0, 0, 0, 0], [1, 0, 0, 2, 0, 0], [0, 0, 1e-12, 0, 1, 0]):
        found = joints.to_quaternion(np.array([rows], np.float32))
        assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-6)


_WITHOUT = """
import sys
import kinesics.systems.speech_gesture.model
print("torch" in sys.modules)
sys.modules["torch"] = sys.modules["safetensors"] = None  # as if they were not installed
from kinesics.systems.speech_gesture import model
from kinesics.engine_plugin import doctor
from kinesics.engine_plugin.cli import main
try:
    model.filled_model()
except model.ModelError as cause:
    print(cause)
print(doctor.PROBES["sentence"]().line())
print(main(["speech", "generate", sys.argv[1], "-o", sys.argv[2], "--weights", "filled"]))
"""


def test_without_torch_everything_says_how_to_get_it(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    wav = request.config.rootpath / "assets" / "hello.wav"
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, str(wav), str(tmp_path / "o.npz")], capture_output=True, text=True, timeout=240
    )
    is_imported, said, *found = done.stdout.splitlines()
    assert is_imported == "False"  # nobody pays for torch who makes no model
    assert said == 'the sentence model needs torch; pip install "kinesics[speech]"'
    assert "OFF" in found[0]
    assert 'pip install "kinesics[speech]"' in found[0]
    assert found[1:] == ["1"]
    assert done.stderr.strip().splitlines() == [f"kinesics: {said}"]
    assert not any(tmp_path.iterdir())


def test_the_goldens_are_the_recorded_ones() -> None:
    """A golden that someone mends to fit would prove nothing."""
    from .goldens import FOLDER

    found = hashlib.sha256()
    for path in sorted(FOLDER.glob("golden_*")):
        found.update(path.name.encode() + path.read_bytes())
    assert found.hexdigest()[:16] == "295502d0ae3eaedc"


def test_without_weights_one_line_says_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr("kinesics.engine_plugin.weights.FOLDER", tmp_path / "speech")
    wav = request.config.rootpath / "assets" / "hello.wav"
    assert main(["speech", "generate", str(wav), "-o", str(tmp_path / "o.npz")]) == 1
    (error,) = capsys.readouterr().err.strip().splitlines()
    assert "no sentence model there; kinesics speech fetch" in error
    assert not any(tmp_path.iterdir())
