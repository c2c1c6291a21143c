"""One voice on its way out through one stream: the samples it is given, and when they sound."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import soxr

from ..components.arrays import F32
from ..systems.avatar import Sound
from .sound import LATENCY, OPENING, SoundState

_SNAP = 0.02  # s between two reports of when the voice began: more is a stall or an underrun, less is jitter
REFILL = 0.1  # s of a voice that must be there before it goes on after it ran dry, as for her lips
_FOLLOW = 0.1  # share of a jitter that is followed; PulseAudio's is 0.1 ms


class Take:
    """Written by PortAudio's thread and the one that opened the stream, read by the tick.

    Every field has one writer at a time and is one number or reference, so readers need no lock.

    source:      the voice, at `rate`; it may still grow
    latency:     s asked of the device
    volume:      wanted; each block ramps to it
    state:       what the sound card does
    settled:     set once `state` is no longer `opening`
    over:        set once the stream has ended by itself
    news:        set where the stream's thread has something to look at
    is_held:     the device is open ahead of the voice: nothing sounds yet
    is_stopping: fade out and end
    starved:     how often the voice came in slower than it sounded
    called:      s on `clock`, when the stream last asked for samples
    """

    def __init__(self, source: Sound, volume: float, clock: Callable[[], float], latency: float = LATENCY) -> None:
        self.source = source
        self.rate = source.rate
        self.latency = latency
        self.volume = volume
        self.clock = clock
        self.state: SoundState = OPENING
        self.settled, self.over, self.news = threading.Event(), threading.Event(), source.news
        self.is_opened = False  # a thread is opening the device, or has
        self.is_held = False
        self.is_stopping = False
        self.underruns = self.starved = 0
        self.called = clock()
        self._hertz = source.rate
        self._converted = 0  # chunks of the source that are in `_samples`; the stream's thread's
        self._resampler: Any = None
        self._samples = np.zeros(0, np.float32)  # at the device's rate, with room
        self._ready = 0  # of them are there
        self._is_complete = False  # and no more will come
        self._written = 0
        self._least = 1  # samples that must be there before it sounds
        self._gain = volume
        self._origin: float | None = None  # s on the stream's clock when the first sample sounds
        self._stream: Any = None
        self._shown = 0.0  # s, the position told last
        self._since: float | None = None  # s on our clock: from here on the position is derived
        self._base = 0.0  # s, position at `_since`

    def prepare(self, hertz: int) -> None:
        """Begin anew at the device's rate. The stream's thread calls this and `convert`."""
        self._hertz, self._written, self._converted, self._ready = hertz, 0, 0, 0
        self._is_complete, self._least = False, 1
        same = hertz == self.rate
        self._resampler = None if same else soxr.ResampleStream(self.rate, hertz, 1, dtype="float32", quality="HQ")
        self.convert()

    def convert(self) -> None:
        """Bring what was appended to the device's rate."""
        if self._is_complete:
            return
        is_last = self.source.is_ended  # before the chunks are looked at: the last of them was there before it was set
        chunks = self.source.chunks
        while self._converted < len(chunks):
            chunk = chunks[self._converted]
            self._converted += 1
            self._push(chunk if self._resampler is None else self._resampler.resample_chunk(chunk))
        if is_last:
            if self._resampler is not None:
                self._push(self._resampler.resample_chunk(np.zeros(0, np.float32), last=True))
            self._is_complete = True

    def _push(self, samples: F32) -> None:
        end = self._ready + len(samples)
        if end > len(self._samples):
            larger = np.zeros(max(end, 2 * len(self._samples)), np.float32)
            larger[: self._ready] = self._samples[: self._ready]
            self._samples = larger
        self._samples[self._ready : end] = samples
        self._ready = end  # last: what the callback sees is complete

    def attach(self, stream: Any) -> None:
        """Take positions from this stream's clock."""
        self._stream = stream
        self.called = self.clock()

    def settle(self, state: SoundState) -> None:
        """Say how the opening went."""
        self.state = state
        self.settled.set()

    def fill(self, out: F32, now: Any, underflow: bool, stop: type[Exception]) -> None:
        """Write the stream's next block, (frames, channels); PortAudio calls this, so it may not wait for anything.

        now: PortAudio's times: outputBufferDacTime is when the block's first sample sounds
        stop: raised when this is the last block
        """
        self.called = self.clock()
        self.underruns += bool(underflow)
        begun, frames = self._written, len(out)
        is_complete, ready = self._is_complete, self._ready  # in this order, and `_samples` after them
        if self.is_held or (not is_complete and ready - begun < self._least):
            ready = begun  # rather one longer pause than a stutter
        block = self._samples[begun : min(begun + frames, ready)]
        if len(block):
            self._place(now.outputBufferDacTime or now.currentTime)  # some hosts leave the first one at 0
            self._least = 1
        if begun and len(block) < frames and not is_complete:
            self.starved += self._least == 1
            self._least = round(REFILL * self._hertz)
        if begun == 0 and self.is_stopping:
            self._gain = 0.0  # stopped while the device was opening: not even the fade may be heard
        goal = 0.0 if self.is_stopping else self.volume
        out[: len(block), :] = (block * np.linspace(self._gain, goal, len(block), dtype=np.float32))[:, None]
        out[len(block) :, :] = 0.0
        self._gain = goal
        self._written = begun + len(block)
        if self.is_stopping or self.is_all_written:
            raise stop

    def _place(self, due: float) -> None:
        """Note when the next block sounds, s on the stream's clock."""
        origin = due - self._written / self._hertz
        if self._origin is None or abs(origin - self._origin) > _SNAP:
            self._origin = origin
        else:
            self._origin += _FOLLOW * (origin - self._origin)

    @property
    def is_all_written(self) -> bool:
        """The stream has been given every sample."""
        return self._is_complete and self._written >= self._ready

    def derive(self, state: SoundState) -> None:
        """Go on by our own clock from where the voice is."""
        if self._since is None:
            self._base, self._since = self.position(), self.clock()
        self.settle(state)

    def position(self) -> float:
        """Return s that have sounded; never less than before, and standing still once stopped."""
        if self.is_stopping:
            return self._shown
        since, stream, origin = self._since, self._stream, self._origin
        if since is not None:
            at = self._base + self.clock() - since
            if at > self.source.seconds:  # a growing voice goes on from here when there is more of it
                self._base, self._since = self.source.seconds, self.clock()
        elif stream is None or origin is None:
            at = 0.0
        else:
            try:
                # The clock runs on while a device stalls; no more can have sounded than it was given.
                at = min(stream.time - origin, self._written / self._hertz)
            except Exception:  # a device that was just pulled out has no time; its thread will notice
                at = 0.0
        self._shown = min(max(self._shown, at), self.source.seconds)
        return self._shown
