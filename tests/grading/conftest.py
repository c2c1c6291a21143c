"""Her, and a store of grades, for the tests of blind grading."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinesics.systems import headless
from kinesics.systems.grading import Store
from kinesics.systems.grading import store as module


@pytest.fixture
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred writes that each wait for the disk take seconds; a power cut is nothing these tests can show."""
    monkeypatch.setattr(module, "SAFE", "OFF")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "grades.sqlite")


@pytest.fixture(scope="session")
def first() -> headless.World:
    """Her, measured once for all worlds of these tests; nobody ticks her."""
    return headless.world(seed=4)
