"""Settings that change while she runs: the same bits whoever did the work, and a replay holds them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import talker

from kinesics.components.config import Config
from kinesics.components.index import Index
from kinesics.components.motion import Motion
from kinesics.components.outbox import Outbox
from kinesics.systems import headless, matcher
from kinesics.systems.figures.replay import save


def with_(config: Config, section: str, **values: Any) -> Config:
    return dataclasses.replace(config, **{section: dataclasses.replace(getattr(config, section), **values)})


def talking(seconds: float = 4.0) -> headless.World:
    world = headless.world(talker.body(), corpus=talker.corpus())
    world.avatar.say((talker.voice(seconds), 16_000))
    return world


def steps(world: headless.World, count: int) -> None:
    for _ in range(count):
        world.step(headless.TICK)


def test_a_repertoire_made_on_a_thread_and_one_made_by_the_tick_move_her_alike() -> None:
    wanted = with_(Config.default(), "gains", upper_arm=0.4, elbow=0.9)
    by_tick, by_thread = talking(), talking()
    motion = by_thread.get(by_thread.avatar.entity, Motion)
    for world in (by_tick, by_thread):
        steps(world, 60)
        if world is by_thread:
            motion.ready = matcher.fit(motion, wanted)
        world.inbox.post("config", config=wanted)
        steps(world, 90)
    assert by_tick.digests() == by_thread.digests()
    untouched = talking()
    steps(untouched, 150)
    assert untouched.digests()["Pose"] != by_tick.digests()["Pose"]


def test_higher_gains_leave_fewer_rows_because_each_moves_faster() -> None:
    world = talking()
    entity = world.avatar.entity
    limit = float(np.percentile(world.get(entity, Motion).repertoire.row_speed, 90))
    slow = with_(Config.default(), "gates", speed_deg_s=limit)
    world.inbox.post("config", config=slow)
    steps(world, 1)
    before = int(world.get(entity, Index).legal.sum())
    world.inbox.post("config", config=with_(slow, "gains", upper_arm=1.0, elbow=0.8))
    steps(world, 1)
    motion = world.get(entity, Motion)
    assert 60 <= int(world.get(entity, Index).legal.sum()) < 0.9 * before
    np.testing.assert_array_equal(motion.gain, motion.repertoire.gain)


def test_a_lower_speed_gate_leaves_fewer_rows_and_keeps_the_rest_of_the_repertoire() -> None:
    world = talking()
    entity = world.avatar.entity
    old = world.get(entity, Motion).repertoire
    limit = float(np.percentile(old.row_speed, 50))
    world.inbox.post("config", config=with_(Config.default(), "gates", speed_deg_s=limit))
    steps(world, 1)
    assert world.get(entity, Motion).repertoire is old
    assert int(world.get(entity, Index).legal.sum()) == int((old.row_speed <= limit).sum())


def test_settings_that_leave_nothing_to_pick_are_named_and_the_old_repertoire_stays() -> None:
    world = talking()
    entity = world.avatar.entity
    old = world.get(entity, Motion).repertoire
    world.inbox.post("config", config=with_(Config.default(), "gates", speed_deg_s=1.0))
    steps(world, 30)
    assert world.get(entity, Motion).repertoire is old
    assert [what for what in world.get(entity, Outbox).degraded if "rows stay under 1 deg/s" in what]


def test_two_avatars_of_one_file_share_what_is_measured_and_not_the_room_it_is_searched_in() -> None:
    world = headless.World(seed=1)
    one, two = (headless.spawn(world, talker.body(), talker.corpus()) for _ in range(2))
    world.inbox.post("config", config=with_(Config.default(), "gains", head=0.5))
    steps(world, 1)
    assert world.get(one.entity, Motion).repertoire is world.get(two.entity, Motion).repertoire
    assert world.get(one.entity, Index) is not world.get(two.entity, Index)


@pytest.mark.long
def test_a_replay_holds_a_change_of_gains_and_row_hop(tmp_path: Path) -> None:
    world = headless.world()
    tape = headless.tape(world)
    world.avatar.say(headless.HELLO)
    for tick in range(240):
        if tick == 70:
            world.inbox.post("config", config=with_(Config.default(), "gains", upper_arm=0.5))
        if tick == 150:
            world.inbox.post("config", config=with_(Config.default(), "matcher", hop_s=0.2))
        world.step(headless.TICK)
        tape.record(world)
    save(tape, tmp_path / "changed.npz")
    first, run = headless.replay(tmp_path / "changed.npz")
    assert first is None
    assert run.ticks == 240
