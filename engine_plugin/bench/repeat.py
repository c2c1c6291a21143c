"""The same run several times over: what a tick costs, told apart from what else the machine is doing.

Equal runs do equal work on equal ticks, so the least of a tick's times over the runs is its own; what is above it
came from outside. The percentiles of these minima are published, those of a single run stand beside them.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence

import numpy as np

from ...components.arrays import F64
from ...components.world import System, World


def times(
    begin: Callable[[], World],
    parts: Sequence[tuple[System, ...]],
    ticks: int,
    runs: int,
    clock: Callable[[], float] = time.perf_counter,
) -> F64:
    """Return (runs, ticks, P) us: what each part of the schedule took on each tick of equal runs.

    begin: makes the world of one run, always in the same state
    parts: the schedule in pieces, in order
    clock: s; time.thread_time for ticks so long that a busy machine never leaves one alone
    """
    out = np.empty((runs, ticks, len(parts)))
    for run in range(runs):
        world = begin()
        gc.collect()
        gc.freeze()  # what is there stays: a collection of all of it is no part of a tick
        try:
            for tick in range(ticks):
                for k, part in enumerate(parts):
                    began = clock()
                    for system in part:
                        system(world)
                    out[run, tick, k] = clock() - began
                world.tick += 1
        finally:
            gc.unfreeze()
    return out * 1e6


def noise(us: float, count: int) -> float:
    """Return p99 over p50 of a loop that always does the same, of about `us` each: what the machine adds by itself."""
    turns = 100
    while _loop(turns) < us * 1e-6:
        turns += turns // 10
    taken = [_loop(turns) for _ in range(count)]
    p50, p99 = np.percentile(taken, (50, 99))
    return float(p99 / p50)


def _loop(turns: int) -> float:
    began = time.perf_counter()
    x = 0
    for k in range(turns):
        x ^= k
    return time.perf_counter() - began
