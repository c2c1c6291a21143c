"""A microphone against a sound card made of Python: unplugged, refused, silent, swapped, and back again."""

from __future__ import annotations

import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from kinesics.engine_plugin import sound as card
from kinesics.engine_plugin.microphone import Microphone
from kinesics.engine_plugin.sound import SoundState


class PortAudioError(Exception):
    pass


class _StreamBase:
    pass


class Stream(_StreamBase):
    def __init__(self, machine, asked):
        self.machine, self.asked, self.closed, self.is_running = machine, asked, False, False

    def start(self):
        if self.machine.start_error:
            raise self.machine.start_error
        self.is_running = True

    def close(self, ignore_errors=True):
        if not self.closed:
            self.closed, self.is_running = True, False
            self.asked["finished_callback"]()

    def deliver(self, samples, overflow=False):
        data = np.asarray(samples, np.float32)
        data = data.reshape(-1, 1) if data.ndim == 1 else data
        self.asked["callback"](data, len(data), SimpleNamespace(), SimpleNamespace(input_overflow=overflow))


class Machine:
    """Stands in for the module sounddevice: what is plugged in, and what PortAudio has seen of it."""

    PortAudioError, _StreamBase = PortAudioError, _StreamBase

    def __init__(self, *names, rate=48_000, channels=1, refuse=None):
        self.plugged = list(names)
        self.rate, self.channels, self.refuse, self.start_error = rate, channels, refuse, None
        self.streams, self.looks = [], 0
        self._initialize()

    def _terminate(self):
        self.listed = []
        for stream in self.streams:
            stream.is_running = False

    def _initialize(self):
        self.listed, self.looks = list(self.plugged), self.looks + 1

    def query_devices(self, kind=None):
        every = [
            {
                "name": name,
                "index": k,
                "default_samplerate": float(self.rate),
                "max_input_channels": self.channels,
                "max_output_channels": 0,
            }
            for k, name in enumerate(self.listed)
        ]
        if kind is None:
            return every
        if not every:
            raise PortAudioError("Error querying device -1")
        return every[0]

    def InputStream(self, **asked):
        if asked["device"] >= len(self.listed) or self.listed[asked["device"]] not in self.plugged:
            raise PortAudioError("Error opening InputStream: Unanticipated host error", -9999)
        if self.refuse:
            self.refuse(asked)
        stream = Stream(self, asked)
        stream.name = self.listed[asked["device"]]
        self.streams.append(stream)
        return stream

    def pull(self, name):
        """Unplug: the streams on it end without a word; PortAudio goes on listing it."""
        self.plugged.remove(name)
        for stream in self.streams:
            if stream.name == name and stream.is_running:
                stream.is_running = False
                stream.asked["finished_callback"]()


class Clock:
    """A clock that runs as fast as somebody waits: no test sleeps for real."""

    def __init__(self):
        self.s, self.waits = 0.0, []

    def wait(self, event, seconds):
        if seconds >= 0.5:
            self.waits.append(seconds)
        time.sleep(0.001)
        self.s += seconds
        return event.is_set()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def opened(clock):
    """Return a function that makes a microphone, and close them all at the end."""
    made = []

    def make(machine, device=None):
        made.append(Microphone(device, sound=machine, clock=lambda: clock.s, wait=clock.wait))
        return made[-1]

    yield make
    for microphone in made:
        microphone.close()
    assert not any(t.name == "kinesics-microphone" for t in threading.enumerate())


