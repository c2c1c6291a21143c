"""A corpus on disk: what is read is what was written, to a hundredth of a degree, or a clear refusal."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

from kinesics.components.corpus import Clip, Corpus
from kinesics.components.errors import CorpusError
from kinesics.systems.matcher import corpus_file

ASSET = Path(__file__).parents[2] / "assets" / "corpus"


def made(frames: tuple[int, ...] = (40, 25), seed: int = 0) -> Corpus:
    rng = np.random.default_rng(seed)
    total = sum(frames)
    return Corpus(
        clips=tuple(
            Clip(f"c{k}", "p", "v", 'it said "so": é', "CC0-1.0", {"wrist": 0.5, "head": 1.2})
            for k in range(len(frames))
        ),
        start=np.concatenate([[0], np.cumsum(frames)]).astype(np.int32),
        rotation=rng.uniform(-3.1, 3.1, (total, 13, 3)).astype(np.float32),
        hand=rng.uniform(-0.3, 1.8, (total, 2, 16)).astype(np.float32),
        envelope=rng.uniform(-30.0, 10.0, 2 * total).astype(np.float32),
        coefficient=rng.normal(0.0, 30.0, (total, 13)).astype(np.float32),
        voiced=rng.random(total) < 0.7,
        feature_hash="abc",
        digest="",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus_file.save(made(), tmp_path / "c", {"command": "test"})
    return tmp_path / "c"


def test_a_corpus_comes_back_within_a_hundredth_of_a_degree(folder: Path) -> None:
    before, after = made(), corpus_file.load(folder, "abc")
    assert np.degrees(np.abs(before.rotation - after.rotation)).max() <= 0.01
    assert np.degrees(np.abs(before.hand - after.hand)).max() <= 0.01
    assert np.abs(before.envelope - after.envelope).max() <= 0.01
    assert np.abs(before.coefficient - after.coefficient).max() <= 0.04
    assert np.array_equal(before.voiced, after.voiced)
    assert np.array_equal(before.start, after.start)
    assert before.clips == after.clips


def test_saving_what_was_read_changes_nothing(folder: Path, tmp_path: Path) -> None:
    corpus_file.save(corpus_file.load(folder), tmp_path / "d", {"command": "test"})
    for name in (corpus_file.HEADER, corpus_file.DATA):
        assert (folder / name).read_bytes() == (tmp_path / "d" / name).read_bytes()


def test_what_is_returned_by_saving_is_what_is_read(tmp_path: Path) -> None:
    saved = corpus_file.save(made(), tmp_path)
    read = corpus_file.load(tmp_path)
    assert saved.digest == read.digest
    assert np.array_equal(saved.rotation, read.rotation)


def test_a_corpus_cannot_be_changed_by_accident(folder: Path) -> None:
    with pytest.raises(ValueError, match="read-only"):
        corpus_file.load(folder).rotation[0, 0, 0] = 1.0


@pytest.mark.parametrize(
    ("field", "value"), [("clip text", "other"), ("gain", 0.7), ("feature_hash", "xyz"), ("rotation", 0.5)]
)
def test_the_digest_names_every_part(field: str, value: object, tmp_path: Path) -> None:
    first = corpus_file.save(made(), tmp_path)
    corpus = made()
    if field == "rotation":
        corpus.rotation[3, 2, 1] += value
    elif field == "feature_hash":
        object.__setattr__(corpus, "feature_hash", value)
    else:
        old = corpus.clips[0]
        text, gain = (value, old.authored_gain) if field == "clip text" else (old.text, {"wrist": value})
        clip = Clip(old.name, old.performer, old.voice, str(text), old.licence, gain)
        object.__setattr__(corpus, "clips", (clip, *corpus.clips[1:]))
    assert corpus_file.save(corpus, tmp_path).digest != first.digest


def _truncate(folder: Path) -> None:
    data = (folder / corpus_file.DATA).read_bytes()
    (folder / corpus_file.DATA).write_bytes(data[: len(data) // 2])


def _flip(folder: Path) -> None:
    data = bytearray((folder / corpus_file.DATA).read_bytes())
    data[len(data) // 3] ^= 0x40
    (folder / corpus_file.DATA).write_bytes(bytes(data))


def _edit(key: str, value: object) -> object:
    def change(folder: Path) -> None:
        header = json.loads((folder / corpus_file.HEADER).read_text())
        header[key] = value
        (folder / corpus_file.HEADER).write_text(json.dumps(header))

    return change


CLIP = {"name": "a", "performer": "b", "voice": "c", "text": "", "licence": "d", "authored_gain": {}}
DAMAGE = {
    "nothing there": lambda folder: [path.unlink() for path in folder.iterdir()],
    "data missing": lambda folder: (folder / corpus_file.DATA).unlink(),
    "header is not json": lambda folder: (folder / corpus_file.HEADER).write_text("{"),
    "header is a list": lambda folder: (folder / corpus_file.HEADER).write_text("[]"),
    "header is binary": lambda folder: (folder / corpus_file.HEADER).write_bytes(b"\xff\xfe\x00"),
    "another format": _edit("format", "midi"),
    "another version": _edit("version", 99),
    "other features": _edit("feature_hash", "zzz"),
    "wrong digest": _edit("digest", "0"),
    "no clips": _edit("clips", []),
    "clips of nothing": _edit("clips", [{"name": "x"}]),
    "no arrays": _edit("arrays", []),
    "a clip without an end": _edit("clips", [CLIP | {"frames": float("inf")}]),
    "a clip of 10^30 frames": _edit("clips", [CLIP | {"frames": 10**30}]),
    "a voice late for ever": _edit("clips", [CLIP | {"frames": 30, "offset_s": float("inf")}]),
    "brackets without an end": lambda folder: (folder / corpus_file.HEADER).write_text("[" * 100_000),
    "other rate": _edit("fps", 25),
    "truncated": _truncate,
    "a flipped bit": _flip,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_corpus_is_refused_in_one_line_that_names_it(damage: str, folder: Path) -> None:
    DAMAGE[damage](folder)
    with pytest.raises(CorpusError) as caught:
        corpus_file.load(folder, "abc")
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 5.0])
def test_what_the_file_cannot_hold_is_refused_before_anything_is_written(bad: float, tmp_path: Path) -> None:
    corpus = made()
    corpus.rotation[1, 1, 1] = bad
    with pytest.raises(CorpusError, match="rotation"):
        corpus_file.save(corpus, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_shipped_corpus_loads_in_a_third_of_a_second() -> None:
    corpus_file.load(ASSET)
    best = np.inf
    for _ in range(5):
        began = time.perf_counter()
        corpus_file.load(ASSET)
        best = min(best, time.perf_counter() - began)
    assert best <= 0.3
