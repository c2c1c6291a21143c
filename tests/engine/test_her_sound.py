"""One avatar's sound through a sound card made of Python: a stream is heard as it is fed, a microphone moves her."""

from __future__ import annotations

import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
import talker

from kinesics.components.speech import RATE
from kinesics.components.voice import Voice
from kinesics.engine_plugin import settings
from kinesics.engine_plugin.her_sound import HerSound
from kinesics.systems import headless
from kinesics.systems.schedule import TICK

HERTZ = 48_000  # of the card
DELAY = 0.06  # s from a block's callback to its sound


class PortAudioError(Exception):
    pass


class CallbackStop(Exception):
    pass


class Stream:
    def __init__(self, card, asked):
        self.card, self.asked, self.given, self.is_over = card, asked, [], False
        card.streams.append(self)

    @property
    def time(self):
        return self.card.time

    def start(self):
        pass

    def close(self, ignore_errors=True):
        self.is_over = True

    def run(self, frames):
        if self.is_over:
            return
        out = np.zeros((frames, 1), np.float32)
        now = SimpleNamespace(currentTime=self.time, outputBufferDacTime=self.time + DELAY)
        try:
            self.asked["callback"](out, frames, now, SimpleNamespace(output_underflow=False))
        except CallbackStop:
            self.is_over = True
            self.asked["finished_callback"]()
        self.given.append(out[:, 0])


class Card:
    """Stands in for the module sounddevice."""

    PortAudioError, CallbackStop = PortAudioError, CallbackStop

    def __init__(self):
        self.time, self.streams, self.inputs = 50.0, [], []

    def query_devices(self, kind=None):
        device = {
            "name": "Everything",
            "index": 0,
            "default_samplerate": float(HERTZ),
            "max_output_channels": 2,
            "max_input_channels": 1,
        }
        return [device] if kind is None else device

    def OutputStream(self, **asked):
        return Stream(self, asked)

    def InputStream(self, **asked):
        self.inputs.append(asked)
        return SimpleNamespace(start=lambda: None, close=lambda ignore_errors=True: asked["finished_callback"]())


