"""What the fence's teacher costs and what its labels are worth, beside the cold optimum of the same frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...components import gltf
from ...components.errors import KinesicsError
from ...systems import headless
from ...systems.collide.body import fitted
from ...systems.retarget import measure
from . import entry

NAMES = ("lively", "precise", "shy", "story", "person-1", "person-6", "person-12", "person-22", "person-24", "sweeps")
SECONDS, SEED = 12.0, 5  # of a clip of each, and what nobody trains on
LOOKED = 100  # frames that torch looks at


def figures() -> Iterator[dict[str, Any]]:
    """Return teacher.us_per_frame, .deeper_than_1mm_pct, .moved_x, .torch_loss and .torch_slope."""
    try:
        from ...systems.collide.offline.figure import Figure
        from ...systems.fence.offline.measured import measured
        from ...systems.fence.offline.motions import library, made
        from ...systems.fence.offline.slopes import agreement
        from ...systems.fence.offline.teacher import label

        body = gltf.read(headless.AVATAR)
        found = fitted(body, measure(body.rig))
        if found.capsules is None:
            raise KinesicsError(found.fault)
        her = Figure("default", body.rig, found.anatomy, found.capsules)
        motions = [made(her, motion) for motion in library(NAMES, clips=1, seconds=SECONDS, seed=SEED)]
    except ImportError:
        yield {"name": "teacher", "skipped": "scipy is not installed: pip install 'kinesics[corpus]'"}
        return
    taught = measured(her, motions)
    optimum = ("cold optimum", taught.optimum_us)
    yield entry("teacher.us_per_frame", taught.label_us, "us", goal=200.0, reference=optimum)
    yield entry("teacher.deeper_than_1mm_pct", taught.over_pct, "%", goal=0.2)
    yield entry("teacher.moved_x", taught.times, "x", goal=1.1, reference=("cold optimum mm", taught.optimum_mm))
    every = np.concatenate(motions)
    step = len(every) // LOOKED
    rotation, half = every[::step][:LOOKED], 0.5 * np.concatenate([label(her, m) for m in motions])[::step][:LOOKED]
    try:
        agreed = agreement(her, rotation, half)
    except ImportError:
        yield {"name": "teacher.torch", "skipped": "torch is not installed: pip install 'kinesics[speech]'"}
        return
    yield entry("teacher.torch_loss", agreed.loss, "", goal=1e-9)
    yield entry("teacher.torch_slope", agreed.slope, "", goal=1e-6)
