"""Everything that comes from outside, stamped with the tick it arrived on.

Any thread may post. The tick drains once, at its start; what it drained is also kept in `log`, and a run that posts
the log again at the same ticks gives the same bits.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One message. kind: what happened; avatar: entity it is for, -1 for the world; data: numbers, text, assets."""

    kind: str
    avatar: int = -1
    data: dict[str, Any] = field(default_factory=dict)


class Inbox:
    """A queue from any thread to the tick."""

    def __init__(self) -> None:
        self._waiting: deque[Event] = deque()  # append and popleft are atomic, so no lock is needed
        self.log: list[tuple[int, Event]] = []
        self.keep = False  # a run that will be replayed keeps its log; a desktop that runs for days does not
        self.taps: list[deque[tuple[int, Event]]] = []  # whoever follows a part of a run is handed each event too

    def post(self, kind: str, avatar: int = -1, **data: Any) -> None:
        """Hand an event to the next tick."""
        self._waiting.append(Event(kind, avatar, data))

    def drain(self, tick: int) -> list[Event]:
        """Return what has arrived, oldest first, stamped with `tick`."""
        events = []
        while self._waiting:
            events.append(self._waiting.popleft())
        if self.keep:
            self.log.extend((tick, event) for event in events)
        for tap in self.taps:
            tap.extend((tick, event) for event in events)
        return events

    def has(self, kind: str) -> bool:
        """Tell whether such an event waits for the next tick."""
        return any(event.kind == kind for event in list(self._waiting))
