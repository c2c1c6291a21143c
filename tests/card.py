"""A sound card that a test turns by hand: what PortAudio shows of one."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from kinesics.engine_plugin.playback import Player

RATE = 16_000
VOICE = (0.5 * np.sin(np.arange(2 * RATE) * 0.1)).astype(np.float32)


class PortAudioError(Exception):
    pass


class CallbackStop(Exception):
    pass


class Stream:
    """A stream whose clock and callbacks the test turns by hand."""

    latency = 0.1

    def __init__(self, card, **asked):
        self.card, self.asked, self.time, self.given, self.is_open = card, asked, 100.0, [], True
        card.check(asked)
        card.streams.append(self)

    def start(self):
        if self.card.start_error:
            raise self.card.start_error

    def close(self, ignore_errors=True):
        self.is_open = False

    def ask(self, frames, late=0.0, underflow=False):
        """Call back for a block that sounds `latency + late` s from now; return whether the stream goes on."""
        out = np.full((frames, self.asked["channels"]), 9.0, np.float32)
        now = SimpleNamespace(currentTime=self.time, outputBufferDacTime=self.time + self.latency + late)
        try:
            self.asked["callback"](out, frames, now, SimpleNamespace(output_underflow=underflow))
        except CallbackStop:
            self.asked["finished_callback"]()
            self.given.append(out)
            return False
        self.given.append(out)
        return True


class Card:
    """Stands in for the module sounddevice."""

    PortAudioError, CallbackStop = PortAudioError, CallbackStop

    def __init__(self, rate=RATE, names=("Speakers", "USB Headset"), refuse=None, start_error=None):
        self.rate, self.names, self.refuse, self.start_error, self.streams = rate, names, refuse, start_error, []

    def query_devices(self, kind=None):
        all_ = [
            {"name": n, "index": i, "default_samplerate": float(self.rate), "max_output_channels": 2}
            for i, n in enumerate(self.names)
        ]
        if kind is None:
            microphone = {"name": "Mic", "index": 9, "default_samplerate": 8000.0, "max_output_channels": 0}
            return [*all_, microphone] if all_ else []
        if not all_:
            raise PortAudioError("Error querying device -1")
        return all_[0]

    def OutputStream(self, **asked):
        return Stream(self, **asked)

    def check(self, asked):
        if self.refuse:
            self.refuse(asked)


@pytest.fixture
def clock():
    return SimpleNamespace(s=0.0)


def playing(sound, clock, **options):
    player = Player(sound=sound, clock=lambda: clock.s, **options)
    player.start(VOICE, RATE)
    assert player.wait(5.0)
    if player.state.is_heard:  # its thread has the whole voice before a test turns the card's clock
        assert wait_for(lambda: player._take._is_complete)
    return player


def wait_for(condition, seconds=3.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()
