"""However often a host draws, she lives 60 ticks a second, and the same voice at the same tick gives the same bits."""

from __future__ import annotations

from typing import Any

import pytest
import talker
from panda3d.core import ClockObject

from kinesics.components.speech import Speech
from kinesics.components.world import World
from kinesics.engine_plugin import AvatarPlugin
from kinesics.systems import headless
from kinesics.systems.avatar.handle import hear
from kinesics.systems.schedule import TICK

SAY_AT, TICKS = 31, 300  # an odd tick: at 30 frames a second it falls inside a frame


@pytest.fixture(scope="module")
def sentence() -> Speech:
    return hear((talker.voice(4.0), 16_000), (), "")


@pytest.fixture(scope="module")
def without_engine(sentence: Speech) -> list[str]:
    """Digests of a world that no engine draws, after each tick."""
    world = headless.world(talker.body(), talker.corpus(), seed=1)
    digests = []
    for _ in range(TICKS):
        if world.tick == SAY_AT:
            world.avatar.say(sentence)
        world.step(TICK)
        digests.append(world.digest())
    return digests


@pytest.mark.parametrize("fps", [30, 60, 120, 59.94, 144])
def test_the_same_voice_gives_the_same_bits_at_any_number_of_drawn_frames(
    base: Any, sentence: Speech, without_engine: list[str], fps: float
) -> None:
    plugin = AvatarPlugin(base)
    her = plugin.spawn(talker.body(), corpus=talker.corpus())
    digests: list[str] = []

    def after(world: World) -> None:
        digests.append(world.digest())
        if world.tick == SAY_AT:
            her.say(sentence)

    plugin.each_tick.append(after)
    ClockObject.getGlobalClock().setDt(1 / fps)
    while plugin.world.tick < TICKS:
        base.frames(1)
    plugin.destroy()
    first = next((k for k, pair in enumerate(zip(digests, without_engine)) if pair[0] != pair[1]), None)
    assert first is None
    assert digests[SAY_AT - 1] != digests[-1]


@pytest.mark.parametrize("fps", [30, 144])
def test_she_ticks_60_times_a_second_at_30_and_at_144_drawn_frames(base: Any, fps: int) -> None:
    plugin = AvatarPlugin(base)
    plugin.spawn(talker.body(), corpus=talker.corpus())
    ClockObject.getGlobalClock().setDt(1 / fps)
    for second in range(1, 6):
        base.frames(fps)
        assert abs(plugin.world.tick - 60 * second) <= 1
    plugin.destroy()


def test_a_display_of_59_94_hz_gets_exactly_one_tick_a_frame(base: Any) -> None:
    """Counting time would give two ticks to one frame every 17 s, and she would be seen to jerk."""
    plugin = AvatarPlugin(base)
    plugin.spawn(talker.body(), corpus=talker.corpus())
    seen: list[int] = []
    plugin.each_tick.append(lambda world: seen.append(ClockObject.getGlobalClock().getFrameCount()))
    ClockObject.getGlobalClock().setDt(1 / 59.94)
    base.frames(1200)
    assert len(seen) == len(set(seen)) == 1200
    plugin.destroy()
