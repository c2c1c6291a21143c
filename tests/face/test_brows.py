"""Her brows go with her accents and questions, not with everything; her blinks are as people's are."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import talker
from syllables import talk

from kinesics.components.brows import BROWS, Brows, Heard
from kinesics.components.config import Config
from kinesics.components.face import Face
from kinesics.components.speech import RATE, Speech
from kinesics.components.voice import Voice
from kinesics.systems import face, headless, voice
from kinesics.systems.face import accents, brow_rules, brows
from kinesics.systems.figures.living import living
from kinesics.systems.voice.analyse import analyse

SHAPES = ("jawOpen", "eyeBlinkLeft", "eyeBlinkRight", *BROWS)


def fresh(seed: int = 1, **settings: object) -> headless.World:
    config = Config.default()
    config = dataclasses.replace(config, face=dataclasses.replace(config.face, **settings))
    return headless.world(talker.body(SHAPES), with_corpus=False, seed=seed, config=config)


def ticks(world: headless.World, count: int) -> Iterator[dict[str, float]]:
    """Yield the weights of each tick of voice, gaze and face."""
    shown = world.get(0, Face)
    for _ in range(count):
        voice.listen(world)
        face.look(world)
        face.speak(world)
        world.tick += 1
        yield dict(zip(shown.names, shown.weight.tolist(), strict=True))


def raises(world: headless.World, count: int) -> list[int]:
    """Return the ticks on which raises began."""
    state, out = world.get(0, Brows), []
    for _ in ticks(world, count):
        if state.last > 0 and (not out or out[-1] != state.last):
            out.append(state.last)
    return out


def say(world: headless.World, speech: Speech) -> Speech:
    world.avatar.say(dataclasses.replace(speech, mouth=np.zeros(len(speech.loudness), np.int32)))
    return speech


def test_a_raise_begins_at_most_a_tenth_of_a_second_before_its_word_and_peaks_within_it() -> None:
    spoken = talk(20.0, seed=2)
    words = [(f"w{k}", max(at - 0.12, 0.0), at + 0.1) for k, at in enumerate(spoken.accent.tolist())]
    spoken = analyse(spoken.audio, RATE, words=words)
    world = fresh()
    say(world, spoken)
    seen = [max(shown["browOuterUpLeft"], shown["browInnerUp"]) for shown in ticks(world, 1200)]
    world = fresh()
    say(world, spoken)
    begun = raises(world, 1200)
    assert len(begun) >= 4
    starts = np.array([word[1] for word in words])
    for tick in begun:
        if tick / 60.0 < spoken.phrase[-1, 1]:
            assert -0.12 <= min((tick / 60.0 - starts).tolist(), key=abs) <= 0.02
            assert 0.15 < max(seen[tick : tick + 24]) <= 0.61
    assert np.abs(np.diff(seen)).max() < 0.1
    assert np.diff(begun).min() >= brow_rules.REFRACTORY


@pytest.mark.parametrize("kind", ["stream", "microphone"])
def test_accents_of_a_voice_that_is_not_known_ahead_are_caught_as_they_sound(kind: str) -> None:
    spoken = talk(24.0, seed=4)
    strong = spoken.accent[spoken.strength >= brow_rules.STRONG]
    world = fresh(brows="none")
    state, live = world.get(0, Brows), world.get(0, Voice)
    stream = world.avatar.begin(RATE) if kind == "stream" else None
    if stream is None:
        world.avatar.listen()
    found = []
    for tick in range(round(60 * spoken.seconds)):
        block = spoken.audio[tick * RATE // 60 : (tick + 1) * RATE // 60]
        stream.feed(block) if stream is not None else world.avatar.heard(block)
        voice.listen(world)
        accents.listen(state, live, world.tick, world.dt)
        if state.heard.strength >= brow_rules.STRONG:
            found.append((live.position if stream is not None else tick / 60.0) + state.heard.accent)
            state.heard.strength = 0.0
        world.tick += 1
    late = np.array([at - strong[np.argmin(np.abs(strong - at))] for at in found])
    assert len(found) > 0.5 * len(strong)
    assert np.mean(np.abs(late) < 0.25) > 0.6
    assert np.median(late) < 0.1


def test_a_stream_asks_at_its_end_and_not_before_she_knows_where_that_is() -> None:
    """Its text is there from the start, its words are not: brows that rise with the first sound ask nothing."""
    sound, world = talker.voice(4.0, pauses=()), fresh()
    state, live = world.get(0, Brows), world.get(0, Voice)
    stream = world.avatar.begin(RATE, text="Is it so?")
    heard: list[tuple[float, float]] = []
    for tick in range(270):
        if tick * 800 < len(sound):
            stream.feed(sound[tick * 800 : (tick + 1) * 800])  # three times as fast as it sounds
        elif tick * 800 < len(sound) + 800:
            stream.end()
        voice.listen(world)
        accents.listen(state, live, world.tick, world.dt)
        heard.append((live.position, state.heard.question))
        world.tick += 1
    asked = [at for at, question in heard if question > 0.0]
    assert min(asked) > 2.0
    assert max(asked) > 3.5


def test_a_word_of_a_hundred_thousand_dots_holds_no_tick_up() -> None:
    said = analyse(talker.voice(1.0), RATE, text="." * 100_000 + "x so?")
    begun = time.perf_counter()
    assert len(accents.questions(said)) == 1
    assert time.perf_counter() - begun < 1.0  # it was minutes


def test_a_question_raises_her_brows_at_its_end_and_a_statement_does_not() -> None:
    sound = talker.voice(4.0, pauses=())
    words = [("is", 0.4, 0.8), ("it", 0.9, 1.4), ("so", 1.6, 3.5)]
    assert accents.questions(analyse(sound, RATE, words=words, text="Is it so?")) == ((2.6, 3.5),)
    assert accents.questions(analyse(sound, RATE, words=words, text="What is so")) == ((2.6, 3.5),)
    assert accents.questions(analyse(sound, RATE, words=words, text="It is so.")) == ()
    tops = []
    for seed in range(6):
        world = fresh(seed)
        quiet = dataclasses.replace(
            analyse(sound, RATE, words=words, text="Is it so?"), accent=np.zeros(0), strength=np.zeros(0)
        )
        say(world, quiet)
        seen = [shown["browOuterUpLeft"] for shown in ticks(world, 225)]
        tops.append(max(seen[:140]))
        tops.append(max(seen[150:220]))
    assert max(tops[::2]) < 0.05
    assert np.mean(np.array(tops[1::2]) > 0.3) >= 0.5


def test_great_loudness_draws_her_brows_together_and_an_ordinary_accent_does_not() -> None:
    state = Brows(idle=1 << 40)
    tops = {}
    for loudness in (4.0, 9.5):
        for tick in range(30):
            brow_rules.move(Heard(True, loudness), state, tick, lambda: np.random.default_rng(0))
        tops[loudness] = state.target.tolist()
    assert tops[4.0] == [0.0] * 5
    assert 0.2 < tops[9.5][0] == tops[9.5][1] <= 0.3
    assert tops[9.5][2:] == [0.0] * 3


def test_brows_rest_where_they_are_turned_off() -> None:
    world = fresh(brows="none")
    say(world, talk(10.0, seed=2))
    assert max(shown[name] for shown in ticks(world, 600) for name in BROWS) == 0.0


def test_another_model_takes_the_seat_and_hears_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Heard] = []

    def learned(now: Heard, state: Brows, tick: int, draw: Callable[[], np.random.Generator]) -> None:
        heard.append(dataclasses.replace(now))
        state.target[:] = (0.0, 0.0, 0.5, 0.0, 0.0)

    monkeypatch.setitem(brows.MODELS, "rules", learned)
    world = fresh()
    spoken = say(world, talk(8.0, seed=2))
    shown = list(ticks(world, 480))
    assert shown[-1]["browInnerUp"] == pytest.approx(0.5, abs=0.01)
    told = [now for now in heard if now.strength]
    assert [now.strength for now in told] == pytest.approx(spoken.strength.tolist())
    assert {now.speaking for now in heard} == {False, True}


def test_a_report_counts_blinks_by_the_minute_and_not_the_lids_of_a_sleepy_face() -> None:
    lids = np.full(3600, 0.3)
    for start in (100, 900, 2000):
        lids[start : start + 12] = np.sin(np.linspace(0.0, np.pi, 12)) * 0.7 + 0.3
    face_of = np.stack([lids, np.r_[np.full(900, 0.4), np.zeros(2700)]], axis=1)
    run: Any = SimpleNamespace(ticks=3600, face_names=("eyeBlinkLeft", "browInnerUp"), face=face_of)
    found = living(run)
    assert found is not None
    assert found["blinks_per_min"] == 3.0
    assert 0.15 < found["blink_s_max"] <= 0.2
    assert found["brows_share"] == 0.25
    assert living(SimpleNamespace(ticks=9, face_names=("a",), face=np.zeros((9, 1)))) is None  # type: ignore[arg-type]


@pytest.mark.long
def test_in_ten_minutes_of_speech_brows_blinks_and_shapes_are_as_a_living_face_has_them() -> None:
    """Blinks 8 to 30 a minute, none longer than 0.4 s; brows on 30-60 % of strong accents; no shape outside 0..1."""
    world = fresh(3)
    world.avatar.watched_from((0.1, 1.5, 1.5))
    parts = [talk(30.0, seed=seed) for seed in range(4)]
    state, now = world.get(0, Brows), world.get(0, Voice)
    begun, strong, lids, low, high, brow = [], [], [], 1.0, 0.0, []
    said = 0
    for shown in ticks(world, 36_000):
        if not world.avatar.speaking:
            say(world, parts[said % len(parts)])
            said += 1
        low, high = min(low, *shown.values()), max(high, *shown.values())
        lids.append(shown["eyeBlinkLeft"])
        brow.append(max(shown["browInnerUp"], shown["browOuterUpLeft"]))
        if state.last > 0 and (not begun or begun[-1] != state.last):
            begun.append(state.last)
        if now.current is not None:
            speech = now.current.speech
            first, last = speech.accent.searchsorted((now.position - world.dt, now.position))
            strong += [world.tick] * int((speech.strength[first:last] >= brow_rules.STRONG).sum())
    assert low >= 0.0
    assert high <= 1.0
    is_shut = np.diff(np.concatenate([[0], np.array(lids) > 0.05, [0]]).astype(int))
    lasts = (np.flatnonzero(is_shut < 0) - np.flatnonzero(is_shut > 0)) / 60.0
    assert 8.0 < len(lasts) / 10.0 < 30.0
    assert lasts.max() <= 0.4
    with_brows = [np.abs(np.array(begun) + 8 - tick).min() <= 20 for tick in strong]
    assert len(strong) > 150
    assert 0.3 <= np.mean(with_brows) <= 0.6
    assert np.mean(np.array(brow) < 0.05) > 0.7  # at rest otherwise
