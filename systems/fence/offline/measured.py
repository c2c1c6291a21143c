"""What the teacher's labels are worth against the least correction of each frame, and what one costs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ....components.arrays import F64
from ....components.config import Config
from ...collide.offline.figure import Figure
from ...collide.offline.optimum import depths, optimum, wrists
from ...collide.offline.scene import Scene
from .teacher import label

OVER = 1e-3  # m, depth from which a frame is counted


@dataclass(frozen=True, slots=True)
class Taught:
    """Labels over several motions.

    Fields:
        frames; label_us, optimum_us: of this thread's time a frame, label and cold optimum
        over_pct: share of frames that a label leaves deeper than 1 mm, %; deepest_mm: of all
        moved_mm, optimum_mm: mean displacement of the wrists
    """

    frames: int
    label_us: float
    optimum_us: float
    over_pct: float
    deepest_mm: float
    moved_mm: float
    optimum_mm: float

    @property
    def times(self) -> float:
        """Mean displacement in that of the cold optimum with the same margin."""
        return self.moved_mm / max(self.optimum_mm, 1e-9)


def measured(body: Figure, motions: Iterable[F64]) -> Taught:
    """Return what labels of these motions are worth. motions: (F, J, 4) wxyz local each, 60 Hz."""
    label(body, body.base(2))  # compiled here, not while it is timed
    optimum(body.scene(body.base(1)))
    spent, away, deep = [0.0, 0.0], [0.0, 0.0], []
    for motion in motions:
        scene = body.scene(motion)
        started = time.thread_time()
        ours = label(body, motion)
        spent[0] += time.thread_time() - started
        started = time.thread_time()
        least = optimum(with_margin(scene))
        spent[1] += time.thread_time() - started
        raw = wrists(scene)
        for k, correction in enumerate((ours, least)):
            away[k] += float(np.linalg.norm(wrists(scene, correction) - raw, axis=-1).sum())
        deep.append(depths(scene, ours).max(axis=(1, 2)))
    every = np.concatenate(deep)
    frames = len(every)
    each = [*(1e6 * s / frames for s in spent), float(100.0 * (every > OVER).mean()), float(1e3 * every.max())]
    return Taught(frames, *each, *(1e3 * a / (2 * frames) for a in away))


def with_margin(scene: Scene) -> Scene:
    """Return a scene whose pairs that need not touch count as inside each other already at the rule's margin."""
    margin = Config.default().rule.margin
    return replace(
        scene,
        allow=np.where(scene.allow <= 0.0, scene.allow - margin, scene.allow),
        allow_arms=np.where(scene.allow_arms <= 0.0, scene.allow_arms - margin, scene.allow_arms),
    )
