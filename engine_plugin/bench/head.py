"""The fence's head: what a frame costs beside plain numpy, and what it leaves to the rule on performers kept back."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...components.head import Head, load
from ...systems.fence import SHIPPED
from . import best, entry
from .rule import TAKE

SECONDS, CLIPS = 20.0, 1  # of each performer kept back: 'kinesics fence evaluate' does more


def figures() -> Iterator[dict[str, Any]]:
    """Return head.us, head.kB, head.work_left, .moved_x, .jerk_x, .clear_p99_mm and .hands_lost."""
    if not SHIPPED.is_file():
        yield {"name": "head", "skipped": f"there is no {SHIPPED.name} in assets/fence"}
        return
    head = load(SHIPPED)
    from ...systems.fence.offline import evaluate, lessons
    from ..cli.fence_train import figure_of

    body = figure_of(None)
    yield entry("head.us", evaluate.cost(body, head), "us", goal=10.0, reference=("numpy", _in_numpy(head)))
    yield entry("head.kB", SHIPPED.stat().st_size / 1000.0, "kB", goal=300.0)
    if find_spec("scipy") is None:
        yield {"name": "head.work_left", "skipped": "scipy is not installed: pip install 'kinesics[corpus]'"}
        return
    take = os.environ.get(TAKE)
    motions = lessons.kept_back(body, [Path(take)] if take else [], seconds=SECONDS, clips=CLIPS)
    found = evaluate.evaluate(body, motions, head)[0]["summary"]
    yield entry("head.work_left", 1.0 - found["work_saved"], "of the rule's", goal=0.4)
    yield entry("head.moved_x", found["moved_times"], "x", goal=1.1)
    yield entry("head.jerk_x", found["jerk_times"], "x", goal=1.0)
    yield entry("head.clear_p99_mm", found["proposal_clear_p99_mm"], "mm", goal=2.0)
    yield entry("head.hands_lost", 1.0 - found["hand_velocity_correlation"], "1 - r", goal=0.02)


def _in_numpy(head: Head, calls: int = 200) -> float:
    """Return what the same products cost in numpy, us a frame: the best of some runs."""
    x, hidden = np.zeros(len(head.enter), np.float32), np.zeros(len(head.keep), np.float32)
    size = len(hidden)

    def work() -> float:
        began = time.perf_counter()
        for _ in range(calls):
            own = np.maximum(x @ head.enter + head.entered, 0.0) @ head.take + head.taken
            past = hidden @ head.keep + head.kept
            gates = 1.0 / (1.0 + np.exp(-(own[: 2 * size] + past[: 2 * size])))
            new = np.tanh(own[2 * size :] + gates[:size] * past[2 * size :])
            y = (new + gates[size:] * (hidden - new)) @ head.leave + head.left
            _ = y[:18] / (1.0 + np.exp(-np.repeat(y[18:], 9)))
        return 1e6 * (time.perf_counter() - began) / calls

    return best(work, 20)
