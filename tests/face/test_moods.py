"""Moods: on whatever shapes she has, asked for by a program or by a tag in her text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.errors import FaceError
from kinesics.components.face import Face
from kinesics.components.face_map import FaceMap, Look
from kinesics.components.outbox import Outbox
from kinesics.components.speech import RATE
from kinesics.systems import face, headless, voice
from kinesics.systems.face import moods

SHAPES = (
    "jawOpen", "eyeBlinkLeft", "eyeBlinkRight", "mouthSmileLeft", "mouthSmileRight", "browInnerUp", "browDownLeft",
    "browDownRight", "mouthFrownLeft", "mouthFrownRight",
)  # fmt: skip


def fresh(shapes: tuple[str, ...] = SHAPES) -> headless.World:
    return headless.world(talker.body(shapes), with_corpus=False)


def step(world: headless.World, ticks: int) -> dict[str, float]:
    """Return the weights after so many ticks of voice and face."""
    for _ in range(ticks):
        voice.listen(world)
        face.speak(world)
        world.tick += 1
    shown = world.get(0, Face)
    return dict(zip(shown.names, shown.weight.tolist(), strict=True))


def test_a_mood_comes_goes_and_changes_without_a_step() -> None:
    world = fresh()
    seen = []
    for tick in range(360):
        if tick in (0, 120, 240):
            world.avatar.mood({0: "happy", 120: "sad", 240: "neutral"}[tick], 0.8)
        seen.append(list(step(world, 1).values()))
    weight = dict(zip(SHAPES, np.array(seen).T, strict=True))
    assert weight["mouthSmileLeft"][119] == pytest.approx(0.8 * 0.65, abs=0.01)
    assert weight["mouthSmileLeft"][239] < 0.01 < 0.6 < weight["browInnerUp"][239]
    lids = ("eyeBlinkLeft", "eyeBlinkRight")
    assert all(np.abs(np.diff(weight[name])).max() < 0.08 for name in SHAPES if name not in lids)
    assert all(weight[name][-1] < 0.01 for name in SHAPES if name not in lids)


def test_a_word_that_is_no_mood_of_hers_is_told_with_those_she_has() -> None:
    her = fresh().avatar
    with pytest.raises(FaceError) as told:
        her.mood("grumpy")
    assert str(told.value) == f"mood: she has no 'grumpy'; there are {', '.join(her.moods)}"
    with pytest.raises(FaceError, match="she has no 'None'"):
        her.mood(None)  # type: ignore[arg-type]
    assert {"neutral", "happy", "angry", "sad"} <= set(her.moods)
    assert fresh(("a", "b")).avatar.moods == ["neutral"]


@pytest.mark.parametrize("amount", [-0.1, 1.5, float("nan"), "much"])
def test_an_amount_that_is_none_is_told(amount: object) -> None:
    with pytest.raises(FaceError, match=r"wanted a number, 0\.\.1"):
        fresh().avatar.mood("happy", amount)  # type: ignore[arg-type]


def test_an_expression_of_her_file_goes_before_the_table_and_its_own_names_are_moods_too() -> None:
    own = {"happy": Look(((7, 1.0),)), "smug": Look(((8, 1.0),)), "aa": Look(((0, 1.0),)), "blink": Look(((1, 1.0),))}
    made = moods.added(FaceMap("VRM", (), (), expressions=own), moods.read())
    assert made.expressions["happy"] is own["happy"]
    assert made.expressions["sleepy"].channels == ((1, 0.45),)
    assert moods.moods_of(made) == ["neutral", "happy", "relaxed", "sleepy", "smug"]
    assert moods.meant(made, "Joy") == "happy"
    assert moods.meant(made, "neutral") == ""


def test_eyes_that_a_mood_half_closes_are_left_room_by_every_blink() -> None:
    world = fresh()
    world.avatar.mood("sleepy")
    step(world, 90)
    most = max(step(world, 1)["eyeBlinkLeft"] for _ in range(1800))
    assert 0.6 < most <= 1.0  # she blinks, and no lid goes past shut


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_tag_sets_her_mood_at_its_word_and_her_own_comes_back_after(is_stream: bool) -> None:
    world = fresh()
    her, shown = world.avatar, world.get(0, Face)
    her.mood("sad", 0.5)
    words = [("one", 0.3, 0.8), ("two", 0.9, 1.4), ("three", 2.3, 3.0)]
    text = "one [face:joy] two [anim:wave] [anim:wave] three [face:grumpy]"
    if is_stream:
        stream = her.begin(RATE, text=text)
        stream.feed(talker.voice(4.0), words)
        stream.end()
    else:
        her.say((talker.voice(4.0), RATE), words=words, text=text)
    came = None
    for tick in range(480):
        step(world, 1)
        if came is None and shown.asked.get("happy"):
            came = tick
        if tick == 200:
            assert shown.asked == {"happy": moods.TAGGED}
    assert came is not None
    assert came / 60.0 == pytest.approx(0.9, abs=0.1)
    assert shown.asked == {"sad": 0.5}
    told = [what for what in world.get(0, Outbox).degraded if "tag" in what]
    assert len(told) == 2  # each once
    assert "[anim:wave]" in told[0]
    assert "she has no 'grumpy'; there are neutral, happy" in told[1]


def test_a_tag_in_a_voice_without_word_times_falls_where_it_stands_in_the_text() -> None:
    world = fresh()
    world.avatar.say((talker.voice(4.0), RATE), text="one two three [face:happy] four")
    came = next(tick for tick in range(300) if step(world, 1) and world.get(0, Face).asked.get("happy"))
    assert came / 60.0 == pytest.approx(3.0, abs=0.2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[happy]\narkit = { smile = 0.5 }", r"\[happy\] arkit has no 'smile'; names are those of ARKit's 52"),
        ("[happy]\nvrm = { joy = 0.5 }", r"\[happy\] vrm has no 'joy'; names are those of happy"),
        ("[happy]\narkit = { jawOpen = 1.5 }", r"\[happy\] arkit\.jawOpen = 1\.5: wanted a number, 0\.\.1"),
        ("[happy]\nfast = 1", r"\[happy\] holds 'fast'; a mood holds also, arkit, vrm"),
        ("[neutral]\narkit = {}", r"\[neutral\] cannot be changed"),
        ("[happy]\nalso = 3", r"\[happy\] also = 3: wanted a list of words"),
        ("happy = 3", r"\[happy\] holds 'nothing'"),
        ("[happy", "not TOML"),
        ("happy = " + "[" * 5000, "not TOML"),
        ("[happy]\narkit = { jawOpen = " + "9" * 5000 + " }", "not TOML"),
        ("[happy]\narkit = { jawOpen = " + "9" * 400 + " }", r"\[happy\] arkit\.jawOpen = 9+: wanted a number"),
        ('["ha\\nppy"]\nfast = 1', r"\[ha ppy\] holds 'fast'"),
    ],
)
def test_a_table_that_cannot_be_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "moods.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FaceError, match=told) as raised:
        moods.read(path)
    assert "\n" not in str(raised.value)
    with pytest.raises(FaceError, match="cannot be read"):
        moods.read(tmp_path / "none.toml")
    with pytest.raises(FaceError, match="null byte"):
        moods.read("moods\0.toml")
