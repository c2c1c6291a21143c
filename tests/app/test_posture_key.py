"""The key of her held postures: one after the other, none at the end, and never a window that waits."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
import talker

from kinesics.components.errors import PostureError
from kinesics.components.holds import HOLDS, Posture
from kinesics.components.plan import Plan
from kinesics.engine_plugin.app import postures
from kinesics.systems import headless


class Tasks:
    """The engine's task manager, by hand."""

    cont, done = 1, 0

    def __init__(self) -> None:
        self.waiting: list[Any] = []

    def add(self, call: Any, name: str) -> None:
        self.waiting.append(call)

    def step(self) -> None:
        self.waiting = [call for call in self.waiting if call(self) == self.cont]


@pytest.fixture
def window() -> Any:
    world = headless.world(talker.body(), with_corpus=False)
    told: list[str] = []
    base = SimpleNamespace(taskMgr=Tasks())
    plugin = SimpleNamespace(world=world)
    return SimpleNamespace(
        her=world.avatar, plugin=plugin, base=base, told=told, overlay=SimpleNamespace(tell=told.append)
    )


def _until_told(window: Any) -> None:
    for thread in threading.enumerate():
        if thread.name == postures.THREAD:
            thread.join(5.0)
    window.base.taskMgr.step()
    assert window.base.taskMgr.waiting == []


def test_the_key_goes_through_every_posture_and_none(window: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world, entity = window.plugin.world, window.her.entity
    world.get(entity, Plan).posture = Posture()

    def hold(self: Any, name: str) -> None:
        world.get(entity, Plan).posture.wanted = name

    def release(self: Any) -> None:
        world.get(entity, Plan).posture.wanted = ""

    monkeypatch.setattr(type(window.her), "hold", hold)
    monkeypatch.setattr(type(window.her), "release", release)
    seen = []
    for _ in range(len(HOLDS) + 2):
        postures.next_posture(window)
        _until_told(window)
        seen.append(world.get(entity, Plan).posture.wanted)
    assert seen == [*HOLDS, "", HOLDS[0]]
    assert window.told[0] == "posture: clasped"
    assert window.told[len(HOLDS)] == "posture: none"


def test_a_posture_that_takes_long_to_find_does_not_hold_the_window_up(
    window: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def hold(self: Any, name: str) -> None:
        gate.wait(5.0)
        raise PostureError("her: 'clasped' cannot be found on its skin")

    monkeypatch.setattr(type(window.her), "hold", hold)
    began = time.perf_counter()
    postures.next_posture(window)
    assert time.perf_counter() - began < 1.0
    postures.next_posture(window)
    assert window.told == ["her last posture is still being found"]
    gate.set()
    _until_told(window)
    assert window.told[-1] == "her: 'clasped' cannot be found on its skin"
