"""`plugin.grading`: in training what she says comes back to be graded, in no other mode, and never at her cost."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import talker

from kinesics.components.errors import GradingError
from kinesics.components.guard import Guard
from kinesics.components.mode import Mode
from kinesics.components.skin import Body
from kinesics.components.speech import RATE, Speech
from kinesics.engine_plugin import AvatarPlugin
from kinesics.engine_plugin.grading import drawer, strips
from kinesics.engine_plugin.shown import Shown
from kinesics.systems.avatar.handle import hear
from kinesics.systems.grading import store as store_file


class Painted:
    """A drawer that is done at once, and remembers whether it was closed."""

    made: ClassVar[list[Painted]] = []
    fault = ""

    def __init__(self) -> None:
        self.done: deque[tuple[int, Any]] = deque()
        self.asked: list[int] = []
        self.is_closed, self.pid = False, 1
        Painted.made.append(self)

    def ask(self, number: int, body: Body, moments: strips.Moments, folder: Path) -> None:
        assert 2 <= len(moments.seconds) <= 8
        assert moments.rotation.shape == (len(moments.seconds), len(body.rig.names), 4)
        self.asked.append(number)
        self.done.append((number, self.fault or strips.write((b"front", b"side"), number, folder)))

    def close(self, *, waits: bool = True) -> None:
        self.is_closed = True


class Stuck(Painted):
    """A drawer that is never done."""

    def ask(self, number: int, body: Body, moments: strips.Moments, folder: Path) -> None:
        self.asked.append(number)


@pytest.fixture(scope="module")
def speech() -> Speech:
    return hear((talker.voice(1.2, pauses=()), RATE), (), "as it was said")


@pytest.fixture
def trained(
    base: Any, her_body: Body, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[AvatarPlugin, Any, list[tuple[str, dict[str, Any]]]]]:
    """Return what makes a plugin with her in it, and a list of what it tells of grading."""
    monkeypatch.setattr(store_file, "SAFE", "OFF")  # no waiting for the disk
    monkeypatch.setattr(Shown, "write", lambda self, share: None)  # nobody looks
    made: list[AvatarPlugin] = []
    news: list[tuple[str, dict[str, Any]]] = []

    def make(mode: Mode, kind: type[Painted] | None = Painted) -> tuple[AvatarPlugin, Any, list[Any]]:
        if kind is not None:
            Painted.made.clear()
            monkeypatch.setattr(drawer, "Drawer", kind)
        plugin = AvatarPlugin(base)
        made.append(plugin)
        plugin.grading.store = tmp_path / "kept" / "grades.sqlite"
        her = plugin.spawn(her_body, talker.corpus(1, 8.0))
        plugin.mode = mode
        for name in ("to-grade", "graded", "degraded"):
            base.accept(f"kinesics-{name}", lambda who, data, name=name: news.append((name, data)))
        base.frames(3)
        return plugin, her, news

    yield make
    for plugin in made:
        plugin.destroy()
    base.ignoreAll()


def until(base: Any, is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come"
        base.frames(1)
        time.sleep(0.002)


def test_what_she_says_in_training_comes_back_to_be_graded_and_her_run_keeps_its_bits(
    base: Any, trained: Any, speech: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin, her, news = trained(Mode.TRAINING)
    her.say(speech)
    base.frames(150)
    tick, digests = plugin.world.tick, plugin.world.digests()
    until(base, lambda: any(name == "to-grade" for name, _ in news))
    asked = plugin.grading.next()
    assert asked is not None
    assert ("to-grade", {"id": asked.id, "pictures": [str(path) for path in asked.pictures]}) in news
    assert asked.said.text == "as it was said"
    assert all(path.is_file() for path in asked.pictures)
    plugin.grading.submit(asked.id, "bad", "an arm in her hip")
    base.frames(1)
    assert news[-1] == ("graded", {"id": asked.id, "grade": "bad"})
    assert plugin.grading.next() is None
    with pytest.raises(GradingError, match="graded bad already"):
        plugin.grading.submit(asked.id, "good")
    plugin.destroy()
    assert Painted.made[0].is_closed

    alone, her, _ = trained(Mode.TRAINING)
    monkeypatch.setattr(alone.grading, "after", lambda world, bodies: None)
    her.say(speech)
    base.frames(150)
    assert alone.world.tick == tick
    assert alone.world.digests() == digests


@pytest.mark.long
def test_what_she_says_through_a_microphone_comes_back_to_be_graded(base: Any, trained: Any) -> None:
    plugin, her, news = trained(Mode.TRAINING)
    her.listen()
    samples, block = talker.voice(1.6, pauses=()), RATE // 60
    for k in range(170):
        heard = samples[k * block : (k + 1) * block]
        her.heard(heard if len(heard) else np.zeros(block, np.float32))
        base.frames(1)
    until(base, lambda: any(name == "to-grade" for name, _ in news))
    asked = plugin.grading.next()
    assert asked is not None
    assert (asked.said.text, plugin.grading.missed) == ("", {})
    assert 1.0 < asked.said.seconds < 2.0


def test_nothing_is_graded_in_any_other_mode(base: Any, trained: Any, speech: Speech) -> None:
    plugin, her, news = trained(Mode.PRIVATE)
    for mode in (Mode.PRIVATE, Mode.PUBLIC):
        plugin.mode = mode
        her.say(speech)
        base.frames(120)
        assert not plugin.grading.is_busy
        assert plugin.grading.next() is None
        with pytest.raises(GradingError, match=f"{mode.value} mode, which never grades"):
            plugin.grading.submit(1, "good")
    assert not Painted.made
    assert not news
    assert not plugin.grading.store.path.parent.exists()


@pytest.mark.parametrize("when", ["while she speaks", "while it is lived through again", "while it is drawn"])
def test_leaving_training_leaves_nothing_half_made(base: Any, trained: Any, speech: Speech, when: str) -> None:
    plugin, her, news = trained(Mode.TRAINING, Stuck)
    if when == "while it is lived through again":
        plugin.grading._live_on = lambda session, until: session.work(1)
    her.say(speech)
    base.frames(40)
    if when == "while it is lived through again":
        until(base, lambda: plugin.grading.is_busy and not her.speaking)
        base.frames(60)
    elif when == "while it is drawn":
        until(base, lambda: bool(Painted.made and Painted.made[0].asked))
    assert plugin.grading.is_busy
    plugin.mode = Mode.PRIVATE
    base.frames(2)
    until(base, lambda: not plugin.grading.is_busy)
    assert all(painter.is_closed for painter in Painted.made)
    assert not plugin.world.inbox.taps
    assert plugin.grading.pid == 0
    assert plugin.grading.store.waiting() == []
    assert not plugin.grading.store.pictures.exists()
    plugin.mode = Mode.TRAINING  # and it begins anew
    base.frames(2)
    assert plugin.world.inbox.taps
    assert not any(name == "degraded" for name, _ in news)


def test_where_grades_cannot_be_kept_she_goes_on_and_it_is_told_once(
    base: Any, trained: Any, speech: Speech, tmp_path: Path
) -> None:
    (tmp_path / "kept").write_bytes(b"in the way")
    plugin, her, news = trained(Mode.TRAINING)
    her.say(speech)
    until(base, lambda: bool(news))
    her.say(speech)
    before = plugin.world.tick
    base.frames(120)
    assert [name for name, _ in news] == ["degraded"]
    assert news[0][1]["what"].startswith("grading is off until training is begun again: ")
    assert plugin.world.tick == before + 120


def test_a_sentence_without_strips_is_let_go(base: Any, trained: Any, speech: Speech) -> None:
    plugin, her, news = trained(Mode.TRAINING, type("Blind", (Painted,), {"fault": "no picture can be drawn"}))
    her.say(speech)
    until(base, lambda: bool(news))
    assert news == [("degraded", {"what": "grading: a sentence has no strips: no picture can be drawn"})]
    until(base, lambda: not plugin.grading.is_busy)
    assert plugin.grading.next() is None


def test_another_store_may_be_named_only_before_training(base: Any, trained: Any, tmp_path: Path) -> None:
    plugin, _, _ = trained(Mode.TRAINING)
    with pytest.raises(GradingError, match="is in use"):
        plugin.grading.store = tmp_path / "other.sqlite"


def test_a_copy_of_her_runs_the_rule_that_was_compiled_for_her(base: Any, trained: Any) -> None:
    """Tables that could be written were another type to it: it was compiled again for 11 s inside a frame."""
    plugin, her, _ = trained(Mode.PRIVATE)
    twin = plugin.world.copy().get(her.entity, Guard)
    for mine, copied in zip(plugin.world.get(her.entity, Guard).tables, twin.tables, strict=True):
        if isinstance(mine, np.ndarray):
            assert mine.flags.writeable == copied.flags.writeable


@pytest.mark.long
def test_leaving_training_ends_the_process_that_draws(drawing: None, base: Any, trained: Any, speech: Speech) -> None:
    plugin, her, _ = trained(Mode.TRAINING, None)
    her.say(speech)
    until(base, lambda: plugin.grading.pid > 0)
    pid = plugin.grading.pid
    plugin.mode = Mode.PUBLIC
    base.frames(2)
    assert plugin.grading.pid == 0
    until(base, lambda: not Path(f"/proc/{pid}").exists(), 5.0)
    assert not plugin.grading.store.pictures.exists() or not os.listdir(plugin.grading.store.pictures)


def test_a_host_that_has_stopped_ticking_finishes_what_she_said(base: Any, trained: Any, speech: Speech) -> None:
    plugin, her, _ = trained(Mode.TRAINING)
    her.say(speech)
    until(base, lambda: her.speaking)
    until(base, lambda: not her.speaking)
    base.frames(40)
    plugin.grading.settle()
    assert plugin.grading.next() is not None
