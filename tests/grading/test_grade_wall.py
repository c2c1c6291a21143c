"""Grades are never a training input: whoever reads motion or sound to learn from it refuses a store by its content."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from graded import ready

from kinesics.components.errors import GradingError
from kinesics.components.grading import is_grade_store, refuse_grades
from kinesics.engine_plugin.cli import main
from kinesics.systems.face.offline import train
from kinesics.systems.grading import Store
from kinesics.systems.matcher.offline import sources


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A store that is called as if it were a recording, deep in a folder of recordings."""
    store = Store(tmp_path / "grades.sqlite")
    number, _ = ready(store, ["none"])
    store.submit(number, "good")
    planted = tmp_path / "takes" / "day 1" / "take.npz"
    planted.parent.mkdir(parents=True)
    shutil.move(store.path, planted)
    return planted


def test_a_store_is_known_by_its_content_and_nothing_else_is_taken_for_one(canary: Path, tmp_path: Path) -> None:
    assert is_grade_store(canary)
    assert is_grade_store(tmp_path)
    other = tmp_path / "grades.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE graded(grade)")
    assert not is_grade_store(other)
    assert not is_grade_store(tmp_path / "not there")
    refuse_grades(other, None, tmp_path / "not there")


def test_a_corpus_is_not_built_from_a_folder_that_holds_grades(canary: Path, tmp_path: Path) -> None:
    with pytest.raises(GradingError, match="never a training input"):
        sources.files([tmp_path / "takes"])
    with pytest.raises(GradingError, match="never a training input"):
        sources.files([canary])


def test_lips_are_not_trained_beside_grades(canary: Path) -> None:
    told: list[str] = []
    for given in ({"cache": canary.parent}, {"styles": canary}):
        with pytest.raises(GradingError, match="never a training input"):
            train.train(minutes=0.01, speech=0.01, report=told.append, **given)
    assert told == []  # refused before any work


@pytest.mark.parametrize(
    "command",
    [
        ["corpus", "build", "{takes}", "-o", "{out}"],
        ["reflex", "fit", "{takes}", "-o", "{out}.toml"],
        ["face", "train", "-o", "{out}.npz", "--voices", "{takes}"],
        ["fence", "label", "{out}", "--corpus", "{takes}"],
        ["fence", "train", "-o", "{out}.npz", "--labels", "{takes}"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_training_commands_refuse_a_planted_store_in_one_line(
    canary: Path, tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"takes": str(tmp_path / "takes"), "out": str(tmp_path / "made")}
    assert main([word.format(**places) for word in command]) == 1
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert "never a training input" in said[0]
    assert not list(tmp_path.glob("made*"))
