"""What is done once for an avatar and takes a moment, told while it is done."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ..systems.collide import body
from ..systems.posture import kept as holds
from ..systems.retarget import kept

_LOGS = (body.log, kept.log, holds.log)  # her skin measured; a large corpus turned onto her; a hold found on her


class _Teller(logging.Handler):
    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(record.getMessage())


def listen(tell: Callable[[str], None]) -> Callable[[], None]:
    """Have every such line told, from whatever thread it comes; return what ends that."""
    teller, before = _Teller(tell), [log.level for log in _LOGS]
    for log in _LOGS:
        log.addHandler(teller)
        log.setLevel(logging.INFO)

    def stop() -> None:
        for log, level in zip(_LOGS, before):
            log.removeHandler(teller)
            log.setLevel(level)

    return stop
