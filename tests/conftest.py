"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("kinesics", deadline=None)  # a cold numba compile took 878 ms and broke the 200 ms default
settings.load_profile("kinesics")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real recordings and foreign avatars beside the checkout; skips where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("no ../shared/data beside this checkout: real recordings and foreign avatars are not shipped")
    return folder
