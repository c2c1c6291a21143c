"""Lines for the person at the terminal, on standard error, also where a sound library has just shut it."""

from __future__ import annotations

import sys
from collections import deque

from .. import sound


class Aloud:
    """Says lines in order; from any thread.

    sounddevice points the process's standard error at nothing while PortAudio starts, up to a second on a busy machine:
    what another thread said then was lost. It waits instead, and is said with the next line or the next `update`.
    """

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()

    def say(self, line: str) -> None:
        """Say one line, now or as soon as it can be read."""
        self._waiting.append(line)
        self.update()

    def update(self) -> None:
        """Say what waits, if it can be read now; call once a frame."""
        if self._waiting and sound.HUSHED.acquire(blocking=False):
            try:
                self._say()
            finally:
                sound.HUSHED.release()

    def close(self) -> None:
        """Say what waits."""
        if self._waiting:
            with sound.HUSHED:
                self._say()

    def _say(self) -> None:
        while self._waiting:
            print(f"kinesics: {self._waiting.popleft()}", file=sys.stderr, flush=True)
