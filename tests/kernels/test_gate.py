"""When the gate says that somebody speaks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.systems.kernels import gate


def follow(loudness, floor=-60.0, top=-20.0, cut=None):
    state = np.empty(gate.STATE)
    gate.begin(state, floor, top)
    out, voiced = np.empty(len(loudness)), np.empty(len(loudness), np.bool_)
    for part in (slice(0, cut or 0), slice(cut or 0, None)):
        gate.follow(np.asarray(loudness, float)[part], state, out[part], voiced[part])
    return out, voiced


def stretch(*parts):
    """Return (dB, s) pairs as one curve with the unrest of a real room."""
    rng = np.random.default_rng(0)
    return np.concatenate([np.full(round(s * 100), db) + rng.normal(0, 1.0, round(s * 100)) for db, s in parts])


def test_speech_opens_it_at_once_and_a_pause_closes_it_after_a_fifth_of_a_second():
    _, voiced = follow(stretch((-60, 1), (-25, 1), (-60, 1)))
    assert not voiced[:100].any()
    assert voiced[100:218].all()
    assert not voiced[225:].any()


def test_a_stop_consonant_does_not_cut_a_word():
    assert follow(stretch((-60, 1), (-25, 0.5), (-60, 0.15), (-25, 0.5)))[1][100:].all()


def test_hysteresis_keeps_a_fading_vowel_that_would_not_have_opened_it():
    curve = stretch((-60, 1), (-25, 0.5), (-52.5, 1.0))
    assert follow(curve)[1][100:].all()
    assert not follow(stretch((-60, 1), (-52.5, 1.0)))[1].any()


@pytest.mark.parametrize("level", [-70.0, -45.0, -20.0])
def test_steady_noise_is_nobody_speaking(level):
    assert not follow(stretch((level, 20)), floor=level)[1].any()


def test_a_fan_that_is_switched_on_is_learnt_within_seven_seconds():
    _, voiced = follow(stretch((-60, 8), (-40, 12)))
    assert voiced[801:1300].all()
    assert not voiced[1520:].any()


def test_dither_in_digital_silence_is_nobody_speaking():
    """Trimmed speech has pauses of exact zeros: with those as the floor, a bit of dither opened the gate."""
    _, voiced = follow(stretch((-100, 1), (-20, 1), (-100, 2), (-80, 2)), floor=-100.0)
    assert voiced[100:200].all()
    assert not voiced[230:].any()


@given(seed=st.integers(0, 999), cut=st.integers(1, 799))
@settings(max_examples=20)
def test_cut_anywhere_the_gate_does_the_same(seed, cut):
    curve = np.random.default_rng(seed).uniform(-80, -10, 800)
    for whole, parts in zip(follow(curve), follow(curve, cut=cut)):
        np.testing.assert_array_equal(whole, parts)


@given(gain=st.floats(-15.0, 15.0))
@settings(max_examples=20)
def test_a_quieter_microphone_changes_nothing(gain):
    curve = stretch((-55, 1), (-28, 1), (-55, 1), (-33, 2), (-55, 1))
    near = follow(curve, -55.0, -25.0)[1]
    np.testing.assert_array_equal(near, follow(curve + gain, -55.0 + gain, -25.0 + gain)[1])
