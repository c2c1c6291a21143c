"""What is written over the picture: subtitles, messages, help, figures and knobs, all without a window."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import talker
from PIL import Image
from tried_body import her

from kinesics.components.config import Config
from kinesics.components.speech import RATE, Word
from kinesics.engine_plugin.app import feelings, keys, paint
from kinesics.engine_plugin.app.captions import MOST, STAY, caption
from kinesics.engine_plugin.app.dialog import complete
from kinesics.engine_plugin.app.knobs import TABLE, knobs
from kinesics.engine_plugin.app.overlay import draw_help, draw_note, draw_subtitle
from kinesics.engine_plugin.app.readings import Reading, TickTimes, readings
from kinesics.engine_plugin.app.text_panel import _told, draw_panel
from kinesics.systems import headless, voice
from kinesics.systems.voice.analyse import analyse

TEXT = "Hello there, it is good to see you. I talk with my hands and I never plan what they do next"


def speech(with_times: bool = True, seconds: float = 9.5) -> Any:
    words = [Word(text, 0.45 * k, 0.45 * k + 0.4) for k, text in enumerate(TEXT.split())] if with_times else []
    return analyse(talker.voice(seconds), RATE, words=words, text=TEXT)


class Host:
    """Settings and devices for knobs, without a window."""

    def __init__(self) -> None:
        self.now = Config.default()

    def settings(self) -> Config:
        return self.now

    def set(self, section: str, key: str, value: Any) -> None:
        changed = dataclasses.replace(getattr(self.now, section), **{key: value})
        self.now = dataclasses.replace(self.now, **{section: changed})

    def names_of(self, kind: str) -> tuple[str, ...]:
        return ("Desk speakers", "Headset") if kind == "output" else ()


def figures() -> dict[str, Any]:
    world = headless.world(talker.body(), corpus=talker.corpus())
    world.avatar.say((talker.voice(4.0), RATE))
    for _ in range(90):
        world.step(headless.TICK)
    return world.avatar.figures()


def test_each_word_is_the_marked_one_while_it_sounds() -> None:
    said = speech()
    for k, text in enumerate(TEXT.split()):
        assert caption(said, 0.45 * k + 0.2).now == text


def test_no_line_is_longer_than_a_film_s_and_no_word_is_lost() -> None:
    said, shown = speech(), []
    for k in range(len(TEXT.split())):
        line = caption(said, 0.45 * k + 0.2)
        whole = " ".join(part for part in (line.said, line.now, line.coming) if part)
        assert len(whole) <= MOST
        if whole not in shown:
            shown.append(whole)
    assert " ".join(shown) == TEXT
    assert shown[0] == "Hello there, it is good to see you."


def test_the_subtitle_is_gone_a_moment_after_the_last_word() -> None:
    said = speech()
    assert caption(said, said.words[-1].end + 0.5 * STAY).now == "next"
    assert caption(said, said.words[-1].end + STAY + 0.1).now == ""
    assert caption(None, 0.0).said == ""


def test_a_text_without_times_is_shown_in_parts_from_first_to_last() -> None:
    said = speech(with_times=False)
    parts = list(dict.fromkeys(caption(said, at).said for at in np.linspace(0.0, said.seconds, 100)))
    assert " ".join(parts) == TEXT
    assert max(map(len, parts)) <= MOST


def test_a_subtitle_is_never_wider_than_the_window() -> None:
    line = caption(speech(), 1.0)
    for most in (240, 400, 900):
        assert draw_subtitle(line, ("reflex", "corpus", "face"), 16, most).width <= most


def test_a_message_in_another_script_and_one_of_a_thousand_letters_are_drawn() -> None:
    for text in ("Grüß Gott, где вы, 漢字", "x" * 1000, "", "one\x07two"):
        card = draw_note(text, paint.INK, 16, 400)
        assert card.width <= 400 + 32


def test_help_names_every_key_and_every_key_is_bound_once() -> None:
    events = [event for key in keys.KEYS for event in key.events]
    assert len(events) == len(set(events))
    shown = [row[0] for row in keys.help_rows()]
    assert len(shown) == len(set(shown))
    card = draw_help(keys.help_rows(), "kinesics", 16, 700)
    assert card.width <= 700 + 32
    assert card.height < 1080


def test_the_panel_shows_ranks_refusals_in_degrees_and_tick_times() -> None:
    times = TickTimes()
    for _ in range(700):
        times.take(0.0005)
    found = figures()
    rows = {row.label: row.text for _, group in readings(found, times, 60.0, {"sound": "no device"}) for row in group}
    assert rows["Ranks"].startswith("sound ")
    assert rows["Row"].endswith(tuple(f"clip{k}" for k in range(6)))
    assert rows["Jump"].endswith("of 55°")
    assert rows["Over 90°/s"] == f"{found['rows'] - found['rows_legal']} of {found['rows']} rows"
    assert rows["Over 55° away"] == str(found["refused"]["jump"])
    assert rows["Tick"] == "0.50 ms, p99 0.50, max 0.5"
    assert rows["Look-ahead"] == "0 ticks"
    assert rows["Sound"] == "no device"
    assert "corpus" in rows["Layers"]


def test_without_a_corpus_the_panel_says_so() -> None:
    world = headless.world(talker.body(), with_corpus=False)
    for _ in range(3):
        world.step(headless.TICK)
    rows = {r.label: r.text for _, group in readings(world.avatar.figures(), TickTimes(), 0.0, {}) for r in group}
    assert rows["Rows"] == "no corpus"
    assert rows["Tick"] == "-"


def test_every_knob_reaches_both_ends_of_its_range_by_keys_and_never_leaves_it() -> None:
    host = Host()
    for _, group in knobs(host):
        for knob in group:
            if knob.low is None or knob.high is None:
                continue
            for _ in range(50):
                knob.step(1)
            assert knob.value() == pytest.approx(knob.high)
            for _ in range(50):
                knob.step(-1)
            assert knob.value() == pytest.approx(knob.low)


def test_a_choice_goes_round_and_a_device_that_is_not_there_stays_in_the_list() -> None:
    host = Host()
    output = next(knob for _, group in knobs(host) for knob in group if knob.label == "Output")
    assert output.shown() == "the system's own"
    output.step(1)
    assert host.now.sound.output == "Desk speakers"
    host.set("sound", "output", "Old headset")
    assert output.shown() == "Old headset (not there)"
    output.step(1)
    assert host.now.sound.output == ""


def test_the_learned_fence_goes_round_its_stages() -> None:
    host = Host()
    stage = next(knob for _, group in knobs(host) for knob in group if knob.label == "Learned fence")
    assert [(stage.shown(), stage.step(1))[0] for _ in range(4)] == ["off", "shadow", "live", "off"]
    assert host.now.fence.stage == "shadow"


def test_a_head_that_was_put_back_stands_under_state_with_its_reason_until_it_is_asked_for_again() -> None:
    config = Config.default()
    config = dataclasses.replace(config, fence=dataclasses.replace(config.fence, stage="live"))
    no_rule = dataclasses.replace(config.run, layers=tuple(x for x in config.run.layers if x != "rule"))
    world = headless.world(her()[0], with_corpus=False, config=config)

    def row() -> tuple[str, bool]:
        world.step(headless.TICK)
        shown = [row for _, group in readings(world.avatar.figures(), TickTimes(), 0.0, {}) for row in group]
        return next((row.text, row.is_bad) for row in shown if row.label == "Fence")

    assert row()[0].startswith("live")
    world.inbox.post("config", config=dataclasses.replace(config, run=no_rule))
    fell = "shadow: the rule that has to run after it was switched off", True
    assert row() == fell
    world.inbox.post("config", config=config)
    assert [row() for _ in range(3)] == [fell] * 3
    world.avatar.fence("live")
    assert row()[0].startswith("live")


def test_a_reason_that_is_longer_than_its_line_is_told_whole() -> None:
    reason = "shadow: deeper than 10 mm on more than 2 % of 2 s"
    long, short = (
        draw_panel([("State", [Reading("Fence", text, is_bad=True)])], [], -1, 600) for text in (reason, "shadow")
    )
    assert long.width == short.width
    assert long.height > short.height
    assert " ".join(_told(Reading("Fence", reason, is_bad=True), 15)).strip() == reason


def test_every_knob_names_a_setting_that_is_there() -> None:
    for sections in TABLE.values():
        for section, names in sections.items():
            assert set(names) <= {f.name for f in dataclasses.fields(getattr(Config.default(), section))}


@pytest.mark.parametrize("height", [300, 720, 1080, 2000])
def test_the_text_panel_fits_its_window(height: int) -> None:
    card = draw_panel(readings(figures(), TickTimes(), 60.0, {}), knobs(Host()), 3, height)
    assert card.height <= height


def test_in_a_small_window_the_chosen_knob_is_still_in_sight() -> None:
    shown, turned = readings(figures(), TickTimes(), 60.0, {}), knobs(Host())
    count = sum(len(group) for _, group in turned)
    other = np.asarray(draw_panel(shown, turned, -1, 300)).astype(int)
    for chosen in range(count):
        card = np.asarray(draw_panel(shown, turned, chosen, 300)).astype(int)
        assert card.shape[0] <= 300
        assert (card[:, :, 2] - card[:, :, 0] > 60).sum() > 0 or (card != other).any()


def test_the_chosen_knob_looks_different() -> None:
    shown, turned = readings(figures(), TickTimes(), 60.0, {}), knobs(Host())
    first, second = (np.asarray(draw_panel(shown, turned, k, 1080)) for k in (0, 1))
    assert (first != second).any()


def test_glass_is_clear_at_its_corners_and_dark_inside() -> None:
    card = paint.glass((80, 40), 12)
    assert isinstance(card, Image.Image)
    assert card.getpixel((0, 0))[3] == 0
    assert card.getpixel((40, 20))[3] > 200


def test_a_path_is_completed_as_far_as_only_one_can_follow(tmp_path: Any) -> None:
    for name in ("ada.vrm", "adam.vrm"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    assert complete(f"{tmp_path}/a") == f"{tmp_path}/ada"
    assert complete(f"{tmp_path}/fo") == f"{tmp_path}/folder/"
    assert complete(f"{tmp_path}/zz") == f"{tmp_path}/zz"
    assert complete("/no/such/folder/x") == "/no/such/folder/x"


def test_keys_go_through_her_moods_and_turn_her_look_on_and_off() -> None:
    world = headless.world(
        talker.body(("jawOpen", "mouthSmileLeft", "mouthSmileRight", "browInnerUp")), with_corpus=False
    )
    told, config = [], {"look": "camera"}
    window = SimpleNamespace(
        her=world.avatar,
        plugin=SimpleNamespace(world=world),
        overlay=SimpleNamespace(tell=told.append),
        settings=lambda: SimpleNamespace(face=SimpleNamespace(**config)),
        set=lambda section, key, value: config.__setitem__(key, value),
    )
    for _ in range(len(world.avatar.moods) + 1):
        feelings.next_mood(window)  # type: ignore[arg-type]
        voice.listen(world)
    assert told == [f"mood: {mood}" for mood in (*world.avatar.moods[1:], *world.avatar.moods[:2])]
    feelings.toggle_look(window)  # type: ignore[arg-type]
    assert config == {"look": "none"}
    feelings.toggle_look(window)  # type: ignore[arg-type]
    assert config == {"look": "camera"}
    window.her = headless.world(talker.body(("a",)), with_corpus=False).avatar
    feelings.next_mood(window)  # type: ignore[arg-type]
    assert told[-1] == "her face has no shapes for moods"
