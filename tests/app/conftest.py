"""The app's parts without a window, and a host without one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("panda3d.core", reason="panda3d is not installed")

from panda3d.core import ClockObject, loadPrcFileData

loadPrcFileData("tests", "window-type none\naudio-library-name null\nkinesics-sound false\nnotify-level-device fatal")


@pytest.fixture
def base() -> Iterator[Any]:
    """A host without a window whose frames last exactly 1/60 s."""
    from direct.showbase.ShowBase import ShowBase

    host = ShowBase()
    clock = ClockObject.getGlobalClock()
    clock.setMode(ClockObject.MNonRealTime)
    clock.setDt(1 / 60)
    yield host
    clock.setMode(ClockObject.MNormal)
    host.destroy()


class Told(list[str]):
    """What was said to the person at the window."""

    def __call__(self, line: str) -> None:
        self.append(line)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture(scope="session")
def drawing() -> None:
    """Skips where this machine cannot draw a picture."""
    from kinesics.components.errors import KinesicsError
    from kinesics.engine_plugin.offscreen import Stage

    try:
        Stage(size=(16, 16)).close()
    except KinesicsError as cause:
        pytest.skip(str(cause))
