"""Her settings from one start to the next and while she runs: remembered, read again, not lost to a bad value."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path
from typing import Any

import pytest
import talker
from hypothesis import given
from hypothesis import strategies as st

from kinesics.components.config import Config, changes, parse
from kinesics.components.index import Index
from kinesics.components.motion import Motion
from kinesics.engine_plugin.app import store
from kinesics.engine_plugin.app.tuner import Tuner
from kinesics.systems import headless


def with_(config: Config, section: str, **values: Any) -> Config:
    return dataclasses.replace(config, **{section: dataclasses.replace(getattr(config, section), **values)})


class Rig:
    """A world without a window and a tuner that turns it, on a clock of its own."""

    def __init__(self, path: Path | None, told: Any, config: Config | None = None, **how: Any) -> None:
        self.now = 0.0
        self.world = headless.world(talker.body(), corpus=talker.corpus(), config=config)
        self.tuner = Tuner(self.world, self.world.config, path, told, clock=lambda: self.now, **how)
        self.seen: list[Config] = []
        self.tuner.on_change = lambda old, new: self.seen.append(new)

    def frames(self, count: int = 60) -> None:
        """Let frames of 1/60 s go by until nothing is being measured any more, `count` at least."""
        ends = time.monotonic() + 30.0
        while count > 0 or (self.tuner.is_busy and time.monotonic() < ends):
            self.now += 1 / 60
            self.tuner.update()
            self.world.step(headless.TICK)
            count -= 1
            time.sleep(0.001 if self.tuner.is_busy else 0.0)


def rewrite(path: Path, text: str) -> None:
    """Write a file as an editor does, with a time that a coarse clock tells apart."""
    path.write_text(text, encoding="utf-8")
    stamp = path.stat().st_mtime_ns + 5_000_000
    os.utime(path, ns=(stamp, stamp))


def test_what_a_knob_sets_is_there_at_the_next_start_and_nothing_else_is_written(tmp_path: Path, told: Any) -> None:
    path = tmp_path / "deep" / "settings.toml"
    rig = Rig(path, told, is_kept=True)
    rig.tuner.set("gains", "elbow", 0.9)
    rig.tuner.set("window", "framing", "bust")
    rig.frames()
    rig.tuner.close()
    again = store.recall(path, told)
    assert again == with_(with_(Config.default(), "gains", elbow=0.9), "window", framing="bust")
    assert "head" not in path.read_text(encoding="utf-8")
    assert not told
    assert list(path.parent.iterdir()) == [path]


def test_a_broken_file_is_set_aside_with_one_line_and_she_starts_as_shipped(tmp_path: Path, told: Any) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[gains]\nhead = 'much'\n", encoding="utf-8")
    assert store.recall(path, told) == Config.default()
    assert len(told) == 1
    assert "settings.toml:2" in told[0]
    assert not path.exists()
    assert (tmp_path / "settings.toml.broken").read_text(encoding="utf-8").startswith("[gains]")


def test_a_folder_that_cannot_be_written_is_told_once_and_is_no_end(tmp_path: Path, told: Any) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store.remember(Config.default(), tmp_path / "file" / "settings.toml", told)
    assert len(told) == 1
    assert "cannot be kept" in told[0]


def test_a_file_that_is_edited_reaches_her_at_a_tick_with_what_may_be_picked_measured_anew(
    tmp_path: Path, told: Any
) -> None:
    path = tmp_path / "her.toml"
    path.write_text("", encoding="utf-8")
    rig = Rig(path, told)
    entity = rig.world.avatar.entity
    before = rig.world.get(entity, Motion).repertoire
    rewrite(path, "[gains]\nupper_arm = 0.3\n[springs]\narms = 20.0\n")
    rig.frames()
    motion = rig.world.get(entity, Motion)
    assert rig.world.config.gains.upper_arm == 0.3
    assert motion.repertoire is not before
    assert motion.rate[-1] == 20.0
    assert [config.gains.upper_arm for config in rig.seen] == [0.3]
    assert not told


def test_a_bad_value_keeps_the_old_ones_and_says_which_line(tmp_path: Path, told: Any) -> None:
    path = tmp_path / "her.toml"
    path.write_text("[springs]\narms = 30.0\n", encoding="utf-8")
    rig = Rig(path, told, Config.load(path))
    rewrite(path, "[springs]\narms = 3000.0\n")
    rig.frames()
    assert rig.world.config.springs.arms == 30.0
    assert len(told) == 1
    assert "her.toml:2" in told[0]
    assert "the old settings stay" in told[0]
    rewrite(path, "[springs]\narms = 31.0\n")
    rig.frames()
    assert rig.world.config.springs.arms == 31.0


def test_gates_that_leave_nothing_to_pick_never_reach_her(tmp_path: Path, told: Any) -> None:
    rig = Rig(None, told)
    legal = int(rig.world.get(rig.world.avatar.entity, Index).legal.sum())
    rig.tuner.set("gates", "speed_deg_s", 1.0)
    rig.frames()
    assert rig.world.config == Config.default()
    assert int(rig.world.get(rig.world.avatar.entity, Index).legal.sum()) == legal
    assert len(told) == 1
    assert "rows stay under" in told[0]


def test_a_knob_beyond_its_range_is_told_and_changes_nothing(told: Any) -> None:
    rig = Rig(None, told)
    rig.tuner.set("gains", "head", 99.0)
    rig.frames()
    assert rig.tuner.config == Config.default()
    assert len(told) == 1


def test_a_slider_that_is_dragged_ends_at_its_last_value(told: Any) -> None:
    rig = Rig(None, told)
    for value in (0.5, 0.6, 0.7, 0.8, 0.9):
        rig.tuner.set("gains", "wrist", value)
        rig.frames(1)
    rig.frames()
    assert rig.world.config.gains.wrist == 0.9
    assert rig.tuner.config == rig.world.config


def test_what_only_the_window_reads_is_no_event_for_her(told: Any) -> None:
    rig = Rig(None, told)
    rig.world.inbox.keep = True
    rig.tuner.set("window", "framing", "face")
    rig.frames()
    assert rig.tuner.config.window.framing == "face"
    assert not rig.world.inbox.log


def test_what_the_command_line_set_stays_set_when_the_file_is_read_again(tmp_path: Path, told: Any) -> None:
    path = tmp_path / "her.toml"
    path.write_text("[run]\nmode = 'training'\n", encoding="utf-8")
    rig = Rig(path, told, with_(Config.load(path), "run", layers=("reflex", "face")))
    rewrite(path, "[run]\nmode = 'training'\n[gains]\nhead = 0.5\n")
    rig.frames()
    assert rig.world.config.gains.head == 0.5
    assert rig.world.config.run.layers == ("reflex", "face")
    assert rig.world.config.run.mode == "training"


def test_a_file_that_vanishes_or_is_half_written_ends_nothing(tmp_path: Path, told: Any) -> None:
    path = tmp_path / "her.toml"
    path.write_text("[gains]\nhead = 0.5\n", encoding="utf-8")
    rig = Rig(path, told, Config.load(path))
    path.unlink()
    rig.frames()
    assert rig.world.config.gains.head == 0.5
    assert not told


@given(
    st.floats(0, 3, allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.booleans(),
)
def test_any_change_survives_its_file(head: float, name: str, is_key: bool) -> None:
    config = with_(with_(Config.default(), "gains", head=head), "window", key=is_key, avatar=name)
    assert parse(changes(config), "settings.toml") == config


@pytest.mark.parametrize("section", ["background", "key_colour"])
def test_a_colour_has_three_numbers(section: str) -> None:
    with pytest.raises(Exception, match="red, green, blue"):
        parse(f"[window]\n{section} = [0.1, 0.2]\n", "her.toml")
