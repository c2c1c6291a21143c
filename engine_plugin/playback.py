"""Plays a voice and says how far it has really sounded; with no sound card the position goes on all the same."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..components.arrays import F32
from ..systems.avatar import Sound
from . import sound as card
from .sound import IDLE, OK, SoundState
from .take import Take

_PATIENCE = 4.0  # s without a callback until a device counts as lost: PulseAudio's null sink starts after 1.5-2 s
_POLL = 0.05  # s between looks at a stream
_LINGER = 6  # looks that a fade may take before a stream that does not call back is cut: 0.3 s


class Player:
    """Plays one voice at a time through the sound card, at the device's own rate.

    Opening a device takes up to a second, so `start` returns at once and a thread opens it. Nothing here raises for a
    missing or broken device: `state` names what is wrong and its cure, and `position_s` follows the clock instead.
    """

    def __init__(
        self,
        device: str | int | None = None,
        *,
        volume: float = 1.0,
        sound: Any = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare; nothing is opened yet.

        device: part of an output's name, its index, or None for the system's default
        volume: 0..1
        sound, clock: stand-ins for sounddevice and time.monotonic, for tests
        """
        self.device = device
        self._sound = sound
        self._clock = clock
        self._volume = 1.0
        self._quick = card.QUICK  # s, what a stream asks of the device
        self._take: Take | None = None
        self._threads: list[threading.Thread] = []
        self.volume = volume

    @property
    def volume(self) -> float:
        """0..1, heard from the next block on."""
        return self._volume

    @volume.setter
    def volume(self, value: float) -> None:
        self._volume = min(max(float(value), 0.0), 1.0) if math.isfinite(value) else 0.0
        if self._take is not None:
            self._take.volume = self._volume

    @property
    def state(self) -> SoundState:
        """Whether the voice is heard, and if not why and what to do."""
        return IDLE if self._take is None or not self._take.is_opened else self._take.state

    @property
    def position_s(self) -> float:
        """How many s of the voice have sounded: 0 until the first sample leaves the loudspeaker, never falling."""
        return 0.0 if self._take is None else self._take.position()

    @property
    def is_done(self) -> bool:
        """The voice has sounded to its end, was stopped, or never began."""
        take = self._take
        return take is None or take.is_stopping or (take.source.is_ended and take.position() >= take.source.seconds)

    @property
    def underruns(self) -> int:
        """How often the device ran out of samples during this voice."""
        return 0 if self._take is None else self._take.underruns

    def start(self, pcm: F32, rate: int) -> None:
        """Play from the first sample; what played before fades out.

        pcm: (N,) f32 mono, -1..1
        rate: Hz
        """
        self.begin(Sound(int(rate), (np.ascontiguousarray(pcm, np.float32).reshape(-1),), is_ended=True))
        self.go()

    def begin(self, source: Sound) -> None:
        """Take a voice that may still grow; what played before fades out. `prepare` or `go` opens the device.

        A voice that is known whole asks for LATENCY and cannot be kept from sounding by a slow frame. One that streams
        in asks for QUICK, and for twice as much after a stream in which the device ran dry.
        """
        self.stop()
        was = self._take
        if was is not None and was.underruns and was.latency == self._quick:
            self._quick = min(2.0 * self._quick, card.LATENCY)
        latency = card.LATENCY if source.is_ended else self._quick
        self._take = Take(source, self._volume, self._clock, latency)

    def prepare(self) -> None:
        """Open the device before there is anything to play, which takes up to a second; nothing sounds before `go`."""
        if self._take is not None and not self._take.is_opened:
            self._take.is_held = True
            self._open()

    def go(self) -> None:
        """Let it sound."""
        if self._take is not None:
            self._take.is_held = False
            self._open()

    def _open(self) -> None:
        take = self._take
        if take is None or take.is_opened or (take.source.is_ended and not take.source.seconds):
            return
        take.is_opened = True
        thread = threading.Thread(target=self._play, args=(take, self.device), name="kinesics-playback", daemon=True)
        self._threads = [t for t in self._threads if t.is_alive()]
        self._threads.append(thread)
        thread.start()

    def stop(self) -> None:
        """Fade out within a block and leave the position where it is; harmless when nothing plays."""
        if self._take is not None:
            self._take.position()
            self._take.is_stopping = True

    def wait(self, seconds: float) -> bool:
        """Return whether the device has opened or failed within this time; for tools and tests, not for a tick."""
        return self._take is None or not self._take.is_opened or self._take.settled.wait(seconds)

    def close(self) -> None:
        """Stop, and return when no thread and no stream is left (within about a second)."""
        self.stop()
        for thread in self._threads:
            thread.join(2.0)
        self._threads.clear()
        self._take = None

    def _play(self, take: Take, device: str | int | None) -> None:
        """Open, watch, close: the life of one stream, on its own thread."""
        try:
            sound = self._sound if self._sound is not None else card.library()
            with card.LOCK:
                stream = _open(sound, take, device)
        except card.Silent as why:
            take.derive(why.state)
            return
        except Exception as cause:
            # Whatever a driver throws, she goes on speaking; the state says what it was.
            take.derive(SoundState("failed", f"{type(cause).__name__}: {cause}", "choose another device"))
            return
        take.settle(OK)
        _watch(take)
        with card.LOCK, contextlib.suppress(Exception):  # a device that is gone cannot be closed; nothing depends on it
            stream.close(ignore_errors=True)


def _open(sound: Any, take: Take, device: str | int | None) -> Any:
    """Return the stream, playing."""

    def callbacks(hertz: int, channels: int) -> tuple[Any, Any]:
        take.prepare(hertz)

        def callback(out: Any, frames: int, now: Any, status: Any) -> None:
            take.fill(out, now, bool(getattr(status, "output_underflow", False)), sound.CallbackStop)

        def finished() -> None:
            take.over.set()
            take.news.set()

        return callback, finished

    stream = card.open_stream(sound, card.find(sound, device), callbacks, latency=take.latency)
    take.attach(stream)
    try:
        stream.start()
    except sound.PortAudioError as cause:
        stream.close(ignore_errors=True)
        raise card.Silent(card.explain(cause)) from None
    return stream


def _watch(take: Take) -> None:
    """Return when the stream is no longer needed: played out, faded out, or gone."""
    lingered = 0
    while not take.over.is_set():
        take.news.wait(_POLL)
        take.news.clear()
        take.convert()
        if take.over.is_set():
            break
        if take.is_stopping:
            lingered += 1
            time.sleep(_POLL)
            if lingered > _LINGER:
                return
        elif take.clock() - take.called > _PATIENCE:
            # A source or sink that goes away tells nobody: callbacks just cease.
            take.derive(SoundState("lost", f"no samples asked for in {_PATIENCE:g} s", "plug the device in again"))
            return
    if not take.is_stopping:
        lost = SoundState("lost", "the stream ended by itself", "plug the device in again, or start the sound server")
        take.derive(OK if take.is_all_written else lost)
