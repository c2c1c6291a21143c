"""What the asking thread and the process's own thread share: questions, answers, state. Neither waits for the other."""

from __future__ import annotations

import contextlib
import math
import threading
from collections import Counter, deque
from dataclasses import dataclass
from typing import TypeAlias

from ...components.arrays import F32
from ...components.gesture import Lost, Window
from .protocol import Kind, Message
from .slots import Request, Slots

STATES = ("off", "starting", "ready", "busy", "degraded", "dead")
_HELD = 512  # answers kept where nobody polls
_BLOCKS = 64  # blocks of voice that wait to be sent: 1 s of them at 60 Hz


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer of the lips' or brows' model. kind: "lips" or "brows"; first: index of the first row in its stream.

    rows: (m, h) f32, m = 0 where it failed; why: then one line
    """

    kind: str
    avatar: int
    first: int
    rows: F32
    why: str = ""


Answer: TypeAlias = "Window | Lost | Rows"


class Desk:
    """Between two threads. `lock` is held for microseconds: never while something is read, written or checked."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.state, self.detail = "off", "not started"
        self.slots = Slots()
        self.counts: Counter[str] = Counter()
        self.models: dict[str, str] = {}
        self.first_s = self.memory_mb = math.nan  # to the first window of the last sentence; resident in the child
        self._cancels: set[int] = set()
        self._blocks: deque[Message] = deque()
        self._answers: deque[Answer] = deque()
        self._came = threading.Event()

    @property
    def is_up(self) -> bool:
        """Whether a child is there that has loaded."""
        return self.state in ("ready", "busy", "degraded")

    def put(self, answer: Answer) -> None:
        """Leave an answer for whoever polls."""
        if len(self._answers) >= _HELD:
            self.counts["unread"] += 1
            return
        self._answers.append(answer)
        self._came.set()

    def poll(self) -> list[Answer]:
        """Return the answers, oldest first, and keep none."""
        self._came.clear()
        made: list[Answer] = []
        with contextlib.suppress(IndexError):  # a deque's ends are safe to use from two threads
            while True:
                made.append(self._answers.popleft())
        return made

    def wait(self, seconds: float) -> bool:
        """Wait for an answer, at most so long, and return whether there is one."""
        return bool(self._answers) or (self._came.wait(seconds) and bool(self._answers))

    def block(self, message: Message) -> None:
        """Have a block of voice sent; the oldest gives way where nobody takes them."""
        with self.lock:
            if not self.is_up:  # a voice goes on: what was not heard in time is not made up for
                self.counts["unheard"] += 1
                return
            if len(self._blocks) >= _BLOCKS:
                self._blocks.popleft()
                self.counts["dropped"] += 1
            self._blocks.append(message)

    def cancel(self, avatar: int) -> None:
        """Forget an avatar's sentences; the child is told where it has one."""
        with self.lock:
            if self.slots.cancel(avatar):
                self._cancels.add(avatar)

    def next(self, now: float) -> Message | Request | None:
        """Return what is to be sent next, a Request for its sentence, None for nothing."""
        with self.lock:
            if self._cancels:
                return Message(Kind.CANCEL, avatar=self._cancels.pop())
            if self._blocks:
                return self._blocks.popleft()
            request = self.slots.unsent()
            if request is not None:
                request.sent = now
            return request

    def prune(self, now: float) -> None:
        """Give up what would come too late."""
        with self.lock:
            for request in self.slots.late(now):
                self.counts["late"] += 1
                self.lose(request, "its motion would have come too late")
                if request.is_sent:
                    self._cancels.add(request.sentence.avatar)

    def drop(self, request: Request, why: str) -> None:
        """Give up a sentence that went wrong in the child, which is told so too."""
        with self.lock:
            if self.slots.running(request.sentence.avatar, request.number) is None:
                return
            self.slots.done(request.sentence.avatar, request.number)
            self._cancels.add(request.sentence.avatar)
            self.lose(request, why)

    def bury(self, why: str, *, is_off: bool) -> None:
        """Tell what the child died of, and whoever waited for it; is_off: those who would wait for another too."""
        with self.lock:
            self.state, self.detail = ("off" if is_off else "dead"), why
            self._cancels.clear()
            self._blocks.clear()
            for request in self.slots.died(every=is_off):
                self.lose(request, why)

    def lose(self, request: Request, why: str) -> None:
        """Tell that no more comes for a sentence."""
        self.counts["lost"] += 1
        self.put(Lost(request.sentence.id, request.sentence.avatar, why))
