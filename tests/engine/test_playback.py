"""Playback against a sound card made of Python: what is given, when it sounds, and everything that can be missing."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from card import RATE, VOICE, Card, playing, wait_for

from kinesics.engine_plugin import sound as card
from kinesics.engine_plugin.playback import Player
from kinesics.systems.avatar import Sound


def test_the_samples_come_out_once_in_order_and_then_silence(clock):
    sound = Card()
    player = playing(sound, clock)
    stream = sound.streams[0]
    while stream.ask(700):
        pass
    out = np.concatenate(stream.given)[:, 0]
    np.testing.assert_array_equal(out[: len(VOICE)], VOICE)
    assert (out[len(VOICE) :] == 0.0).all()
    assert player.state.is_heard
    player.close()
    assert not stream.is_open


def test_the_device_gets_its_own_rate(clock):
    sound = Card(rate=48_000)
    player = playing(sound, clock)
    stream = sound.streams[0]
    assert stream.asked["samplerate"] == 48_000
    while stream.ask(4800):
        pass
    heard = np.concatenate(stream.given)[: 6 * RATE, 0]
    want = 0.5 * np.sin(np.arange(6 * RATE) / 3 * 0.1)
    assert np.abs(heard - want)[2000:-2000].max() < 1e-3
    player.close()


def test_the_position_is_what_has_sounded_and_not_what_was_handed_over(clock):
    sound = Card()
    player = playing(sound, clock)
    stream = sound.streams[0]
    assert player.position_s == 0.0
    stream.ask(8000)
    assert player.position_s == 0.0  # given half a second, its first sample sounds in 0.1 s
    stream.time += 0.1
    assert player.position_s == pytest.approx(0.0, abs=1e-9)
    stream.time += 0.25
    assert player.position_s == pytest.approx(0.25)
    player.close()


def test_a_device_that_stalls_holds_the_position_and_it_never_runs_back(clock):
    sound = Card()
    player = playing(sound, clock)
    stream = sound.streams[0]
    stream.ask(1600)  # 0.1 s, to sound at once
    stream.time += 5.0
    assert player.position_s == pytest.approx(0.1)  # the clock went on, the sound cannot have
    shown = [player.position_s]
    stream.ask(160)  # the second block sounds 5 s late
    for _ in range(40):
        stream.time += 0.01
        stream.ask(160)
        shown.append(player.position_s)
    assert (np.diff(shown) >= 0.0).all()
    assert shown[-1] == pytest.approx(0.1 + 0.4 - stream.latency, abs=0.011)
    player.close()


def test_late_and_early_callbacks_do_not_shake_the_position(clock):
    """Stamps jitter by some ms with the load; lips that follow each of them tremble."""
    sound = Card()
    player = playing(sound, clock)
    stream = sound.streams[0]
    rng = np.random.default_rng(0)
    shown = []
    for _ in range(150):
        stream.ask(160, late=rng.uniform(-0.004, 0.004))
        shown.append(player.position_s)
        stream.time += 0.01
    steps = np.diff(shown)[40:]
    assert steps.min() >= 0.0
    assert steps.max() < 0.0125
    player.close()


def test_at_the_end_the_position_is_the_length_of_the_voice(clock):
    sound = Card()
    player = playing(sound, clock)
    stream = sound.streams[0]
    while stream.ask(1600):
        stream.time += 0.1
    assert wait_for(lambda: not stream.is_open)
    assert not player.is_done  # the last 0.1 s is still in the device
    clock.s += 0.3
    assert player.position_s == pytest.approx(2.0)
    assert player.is_done
    player.close()


def test_stop_fades_within_one_block_and_the_position_stays(clock):
    sound = Card()
    player = playing(sound, clock)
    stream = sound.streams[0]
    stream.ask(1600)
    stream.time += 0.15
    at = player.position_s
    player.stop()
    assert player.is_done
    assert not stream.ask(1600)
    fade = stream.given[-1][:, 0]
    assert np.abs(fade[:100]).max() > 0.2
    assert np.abs(fade[-16:]).max() < 0.01
    assert np.abs(np.diff(fade)).max() < 0.06  # no click
    stream.time += 1.0
    assert player.position_s == at
    assert wait_for(lambda: not stream.is_open)
    player.close()


def test_volume_changes_without_a_click(clock):
    sound = Card()
    player = playing(sound, clock, volume=2.0)
    assert player.volume == 1.0
    stream = sound.streams[0]
    stream.ask(800)
    player.volume = 0.25
    stream.ask(800)
    stream.ask(800)
    out = np.concatenate(stream.given)[:, 0]
    np.testing.assert_allclose(out[1600:2400], 0.25 * VOICE[1600:2400], atol=1e-6)
    assert np.abs(np.diff(out)).max() < 0.06
    player.volume = float("nan")
    assert player.volume == 0.0
    player.close()


def test_a_new_voice_takes_over_from_the_first_sample(clock):
    sound = Card()
    player = playing(sound, clock)
    sound.streams[0].ask(1600)
    sound.streams[0].time += 0.2
    assert player.position_s > 0.0
    player.start(VOICE[::-1], RATE)
    assert player.wait(5.0)
    assert player.position_s == 0.0
    sound.streams[1].ask(100)
    np.testing.assert_array_equal(sound.streams[1].given[0][:, 0], VOICE[::-1][:100])
    player.close()
    assert not any(stream.is_open for stream in sound.streams)
    assert not any(t.name == "kinesics-playback" for t in threading.enumerate())


def test_nothing_to_play_is_done_at_once(clock):
    player = Player(sound=Card(), clock=lambda: clock.s)
    assert player.state.name == "idle"
    assert player.is_done
    player.stop()
    player.start(np.zeros(0, np.float32), RATE)
    assert player.is_done
    assert player.position_s == 0.0
    player.close()
    player.close()


def stream(player):
    """Return a stream's source once the card was opened for it, with nothing in it yet."""
    source = Sound(RATE)
    player.begin(source)
    player.prepare()
    assert player.wait(5.0)
    return source


def test_a_stream_is_silent_until_it_is_let_go_and_then_sounds_at_once(clock):
    sound = Card()
    player = Player(sound=sound, clock=lambda: clock.s)
    source = stream(player)
    source.append(VOICE[:1600])
    assert wait_for(lambda: player._take._ready == 1600)
    for _ in range(10):
        sound.streams[0].ask(160)
    assert not np.concatenate(sound.streams[0].given).any()
    player.go()
    sound.streams[0].ask(160)
    np.testing.assert_array_equal(sound.streams[0].given[-1][:, 0], VOICE[:160])
    source.append(VOICE[1600:3200])  # no frame of a host is needed for it to go on
    assert wait_for(lambda: player._take._ready == 3200)
    player.close()


def test_a_stream_asks_for_little_and_for_twice_as_much_after_one_that_ran_dry(clock):
    sound = Card()
    player = Player(sound=sound, clock=lambda: clock.s)
    asked = []
    for underflow in (False, True, True, True, True, False, False):
        source = stream(player)
        asked.append(sound.streams[-1].asked["latency"])
        source.append(VOICE)
        assert wait_for(lambda: player._take._ready == len(VOICE))
        player.go()
        sound.streams[-1].ask(160, underflow=underflow)
    assert asked == [card.QUICK, card.QUICK, *(card.QUICK * k for k in (2, 4)), *[card.LATENCY] * 3]
    player.start(VOICE, RATE)
    assert player.wait(5.0)
    assert sound.streams[-1].asked["latency"] == card.LATENCY  # a voice known whole has no reason to hurry
    player.close()
