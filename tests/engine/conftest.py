"""Panda3D for tests: no window, or pictures in memory where this machine can draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("panda3d.core", reason="panda3d is not installed")

from panda3d.core import ClockObject, loadPrcFileData

from kinesics.components import gltf
from kinesics.components.corpus import Corpus
from kinesics.components.errors import KinesicsError
from kinesics.components.skin import Body
from kinesics.systems import headless, matcher

loadPrcFileData("tests", "window-type none\naudio-library-name null\nkinesics-sound false\nnotify-level-device fatal")


@pytest.fixture(scope="session")
def her_body() -> Body:
    """The shipped woman."""
    return gltf.read(headless.AVATAR)


@pytest.fixture(scope="session")
def talkers() -> Corpus:
    """The shipped corpus."""
    return matcher.load(headless.CORPUS)


@pytest.fixture
def base() -> Iterator[Any]:
    """A host without a window whose frames last exactly 1/60 s; `base.frames(n)` runs some."""
    from direct.showbase.ShowBase import ShowBase

    host = ShowBase()
    clock = ClockObject.getGlobalClock()
    clock.setMode(ClockObject.MNonRealTime)
    clock.setDt(1 / 60)

    def frames(count: int) -> None:
        for _ in range(count):
            host.taskMgr.step()

    host.frames = frames
    yield host
    clock.setMode(ClockObject.MNormal)
    host.destroy()


@pytest.fixture(scope="session")
def drawing() -> None:
    """Skips where this machine cannot draw a picture."""
    from kinesics.engine_plugin.offscreen import Stage

    try:
        Stage(size=(16, 16)).close()
    except KinesicsError as cause:
        pytest.skip(str(cause))
