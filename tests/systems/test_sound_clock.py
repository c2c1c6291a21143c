"""Lips stay on the sound for hours, on clocks that are off, and on clocks that started long ago."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import talker

from kinesics.components.face import Face
from kinesics.components.speech import RATE
from kinesics.components.voice import Voice
from kinesics.engine_plugin.take import Take
from kinesics.systems import headless, voice
from kinesics.systems.avatar.stream import Sound
from kinesics.systems.schedule import TICK
from kinesics.systems.voice.analyse import analyse


def long_voice(seconds: float):
    """Return a voice that claims to last for hours; nothing but its length matters here."""
    return dataclasses.replace(analyse(talker.voice(2.0), RATE), seconds=seconds)


@pytest.mark.long
@pytest.mark.parametrize("rate", [1.00002, 0.99998, 1.0 + 60e-3 / 3600])
def test_two_hours_on_a_sound_card_that_is_off_drift_the_lips_by_less_than_10_ms(rate):
    """w3c/webcodecs#39: 60 ms an hour between a sound card's clock and the system's, 20 ppm in quartz alone."""
    world = headless.world(talker.body(), with_corpus=False)
    utterance = world.avatar.say(long_voice(7300.0))
    state, worst = world.get(0, Voice), 0.0
    jitter = np.random.default_rng(1).normal(0.0, 0.004, 7200 * 6)
    for tick in range(7200 * 60):
        sounded = tick / 60.0 * rate
        if tick % 10 == 0:
            utterance.position(max(sounded + jitter[tick // 10], 1e-6))
        world.step((voice.listen,))
        if tick > 60:
            worst = max(worst, abs(state.position - sounded))
    assert worst < 0.01, "s between lips and sound"
    assert world.tick == 432_000


def test_without_reports_two_hours_are_two_hours():
    world = headless.world(talker.body(), with_corpus=False)
    world.avatar.say(long_voice(7200.0))
    state = world.get(0, Voice)
    for _ in range(60):
        world.step((voice.listen,))
    world.tick += 7199 * 60 - 61
    world.step((voice.listen,))
    assert state.position == pytest.approx(7199.0 - 1 / 60, abs=1e-9)


def test_a_million_seconds_after_the_start_the_mouth_moves_as_at_the_start():
    curves = []
    for start in (0, 60_000_000):  # ticks, 1e6 s
        world = headless.world(talker.body(), talker.corpus(), seed=2)
        world.tick = start
        words = []
        world.avatar.on(
            "word", lambda id, text, words=words, world=world, start=start: words.append(world.tick - start)
        )
        world.avatar.say((talker.voice(3.0), RATE), words=[("one", 0.4, 0.6), ("two", 1.0, 1.3)])
        curve = []
        for _ in range(200):
            world.step(TICK)
            world.avatar.deliver()
            curve.append(world.get(0, Face).openness)
        curves.append((np.array(curve), words))
    assert curves[0][1] == curves[1][1]
    assert np.abs(curves[0][0] - curves[1][0]).max() < 1e-5
    assert curves[0][0].max() > 0.5


class _Stop(Exception):
    pass


@pytest.mark.parametrize("start", [100.0, 1e6])
def test_a_sound_cards_clock_may_have_run_for_weeks(start):
    take = Take(Sound(RATE, [talker.voice(2.0)], is_ended=True), 1.0, lambda: 0.0)
    take.prepare(RATE)
    stream = SimpleNamespace(time=start)
    take.attach(stream)
    shown = []
    for _ in range(150):
        out = np.zeros((160, 1), np.float32)
        take.fill(out, SimpleNamespace(outputBufferDacTime=stream.time + 0.1, currentTime=stream.time), False, _Stop)
        stream.time += 0.01
        shown.append(take.position())
    assert np.diff(shown).min() >= 0.0
    assert shown[-1] == pytest.approx(1.5 - 0.1, abs=1e-6)
