"""A voice that comes in block by block has the numbers of the same voice read whole, as soon as they can be known."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.ring import KEEP
from kinesics.components.speech import RATE
from kinesics.systems.voice import live
from kinesics.systems.voice import loudness as level
from kinesics.systems.voice.analyse import analyse

from .voices import talker

VOICE = talker((0.6, 0.4, 0.8, 0.5), seed=4)
WHOLE = analyse(VOICE.audio, RATE)


def seeded():
    """Return a ring that knows the room and the voice as `analyse` does after reading the whole file."""
    return live.fresh(floor=float(np.percentile(WHOLE.loudness, 4)), top=float(np.percentile(WHOLE.loudness, 99)))


def hear(ring, audio, block=267):
    for at in range(0, len(audio), block):
        live.push(ring, audio[at : at + block])
    return ring


def test_frames_have_the_same_bits_as_those_of_the_whole_file():
    ring, frame = seeded(), 0
    for at in range(0, len(WHOLE.audio), 267):
        live.push(ring, WHOLE.audio[at : at + 267])
        for k in range(frame, ring.count):
            assert ring.loudness[k % KEEP] == WHOLE.loudness[k]
            assert ring.voiced[k % KEEP] == WHOLE.voiced[k]
        frame = ring.count
    assert frame == (len(WHOLE.audio) - 512) // 160 + 1
    rows = np.arange(frame - KEEP, frame)
    shift = ring.coefficient[rows % KEEP] - WHOLE.coefficient[rows]
    assert np.abs(shift - shift[0]).max() < 1e-4  # but for the speaker's mean, which a file has from its start


def test_the_last_second_has_the_shape_it_has_in_the_file():
    ring = seeded()
    for seconds in (2.0, 3.7, 6.0, 9.0):
        ring = hear(seeded(), WHOLE.audio[: int(seconds * RATE)])
        last = level.finished(ring.count)
        want = WHOLE.envelope[last - 60 : last]
        got = live.envelope(ring)
        is_free = (np.abs(want) < 29.0) & (np.abs(got) < 29.0) & (want < 9.5) & (got < 9.5)
        shift = (got - want)[is_free]
        assert np.abs(shift - shift[0]).max() < 1e-3  # dB
        assert np.abs(shift[0]) < 3.0  # dB, how well her level is known by now


def test_the_newest_sample_of_the_last_second_is_less_than_40_ms_old():
    ring = hear(seeded(), WHOLE.audio[: 5 * RATE])
    assert 5.0 - (level.finished(ring.count) - 1) / 60 < 0.04
    assert live.heard(ring) == pytest.approx(5.0, abs=0.011)


def test_after_ten_seconds_of_speech_her_level_and_timbre_are_those_of_the_file():
    voice = talker(tuple([0.5] * 8), seed=1).audio
    whole, ring = analyse(voice, RATE), hear(live.fresh(), voice)
    assert live.active_level(ring) == pytest.approx(level.level(whole.loudness, whole.voiced), abs=1.0)
    assert ring.weight == live.MEMORY
    timbre, seconds = live.timbre(ring)
    rows = np.arange(ring.count - 100, ring.count)
    rows = rows[whole.voiced[rows]]
    assert seconds == pytest.approx(len(rows) / 100, abs=0.05)
    assert np.abs(timbre - whole.coefficient[rows].mean(axis=0)).max() < 4.0


@given(cuts=st.lists(st.integers(0, 30_000), max_size=30))
@settings(max_examples=15)
def test_however_the_blocks_are_cut_the_ring_holds_the_same_bits(cuts):
    audio = VOICE.audio[:30_000]
    one, other = live.fresh(), live.fresh()
    live.push(one, audio)
    for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), len(audio)]):
        live.push(other, audio[a:b])
    for field in dataclasses.fields(one):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


def test_before_the_first_frame_there_is_silence():
    ring = live.fresh()
    assert (live.envelope(ring) == -30.0).all()
    assert not live.is_voiced(ring)
    assert live.heard(ring) == 0.0
    timbre, seconds = live.timbre(ring)
    assert (timbre == 0.0).all()
    assert seconds == 0.0
    hear(ring, VOICE.audio[:6000])
    assert (live.envelope(ring)[:30] == -30.0).all()


def test_a_microphone_left_open_in_a_noisy_room_falls_silent_within_seven_seconds():
    noise = np.random.default_rng(0).standard_normal(10 * RATE).astype(np.float32) * 0.01
    ring = hear(live.fresh(), noise)
    assert not live.is_voiced(ring)
    assert live.timbre(ring)[1] == 0.0
    assert live.envelope(ring).std() < 0.5


def test_a_broken_driver_cannot_spoil_the_numbers():
    broken = VOICE.audio[: 2 * RATE].copy()
    broken[RATE : RATE + 50] = np.nan
    broken[RATE + 60] = np.inf
    broken[RATE + 70] = 1e30
    ring = hear(live.fresh(), broken)
    assert ring.refused == 51
    for field in dataclasses.fields(ring):
        assert np.isfinite(getattr(ring, field.name)).all(), field.name
    assert np.isfinite(live.envelope(ring)).all()


def test_a_block_of_nothing_is_no_news():
    ring = live.fresh()
    assert live.push(ring, np.zeros(0, np.float32)) == 0
    assert live.push(ring, []) == 0
    assert ring.stream[3] == 0.0
