"""Audio files, good and bad."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from kinesics.components.errors import AudioError
from kinesics.systems.voice import files
from kinesics.systems.voice.files import read_audio

TONE = (0.3 * np.sin(2.0 * np.pi * 220.0 * np.arange(16_000) / 16_000)).astype(np.float32)


@pytest.mark.parametrize(
    ("suffix", "near"), [("wav", 1e-4), ("flac", 1e-4), ("ogg", 0.05), ("mp3", 0.1), ("aiff", 1e-4)]
)
def test_a_file_of_any_common_kind_is_heard_as_it_was_written(tmp_path, suffix, near):
    path = tmp_path / f"Grüße {suffix}.{suffix}"
    soundfile.write(path, TONE, 16_000)
    audio, rate = read_audio(path)
    assert rate == 16_000
    assert audio.dtype == np.float32
    assert audio.shape[0] == pytest.approx(16_000, abs=2400)  # mp3 pads whole frames
    middle = audio[4000:12_000]
    lag = np.argmax(np.correlate(audio[3000:13_000], TONE[4000:12_000], "valid")) - 1000
    assert np.abs(audio[4000 + lag : 12_000 + lag] - TONE[4000:12_000]).max() < near + 0.01
    assert middle.std() == pytest.approx(TONE.std(), rel=0.05)


def test_two_channels_become_their_mean(tmp_path):
    soundfile.write(tmp_path / "a.wav", np.stack([TONE, -0.5 * TONE], axis=1), 44_100)
    audio, rate = read_audio(tmp_path / "a.wav")
    assert rate == 44_100
    assert np.abs(audio - 0.25 * TONE).max() < 1e-4


def test_a_wav_that_was_written_to_a_pipe_and_never_closed_is_read_to_its_end(tmp_path):
    soundfile.write(tmp_path / "a.wav", TONE, 16_000)
    data = bytearray((tmp_path / "a.wav").read_bytes())
    at = data.find(b"data")
    data[4:8] = data[at + 4 : at + 8] = b"\xff" * 4
    (tmp_path / "pipe.wav").write_bytes(data)
    assert len(read_audio(tmp_path / "pipe.wav")[0]) == 16_000


def test_half_a_file_gives_its_half(tmp_path):
    soundfile.write(tmp_path / "a.wav", TONE, 16_000)
    data = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "half.wav").write_bytes(data[: len(data) // 2])
    assert len(read_audio(tmp_path / "half.wav")[0]) == pytest.approx(8000, abs=30)


def _bad(folder, kind):
    path = folder / f"{kind}.wav"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("this is not sound")
    elif kind == "header":
        soundfile.write(path, TONE[:0], 16_000)
    elif kind == "slow":
        soundfile.write(path, TONE, 2000)
    elif kind == "wide":
        soundfile.write(path, np.zeros((9, 12)), 16_000)
    elif kind == "broken":
        soundfile.write(path, np.array([0.0, np.nan, 0.0], np.float32), 16_000, subtype="FLOAT")
    elif kind == "raw":
        path = folder / "raw.raw"
        path.write_bytes(b"1234")
    elif kind == "typo":
        soundfile.write(folder / "typo.flac", TONE, 16_000)
    elif kind == "nowhere":
        path = folder / "no" / "such.wav"
    return path


@pytest.mark.parametrize(
    ("kind", "tells"),
    [
        ("missing", "no such file"),
        ("nowhere", "no folder"),
        ("typo", "there is typo.flac"),
        ("folder", "is a folder"),
        ("empty", "0 bytes"),
        ("text", "convert it to wav"),
        ("header", "no sound"),
        ("slow", "rate 2000 Hz"),
        ("wide", "12 channels"),
        ("broken", "not finite"),
        ("raw", "without a header"),
    ],
)
def test_a_file_that_cannot_be_heard_says_why_and_what_to_do_in_one_line(tmp_path, kind, tells):
    path = _bad(tmp_path, kind)
    with pytest.raises(AudioError) as error:
        read_audio(path)
    assert tells in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_more_than_two_hours_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 0.5)
    soundfile.write(tmp_path / "a.wav", TONE, 16_000)
    with pytest.raises(AudioError, match="cut it into parts"):
        read_audio(tmp_path / "a.wav")
