"""Plays a voice and says how far it has really sounded; with no sound card the position goes on all the same."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import sound as card
from .sound import IDLE, OK, OPENING, Silent, SoundState

_PATIENCE = 4.0  # s without a callback until a device counts as lost: PulseAudio's null sink starts after 1.5-2 s
_LINGER = 0.3  # s a fade may take before a stream that does not call back is cut
_SNAP = 0.02  # s between two reports of when the voice began: more is a stall or an underrun, less is jitter
_FOLLOW = 0.1  # share of a jitter that is followed
_POLL = 0.05  # s between looks at a stream


class _Take:
    """One voice on its way out: written by PortAudio's thread and the one that opened it, read by the tick.

    Every field has one writer at a time and is one number or reference, so the readers need no lock.
    """

    def __init__(self, pcm: npt.NDArray[np.float32], rate: int, volume: float, clock: Callable[[], float]) -> None:
        self.pcm, self.rate = pcm, rate
        self.seconds = len(pcm) / rate
        self.volume = volume  # wanted; the block ramps to it
        self.clock = clock
        self.state: SoundState = OPENING
        self.over = threading.Event()  # the stream has ended by itself or was never opened
        self.settled = threading.Event()  # the state is no longer `opening`
        self.is_stopping = False
        self.underruns = 0
        self.called = clock()  # s, when the stream last asked for samples
        self._samples = np.zeros(0, np.float32)  # at the device's rate
        self._hertz = rate
        self._written = 0
        self._gain = volume
        self._origin: float | None = None  # s on the stream's clock when the first sample sounds
        self._stream: Any = None
        self._shown = 0.0  # s, the position told last
        self._since: float | None = None  # s on our clock: from here the position is derived
        self._base = 0.0  # s, position at `_since`

    def prepare(self, samples: npt.NDArray[np.float32], hertz: int) -> None:
        self._samples, self._hertz, self._written = samples, hertz, 0

    def attach(self, stream: Any) -> None:
        self._stream = stream

    def fill(self, out: npt.NDArray[np.float32], now: Any, underflow: bool, stop: type[Exception]) -> None:
        """Write the next block; called by PortAudio, so it may not wait for anything."""
        self.called = self.clock()
        self.underruns += bool(underflow)
        frames = len(out)
        begun = self._written
        due = now.outputBufferDacTime or now.currentTime  # some hosts leave the first one at 0
        origin = due - begun / self._hertz
        if self._origin is None or abs(origin - self._origin) > _SNAP:
            self._origin = origin
        else:
            self._origin += _FOLLOW * (origin - self._origin)
        block = self._samples[begun : begun + frames]
        if begun == 0 and self.is_stopping:
            self._gain = 0.0  # stopped while the device was opening: not even the fade may be heard
        goal = 0.0 if self.is_stopping else self.volume
        out[: len(block), :] = (block * np.linspace(self._gain, goal, len(block), dtype=np.float32))[:, None]
        out[len(block) :, :] = 0.0
        self._gain = goal
        self._written = begun + frames
        if self.is_stopping or self._written >= len(self._samples):
            raise stop

    def derive(self, state: SoundState) -> None:
        """Go on without the stream from where it was."""
        if self._since is None:
            self._base, self._since = self.position(), self.clock()
        self.state = state
        self.settled.set()

    def position(self) -> float:
        """Return s that have sounded; never less than before, and standing still once stopped."""
        if self.is_stopping:
            return self._shown
        since, stream, origin = self._since, self._stream, self._origin
        if since is not None:
            at = self._base + self.clock() - since
        elif stream is None or origin is None:
            at = 0.0
        else:
            # The clock runs on while a device stalls; no more can have sounded than it was given.
            try:
                at = min(stream.time - origin, self._written / self._hertz)
            except Exception:  # a device that was just pulled out has no time; its thread will notice
                at = 0.0
        self._shown = min(max(self._shown, at), self.seconds)
        return self._shown

    @property
    def is_all_written(self) -> bool:
        return self._written >= len(self._samples)


class Player:
    """Plays one voice at a time through the sound card, at the device's own rate.

    Opening a device takes up to a second, so `start` returns at once and a thread opens it; nothing here raises for a
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
        """Prepare, open nothing.

        device: part of an output's name, its index, or None for the system's default
        volume: 0..1
        sound, clock: stand-ins for sounddevice and time.monotonic, for tests
        """
        self.device = device
        self._sound = sound
        self._clock = clock
        self._volume = 1.0
        self._take: _Take | None = None
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
        return IDLE if self._take is None else self._take.state

    @property
    def position_s(self) -> float:
        """S of the voice that have sounded: 0 until the first sample leaves the loudspeaker, never running back."""
        return 0.0 if self._take is None else self._take.position()

    @property
    def is_done(self) -> bool:
        """The voice has sounded to its end, was stopped, or never began."""
        take = self._take
        return take is None or take.is_stopping or take.position() >= take.seconds

    @property
    def underruns(self) -> int:
        """How often the device ran out of samples during this voice."""
        return 0 if self._take is None else self._take.underruns

    def start(self, pcm: npt.NDArray[np.float32], rate: int) -> None:
        """Play from the first sample; what played before fades out.

        pcm: (N,) f32 mono, -1..1
        rate: Hz
        """
        self.stop()
        if len(pcm) == 0:
            self._take = None
            return
        take = _Take(np.ascontiguousarray(pcm, np.float32).reshape(-1), int(rate), self._volume, self._clock)
        self._take = take
        thread = threading.Thread(target=self._play, args=(take, self.device), name="kinesics-playback", daemon=True)
        self._threads = [t for t in self._threads if t.is_alive()]
        self._threads.append(thread)
        thread.start()

    def stop(self) -> None:
        """Fade out within a block and keep the position where it is; harmless when nothing plays."""
        if self._take is not None:
            self._take.position()
            self._take.is_stopping = True

    def wait(self, seconds: float) -> bool:
        """Return whether the device has opened or failed within this time; for tools and tests, not for a tick."""
        return self._take is None or self._take.settled.wait(seconds)

    def close(self) -> None:
        """Stop, and return when no thread or stream is left (within about a second)."""
        self.stop()
        for thread in self._threads:
            thread.join(2.0)
        self._threads.clear()
        self._take = None

    def _play(self, take: _Take, device: str | int | None) -> None:
        """Open, watch, close: the life of one stream, on its own thread."""
        try:
            sound = self._sound if self._sound is not None else card.library()
            with card.LOCK:
                stream = self._open(sound, take, device)
        except Silent as why:
            take.derive(why.state)
            return
        except Exception as cause:
            # Whatever a driver throws, she goes on speaking; the state says what it was.
            take.derive(SoundState("failed", f"{type(cause).__name__}: {cause}", "choose another device"))
            return
        take.state = OK
        take.settled.set()
        faded = None
        while not take.over.wait(_POLL):
            if take.is_stopping:
                faded = take.clock() if faded is None else faded
                if take.clock() - faded > _LINGER:
                    break
            elif take.clock() - take.called > _PATIENCE:
                take.derive(SoundState("lost", f"no sound asked for in {_PATIENCE:g} s", "plug the device in again"))
                break
        if take.over.is_set() and not take.is_stopping:
            is_early = not take.is_all_written
            state = SoundState("lost", "the stream ended by itself", "plug the device in again") if is_early else OK
            take.derive(state)
        with card.LOCK:
            with contextlib.suppress(Exception):  # a device that is gone cannot be closed, and nothing depends on it
                stream.close(ignore_errors=True)

    def _open(self, sound: Any, take: _Take, device: str | int | None) -> Any:
        import soxr

        found = card.find(sound, device)

        def callbacks(hertz: int) -> tuple[Any, Any]:
            samples = take.pcm if hertz == take.rate else soxr.resample(take.pcm, take.rate, hertz, quality="HQ")
            take.prepare(samples, hertz)

            def callback(out: Any, frames: int, now: Any, status: Any) -> None:
                take.fill(out, now, bool(getattr(status, "output_underflow", False)), sound.CallbackStop)

            return callback, take.over.set

        stream = card.open_stream(sound, *found, callbacks)
        take.attach(stream)
        take.called = take.clock()
        try:
            stream.start()
        except sound.PortAudioError as cause:
            stream.close(ignore_errors=True)
            raise Silent(card.explain(cause)) from None
        return stream
