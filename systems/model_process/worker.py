"""The child: it loads the models, answers, and is gone when its parent is. No torch is imported but by a model.

What it hosts is named by settings.Settings. A sentence model is an object with

    digest: str                                         # of its weights
    begin(sentence: Sentence, is_left: Callable[[], bool]) -> Iterator[Window | None]

where None says that nothing is made yet and the sentence may be left here, and `is_left` may be asked within a step;
lips and brows are objects with

    digest: str
    rows(avatar: int, first: int, block: F32) -> tuple[int, F32]

where `block` (n, k) f32 begins at sample or frame `first` of a stream, 0 starting a new one, and the answer is the
index of the first finished row and (m, h) f32 rows.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from ...components.gesture import Sentence, Window
from . import protocol
from .protocol import Kind, Message
from .ring import Ring
from .waiting import Waiting

_READ = 1 << 18  # bytes at once
_EXTRA = ("torch", "safetensors")  # of the extra `speech`


def main(given: dict[str, Any]) -> None:
    """Live until the parent closes the socket. given: what link.Link passes on the command line."""
    os.nice(given["nice"])
    worker = _Worker(socket.socket(fileno=given["socket"]), Ring(given["ring"]), given)
    try:
        worker.load()
    except Exception as cause:  # whatever a model's file or its library makes of it: a second try would find the same
        worker.tell(Message(Kind.ERROR, text=json.dumps({"why": _line(cause)})))
        return
    worker.live()


class _Worker:
    def __init__(self, channel: socket.socket, ring: Ring, given: dict[str, Any]) -> None:
        self._channel, self._ring, self._given = channel, ring, given
        self._sending = threading.Lock()
        self._models: dict[str, Any] = {}
        self._waiting = Waiting()
        self._steps, self._since = 0, 0.0  # since: when the step that runs now began, 0 for none
        threading.Thread(target=self._beat, name="beat", daemon=True).start()

    def tell(self, message: Message) -> None:
        """Send a message. Without a parent there is nothing left to live for."""
        try:
            with self._sending:
                for part in protocol.packed(message):
                    self._channel.sendall(part)
        except OSError:
            os._exit(0)

    def load(self) -> None:
        """Make what is hosted, and say so."""
        for name, (at, keywords) in self._given["hosted"].items():
            self.tell(Message(Kind.STATE, text=json.dumps({"detail": f"loading {name}"})))
            module, _, function = at.partition(":")
            self._models[name] = getattr(importlib.import_module(module), function)(**keywords)
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(self._given["threads"])
        models = {name: str(model.digest) for name, model in self._models.items()}
        self.tell(Message(Kind.HELLO, text=json.dumps({"models": models, "pid": os.getpid()})))
        threading.Thread(target=self._listen, name="listen", daemon=True).start()

    def live(self) -> None:
        """Make one step of each avatar's sentence in turn, the newest sentence of each, for ever."""
        running: dict[int, tuple[int, int, Iterator[Window | None]]] = {}
        while True:
            for avatar, asked in self._waiting.take(is_idle=not running).items():
                left = running.pop(avatar, None)
                if left is not None:
                    self._leave(left[2])
                if asked is not None:
                    request, sentence = asked
                    running[avatar] = (request, sentence.id, self._begun(sentence))
            for avatar, (request, sentence, made) in list(running.items()):
                if self._step(request, sentence, avatar, made):
                    del running[avatar]

    def _begun(self, sentence: Sentence) -> Iterator[Window | None]:
        # as a generator it begins with its first step, and where it fails it does so in a step
        yield from self._models["gesture"].begin(sentence, partial(self._waiting.is_left, sentence.avatar))

    def _step(self, request: int, sentence: int, avatar: int, made: Iterator[Window | None]) -> bool:
        """Go one step on with a sentence and return whether that was its end."""
        self._since = time.monotonic()
        try:
            window = next(made, self)
        except Exception as cause:  # one sentence is lost, not the process
            self._lost(request, sentence, avatar, _line(cause))
            return True
        finally:
            self._since, self._steps = 0.0, self._steps + 1
        if window is None:
            return False
        if self._waiting.is_left(avatar):
            return True
        if not isinstance(window, Window):
            self._lost(request, sentence, avatar, "the model ended it before its last window")
            return True
        self.tell(protocol.answer(request, window))
        return window.is_last

    def _leave(self, made: Any) -> None:
        with contextlib.suppress(Exception):  # its own tidying up; the sentence is gone in any case
            made.close()

    def _lost(self, request: int, sentence: int, avatar: int, why: str) -> None:
        text = json.dumps({"why": why})
        self.tell(Message(Kind.LOST, request=request, sentence=sentence, avatar=avatar, text=text))

    def _listen(self) -> None:
        """Take what the parent sends. Lips and brows are answered here: they are quick, and a window takes 0.4 s."""
        reader = protocol.Reader()
        while True:
            try:
                data = self._channel.recv(_READ)
            except OSError:
                data = b""
            if not data:
                os._exit(0)  # the parent is gone; the main thread may be deep in a model
            try:
                for message in reader.feed(data):
                    self._heed(message)
            except protocol.Fault as fault:
                print(f"model process: {fault}", file=sys.stderr, flush=True)
                os._exit(4)

    def _heed(self, message: Message) -> None:
        if message.kind == Kind.ASK and "gesture" in self._models:
            self._waiting.put(message.avatar, (message.request, protocol.sentence(message)))
        elif message.kind == Kind.CANCEL:
            self._waiting.put(message.avatar, None)
        elif message.kind in (Kind.LIPS, Kind.BROWS):
            self._rows(message)

    def _rows(self, message: Message) -> None:
        name = message.kind.name.lower()
        try:
            if message.flags & 1:
                block = self._ring.read(message.frame, message.shape[0])[0][:, None]
            else:
                block = message.numbers.reshape(message.shape[:2])
            if name not in self._models:
                raise LookupError("not hosted")
            first, rows = self._models[name].rows(message.avatar, message.frame, block)
            made = protocol.block(Kind.ROWS, message.request, message.avatar, first, rows, flags=message.kind)
        except Exception as cause:
            text = json.dumps({"why": f"{name}: {_line(cause)}"})
            made = Message(Kind.ROWS, message.request, avatar=message.avatar, flags=message.kind, text=text)
        self.tell(made)

    def _beat(self) -> None:
        while True:
            since = self._since
            told = {
                "steps": self._steps,
                "step_s": time.monotonic() - since if since else 0.0,
                "memory_mb": _memory(),
                "overruns": self._ring.overruns,
            }
            self.tell(Message(Kind.BEAT, text=json.dumps(told)))
            time.sleep(self._given["beat_s"])
            if os.getppid() != self._given["parent"]:  # where something else still holds the parent's end open
                os._exit(0)


def _memory() -> float:
    """Return MB resident now, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, ValueError):
        return 0.0


def _line(cause: BaseException) -> str:
    """Return a failure as one line that a person can act on."""
    if isinstance(cause, ModuleNotFoundError) and cause.name in _EXTRA:
        return f"{cause.name} is not installed: pip install 'kinesics[speech]'"
    name = "" if type(cause).__module__.startswith("kinesics") else f"{type(cause).__name__}: "
    return " ".join(f"{name}{cause}".split())[:400]
