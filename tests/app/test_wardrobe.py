"""Another avatar without a restart: she comes on between two ticks, the old one is gone, a bad file changes nothing."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import Any

import pytest
import talker

from kinesics.components.motion import Motion
from kinesics.engine_plugin import AvatarPlugin
from kinesics.engine_plugin.app.wardrobe import Wardrobe
from kinesics.engine_plugin.figure import Figure
from kinesics.systems import headless


@pytest.fixture
def stage(base: Any, told: Any) -> Any:
    plugin = AvatarPlugin(base)
    wardrobe = Wardrobe(plugin, plugin.spawn(talker.body(), corpus=talker.corpus()), told)
    yield wardrobe
    wardrobe.close()
    plugin.destroy()


def frames(base: Any, wardrobe: Wardrobe, least: int = 3) -> None:
    ends = time.monotonic() + 60.0
    while least > 0 or (wardrobe.is_busy and time.monotonic() < ends):
        wardrobe.update()
        base.taskMgr.step()
        least -= 1
        time.sleep(0.002)


def test_she_is_another_and_time_goes_on_while_she_is_read(base: Any, stage: Wardrobe) -> None:
    plugin, old = stage._plugin, stage.her
    worn: list[str] = []
    stage.on_worn = lambda her, path: worn.append(path)
    old.stillness = 0.4
    frames(base, stage, 5)
    before = plugin.world.tick
    stage.wear("")
    frames(base, stage)
    assert worn == [""]
    assert stage.her is not old
    assert stage.her.body.source == headless.AVATAR.name
    assert plugin.world.tick > before
    frames(base, stage, 3)
    assert stage.her.stillness == 0.4
    assert old.node.isEmpty()
    assert [e for e, _ in plugin.world.each(Motion)] == [stage.her.entity]


@pytest.mark.parametrize("content", [b"", b"glTF" + bytes(40), b"{}"])
def test_a_file_that_is_no_avatar_is_told_in_one_line_and_she_stays(
    base: Any, stage: Wardrobe, told: Any, tmp_path: Path, content: bytes
) -> None:
    bad, old = tmp_path / "bad.vrm", stage.her
    bad.write_bytes(content)
    stage.wear(bad)
    frames(base, stage)
    assert stage.her is old
    assert len(told) == 1
    assert "\n" not in told[0]
    assert told[0].endswith("she stays")


def test_only_the_newest_wish_counts(base: Any, stage: Wardrobe, told: Any) -> None:
    stage.wear("no-such-1.vrm")
    stage.wear("no-such-2.vrm")
    frames(base, stage)
    assert len(told) == 1
    assert "no-such-2.vrm" in told[0]


def test_while_a_run_is_recorded_she_stays_who_she_is(base: Any, stage: Wardrobe, told: Any) -> None:
    stage.is_fixed, old = "this run is being recorded", stage.her
    stage.wear("")
    frames(base, stage)
    assert stage.her is old
    assert told == ["this run is being recorded"]


@pytest.mark.long
def test_six_changes_leave_one_figure(base: Any, stage: Wardrobe) -> None:
    for _ in range(6):
        stage.wear("")
        frames(base, stage)
    gc.collect()
    assert len([thing for thing in gc.get_objects() if isinstance(thing, Figure)]) == 1
    assert len(list(base.render.findAllMatches("**/skin"))) == 1
