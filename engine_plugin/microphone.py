"""A microphone as 16 kHz samples, kept open through everything that happens to microphones."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import soxr

from ..components.arrays import F32
from ..components.speech import RATE
from . import sound as card
from .sound import IDLE, OK, OPENING, SoundState

_PATIENCE = 1.0  # s without a block until a microphone counts as lost
_FIRST = 4.0  # s until the first block: PulseAudio needed up to 1.4 s when a player had just opened its sink
_WAITS = (*(1.0,) * 8, 2.0, 4.0, 8.0, 16.0, 30.0)  # s between tries: a short absence is over within 2 s
_POLL = 0.05  # s between looks at a stream
_BLOCKS = 400  # blocks kept where nobody reads them, about 4 s: a stalled host finds the newest


class Microphone:
    """Opens a microphone and keeps it open: lost, it is looked for again by its name. Nothing here raises for it.

    state: what it does, or why not and what to do
    overflows: blocks before which the driver lost samples; dropped: blocks lost because nobody read them
    """

    def __init__(
        self,
        device: str | int | None = None,
        *,
        sound: Any = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[threading.Event, float], Any] = threading.Event.wait,
    ) -> None:
        """Open it, on a thread of its own.

        device: part of its name, its index, or None for the system's default
        sound, clock, wait: stand-ins for sounddevice, time.monotonic and waiting, for tests
        """
        self.state: SoundState = OPENING
        self.overflows = self.dropped = 0
        self.name = ""  # of the device in use
        self._device = device
        self._sound, self._clock, self._wait = sound, clock, wait
        self._blocks: deque[F32] = deque(maxlen=_BLOCKS)
        self._wake, self._is_closed = threading.Event(), False
        self._thread = threading.Thread(target=self._live, name="kinesics-microphone", daemon=True)
        self._thread.start()

    @property
    def device(self) -> str | int | None:
        """Which microphone is wanted. Set, it is changed to; where it cannot be opened the one in use stays."""
        return self._device

    @device.setter
    def device(self, device: str | int | None) -> None:
        if device != self._device:
            self._device = device
            self._wake.set()

    def read(self) -> F32:
        """Return what was heard since the last call, (n,) f32 mono at 16 kHz, n = 0 for nothing new."""
        blocks = []
        with contextlib.suppress(IndexError):  # a deque's ends are safe to use from two threads
            while True:
                blocks.append(self._blocks.popleft())
        return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)

    def leave(self) -> None:
        """Have it closed without waiting for that."""
        self._is_closed = True
        self._wake.set()

    def close(self) -> None:
        """Close it; no thread and no stream is left on return. Safe to call twice."""
        self.leave()
        self._thread.join(3.0)
        self.state = IDLE

    def _live(self) -> None:
        """Open, watch, lose, look for: on its own thread."""
        tries, source, wanted = 0, None, self._device
        while not self._is_closed:
            self._wake.clear()
            wanted = self._device
            opened, problem = self._open(wanted)
            if opened is not None:
                if source is not None:
                    source.close()
                source, tries = opened, 0
                self.name = source.device.name
                if isinstance(wanted, int):  # numbers are dealt anew at each plug, names are not
                    self._device = wanted = source.device.name
            elif source is not None:
                self.state = SoundState("ok", f"still '{self.name}'; {problem.name}: {problem.detail}", problem.cure)
            else:
                self.state = problem
            if source is not None:
                lost = self._watch(source, wanted)
                if lost is None:
                    continue  # another one is wanted, or none
                source.close()
                source = None
                self.state = lost
            self._wait(self._wake, _WAITS[min(tries, len(_WAITS) - 1)])
            tries += 1
        if source is not None:
            source.close()

    def _open(self, device: str | int | None) -> tuple[_Source | None, SoundState]:
        try:
            sound = self._sound if self._sound is not None else card.library()
            with card.LOCK:
                return _Source(self, sound, card.find(sound, device, "input"), self._clock), OK
        except card.Silent as why:
            return None, why.state
        except Exception as cause:  # whatever a driver throws, she goes on
            return None, SoundState("failed", f"{type(cause).__name__}: {cause}", "choose another microphone")

    def _watch(self, source: _Source, wanted: str | int | None) -> SoundState | None:
        """Return why it is lost, or None where it is to be changed or closed."""
        while not self._is_closed and self._device == wanted:
            if source.over.is_set():
                return SoundState("lost", f"'{self.name}' ended by itself", "plug it in again; it is found by itself")
            silent = self._clock() - source.called
            if silent > (_PATIENCE if source.blocks else _FIRST):
                cure = "plug it in again, or restart the sound server; it is found by itself"
                return SoundState("lost", f"'{self.name}' delivers nothing", cure)
            if source.blocks and self.state.name != "ok":
                self.state = OK
            self._wait(self._wake, _POLL)
            self._wake.clear()
        return None


class _Source:
    """One open stream of a microphone."""

    def __init__(self, owner: Microphone, sound: Any, device: card.Device, clock: Callable[[], float]) -> None:
        self.owner, self.device, self.clock = owner, device, clock
        self.over = threading.Event()
        self.blocks = 0
        self._is_left = False
        self._stream = card.open_stream(sound, device, self._callbacks, "input")
        self.called = clock()
        try:
            self._stream.start()
        except sound.PortAudioError as cause:
            self._stream.close(ignore_errors=True)
            raise card.Silent(card.explain(cause, "input")) from None

    def _callbacks(self, hertz: int, channels: int) -> tuple[Any, Any]:
        """Return what PortAudio calls on its own thread; it may not wait for anything."""
        resampler = None if hertz == RATE else soxr.ResampleStream(hertz, RATE, 1, dtype="float32", quality="LQ")
        owner = self.owner

        def callback(data: Any, frames: int, now: Any, status: Any) -> None:
            if self._is_left:
                return
            self.called = self.clock()
            self.blocks += 1
            owner.overflows += bool(getattr(status, "input_overflow", False))
            mono = data[:, 0].copy() if data.shape[1] == 1 else data.mean(axis=1, dtype=np.float32)
            block = mono if resampler is None else resampler.resample_chunk(mono)
            owner.dropped += len(owner._blocks) == _BLOCKS
            owner._blocks.append(block)

        return callback, self.over.set

    def close(self) -> None:
        """Let go of it; one that is gone cannot be closed, and nothing depends on it."""
        self._is_left = True
        with card.LOCK, contextlib.suppress(Exception):
            self._stream.close(ignore_errors=True)
