"""What she says: in turn, cut in, stopped, and kept in step with the sound."""

from __future__ import annotations

import numpy as np
import talker

from kinesics.components.face import Face
from kinesics.components.speech import RATE
from kinesics.components.voice import Voice
from kinesics.systems import headless
from kinesics.systems.schedule import TICK


def fresh() -> headless.World:
    return headless.world(talker.body(), with_corpus=False)


def steps(world: headless.World, count: int) -> list[tuple[str, int]]:
    """Step and return what she told the outside, (what, utterance)."""
    told = []
    for _ in range(count):
        world.step(TICK)
        told += [(name, data["id"]) for _, name, data in world.avatar.deliver() if "id" in data]
    return told


def test_sentences_wait_their_turn() -> None:
    world = fresh()
    world.avatar.say((talker.voice(1.0), RATE))
    world.avatar.say((talker.voice(1.0), RATE))
    assert steps(world, 150) == [("started", 1), ("finished", 1), ("started", 2), ("finished", 2)]


def test_an_interruption_cuts_in_at_once() -> None:
    world = fresh()
    world.avatar.say((talker.voice(3.0), RATE))
    world.avatar.say((talker.voice(3.0), RATE))
    steps(world, 30)
    world.avatar.say((talker.voice(1.0), RATE), interrupt=True)
    assert steps(world, 2) == [("interrupted", 1), ("interrupted", 2), ("started", 3)]


def test_words_are_announced_when_they_sound() -> None:
    world = fresh()
    heard = []
    world.avatar.on("word", lambda id, text: heard.append((world.tick, text)))
    world.avatar.say((talker.voice(2.0), RATE), words=[("hello", 0.3, 0.6), ("there", 0.9, 1.2)])
    steps(world, 120)
    assert [text for _, text in heard] == ["hello", "there"]
    assert [abs(tick / 60 - at) < 0.035 for (tick, _), at in zip(heard, (0.3, 0.9), strict=True)] == [True, True]


def mouth(world: headless.World) -> float:
    return float(world.get(0, Face).weight[0])


def test_the_mouth_moves_with_the_voice_and_is_closed_100_ms_after_a_stop() -> None:
    loudest = 0.0
    for stop_at in range(24, 90, 7):
        world = fresh()
        utterance = world.avatar.say((talker.voice(3.0, pauses=()), RATE))
        steps(world, stop_at)
        loudest = max(loudest, mouth(world))
        utterance.stop()
        steps(world, 6)
        assert mouth(world) <= 0.05, f"stopped at tick {stop_at}"
    assert loudest > 0.2


def test_the_mouth_is_closed_100_ms_after_the_end_of_the_file() -> None:
    world = fresh()
    world.avatar.say((talker.voice(1.5)[: int(1.1 * RATE)], RATE))  # cut off in the middle of a vowel
    told = []
    while ("finished", 1) not in told:
        told += steps(world, 1)
    steps(world, 6)
    assert mouth(world) <= 0.05


def test_a_sound_card_20_ppm_off_does_not_drift_the_lips() -> None:
    world = fresh()
    utterance = world.avatar.say((np.tile(talker.voice(10.0), 12), RATE))
    real, worst = 0.0, 0.0
    draw = np.random.default_rng(1)
    for tick in range(7000):
        if tick > 1:
            utterance.position(real + draw.normal(0.0, 0.004))
        world.step(TICK)
        real = tick / 60.0 * (1.0 + 20e-6) + 0.05
        worst = max(worst, abs(world.get(0, Voice).position - real)) if tick > 120 else 0.0
    assert worst < 0.025, "s between lips and sound"


def test_the_position_never_runs_backwards() -> None:
    world = fresh()
    utterance = world.avatar.say((talker.voice(6.0), RATE))
    last = -1.0
    for tick in range(300):
        utterance.position(max(0.0, tick / 60 - (0.4 if tick > 150 else 0.0)))
        world.step(TICK)
        now = world.get(0, Voice).position
        assert now >= last
        last = now


def test_a_message_for_someone_who_left_is_no_fault() -> None:
    world = fresh()
    world.inbox.post("stop", 17, id=0)
    world.inbox.post("position", 0, id=99, seconds=1.0)
    steps(world, 2)
    assert world.tick == 2
