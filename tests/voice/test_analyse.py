"""A whole voice, measured: what was planted is found, and how it was recorded does not matter."""

from __future__ import annotations

import math

import numpy as np
import pytest
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.errors import AudioError
from kinesics.components.speech import RATE, Word
from kinesics.systems.voice import analyse as module
from kinesics.systems.voice import prominence
from kinesics.systems.voice.analyse import analyse, feature_hash

from .voices import talker

VOICE = talker()


def test_every_accent_is_found_within_50_ms_and_no_other():
    speech = analyse(VOICE.audio, RATE)
    assert len(speech.accent) == len(VOICE.accent)
    assert np.abs(speech.accent - VOICE.accent).max() < 0.05
    assert speech.strength.min() > 0.5


def test_a_pause_of_half_a_second_ends_a_phrase_and_a_short_one_does_not():
    speech = analyse(talker((0.6, 0.1, 0.6)).audio, RATE)
    assert len(speech.phrase) == 3
    planted = talker((0.6, 0.1, 0.6)).pause
    assert speech.phrase[0, 1] == pytest.approx(planted[0][0], abs=0.1)
    assert speech.phrase[1, 0] == pytest.approx(planted[0][1], abs=0.1)
    assert (speech.phrase[:, 1] > speech.phrase[:, 0]).all()


def test_one_sentence_in_a_minute_of_silence_is_found_like_one_without():
    quiet = np.zeros(30 * RATE, np.float32)
    alone, among = analyse(VOICE.audio, RATE), analyse(np.concatenate([quiet, VOICE.audio, quiet]), RATE)
    assert len(among.phrase) == len(alone.phrase) == 3
    assert len(among.accent) == len(alone.accent)
    assert np.abs(among.accent - 30.0 - alone.accent).max() < 0.03


def test_she_is_voiced_in_her_phrases_and_not_in_long_pauses():
    voice = talker((1.2,))
    speech = analyse(voice.audio, RATE)
    start, end = voice.pause[0]
    frame = np.arange(len(speech.voiced)) * 0.01 + 0.016
    assert not speech.voiced[(frame > start + 0.35) & (frame < end - 0.05)].any()
    assert speech.voiced[(frame > 0.6) & (frame < start - 0.1)].all()


@pytest.mark.parametrize("gain", [0.1, 0.3, 1.9])
def test_how_loud_she_was_recorded_does_not_matter(gain):
    near, far = analyse(VOICE.audio, RATE), analyse(VOICE.audio * np.float32(gain), RATE)
    assert np.abs(near.envelope - far.envelope).max() < 0.1  # dB
    np.testing.assert_array_equal(near.voiced, far.voiced)
    assert np.abs(near.accent - far.accent).max() < 0.011
    assert np.abs(near.coefficient - far.coefficient).max() < 0.1


@pytest.mark.parametrize(
    "kind", ["48 kHz", "44.1 kHz", "8 kHz", "stereo", "stereo, channels first", "int16", "int32", "offset"]
)
def test_how_the_samples_come_does_not_matter(kind):
    audio = VOICE.audio
    pcm, rate = {
        "48 kHz": lambda: (soxr.resample(audio, RATE, 48_000), 48_000),
        "44.1 kHz": lambda: (soxr.resample(audio, RATE, 44_100), 44_100),
        "8 kHz": lambda: (soxr.resample(audio, RATE, 8_000), 8_000),
        "stereo": lambda: (np.stack([audio * 1.5, audio * 0.5], axis=1), RATE),
        "stereo, channels first": lambda: (np.stack([audio, audio]), RATE),
        "int16": lambda: (np.round(audio * 32767).astype(np.int16), RATE),
        "int32": lambda: (np.round(audio * 2.0**31).astype(np.int32), RATE),
        "offset": lambda: (audio + np.float32(0.2), RATE),
    }[kind]()
    want, got = analyse(audio, RATE), analyse(pcm, rate)
    assert got.seconds == pytest.approx(want.seconds, abs=0.001)
    assert np.median(np.abs(got.envelope - want.envelope)) < 0.3
    assert len(got.accent) == len(want.accent)
    assert np.abs(got.accent - want.accent).max() < 0.03


