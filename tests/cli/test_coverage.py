"""`corpus report`: what she can show, in numbers and as a picture that can be trusted."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import talker
from PIL import Image

from kinesics.components.config import Config
from kinesics.components.corpus import clip_arrays
from kinesics.engine_plugin import coverage
from kinesics.engine_plugin.cli import main
from kinesics.systems import matcher, retarget
from kinesics.systems.matcher import corpus_store

SEEN = {"can": coverage._CAN, "fast": coverage._FAST, "dead": coverage._DEAD}


def inked(path: Path) -> dict[str, int]:
    """Return how many pixels of each meaning lie below the legend."""
    picture = np.asarray(Image.open(path).convert("RGB"))[70:]
    colours = {name: tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5)) for name, colour in SEEN.items()}
    return {name: int((picture == colour).all(axis=2).sum()) for name, colour in colours.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    corpus = talker.corpus(4, 12.0)
    here = tmp_path_factory.mktemp("report") / "people"
    here.mkdir()
    clips = [
        (dataclasses.replace(clip, performer=f"p{k}", licence="CC0-1.0" if k else "x" * 200, offset_s=0.5 * k or None),
         clip_arrays(corpus, k))
        for k, clip in enumerate(corpus.clips)
    ]  # fmt: skip
    corpus_store.write(here, clips, "test", {"skipped": [{"source": "a.bvh", "reason": "broken"}]})
    return here


def test_the_report_of_a_large_corpus_is_as_the_contract_says(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "p.png"
    assert main(["corpus", "report", str(folder), "--json", "--picture", str(picture)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["windows", "legal", "seconds", "gains", "dead_ends", "clips", "skipped"]
    assert [clip["offset_s"] for clip in found["clips"]] == [None, 0.5, 1.0, 1.5]
    assert found["skipped"] == [{"source": "a.bvh", "reason": "broken"}]
    assert Image.open(picture).size == coverage.SIZE
    assert inked(picture)["can"] > 5000
    assert main(["corpus", "report", str(folder), "--picture", str(tmp_path / "p.jpg")]) == 2
    assert main(["corpus", "report", str(folder), "--picture", str(tmp_path / "no" / "p.png")]) == 1


def test_the_picture_shows_what_is_too_fast_and_what_ends_nowhere(folder: Path, tmp_path: Path) -> None:
    corpus, rig = matcher.load(folder), talker.rig()
    anatomy, config = retarget.measure(rig), Config.default()
    hers = retarget.repertoire(corpus, rig, anatomy, dataclasses.asdict(config.gains))
    none = np.zeros(len(hers.row_clip), bool)
    seen = []
    for speed, dead in ((0.5, none), (2.0, none), (0.5, hers.row_clip == 1)):
        row_speed = (hers.row_speed / hers.row_speed.max() * 90.0 * speed).astype(np.float32)
        path = tmp_path / f"{len(seen)}.png"
        coverage.draw(path, "people", corpus, dataclasses.replace(hers, row_speed=row_speed), anatomy, config, dead)
        seen.append(inked(path))
    assert seen[0]["fast"] == seen[0]["dead"] == 0
    assert seen[1]["fast"] > 1000 > seen[1]["dead"]
    assert seen[1]["can"] < seen[0]["can"]
    assert seen[2]["dead"] > 1000