@pytest.fixture
def sounding(monkeypatch):
    """Return (world, sound, card, step): step() is one frame of a host."""
    card = Card()
    monkeypatch.setitem(sys.modules, "sounddevice", card)
    settings.sound.setValue(True)
    world = headless.world(talker.body(), talker.corpus(), seed=1)
    sound = HerSound(world.avatar)
    told = []

    def step(count=1):
        for _ in range(count):
            sound.report()
            sound.hear()
            world.step(TICK)
            for _, name, data in world.avatar.deliver():
                told.append(name)
                if "id" in data:
                    sound.tell(name, data["id"])
            told.extend(sound.follow())
            time.sleep(0.002)  # the streams' threads
            take = sound.player._take if sound.player is not None else None
            if take is not None and take.settled.is_set():
                wait = time.monotonic() + 1.0
                while take._converted < len(take.source.chunks) and time.monotonic() < wait and not take.over.is_set():
                    time.sleep(0.001)
            card.time += 1 / 60
            for stream in card.streams:
                stream.run(HERTZ // 60)

    yield SimpleNamespace(world=world, sound=sound, card=card, step=step, told=told)
    sound.close()
    settings.sound.setValue(False)
    names = {t.name for t in threading.enumerate()}
    assert not names & {"kinesics-playback", "kinesics-microphone"}


def wait_for(condition, step, frames=200):
    for _ in range(frames):
        if condition():
            return True
        step()
    return False


def at_card(pcm, rate):
    t = np.arange(len(pcm) * HERTZ // rate) * rate / HERTZ
    return np.interp(t, np.arange(len(pcm)), pcm)


def heard(card):
    return np.concatenate(card.streams[-1].given)


def test_a_stream_is_heard_once_in_order_at_its_own_quality_and_her_lips_are_on_it(sounding):
    her, rate = sounding.world.avatar, 24_000
    u = her.begin(rate)
    sounding.step(20)  # the device is open before the first word
    assert len(sounding.card.streams) == 1
    assert np.abs(heard(sounding.card)).max() == 0.0
    t = np.arange(2 * rate) / rate
    pcm = (0.3 * np.sin(2 * np.pi * 220 * t) + 0.1 * np.sin(2 * np.pi * 9_500 * t)).astype(np.float32)
    began = len(heard(sounding.card))
    worst = 0.0
    for k in range(150):
        if k * 600 < len(pcm):
            u.feed(pcm[k * 600 : (k + 1) * 600])  # 25 ms a frame: faster than it sounds
        if k == 100:
            u.end()
        sounding.step()
        out = heard(sounding.card)
        first = np.flatnonzero(np.abs(out) > 1e-4)
        if len(first):
            really = (len(out) - first[0]) / HERTZ - DELAY - 2 / 60  # what had left it at her tick
            position = sounding.world.get(0, Voice).position
            if 0.05 < really < 1.9 and sounding.world.get(0, Voice).current is not None:
                worst = max(worst, abs(position - really))
    out = heard(sounding.card)
    first = np.flatnonzero(np.abs(out) > 1e-4)[0]
    assert (first - began) / HERTZ <= 0.1  # s after the first chunk
    whole = out[first : first + 2 * HERTZ]
    spectrum = np.abs(np.fft.rfft(whole[HERTZ // 2 : HERTZ * 3 // 2] * np.hanning(HERTZ)))
    assert spectrum[9_500] / spectrum[220] == pytest.approx(1 / 3, rel=0.02)  # what 16 kHz would have lost
    assert np.abs(np.diff(whole)[100:-2000]).max() < 0.17  # no gap, no click
    assert worst < 0.02  # s
    assert sounding.sound.player.is_done or sounding.world.get(0, Voice).current is None
    assert sounding.told.count("started") == sounding.told.count("finished") == 1


def test_a_feed_that_stalls_is_one_pause_and_no_sample_is_lost(sounding):
    u = sounding.world.avatar.begin(RATE)
    pcm = talker.voice(2.0, pauses=())
    u.feed(pcm[:RATE])
    sounding.step(100)
    u.feed(pcm[RATE:])
    u.end()
    sounding.step(120)
    out = heard(sounding.card)
    loud = np.flatnonzero(np.abs(out) > 2e-3)
    total = at_card(pcm, RATE)
    want = np.flatnonzero(np.abs(total) > 2e-3)
    gaps = np.diff(loud)
    assert gaps.max() / HERTZ == pytest.approx(100 / 60 - 1.0, abs=0.15)
    assert len(loud) == pytest.approx(len(want), rel=0.02)
    assert sounding.sound.player.state.is_heard
    assert not sounding.sound._sounds


def test_a_stop_is_silent_within_a_block(sounding):
    u = sounding.world.avatar.begin(RATE)
    u.feed(talker.voice(3.0, pauses=()))
    assert wait_for(lambda: sounding.world.get(0, Voice).position > 0.7, sounding.step)
    u.stop()
    sounding.step(3)
    stream = sounding.card.streams[-1]
    assert np.abs(stream.given[-1]).max() < 1e-3 or stream.is_over
    u.feed(talker.voice(1.0))
    sounding.step(5)
    assert not sounding.sound._sounds


def test_lips_wait_for_a_device_that_opens_slowly(sounding, monkeypatch):
    open_at_once = sounding.card.OutputStream

    def slowly(**asked):
        time.sleep(0.2)
        return open_at_once(**asked)

    monkeypatch.setattr(sounding.card, "OutputStream", slowly)
    sounding.world.avatar.say((talker.voice(2.0), RATE))
    sounding.step(10)
    assert not sounding.card.streams
    assert sounding.world.get(0, Voice).position == 0.0
    assert wait_for(lambda: sounding.card.streams, sounding.step, 400)
    sounding.step(60)
    first = np.flatnonzero(np.abs(heard(sounding.card)) > 1e-6)[0]
    really = (len(heard(sounding.card)) - first) / HERTZ - DELAY - 2 / 60
    assert sounding.world.get(0, Voice).position == pytest.approx(really, abs=0.02)


def test_a_microphone_opens_when_she_listens_and_what_it_hears_moves_her(sounding):
    sounding.world.avatar.listen()
    assert wait_for(lambda: sounding.card.inputs, sounding.step)
    voice, at = at_card(talker.voice(3.0, pauses=()), RATE).astype(np.float32), 0
    active = []
    for _ in range(150):
        sounding.card.inputs[0]["callback"](
            voice[at : at + 800].reshape(-1, 1), 800, None, SimpleNamespace(input_overflow=False)
        )
        at += 800
        sounding.step()
        active.append(sounding.world.get(0, Voice).active)
    assert np.mean(active[40:]) > 0.8
    assert not sounding.card.streams  # it is her voice and never played back
    sounding.world.avatar.listen(False)
    sounding.step(5)
    assert sounding.sound.microphone is None


def test_a_microphone_that_cannot_be_opened_is_told_once_with_its_cure(sounding, monkeypatch):
    def refuse(**asked):
        raise PortAudioError("Device unavailable", -9985)

    monkeypatch.setattr(sounding.card, "InputStream", refuse)
    sounding.world.avatar.listen()
    sounding.step(40)
    told = [what for what in sounding.told if "microphone" in what or "live voice" in what]
    assert len(told) == 1
    assert "busy" in told[0]
    assert "close the program" in told[0]
