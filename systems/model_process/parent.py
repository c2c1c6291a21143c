"""The parent's end: ask, poll, and never wait. A thread, see keeper, does what takes time."""

from __future__ import annotations

import math
import os
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any

from ...components.arrays import F32
from ...components.gesture import Lost, Sentence
from ...components.speech import RATE
from . import protocol
from .desk import Answer, Desk
from .keeper import Keeper
from .protocol import LONGEST, Kind, Message
from .settings import Settings


class ModelProcess:
    """The process that hosts the models. Nothing of it raises or waits for what happens to the child.

    One that is forgotten is closed when it is cleared away, and at the interpreter's end.
    """

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start nothing yet. clock: s, a stand-in for time.monotonic in tests"""
        self.settings, self._clock = settings, clock
        self._desk = Desk()
        self._keeper: Keeper | None = None

    @property
    def state(self) -> str:
        """One of desk.STATES.

        off: not asked for, or it cannot run; starting; ready; busy: a sentence is on its way; degraded: it runs, but
        its last answer was refused; dead: it is started again soon
        """
        return self._desk.state

    @property
    def detail(self) -> str:
        """One line: what it loads, why it is off or dead, what was refused; "" where there is nothing to say."""
        return self._desk.detail

    @property
    def models(self) -> dict[str, str]:
        """Name -> digest of what it hosts, once it has told."""
        return self._desk.models

    @property
    def pid(self) -> int:
        """Number of the child's process, 0 for none."""
        return self._keeper.pid if self._keeper is not None else 0

    def start(self) -> None:
        """Have the child started, and again whenever it dies. Returns at once; it changes nothing where it runs."""
        if self._keeper is not None and self._keeper.is_alive and self.state != "off":
            return
        self.close()
        why = self._why_not()
        if why:
            self._desk.detail = why
            return
        self._desk.state, self._desk.detail = "starting", "it has just been asked for"
        try:
            self._keeper = Keeper(self._desk, self.settings, self._clock)
        except (OSError, RuntimeError) as cause:  # no descriptor, no memory for the ring, no thread left
            self._desk.bury(f"it cannot be run: {cause}", is_off=True)
            return
        weakref.finalize(self, self._keeper.end)

    def ask(self, sentence: Sentence, within: float | None = None) -> None:
        """Ask for a sentence's motion. A newer one of an avatar takes the place of hers, or waits to go on from it.

        within: s from now, after which its motion is of no use; None: as long as it takes
        """
        now, desk = self._clock(), self._desk
        with desk.lock:
            desk.counts["asked"] += 1
            why = desk.detail if desk.state == "off" else "it hosts no sentence model"
            if desk.state == "off" or self.settings.gesture is None:
                desk.put(Lost(sentence.id, sentence.avatar, f"the model process is off: {why}"))
                return
            if len(sentence.audio) > LONGEST:
                seconds = f"{len(sentence.audio) / RATE:.0f} s, at most {LONGEST / RATE:.0f}"
                desk.put(Lost(sentence.id, sentence.avatar, f"a sentence of {seconds}; say it in parts"))
                return
            for lost in desk.slots.ask(sentence, now, math.inf if within is None else now + within):
                desk.put(lost)
        self._wake()

    def cancel(self, avatar: int) -> None:
        """Want no more motion for an avatar's sentences. What came already may still be polled."""
        self._desk.cancel(avatar)
        self._wake()

    def hear(self, samples: F32) -> int:
        """Put live voice into the shared ring, (n,) f32 at RATE, and return how much of it there was so far."""
        return self._keeper.ring.write(samples) if self._keeper is not None else 0

    def lips(self, avatar: int, first: int, samples: F32 | int) -> None:
        """Ask for rows of a voice from sample `first` on; samples: (n,) f32, or how many of them lie in the ring."""
        if isinstance(samples, int):
            self._desk.block(Message(Kind.LIPS, avatar=avatar, frame=first, shape=(samples, 1, 0, 0), flags=1))
        else:
            self._desk.block(protocol.block(Kind.LIPS, 0, avatar, first, samples))
        self._wake()

    def brows(self, avatar: int, first: int, features: F32) -> None:
        """Ask for rows of brows from frame `first` on. features: (n, k) f32"""
        self._desk.block(protocol.block(Kind.BROWS, 0, avatar, first, features))
        self._wake()

    def poll(self) -> list[Answer]:
        """Return what has come since the last call, oldest first; never waits."""
        return self._desk.poll()

    def wait(self, seconds: float) -> bool:
        """Wait until there is something to poll, at most so long, and return whether there is: a headless run may."""
        return self._desk.wait(seconds)

    def figures(self) -> dict[str, Any]:
        """Return its state and what has happened so far, plain numbers and text."""
        desk, keeper = self._desk, self._keeper
        return {
            "state": desk.state, "detail": desk.detail, "pid": self.pid, "models": dict(desk.models),
            "first_window_s": desk.first_s, "memory_mb": desk.memory_mb, "replaced": desk.slots.replaced,
            "heard": keeper.ring.written if keeper is not None else 0, **desk.counts,
        }  # fmt: skip

    def close(self) -> None:
        """End it; no process, thread or memory of it is left on return. Safe to call twice; `start` begins anew."""
        if self._keeper is not None:
            self._keeper.end()
            self._keeper = None
        self._desk.bury("closed", is_off=True)

    def _why_not(self) -> str:
        """Return why it cannot be run here, or ""."""
        if os.name != "posix":
            return "its process needs Linux or macOS: what it shares with the host does not exist here"
        if not sys.executable or getattr(sys, "frozen", False):  # what would run is the host once more
            return "there is no Python interpreter to run it in"
        return "" if self.settings.hosted else "no model is named"

    def _wake(self) -> None:
        if self._keeper is not None:
            self._keeper.wake()
