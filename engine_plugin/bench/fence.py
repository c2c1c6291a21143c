"""What the fence adds to a whole tick: in shadow, where it measures, and live, where the rule has less to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.capsules import CapsuleSet
from ...components.head import CORRECTION, HIDDEN, SEEN, Head, load
from ...components.motion import Motion
from ...components.world import World
from ...systems import headless
from ...systems.avatar.handle import hear
from ...systems.fence import SHIPPED
from ...systems.schedule import TICK
from .repeat import times

TICKS, RUNS, WARM = 600, 8, 120  # she says the bundled sentence
WIDTH = 64  # of the first layer of a head that stands in


def added_us() -> tuple[float, float]:
    """Return what shadow and live add to a whole tick, us: medians over ticks of the least of RUNS equal runs."""
    fresh = headless.world(seed=1)
    head = load(SHIPPED) if SHIPPED.is_file() else stand_in(fresh)
    speech, found = hear(headless.HELLO, (), ""), []
    for stage in ("off", "shadow", "live"):

        def begin(stage: str = stage) -> World:
            world = fresh.copy()
            world.inbox.post("say", 0, id=1, speech=speech, play=False)
            world.inbox.post("fence", 0, stage=stage, head=head)
            for _ in range(WARM):
                world.step(TICK)
            return world

        found.append(times(begin, tuple((system,) for system in TICK), TICKS, RUNS).min(axis=0).sum(axis=1))
    off, shadow, live = found
    return float(np.median(shadow - off)), float(np.median(live - off))


def stand_in(world: World) -> Head:
    """Return a head of small numbers for the first avatar of a world: it costs what a trained one does."""
    entity, motion = next(iter(world.each(Motion)))
    draw = np.random.default_rng(1)
    shapes = (
        (SEEN + CORRECTION, WIDTH), (WIDTH,), (WIDTH, 3 * HIDDEN), (3 * HIDDEN,), (HIDDEN, 3 * HIDDEN), (3 * HIDDEN,),
        (HIDDEN, CORRECTION + 2), (CORRECTION + 2,),
    )  # fmt: skip
    weights: list[Any] = [(0.01 * draw.standard_normal(shape)).astype(np.float32) for shape in shapes]
    return Head(motion.rig.digest, world.get(entity, CapsuleSet).digest, *weights)
