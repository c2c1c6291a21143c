"""No card, a busy one, one that goes: a state with its cure, and she goes on."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from card import RATE, VOICE, Card, PortAudioError, playing, wait_for

from kinesics.engine_plugin import sound as card
from kinesics.engine_plugin.playback import Player


def test_a_headset_is_found_by_a_part_of_its_name(clock):
    sound = Card()
    player = playing(sound, clock, device="headset")
    assert sound.streams[0].asked["device"] == 1
    player.close()


def _refuse(code, text="no"):
    def refuse(asked):
        raise PortAudioError(text, code)

    return refuse


@pytest.mark.parametrize(
    ("sound", "device", "name", "tells"),
    [
        (Card(names=()), None, "no device", "plug in"),
        (Card(), "Bluetooth", "no such device", "'USB Headset'"),
        (Card(), 5, "no such device", "'Speakers'"),
        (Card(refuse=_refuse(-9985, "Device unavailable")), None, "busy", "close the program"),
        (Card(refuse=_refuse(-9999, "Unanticipated host error")), None, "failed", "host error"),
        (Card(start_error=PortAudioError("Device or resource busy")), None, "busy", "busy"),
        (Card(refuse=lambda asked: 1 / 0), None, "failed", "ZeroDivisionError"),
    ],
    ids=["none", "other name", "other number", "busy", "driver", "busy at start", "anything"],
)
def test_without_sound_she_goes_on_by_the_clock_and_says_what_to_do(clock, sound, device, name, tells):
    player = playing(sound, clock, device=device)
    assert player.state.name == name
    assert name in card.NAMES
    assert tells in player.state.detail + player.state.cure
    assert player.state.cure
    assert not player.state.is_heard
    start = player.position_s
    clock.s += 0.75
    assert player.position_s - start == pytest.approx(0.75)
    clock.s += 10.0
    assert player.position_s == 2.0
    assert player.is_done
    player.close()


def test_a_missing_library_is_a_state_too(clock, monkeypatch):
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    player = Player(clock=lambda: clock.s)
    player.start(VOICE, RATE)
    assert player.wait(5.0)
    assert player.state.name == "no PortAudio"
    assert player.state.cure
    clock.s += 0.5
    assert player.position_s == pytest.approx(0.5)
    player.stop()
    clock.s += 0.5
    assert player.position_s == pytest.approx(0.5)


def test_another_rate_and_stereo_are_tried_before_giving_up(clock):
    def refuse(asked):
        if asked["samplerate"] != 44_100:
            raise PortAudioError("Invalid sample rate", -9997)
        if asked["channels"] != 2:
            raise PortAudioError("Invalid number of channels", -9998)

    sound = Card(rate=32_000, refuse=refuse)
    player = playing(sound, clock)
    assert player.state.is_heard
    stream = sound.streams[0]
    stream.ask(441)
    assert stream.given[0].shape == (441, 2)
    np.testing.assert_array_equal(stream.given[0][:, 0], stream.given[0][:, 1])
    player.close()


def test_a_device_that_is_pulled_out_does_not_stop_her(clock):
    sound = Card()
    player = playing(sound, clock)
    stream = sound.streams[0]
    stream.ask(8000)
    stream.time += 0.4
    stream.asked["finished_callback"]()
    assert wait_for(lambda: player.state.name == "lost")
    assert player.position_s == pytest.approx(0.3)
    clock.s += 0.5
    assert player.position_s == pytest.approx(0.8)
    player.close()


def test_a_device_that_falls_silent_counts_as_lost_after_four_seconds(clock):
    sound = Card()
    player = playing(sound, clock)
    sound.streams[0].ask(1600)
    clock.s += 3.9
    time.sleep(0.15)
    assert player.state.is_heard
    clock.s += 0.2
    assert wait_for(lambda: player.state.name == "lost")
    player.close()