def test_another_microphone_is_the_same_voice():
    """A fixed filter adds a constant to the cepstrum; with it left in, a second of timbre names the microphone."""
    bright = np.convolve(VOICE.audio, [1.0, -0.6])[: len(VOICE.audio)]
    near, far = analyse(VOICE.audio, RATE), analyse(bright, RATE)
    both = near.voiced & far.voiced & (near.loudness > -45)
    spread = near.coefficient[both].std()
    assert np.median(np.abs(near.coefficient - far.coefficient)[both]) < 0.1 * spread
    assert np.abs(near.coefficient[near.voiced].mean(axis=0)).max() < 1e-3


def test_the_same_voice_gives_the_same_bits_and_other_words_another_digest():
    one, two = analyse(VOICE.audio, RATE), analyse(VOICE.audio.copy(), RATE)
    for name in ("audio", "loudness", "envelope", "coefficient", "voiced", "phrase", "accent", "strength"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
        assert not getattr(one, name).flags.writeable
    assert one.digest == two.digest
    said = analyse(VOICE.audio, RATE, words=[("hello", 0.5, 0.9), Word("there", 0.9, 1.2)])
    assert said.digest != one.digest
    assert said.text == "hello there"
    assert said.words == (Word("hello", 0.5, 0.9), Word("there", 0.9, 1.2))
    assert analyse(VOICE.audio, RATE, text="hello there").text == "hello there"


@pytest.mark.parametrize(
    "pcm",
    [
        np.zeros(RATE),
        np.zeros(1),
        np.array([1.0]),
        np.ones(RATE),
        np.sign(np.sin(np.arange(RATE) * 0.1)),
        np.random.default_rng(0).standard_normal(3 * RATE) * 0.05,
        np.random.default_rng(0).standard_normal(700) * 0.05,
        np.eye(1, 40_000, 20_000)[0],
        np.full((5, 2), 0.1),
    ],
    ids=[
        "silence",
        "one sample",
        "one loud sample",
        "constant",
        "clipped",
        "noise",
        "44 ms",
        "one click",
        "5 of stereo",
    ],
)
def test_sound_without_speech_is_measured_and_has_no_events(pcm):
    speech = analyse(pcm, RATE)
    frames = math.ceil(len(speech.audio) / 160)
    assert speech.loudness.shape == speech.voiced.shape == (frames,)
    assert speech.coefficient.shape == (frames, 13)
    assert speech.envelope.shape == (math.ceil(speech.seconds * 60 - 1e-9),)
    assert speech.phrase.shape == (0, 2) or speech.phrase.shape[0] <= 1
    assert len(speech.accent) == len(speech.strength) == 0
    for name in ("loudness", "envelope", "coefficient"):
        assert np.isfinite(getattr(speech, name)).all()
    assert speech.envelope.min() >= -30.0
    assert speech.envelope.max() <= 10.0


@given(samples=st.integers(1, 3000), rate=st.sampled_from([4000, 8000, 11_025, 16_000, 22_050, 48_000, 96_000]))
@settings(max_examples=40)
def test_any_length_at_any_rate_is_measured(samples, rate):
    speech = analyse(np.random.default_rng(samples).uniform(-0.5, 0.5, samples), rate)
    assert speech.seconds == pytest.approx(samples / rate, abs=1 / RATE)
    assert len(speech.loudness) == math.ceil(len(speech.audio) / 160)


@pytest.mark.parametrize(
    ("pcm", "rate", "tells"),
    [
        (np.zeros(0), RATE, "holds no sound"),
        (np.array([0.0, np.nan, 0.0]), RATE, "first at sample 1"),
        (np.array([np.inf]), RATE, "not finite"),
        (np.array([0.0, 9830.0]), RATE, "divide 16-bit samples by 32768"),
        (np.zeros(9, np.int64), RATE, "int64"),
        (np.zeros(9, np.bool_), RATE, "bool"),
        (["a"], RATE, "type"),
        (np.zeros((3, 3, 3)), RATE, "(3, 3, 3)"),
        (np.zeros((400, 20)), RATE, "20 channels"),
        (np.zeros(9), 0, "want whole Hz from 4000 to 384000"),
        (np.zeros(9), math.nan, "rate nan"),
        (np.zeros(9), "44100", "rate '44100'"),
        (np.zeros(9), True, "rate True"),
        (np.broadcast_to(np.float32(0), 4000 * 7201), 4000, "at most 2 h"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(pcm, rate, tells):
    with pytest.raises(AudioError) as error:
        analyse(pcm, rate)
    assert tells in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("words", "tells"),
    [
        ([("a", 0.0)], "number 1 is ('a', 0.0)"),
        ([("a", 0.5, 0.4)], "lasts from 0.5 to 0.4 s"),
        ([("a", -1, 0.4)], "want 0 <= start"),
        ([("a", 0, math.inf)], "want 0 <= start"),
        ([("a", math.nan, 1)], "want 0 <= start"),
        ([("a", 1, 2), ("b", 0.5, 0.6)], "sort them by time"),
        ([("a", 0, 1), ("b", 100, 101)], "are these the words of this recording"),
        ([7], "number 1 is 7"),
    ],
)
def test_words_that_do_not_fit_the_voice_are_refused_in_one_line(words, tells):
    with pytest.raises(AudioError) as error:
        analyse(VOICE.audio, RATE, words=words)
    assert tells in str(error.value)
    assert "\n" not in str(error.value)


def test_a_corpus_made_with_other_numbers_is_told_by_its_hash(monkeypatch):
    before = feature_hash()
    assert before == feature_hash()
    monkeypatch.setitem(prominence.PARAMETERS, "apart_s", 0.3)
    changed = feature_hash()
    monkeypatch.setattr(module.gate, "OPEN", 11.0)
    assert len({before, changed, feature_hash()}) == 3


REAL = [
    "speech/LJ050-0131.wav", "speech/cards_005.wav", "speech/flite_slt.wav", "speech/sonnet1.mp3", "speech/ss_0870.wav",
    "speech/ss_0890.wav", "speech/ss_0920.wav", "mocap/2_scott_0_1_1.wav", "mocap/2_scott_0_2_2.wav",
]  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_talkers_have_one_to_two_accents_a_second_of_speech(shared, name):
    from kinesics.systems.voice.files import read_audio

    speech = analyse(*read_audio(shared / "data" / name))
    spoken = (speech.phrase[:, 1] - speech.phrase[:, 0]).sum()
    assert 0.6 * speech.seconds < spoken <= speech.seconds
    assert 1.1 < len(speech.accent) / spoken < 2.0
    assert 0.0 < np.median(speech.strength) < 2.0
    assert speech.strength.max() < 4.0
    inside = (speech.accent[:, None] > speech.phrase[:, 0] - 0.1) & (speech.accent[:, None] < speech.phrase[:, 1] + 0.1)
    assert inside.any(axis=1).all()


@pytest.mark.long
def test_ten_minutes_are_measured_as_one_minute_is():
    minute = talker(tuple([0.5] * 26)).audio[: 55 * RATE]
    short, long = analyse(minute, RATE), analyse(np.tile(minute, 11), RATE)
    assert long.seconds == pytest.approx(11 * short.seconds)
    assert len(long.accent) == pytest.approx(11 * len(short.accent), rel=0.02)
    assert len(long.phrase) == pytest.approx(11 * len(short.phrase), abs=11)
