"""Looking ahead is a cache: dropping it, or not having it, changes no bit of what shows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import talker

from kinesics.components.arrays import F64
from kinesics.components.config import Config
from kinesics.components.pose import Pose
from kinesics.components.preview import Preview
from kinesics.components.speech import RATE
from kinesics.systems import headless
from kinesics.systems.schedule import TICK

PLANNED = ("World", "Plan")  # what says how far she looks, and what she has decided so early


def digests(lookahead: int, drop_seed: int | None, left_out: tuple[str, ...] = ("World",)) -> tuple[list[str], F64]:
    """Return a digest each tick and the poses of six seconds with a voice that is stopped in between."""
    config = Config.default()
    config = dataclasses.replace(config, run=dataclasses.replace(config.run, lookahead=lookahead))
    world = headless.world(talker.body(), talker.corpus(), seed=5, config=config)
    world.avatar.say((talker.voice(3.0), RATE))
    draw = np.random.default_rng(drop_seed or 0)
    out, poses = [], []
    for tick in range(360):
        if tick == 100:
            world.avatar.stop()
        if tick == 160:
            world.avatar.say((talker.voice(2.0, seed=8), RATE))
        if drop_seed is not None and draw.random() < 0.3:
            world.get(0, Preview).drop(world.tick + int(draw.integers(0, lookahead + 1)))
        world.step(TICK)
        parts = world.digests()
        out.append(" ".join(v for k, v in parts.items() if k not in left_out))
        poses.append(world.get(0, Pose).rotation.copy())
    return out, np.array(poses)


@pytest.mark.parametrize("lookahead", [0, 7])
def test_dropping_the_preview_on_random_ticks_changes_no_digest(lookahead: int) -> None:
    kept, _ = digests(lookahead, None)
    for seed in (1, 2):
        assert digests(lookahead, seed)[0] == kept


def test_looking_ahead_shows_the_same_motion() -> None:
    assert digests(0, None, PLANNED)[0] == digests(12, None, PLANNED)[0]


def test_the_motion_is_not_trivially_the_same() -> None:
    _, poses = digests(0, None)
    assert np.abs(np.diff(poses, axis=0)).max() > 1e-4
