"""Which sentences the parent has asked for: of each avatar one on its way, and one that waits to go on from it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from ...components.gesture import Lost, Sentence


@dataclass(slots=True)
class Request:
    """One sentence on its way.

    Fields:
        number:  of the request, never used again: what a dead process asked and answered cannot be mistaken for it
        until:   s, from when on its motion is of no use
        asked, sent: s, when; sent is NaN before
        made:    frames that have come
    """

    sentence: Sentence
    number: int
    until: float
    asked: float
    sent: float = math.nan
    made: int = 0

    @property
    def is_sent(self) -> bool:
        return not math.isnan(self.sent)


class Slots:
    """The newest sentence of an avatar wins. It only waits where it goes on from frames that are not made yet."""

    def __init__(self) -> None:
        self._running: dict[int, Request] = {}
        self._waiting: dict[int, Request] = {}
        self._numbers = itertools.count(1)
        self.replaced = 0

    def ask(self, sentence: Sentence, now: float, until: float) -> list[Lost]:
        """Take a sentence in and return whom it has cost its motion without its asker's knowing."""
        request = Request(sentence, next(self._numbers), until, now)
        running, waiting = self._running.get(sentence.avatar), self._waiting.pop(sentence.avatar, None)
        goes_on = running is not None and sentence.after == running.sentence.id and sentence.frame > running.made
        if goes_on or (running is not None and waiting is not None and sentence.after == waiting.sentence.id):
            self._waiting[sentence.avatar] = request
        else:
            self._running[sentence.avatar] = request
            self.replaced += running is not None
        self.replaced += waiting is not None
        if waiting is None or waiting.sentence.id == sentence.id:
            return []
        return [Lost(waiting.sentence.id, sentence.avatar, "a newer sentence took its place before it was begun")]

    def cancel(self, avatar: int) -> bool:
        """Forget an avatar's sentences and return whether one may be running in the child."""
        self._waiting.pop(avatar, None)
        running = self._running.pop(avatar, None)
        return running is not None and running.is_sent

    def running(self, avatar: int, number: int) -> Request | None:
        """Return what an answer belongs to, None where it is stale."""
        request = self._running.get(avatar)
        return request if request is not None and request.number == number else None

    def done(self, avatar: int, number: int) -> None:
        """Take out a request that is through, and let the one that waited run."""
        if self.running(avatar, number) is not None:
            del self._running[avatar]
            self._promote(avatar)

    def came(self, request: Request, frames: int) -> None:
        """Count frames; one that waits for them, and for no more, takes the place of the rest."""
        request.made = frames
        avatar = request.sentence.avatar
        waiting = self._waiting.get(avatar)
        if waiting is not None and waiting.sentence.after == request.sentence.id and waiting.sentence.frame <= frames:
            self._promote(avatar)

    def unsent(self) -> Request | None:
        """Return the one that was asked for first of those the child has not been told of."""
        return min((r for r in self._running.values() if not r.is_sent), key=lambda r: r.number, default=None)

    def late(self, now: float) -> Iterator[Request]:
        """Take out and yield those whose motion is of no use any more."""
        for held in (self._waiting, self._running):
            for avatar, request in list(held.items()):
                if now > request.until:
                    del held[avatar]
                    yield request
        for avatar in list(self._waiting):
            if avatar not in self._running:
                self._promote(avatar)

    def died(self, *, every: bool) -> Iterator[Request]:
        """Take out and yield those that a dead process had; every: those that nobody can be told of either."""
        for held in (self._running, self._waiting) if every else (self._running,):
            for avatar, request in list(held.items()):
                if every or request.is_sent:
                    del held[avatar]
                    yield request
        for avatar in list(self._waiting):
            if avatar not in self._running:
                self._promote(avatar)

    @property
    def count(self) -> int:
        """How many are on their way in the child."""
        return sum(request.is_sent for request in self._running.values())

    def _promote(self, avatar: int) -> None:
        waiting = self._waiting.pop(avatar, None)
        if waiting is not None:
            self._running[avatar] = waiting
