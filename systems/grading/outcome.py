"""What is handed out of a replay: the motion that is shown, blinded, and what the fixed rules say of it, kept apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...components.arrays import I32
from ...components.grading import Figures, Said
from ..figures import Run
from .copy import WRISTS, Lived
from .moments import SETTLE


@dataclass(frozen=True, slots=True)
class Outcome:
    """A replay that waits for its strips; but for the motion itself it tells nothing of what was drawn.

    Fields:
        id:      what to grade it by
        run:     T ticks of her body and face from the tick after the voice began; what the rule wrote is zeros
        moments: (K,) i32 ticks of `run` to show, in order, equal for every draw
    """

    id: int
    said: Said
    run: Run
    moments: I32


def blinded(run: Run) -> Run:
    """Return a run without anything but what she looked like."""
    nothing = np.zeros(run.ticks, np.float32)
    return replace(
        run, about={}, raw_rotation=None, depth_raw_mm=nothing, depth_mm=nothing, tick_us=nothing,
        moved_mm=np.zeros((run.ticks, 2), np.float32), audio_start_s=0.0,
    )  # fmt: skip


def judged(shown: Lived, reference: Lived) -> Figures:
    """Return the fixed rules' figures of what was shown, the ticks of the swap itself left out.

    reference: the same sentence with the rule on; before the rule both are the same motion, so it has measured how deep
    a motion is that no rule has touched
    """
    depth = shown.run.depth_mm if shown.has_rule else reference.run.depth_raw_mm
    depth = depth[SETTLE:].astype(np.float64)
    joints = [shown.run.joint(name) for name in WRISTS]
    away = [shown.run.position[SETTLE:, j] - reference.raw[SETTLE:, k] for k, j in enumerate(joints) if j >= 0]
    moved = np.array(away).reshape(-1, len(depth), 3)
    jerk = 1e3 * np.linalg.norm(np.diff(moved, 3, axis=1), axis=-1)
    return Figures(
        depth_p99=float(np.percentile(depth, 99)) if depth.size else 0.0,
        depth_max=float(depth.max()) if depth.size else 0.0,
        jerk_p99=float(np.percentile(jerk, 99)) if jerk.size else 0.0,
        moved_rms=float(1e3 * np.sqrt((moved**2).sum(axis=-1).mean())) if moved.size else 0.0,
        refused=shown.refused,
        forced=int(shown.run.forced.sum()),
    )
