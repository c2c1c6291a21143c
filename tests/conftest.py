"""Fixtures shared by all tests."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

import pytest
from hypothesis import settings

from kinesics.components.anatomy import Anatomy
from kinesics.components.corpus import Corpus, Repertoire
from kinesics.components.rig import Rig
from kinesics.systems import headless, retarget

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


@pytest.fixture(scope="session", autouse=True)
def _read_once() -> Iterator[None]:
    """Read the shipped corpus and turn it onto an avatar once for all worlds: .3 s of each of some hundred worlds.

    Both are frozen, and two avatars of one world share them too. Tests of reading and turning call those functions
    themselves, and children see nothing of this.
    """
    read, turn = headless.load_corpus, retarget.repertoire
    shipped = cache(read)
    held: dict[str, tuple[Corpus, Rig, Anatomy]] = {}

    @lru_cache(maxsize=3)
    def turned(key: str, gains: tuple[tuple[str, float], ...], hop_s: float) -> Repertoire:
        return turn(*held[key], dict(gains), hop_s)

    def load_corpus(folder: str | Path | None = None) -> Corpus:
        return shipped() if folder is None or Path(folder) == headless.ASSETS / "corpus" else read(folder)

    def repertoire(
        corpus: Corpus, rig: Rig, anatomy: Anatomy, gains: Mapping[str, float], hop_s: float = 0.1
    ) -> Repertoire:
        if corpus is not shipped():
            return turn(corpus, rig, anatomy, gains, hop_s)
        key = f"{rig.digest} {anatomy.digest}"
        held[key] = corpus, rig, anatomy
        return turned(key, tuple(gains.items()), hop_s)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headless, "load_corpus", load_corpus)
        patch.setattr(retarget, "repertoire", repertoire)
        yield


def pytest_report_header() -> str:
    """Say how long the project's files are: they are meant to lie near 120 lines."""
    lines = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in files())
    return f"files: {len(lines)}, median {statistics.median(lines):g} lines, longest {lines[-1]}"
