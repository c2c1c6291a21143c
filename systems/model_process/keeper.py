"""The thread that keeps a child: it starts one, lives with it, and starts another when that one dies."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable

from ...components.speech import RATE
from .desk import Desk
from .restarts import Restarts
from .ring import Ring
from .settings import Settings
from .talk import Talk

_TURN = 0.1  # s between two looks at whether it is still wanted


class Keeper:
    """Keeps a child until `end`. It knows its desk and not who asks there: an asker that is forgotten can be cleared.

    pid: of the child, 0 for none; ring: for live voice
    """

    def __init__(self, desk: Desk, settings: Settings, clock: Callable[[], float]) -> None:
        """Start the thread."""
        self.pid = 0
        self.ring = Ring.new(round(settings.live_s * RATE))
        self._desk, self._settings, self._clock = desk, settings, clock
        self._is_wanted = True
        try:
            self._told, self._tell = os.pipe()  # what wakes it
        except OSError:
            self.ring.close()
            raise
        os.set_blocking(self._told, False)
        os.set_blocking(self._tell, False)
        self._thread = threading.Thread(target=self._live, name="kinesics-model", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it still looks after a child."""
        return self._thread.is_alive()

    def wake(self) -> None:
        """Tell it that there is something to send."""
        if self._tell >= 0:
            with contextlib.suppress(BlockingIOError):  # full: it is awake
                os.write(self._tell, b"\0")

    def end(self) -> None:
        """End thread and child, and give back what they had. Safe to call twice."""
        if not self._is_wanted:
            return
        self._is_wanted = False
        self.wake()
        if threading.current_thread() is not self._thread:  # what is forgotten is cleared away on any
            self._thread.join(10.0)
        os.close(self._told)
        os.close(self._tell)
        self._told = self._tell = -1
        self.ring.close()

    def _live(self) -> None:
        limits, desk = self._settings, self._desk
        restarts = Restarts(limits.back_off_s, limits.longest_s, limits.starts, limits.span_s)
        while self._is_wanted:
            desk.state, desk.detail = "starting", "it is being started"
            desk.counts["starts"] += 1
            is_hopeless = False
            try:
                talk = Talk(desk, limits, self.ring, self._clock)
                self.pid = talk.pid
                why = talk.run(lambda: self._is_wanted, self._told)
                is_hopeless = talk.is_hopeless
            except Exception as cause:  # no room for a process; or a fault of ours: without this thread nobody tells it
                why = f"it cannot be run: {type(cause).__name__}: {cause}"
            self.pid = 0
            if not self._is_wanted:
                return
            desk.counts["deaths"] += 1
            pause = None if is_hopeless else restarts.died(self._clock())
            desk.bury(why, is_off=pause is None)
            if pause is None:
                return
            until = self._clock() + pause
            while self._is_wanted and self._clock() < until:
                time.sleep(min(_TURN, pause))
                desk.prune(self._clock())
