"""The model's process is killed while she speaks with its motion: the viewer sees no jump, and it is back by itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from kinesics.components.carry import Carry
from kinesics.components.config import Config
from kinesics.components.motion import Motion
from kinesics.components.plan import Plan
from kinesics.components.pose import Pose
from kinesics.systems import headless
from kinesics.systems.kernels.sentence import SHARE
from kinesics.systems.model_process.parent import ModelProcess
from kinesics.systems.schedule import TICK
from kinesics.systems.speech_gesture.link import Link

from .conftest import until

Host = Callable[..., ModelProcess]
KILLS = 2  # `kinesics bench process` kills it 20 times
ARM = tuple(side + bone for side in ("left", "right") for bone in ("Shoulder", "UpperArm", "LowerArm", "Hand"))


@pytest.mark.long
def test_she_goes_on_without_a_jump_and_is_moved_by_the_model_again(host: Host) -> None:
    process = host({"step_s": 0.8}, at="talking", starts=100)  # it is killed before the second window is made
    config = Config.default()
    config = replace(config, sentence=replace(config.sentence, weights="made up"))
    world = headless.world(config=config, with_model=False)
    world.link = Link(process, waits=False)
    her = world.avatar.entity
    sentences, pose = world.get(her, Plan).sentences, world.get(her, Pose)
    assert sentences is not None
    clock = world.get(her, Carry).view("sentence_clock")
    arm = [world.get(her, Motion).rig.names.index(name) for name in ARM]
    turns = []

    def tick() -> None:
        before = pose.rotation[arm].copy()
        assert world.link is not None
        world.link.before(world)
        world.step(TICK)
        dot = np.abs(np.einsum("jk,jk->j", before, pose.rotation[arm])).clip(0.0, 1.0)
        turns.append(float(np.degrees(2.0 * np.arccos(dot)).max()))

    tick()
    turns.clear()  # up to here she stood as her file has her
    for _ in range(KILLS):
        until(lambda: process.state == "ready", "it did not come back")
        said = world.avatar.say(headless.HELLO)
        until(lambda: _ticked(tick, process) and sentences.is_on and clock[SHARE] > 0.0, "it never moved her")
        assert sentences.playing is not None
        assert not sentences.playing.is_whole
        child = process.pid
        os.kill(child, signal.SIGKILL)
        until(lambda: process.pid != child, "nobody noticed")  # noqa: B023
        left = 0
        while sentences.is_on:  # what came before shows to its end
            tick()
            left += 1
            assert left < 2 * len(sentences.playing.motion)
        yields = 0
        while clock[SHARE] > 0.0:
            tick()
            yields += 1
        assert yields / 60.0 <= 0.2  # s until the matcher has her
        said.stop()
        for _ in range(60):
            tick()
    until(lambda: process.state == "ready", "it did not come back")
    assert process.figures()["deaths"] == KILLS
    assert max(turns) < 400.0 / 60.0 * 1.5  # deg a tick: her own limit of speed, and the layers under it


def _ticked(tick: Callable[[], None], process: ModelProcess) -> bool:
    process.wait(0.01)
    tick()
    return True
