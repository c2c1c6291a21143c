"""What a pick costs: the exact rank-sum search over the sample corpus' size and over an hour, beside plain sorting."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ...systems.kernels import search
from . import Figure, best, entry

_RUNS = 25
_K = 64  # rows asked for
_HOUR = 36_000  # rows, 1 h at a hop of 0.1 s
_SAMPLE = 4_250  # rows, about the size of the corpus that is shipped
_LIMIT = np.radians(55.0)
_TENTH = 0.256  # spread of the poses at which a tenth of the rows is within the limit; at .1 all are


def figures() -> list[Figure]:
    """Return search.*: ms with every row legal and in reach, the worst case, beside three np.argsort of as many."""
    made = []
    for name, count, goal in (("search.1h_ms", _HOUR, 2.0), ("search.sample_ms", _SAMPLE, 0.15)):
        whole, pose, forced, argsort = _measured(count)
        made.append(entry(name, whole, "ms", goal=goal, reference=("3 np.argsort, distances not counted", argsort)))
        if count == _HOUR:
            tenth = _measured(count, _TENTH)[0]
            made.append(entry("search.1h_tenth_ms", tenth, "ms", goal=2.0))
            made.append(entry("search.1h_rank_ms", pose, "ms", reference=("3 np.argsort", argsort)))
            made.append(entry("search.1h_forced_ms", forced, "ms"))
    return made


def _measured(count: int, spread: float = 0.1) -> tuple[float, float, float, float]:
    """Return ms of: the whole search, its ranking alone, a forced cut, sorting the three lists of distances."""
    rng = np.random.default_rng(count)
    pose = np.concatenate([np.ones((count, 8, 1)), rng.normal(size=(count, 8, 3)) * spread], axis=2)
    pose /= np.linalg.norm(pose, axis=2, keepdims=True)
    envelope, timbre = rng.normal(size=(count, 60)) * 6.0, rng.normal(size=(count, 13))
    every = np.ones(count, bool)
    packed = search.pack(pose.astype(np.float32), envelope.astype(np.float32), timbre.astype(np.float32), every, every)
    work = search.workspace(count, _K)
    query = np.tile([1.0, 0.0, 0.0, 0.0], (8, 1)), rng.normal(size=60) * 6.0, rng.normal(size=13), True
    out = np.empty(_K, np.int32), np.empty((_K, 3), np.int32), np.empty(_K)
    _, eligible, _ = search.best(packed, every, *query, _LIMIT, work, *out)
    lists = work[-1][0][:, :eligible].copy()
    return (
        _ms(lambda: search.best(packed, every, *query, _LIMIT, work, *out)),
        _ms(lambda: search.rank(eligible, work, *out)),
        _ms(lambda: search.nearest(packed, every, query[0], work)),
        _ms(lambda: [np.argsort(one) for one in lists]),
    )


def _ms(work: Callable[[], object]) -> float:
    def once() -> float:
        began = time.perf_counter()
        work()
        return (time.perf_counter() - began) * 1e3

    once()  # compiles, and warms the caches as the second before did
    return best(once, _RUNS)
