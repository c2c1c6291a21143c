"""One voice on its way out through one stream: the samples it is given, and when they sound."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..components.arrays import F32
from .sound import OPENING, SoundState

_SNAP = 0.02  # s between two reports of when the voice began: more is a stall or an underrun, less is jitter
_FOLLOW = 0.1  # share of a jitter that is followed; PulseAudio's is 0.1 ms


class Take:
    """Written by PortAudio's thread and the one that opened the stream, read by the tick.

    Every field has one writer at a time and is one number or reference, so readers need no lock.

    volume:      wanted; each block ramps to it
    state:       what the sound card does
    settled:     set once `state` is no longer `opening`
    over:        set once the stream has ended by itself
    is_stopping: fade out and end
    called:      s on `clock`, when the stream last asked for samples
    """

    def __init__(self, pcm: F32, rate: int, volume: float, clock: Callable[[], float]) -> None:
        self.pcm = np.ascontiguousarray(pcm, np.float32).reshape(-1)
        self.rate = rate
        self.seconds = len(self.pcm) / rate
        self.volume = volume
        self.clock = clock
        self.state: SoundState = OPENING
        self.settled = threading.Event()
        self.over = threading.Event()
        self.is_stopping = False
        self.underruns = 0
        self.called = clock()
        self._samples = np.zeros(0, np.float32)  # at the device's rate
        self._hertz = rate
        self._written = 0
        self._gain = volume
        self._origin: float | None = None  # s on the stream's clock when the first sample sounds
        self._stream: Any = None
        self._shown = 0.0  # s, the position told last
        self._since: float | None = None  # s on our clock: from here on the position is derived
        self._base = 0.0  # s, position at `_since`

    def prepare(self, samples: F32, hertz: int) -> None:
        """Hold what the stream will be given. samples: (n,) at `hertz`, the device's rate."""
        self._samples, self._hertz, self._written = samples, hertz, 0

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
        due = now.outputBufferDacTime or now.currentTime  # some hosts leave the first one at 0
        origin = due - begun / self._hertz
        if self._origin is None or abs(origin - self._origin) > _SNAP:
            self._origin = origin
        else:
            self._origin += _FOLLOW * (origin - self._origin)
        if begun == 0 and self.is_stopping:
            self._gain = 0.0  # stopped while the device was opening: not even the fade may be heard
        goal = 0.0 if self.is_stopping else self.volume
        block = self._samples[begun : begun + frames]
        out[: len(block), :] = (block * np.linspace(self._gain, goal, len(block), dtype=np.float32))[:, None]
        out[len(block) :, :] = 0.0
        self._gain = goal
        self._written = begun + frames
        if self.is_stopping or self.is_all_written:
            raise stop

    @property
    def is_all_written(self) -> bool:
        """The stream has been given every sample."""
        return self._written >= len(self._samples)

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
        elif stream is None or origin is None:
            at = 0.0
        else:
            try:
                # The clock runs on while a device stalls; no more can have sounded than it was given.
                at = min(stream.time - origin, self._written / self._hertz)
            except Exception:  # a device that was just pulled out has no time; its thread will notice
                at = 0.0
        self._shown = min(max(self._shown, at), self.seconds)
        return self._shown
