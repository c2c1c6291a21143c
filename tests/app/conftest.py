"""The app's parts without a window, and a host without one."""

from __future__ import annotations

import pytest
from hosts import base, drawing  # noqa: F401 - fixtures


class Told(list[str]):
    """What was said to the person at the window."""

    def __call__(self, line: str) -> None:
        self.append(line)


@pytest.fixture
def told() -> Told:
    return Told()
