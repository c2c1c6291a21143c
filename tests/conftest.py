"""Fixtures shared by all tests."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from hypothesis import settings

from .layers import files

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


def pytest_report_header() -> str:
    """Say how long the project's files are: they are meant to lie near 120 lines."""
    lines = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in files())
    return f"files: {len(lines)}, median {statistics.median(lines):g} lines, longest {lines[-1]}"
