"""From uneven frames to even ticks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FixedClock:
    """Seconds in, whole ticks out.

    Fields:
        hz:      ticks a second
        limit:   most ticks one call may return; the rest is dropped and counted, so that a stall does not spiral
        left:    s, time not yet ticked
        dropped: ticks lost to the limit since the start
    """

    hz: int = 60
    limit: int = 8
    left: float = 0.0
    dropped: int = 0

    def advance(self, dt: float) -> int:
        """Return how many ticks are due after `dt` more seconds.

        A display within 0.2 % of the tick rate gets exactly one tick a frame: accumulating there alternates 0 and 2.
        """
        if abs(dt * self.hz - 1.0) < 0.002 and abs(self.left * self.hz) <= 1.0:
            return 1
        self.left += max(0.0, dt)
        due = int(self.left * self.hz + 1e-9)
        self.left -= due / self.hz
        if due > self.limit:
            self.dropped += due - self.limit
            due = self.limit
        return due

    @property
    def alpha(self) -> float:
        """How far the shown moment is past the last tick, 0..1 of a tick, for drawing in between."""
        return min(max(self.left * self.hz, 0.0), 1.0)
