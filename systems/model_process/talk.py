"""The conversation with one child, from start to end: what it is told, what is believed, when it is given up."""

from __future__ import annotations

import contextlib
import os
import selectors
from collections.abc import Callable

import numpy as np

from . import protocol
from .checks import fault
from .desk import Desk, Rows
from .link import Link
from .protocol import Kind, Message
from .ring import Ring
from .settings import Settings
from .slots import Request

_TURN = 0.1  # s between two looks at the clock
_USELESS = 100  # messages in a row that bring nothing, after which a child counts as gone mad


class Talk:
    """One child. pid: its; is_hopeless: another one would end in the same way."""

    def __init__(self, desk: Desk, settings: Settings, ring: Ring, clock: Callable[[], float]) -> None:
        """Start it; OSError where that cannot be."""
        self._desk, self._settings, self._clock = desk, settings, clock
        self._began = self._heard = clock()
        self._is_loaded = False
        self._bad = ""  # what was wrong with its last answer
        self._useless = self._beats = 0
        self._blocks = 0  # of voice that it has not answered
        self._stuck = 0.0  # s that it has spent in the step it is in
        self.is_hopeless = False
        self._link = Link(settings, ring)
        self.pid = self._link.pid

    def run(self, is_wanted: Callable[[], bool], wake: int) -> str:
        """Live with it until it ends or is wanted no more, and return why that was. wake: readable with news"""
        link, why = self._link, ""
        with selectors.DefaultSelector() as selector:
            for source in (wake, link.printed, link.channel):
                selector.register(source, selectors.EVENT_READ)
            try:
                while is_wanted() and not why:
                    for key, _ in selector.select(_TURN):
                        if key.fileobj is link.channel:
                            why = why or self._read()
                        elif key.fileobj is link.printed:
                            if not link.listen():
                                selector.unregister(link.printed)
                        else:
                            with contextlib.suppress(BlockingIOError):
                                os.read(wake, 4096)
                    why = why or self._send() or self._overdue()
                    both = selectors.EVENT_READ | selectors.EVENT_WRITE
                    selector.modify(link.channel, both if link.is_sending else selectors.EVENT_READ)
            except protocol.Fault as cause:
                why = str(cause)
                self.is_hopeless = not self._is_loaded  # another version's child: the next one is too
            finally:
                how = link.end()
        return why if self.is_hopeless or not why else f"{why} ({how})"

    def _read(self) -> str:
        """Take what has come; return why that was the end of it, or ""."""
        messages = self._link.read()
        if messages is None:
            return "the model process ended"
        for message in messages:
            self._heed(message)
            if self.is_hopeless:
                return self._bad
        if self._useless > _USELESS:
            return f"the model process floods: {self._useless} messages that bring nothing"
        return ""

    def _heed(self, message: Message) -> None:
        now, kind = self._clock(), message.kind
        self._beats += kind == Kind.BEAT
        # of all so far: when the parent was stopped for a while, many lie there at once
        is_early = 0.5 * (self._beats - 2) * self._settings.beat_s > now - self._began
        self._heard = now
        self._useless += kind != Kind.BEAT or is_early  # what brings something sets it to 0
        if kind == Kind.WINDOW and self._is_loaded:
            self._window(message, now)
        elif kind == Kind.ROWS and self._is_loaded:
            self._rows(message)
        elif kind == Kind.LOST:
            self._lost(message)
        elif kind == Kind.BEAT:
            told = message.told
            self._stuck = _number(told.get("step_s"))
            self._desk.memory_mb = _number(told.get("memory_mb"))
            self._desk.counts["overruns"] = int(_number(told.get("overruns")))
        elif kind == Kind.STATE and not self._is_loaded:
            self._desk.detail = _text(message, "detail")
        elif kind == Kind.HELLO and not self._is_loaded:
            self._hello(message)
        elif kind == Kind.ERROR:
            self._bad, self.is_hopeless = _text(message, "why") or "it did not say why", True

    def _hello(self, message: Message) -> None:
        models = message.told.get("models")
        found = {str(name): str(digest) for name, digest in models.items()} if isinstance(models, dict) else {}
        for name, wanted in self._settings.expect.items():
            if found.get(name) != wanted:
                has = found.get(name, "none")
                self._bad = f"{name}: not the weights that were asked for ({wanted[:12]}; found {has[:12]})"
                self.is_hopeless = True
                return
        self._is_loaded, self._useless = True, 0
        self._desk.models = found
        self._desk.counts["loaded"] += 1
        self._show()

    def _window(self, message: Message, now: float) -> None:
        desk = self._desk
        with desk.lock:
            request = desk.slots.running(message.avatar, message.request)
        if request is None:
            desk.counts["stale"] += 1
            return
        if message.sentence != request.sentence.id or not message.is_whole:
            self._refuse(request, f"of sentence {message.sentence}, {message.numbers.size} numbers")
            return
        window = protocol.window(message)
        bad = fault(window, request.sentence, request.made, self._settings.turn_deg)
        if bad:
            self._refuse(request, bad)
            return
        with desk.lock:
            if desk.slots.running(message.avatar, message.request) is None:  # left while we looked at it
                desk.counts["stale"] += 1
                return
            if request.made == 0:
                desk.first_s = now - request.asked
            desk.slots.came(request, window.frame + len(window.rotation))
            if window.is_last:
                desk.slots.done(message.avatar, message.request)
            desk.counts["windows"] += 1
            desk.put(window)
        self._useless, self._bad = 0, ""
        self._show()

    def _refuse(self, request: Request, bad: str) -> None:
        """Drop an answer that must not be shown, and the rest of its sentence."""
        self._desk.counts["refused"] += 1
        self._desk.drop(request, f"the model's answer was refused: {bad}")
        self._bad = f"an answer was refused: {bad}"
        self._show()

    def _lost(self, message: Message) -> None:
        with self._desk.lock:
            request = self._desk.slots.running(message.avatar, message.request)
        if request is None:
            self._desk.counts["stale"] += 1
            return
        self._bad = _text(message, "why") or "for no reason given"
        self._desk.drop(request, f"the model failed: {self._bad}")
        self._show()

    def _rows(self, message: Message) -> None:
        if self._blocks == 0:
            self._desk.counts["stale"] += 1
            return
        self._blocks -= 1
        kind = "lips" if message.flags == Kind.LIPS else "brows"
        why = _text(message, "why")
        if not why and not (message.is_whole and len(message.lengths) == 2 and np.isfinite(message.numbers).all()):
            why = f"{kind}: an answer that is not finite, or of a wrong shape"
        if why:
            self._desk.counts["refused"] += 1
            rows = np.zeros((0, 0), np.float32)
        else:
            self._desk.counts["rows"] += 1
            rows, self._useless = message.numbers.reshape(message.lengths), 0
        self._bad = why
        self._desk.put(Rows(kind, message.avatar, message.frame, rows, why))
        self._show()

    def _send(self) -> str:
        """Send what there is to send; return why that was the end of it, or ""."""
        while self._is_loaded and not self._link.is_sending:
            due = self._desk.next(self._clock())
            if due is None:
                break
            self._blocks += not isinstance(due, Request) and due.kind in (Kind.LIPS, Kind.BROWS)
            self._link.send(protocol.ask(due.number, due.sentence) if isinstance(due, Request) else due)
            if isinstance(due, Request):
                self._useless = 0  # a host that changes its mind often gets stale answers, and that is no fault
                self._show()
            if not self._link.flush():
                return "the model process ended"
        return "" if self._link.flush() else "the model process ended"

    def _overdue(self) -> str:
        """Give up what is late; return why the child is too, or ""."""
        now, limits = self._clock(), self._settings
        self._desk.prune(now)
        self._show()
        if not self._is_loaded:
            return f"not loaded after {limits.start_s:g} s" if now - self._began > limits.start_s else ""
        if now - self._heard > limits.silent_s:
            return f"no sign of life for {limits.silent_s:g} s"
        return f"one step took more than {limits.stall_s:g} s" if self._stuck > limits.stall_s else ""

    def _show(self) -> None:
        """Write down how it is, for people."""
        if self._is_loaded and not self.is_hopeless:
            self._desk.state = "degraded" if self._bad else "busy" if self._desk.slots.count else "ready"
            self._desk.detail = self._bad


def _text(message: Message, name: str) -> str:
    """Return what a message says, as one line."""
    return " ".join(str(message.told.get(name, "")).split())[:400]


def _number(value: object) -> float:
    is_one = isinstance(value, int | float) and abs(value) < 1e15  # JSON holds endless ones, and NaN
    return float(value) if is_one else 0.0  # type: ignore[arg-type]
