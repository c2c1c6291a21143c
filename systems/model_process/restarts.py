"""When a process that died may be started again: at once would burn a core on one that cannot live."""

from __future__ import annotations


class Restarts:
    """Counts deaths. first, longest: s of waiting, doubled from the one to the other; most deaths in `span` s."""

    def __init__(self, first: float, longest: float, most: int, span: float) -> None:
        self._first, self._longest, self._most, self._span = first, longest, most, span
        self._deaths: list[float] = []

    def died(self, now: float) -> float | None:
        """Return in how many seconds to start again, None for not at all. now: s, of any clock that never goes back"""
        self._deaths = [then for then in self._deaths if now - then < self._span]
        if len(self._deaths) >= self._most:
            return None
        self._deaths.append(now)
        return min(self._first * 2.0 ** (len(self._deaths) - 1), self._longest)
