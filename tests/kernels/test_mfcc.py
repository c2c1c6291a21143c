"""The streaming cepstrum against an FFT and a cepstrum that others wrote, and against itself cut differently."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.systems.kernels import mfcc, spectrum


def run(audio, cuts=()):
    """Return coefficients, loudness, band and the final state of a stream cut at these samples."""
    audio = np.ascontiguousarray(audio, np.float32)
    room = mfcc.room(len(audio)) + 1
    coefficient, loud, band = np.zeros((room, mfcc.COEFFICIENTS)), np.zeros(room), np.zeros(room)
    held, passed, stream = np.zeros(mfcc.FRAME), np.zeros(mfcc.FRAME), np.zeros(mfcc.STREAM)
    done = 0
    edges = [0, *sorted(c % (len(audio) + 1) for c in cuts), len(audio)]
    for a, b in pairwise(edges):
        done += mfcc.push(
            audio[a:b], held, passed, stream, coefficient[done:], loud[done:], band[done:], np.empty(mfcc.WORK)
        )
    return coefficient[:done], loud[:done], band[:done], stream


def tone(hertz: float, amplitude: float = 1.0, seconds: float = 1.0):
    return amplitude * np.sin(2.0 * np.pi * hertz * np.arange(round(seconds * mfcc.RATE)) / mfcc.RATE)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(1e-6, 1e6))
def test_the_power_spectrum_is_that_of_numpy(seed, scale):
    frame = np.random.default_rng(seed).standard_normal(512) * scale
    out = np.empty(spectrum.BINS)
    spectrum.power(frame, np.ones(512), out, np.empty(spectrum.WORK))
    want = np.abs(np.fft.rfft(frame)) ** 2
    assert np.abs(out - want).max() <= 1e-13 * want.sum()


@pytest.mark.parametrize("kind", ["speech-like", "loud noise", "near silence", "silence", "one click"])
def test_coefficients_are_those_of_librosa_to_a_billionth(kind):
    librosa = pytest.importorskip("librosa", reason="librosa, the oracle, is not installed (extra: dev)")
    rng = np.random.default_rng(3)
    noise = rng.standard_normal(16_000)
    audio = {
        "speech-like": sum(tone(130 * k, 0.2 / k) for k in range(1, 30)) * np.abs(tone(2)) + 1e-3 * noise,
        "loud noise": 0.3 * noise,
        "near silence": 1e-5 * noise,
        "silence": np.zeros(16_000),
        "one click": (np.arange(16_000) == 9_000) * 0.7,
    }[kind].astype(np.float32)
    mel = librosa.feature.melspectrogram(
        y=audio.astype(np.float64), sr=16_000, n_fft=512, hop_length=160, center=False, n_mels=40, dtype=np.float64
    )
    want = librosa.feature.mfcc(S=librosa.power_to_db(mel, ref=1.0, amin=1e-10, top_db=None), n_mfcc=14).T
    got = run(audio)[0]
    assert got.shape == want.shape == (97, 14)
    assert np.abs(got - want).max() <= 1e-9


def test_coefficients_of_a_real_talker_are_those_of_librosa(shared):
    librosa = pytest.importorskip("librosa", reason="librosa, the oracle, is not installed (extra: dev)")
    audio, rate = soundfile.read(shared / "data/mocap/2_scott_0_1_1.wav", dtype="float32", frames=320_000)
    assert rate == 16_000
    mel = librosa.feature.melspectrogram(
        y=audio.astype(np.float64), sr=16_000, n_fft=512, hop_length=160, center=False, n_mels=40, dtype=np.float64
    )
    want = librosa.feature.mfcc(S=librosa.power_to_db(mel, ref=1.0, amin=1e-10, top_db=None), n_mfcc=14).T
    assert np.abs(run(audio)[0] - want).max() <= 1e-9


@settings(max_examples=30)
@given(cuts=st.lists(st.integers(0, 5000), max_size=40), seed=st.integers(0, 99))
def test_the_same_voice_in_other_blocks_gives_the_same_bits(cuts, seed):
    audio = np.random.default_rng(seed).standard_normal(5000) * 0.1
    for whole, parts in zip(run(audio), run(audio, cuts)):
        np.testing.assert_array_equal(whole, parts)


@given(samples=st.integers(0, 3000))
@settings(max_examples=40)
def test_a_frame_comes_when_its_last_sample_does(samples):
    frames = len(run(np.zeros(samples))[1])
    assert frames == max(0, (samples - 512) // 160 + 1)
    assert frames <= mfcc.room(samples)


def test_a_full_scale_sine_is_3_db_under_full_scale():
    _, loud, band, _ = run(tone(1000))
    assert loud[5:] == pytest.approx(-3.01, abs=0.05)
    assert band[5:] == pytest.approx(-3.01, abs=0.05)


def test_rumble_does_not_count_as_loudness():
    assert run(tone(20))[1][20:].max() < -24.0
    assert run(tone(80))[1][20:] == pytest.approx(-6.0, abs=0.6)  # half of the power at the corner


def test_an_offset_of_the_converter_is_silence_from_the_first_sample():
    assert run(np.full(4000, 0.4))[1].max() == pytest.approx(-100.0)


def test_hiss_above_the_syllables_does_not_count_in_their_band():
    assert run(tone(6000))[2].max() < -60.0


def test_silence_after_speech_leaves_no_denormal_numbers():
    """They made a silent second cost a hundred times a loud one."""
    stream = run(np.concatenate([tone(200, 0.5), np.zeros(32_000)]))[3]
    assert stream[1] == 0.0
    assert stream[2] == 0.0


@given(scale=st.floats(0.01, 1.0))
@settings(max_examples=15)
def test_loudness_moves_the_first_coefficient_alone(scale):
    audio = np.random.default_rng(5).standard_normal(4000) * 0.2
    near, far = run(audio)[0], run(audio.astype(np.float32) * np.float32(scale))[0]
    assert np.abs(near[:, 1:] - far[:, 1:]).max() < 1e-4
    assert near[:, 0] - far[:, 0] == pytest.approx(-20.0 * np.log10(scale) * np.sqrt(40.0), abs=1e-4)