def wait_for(condition, seconds=4.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    return condition()


def running(machine):
    return next((s for s in machine.streams if s.is_running), None)


def talks(machine, microphone):
    """Deliver blocks until the microphone is in order; True if it is."""

    def delivered():
        stream = running(machine)
        if stream is not None:
            stream.deliver(np.zeros(480))
        return microphone.state.name == "ok"

    return wait_for(delivered)


def tone(seconds, rate, hertz=300.0):
    return (0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


@pytest.mark.parametrize(("rate", "channels"), [(48_000, 1), (44_100, 2), (16_000, 1), (96_000, 6)])
def test_whatever_the_device_delivers_she_gets_mono_at_16_khz(opened, rate, channels):
    def refuse(asked):
        if asked["channels"] != channels:
            raise PortAudioError("Invalid number of channels", -9998)

    machine = Machine("Mic", rate=rate, channels=channels, refuse=refuse)
    microphone = opened(machine)
    assert wait_for(lambda: running(machine))
    assert machine.streams[-1].asked["samplerate"] == rate
    sound = np.repeat(tone(1.0, rate)[:, None], channels, axis=1)
    for at in range(0, rate, rate // 50):
        running(machine).deliver(sound[at : at + rate // 50])
    heard = microphone.read()
    assert 15_600 <= len(heard) <= 16_000  # up to 25 ms are still in the resampler
    want = tone(1.0, 16_000)[: len(heard)]
    assert np.abs(heard - want)[500:-500].max() < 0.02
    assert len(microphone.read()) == 0


def test_a_device_that_takes_one_rate_only_is_opened_at_that(opened):
    def refuse(asked):
        if asked["samplerate"] != 44_100:
            raise PortAudioError("Invalid sample rate", -9997)

    machine = Machine("Mic", rate=96_000, refuse=refuse)
    microphone = opened(machine)
    assert talks(machine, microphone)
    assert running(machine).asked["samplerate"] == 44_100


def test_lost_samples_are_counted_and_she_listens_on(opened):
    machine = Machine("Mic", rate=16_000)
    microphone = opened(machine)
    assert wait_for(lambda: running(machine))
    for k in range(10):
        running(machine).deliver(np.full(160, 0.1), overflow=k % 3 == 0)
    assert microphone.overflows == 4
    assert len(microphone.read()) == 1600
    assert running(machine)


def test_a_host_that_does_not_read_for_a_minute_finds_the_newest_seconds(opened):
    machine = Machine("Mic", rate=16_000)
    microphone = opened(machine)
    assert wait_for(lambda: running(machine))
    for k in range(6000):
        running(machine).deliver(np.full(160, k / 6000))
    heard = microphone.read()
    assert len(heard) == 400 * 160
    assert heard[-1] == pytest.approx(5999 / 6000)
    assert microphone.dropped == 5600


def test_one_that_is_plugged_in_again_is_found_by_its_name(opened, clock):
    machine = Machine("Built-in", "Blue Yeti")
    microphone = opened(machine, "yeti")
    assert talks(machine, microphone)
    machine.pull("Blue Yeti")
    assert wait_for(lambda: microphone.state.name == "no such device" or len(clock.waits) > 3)
    assert not microphone.state.is_heard
    assert microphone.state.cure
    before = clock.s
    machine.plugged.insert(0, "Camera")  # PortAudio deals the numbers anew
    machine.plugged.append("Blue Yeti")
    assert talks(machine, microphone)
    assert running(machine).name == "Blue Yeti"
    assert clock.s - before < 2.0  # s after it is there


def test_a_number_is_remembered_as_a_name(opened):
    machine = Machine("Built-in", "Blue Yeti")
    microphone = opened(machine, 1)
    assert talks(machine, microphone)
    assert microphone.device == "Blue Yeti"


def test_a_first_microphone_plugged_in_later_is_found(opened, clock):
    machine = Machine()
    microphone = opened(machine)
    assert wait_for(lambda: microphone.state.name == "no device")
    assert "plug in a microphone" in microphone.state.cure
    machine.plugged.append("Headset")
    assert talks(machine, microphone)
    assert microphone.name == "Headset"


def test_looking_again_never_ends_somebody_elses_stream():
    machine = Machine("Built-in")
    theirs = machine.InputStream(device=0, callback=None, finished_callback=lambda: None)
    theirs.start()
    machine.plugged.append("Blue Yeti")
    with pytest.raises(card.Silent) as caught:
        card.find(machine, "yeti", "input")
    assert caught.value.state.name == "no such device"
    assert theirs.is_running
    theirs.close()
    assert card.find(machine, "yeti", "input").name == "Blue Yeti"
    assert machine.looks == 2


def test_a_callback_that_falls_silent_is_lost_after_a_second(opened, clock):
    machine = Machine("Mic")
    microphone = opened(machine)
    assert talks(machine, microphone)
    first = running(machine)
    at = clock.s
    assert wait_for(lambda: microphone.state.name == "lost")
    assert 1.0 <= clock.s - at <= 2.5
    assert wait_for(lambda: running(machine) not in (None, first))
    assert first.closed
    assert talks(machine, microphone)


def test_it_is_looked_for_each_second_and_then_more_rarely(opened, clock):
    machine = Machine("Mic")
    opened(machine, "other")
    assert wait_for(lambda: len(clock.waits) >= 15)
    assert clock.waits[:15] == [1.0] * 8 + [2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_another_microphone_is_changed_to_and_one_that_refuses_leaves_the_old_one(opened):
    machine = Machine("Built-in", "Yeti", "Broken")

    def refuse(asked):
        if asked["device"] == 2:
            raise PortAudioError("Device unavailable", -9985)

    machine.refuse = refuse
    microphone = opened(machine, "built")
    assert talks(machine, microphone)
    microphone.device = "yeti"
    assert wait_for(lambda: microphone.name == "Yeti")
    assert wait_for(lambda: machine.streams[0].closed)
    assert talks(machine, microphone)
    microphone.device = "broken"
    assert wait_for(lambda: "busy" in microphone.state.detail)
    assert microphone.state.is_heard
    assert microphone.name == "Yeti"
    assert running(machine).name == "Yeti"


def _raises(code, text):
    def refuse(asked):
        raise PortAudioError(text, code)

    return refuse


@pytest.mark.parametrize(
    ("machine", "name", "tells"),
    [
        (Machine(), "no device", "plug in a microphone"),
        (Machine("Mic", refuse=_raises(-9985, "Device unavailable")), "busy", "close the program"),
        (Machine("Mic", refuse=_raises(-9997, "Invalid sample rate")), "failed", "Invalid sample rate"),
        (Machine("Mic", refuse=lambda asked: 1 / 0), "failed", "ZeroDivisionError"),
    ],
    ids=["none", "busy", "no rate", "anything"],
)
def test_what_is_wrong_is_a_state_with_its_cure(opened, machine, name, tells):
    microphone = opened(machine)
    assert wait_for(lambda: microphone.state.name == name)
    assert name in card.NAMES
    assert tells in microphone.state.detail + microphone.state.cure
    assert microphone.state.cure
    assert len(microphone.read()) == 0


def test_a_missing_library_is_a_state_too(opened, monkeypatch):
    class Missing:
        def find_spec(self, name, path=None, target=None):
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    microphone = opened(None)
    assert wait_for(lambda: microphone.state.name == "no PortAudio")
    assert microphone.state.cure.startswith(("apt", "reinstall"))


def test_closing_leaves_no_thread_and_no_stream(opened):
    machine = Machine("Mic")
    microphone = opened(machine)
    assert talks(machine, microphone)
    microphone.close()
    microphone.close()
    assert running(machine) is None
    assert microphone.state == SoundState("idle")
