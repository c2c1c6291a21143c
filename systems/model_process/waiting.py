"""What waits in the child for the model: the newest word about each avatar, from one thread to another."""

from __future__ import annotations

import threading
from typing import TypeAlias

from ...components.gesture import Sentence

Asked: TypeAlias = "tuple[int, Sentence] | None"  # request and sentence; None: the one that runs is to be left


class Waiting:
    """A newer sentence, or the word to leave it, takes the place of what waits for that avatar."""

    def __init__(self) -> None:
        self._held: dict[int, Asked] = {}
        self._news = threading.Condition()

    def put(self, avatar: int, asked: Asked) -> None:
        """Leave the newest word about an avatar."""
        with self._news:
            self._held[avatar] = asked
            self._news.notify()

    def is_left(self, avatar: int) -> bool:
        """Return whether what runs for her is wanted no more."""
        return avatar in self._held

    def take(self, *, is_idle: bool) -> dict[int, Asked]:
        """Return what waits and keep none of it. is_idle: nothing else is to be done, wait for some."""
        with self._news:
            while is_idle and not self._held:
                self._news.wait()
            held, self._held = self._held, {}
        return held
