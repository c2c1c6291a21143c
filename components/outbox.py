"""What the tick tells the outside: started, word, finished, interrupted, degraded. Read and cleared by the host."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(slots=True)
class Outbox:
    """Messages of one avatar since the host last looked. messages: (tick, name, data); told: kinds already said."""

    CACHE: ClassVar[bool] = True  # depends on when the host reads it, so in no digest
    messages: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)
    degraded: dict[str, int] = field(default_factory=dict)

    def say(self, tick: int, name: str, **data: Any) -> None:
        """Append one message; a host that never reads costs no more than the last 1000."""
        self.messages.append((tick, name, data))
        if len(self.messages) > 1000:
            del self.messages[:500]

    def degrade(self, tick: int, what: str) -> None:
        """Count a fault of the data and say it once."""
        self.degraded[what] = self.degraded.get(what, 0) + 1
        if self.degraded[what] == 1:
            self.say(tick, "degraded", what=what)
