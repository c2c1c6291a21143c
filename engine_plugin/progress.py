"""What is done once for an avatar and takes a moment, told while it is done."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ..systems.collide import body


class _Teller(logging.Handler):
    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(record.getMessage())


def listen(tell: Callable[[str], None]) -> Callable[[], None]:
    """Have every such line told, from whatever thread it comes; return what ends that."""
    teller, before = _Teller(tell), body.log.level
    body.log.addHandler(teller)
    body.log.setLevel(logging.INFO)

    def stop() -> None:
        body.log.removeHandler(teller)
        body.log.setLevel(before)

    return stop
