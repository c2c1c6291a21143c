"""Pitch of tones whose pitch is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.systems.kernels import pitch

RATE = 16_000


def track(audio):
    audio = np.asarray(audio, np.float32)
    half = np.empty(len(audio) // 2 + 1)
    power = pitch.halve(audio, half)
    frames = len(audio) // 160
    hertz, strength = np.empty(frames), np.empty(frames)
    pitch.track(half, power, hertz, strength, np.empty(pitch.WORK))
    return hertz[5:-5], strength[5:-5]


def voice(hertz, weights, seconds=0.5):
    phase = 2.0 * np.pi * np.cumsum(np.broadcast_to(hertz, round(seconds * RATE))) / RATE
    return 0.2 * sum(w * np.sin(k * phase + k) for k, w in enumerate(weights, 1) if k * np.max(hertz) < 7000)


@given(hertz=st.floats(75.0, 390.0))
@settings(max_examples=40)
def test_a_voice_is_heard_at_its_pitch(hertz):
    found, strength = track(voice(hertz, 1.0 / np.arange(1, 30)))
    assert found == pytest.approx(hertz, rel=0.01)
    assert strength.min() > 0.9


@given(hertz=st.floats(90.0, 300.0), second=st.floats(1.0, 3.0))
@settings(max_examples=30)
def test_a_strong_overtone_does_not_make_it_an_octave_higher(hertz, second):
    found, _ = track(voice(hertz, [1.0, second, 0.8, 0.4, 0.3]))
    assert found == pytest.approx(hertz, rel=0.01)


def test_a_telephone_voice_without_its_fundamental_keeps_its_pitch():
    assert track(voice(110.0, [0.0, 0.0, 1.0, 1.0, 1.0, 0.7, 0.5]))[0] == pytest.approx(110.0, rel=0.01)


def test_a_glide_is_followed():
    glide = 120.0 * 2.0 ** np.linspace(0.0, 1.0, RATE)
    found, _ = track(voice(glide, 1.0 / np.arange(1, 20), 1.0))
    want = glide[(np.arange(5, 95) * 160 + 256)]
    assert np.abs(found / want - 1.0).max() < 0.02


def test_noise_and_silence_are_not_voiced():
    rng = np.random.default_rng(0)
    assert np.mean(track(rng.standard_normal(RATE) * 0.1)[1] > 0.5) < 0.1
    assert track(np.zeros(RATE))[1].max() == 0.0


def test_hum_in_the_pauses_of_a_voice_is_not_voiced():
    hum = 1e-4 * np.sin(2 * np.pi * 100 * np.arange(RATE) / RATE)
    _, strength = track(np.concatenate([voice(150.0, 1.0 / np.arange(1, 20), 1.0), hum]))
    assert strength[110:].max() < 0.5


@pytest.mark.parametrize("samples", [1, 2, 159, 500, 900])
def test_a_scrap_of_sound_has_no_pitch_and_breaks_nothing(samples):
    half = np.empty(samples // 2 + 1)
    power = pitch.halve(np.ones(samples, np.float32), half)
    hertz, strength = np.full(3, np.nan), np.full(3, np.nan)
    pitch.track(half, power, hertz, strength, np.empty(pitch.WORK))
    assert np.isfinite(hertz).all()
    assert np.isfinite(strength).all()
