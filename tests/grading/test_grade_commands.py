"""`kinesics grade`: what she and her person type, and what a program reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import soundfile
import talker
from graded import DEEP, GOOD, ready
from PIL import Image

from kinesics.components.config import Config
from kinesics.components.skin import Body
from kinesics.components.speech import RATE
from kinesics.engine_plugin.cli import main
from kinesics.engine_plugin.grading.place import default_store
from kinesics.engine_plugin.grading.sayings import say_all
from kinesics.systems import headless
from kinesics.systems.grading import Outcome, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """One that waits, drawn as 'none', after one that she called good."""
    made = Store(tmp_path / "grades.sqlite")
    made.submit(ready(made, ["rule"], GOOD)[0], "good")
    ready(made, ["none"], DEEP, number=1)
    return made


def told(capsys: pytest.CaptureFixture[str], store: Store, *words: str, code: int = 0) -> tuple[str, list[str]]:
    """Run a command and return its standard output and the lines of its standard error."""
    assert main(["grade", words[0], "--store", str(store.path), *words[1:]]) == code
    said = capsys.readouterr()
    return said.out, said.err.strip().splitlines()


def test_next_names_the_replay_and_its_strips(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(told(capsys, store, "next", "--json")[0])
    assert found["id"] == 2
    assert found["text"] == "sentence 1"
    assert [Path(strip).name for strip in found["strips"]] == ["2-front.png", "2-side.png"]
    assert all(Path(strip).is_file() for strip in found["strips"])
    lines = told(capsys, store, "next")[0].splitlines()
    assert lines == ["2  sentence 1", *found["strips"]]


def test_a_replay_whose_strips_are_gone_is_left_out(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    (store.pictures / "2-side.png").unlink()
    out, lines = told(capsys, store, "next", "--json")
    assert json.loads(out) == {"id": None, "strips": []}
    assert len(lines) == 1
    assert "2: left out" in lines[0]


def test_submit_keeps_a_grade_its_note_and_one_change(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capsys, store, "submit", "2", "bad", "--note", "her elbow", "--json")
    assert json.loads(out) == {"id": 2, "grade": "bad", "waiting": 0}
    assert "already" in told(capsys, store, "submit", "2", "good", code=1)[1][0]
    told(capsys, store, "submit", "2", "good", "--change")
    assert store.shown()[1].grades == ("bad", "good")
    assert told(capsys, store, "next")[1] == ["Nothing waits for a grade."]
    out, lines = told(capsys, store, "submit", "7", "good", code=1)
    assert (out, len(lines)) == ("", 1)
    assert "7: no such id" in lines[0]


def test_the_table_is_markdown_json_or_a_picture(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.submit(2, "bad")
    assert "| rule | 1 | 100 % |" in told(capsys, store, "table")[0]
    found = json.loads(told(capsys, store, "table", "--json")[0])
    assert [one["layer"] for one in found["layers"]] == ["none", "rule"]
    assert {"layer", "n", "good", "good_low", "good_high", "rules"} <= set(found["layers"][0])
    assert found["enough"] is False
    for name in ("t.md", "t.json", "t.png"):
        told(capsys, store, "table", "-o", str(tmp_path / name))
    assert "Too few to say anything" in (tmp_path / "t.md").read_text()
    assert json.loads((tmp_path / "t.json").read_text()) == found
    with Image.open(tmp_path / "t.png") as picture:
        assert picture.width == 860
    told(capsys, store, "table", "-o", str(store.path) + ".txt", code=2)


def test_a_table_never_overwrites_the_store(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    sneaky = store.path.rename(store.path.with_suffix(".json"))
    _, lines = told(capsys, Store(sneaky), "table", "-o", str(sneaky), code=1)
    assert "is also an input" in lines[0]
    assert len(Store(sneaky).shown()) == 2


def test_a_store_that_is_a_folder_gets_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, lines = told(capsys, Store(tmp_path), "next", code=1)
    assert len(lines) == 1
    assert "is a folder" in lines[0]


def test_nobody_who_names_no_store_writes_beside_her_program() -> None:
    assert default_store().name == "grades.sqlite"
    assert default_store().parent.name == "kinesics"


@pytest.mark.long
def test_voices_said_without_a_window_are_kept_once_with_a_run_that_can_be_run_again(tmp_path: Path) -> None:
    voices = []
    for k in range(2):
        voices.append(tmp_path / f"{k}.wav")
        soundfile.write(voices[-1], talker.voice(1.2, pauses=(), seed=k), RATE)
    store, drawn = Store(tmp_path / "grades.sqlite"), []

    def draw(body: Body, outcome: Outcome, folder: Path) -> list[Path]:
        drawn.append((body.source, outcome.id, folder))
        return [folder / f"{outcome.id}-front.png"]

    first = list(say_all(voices[:1], store, draw, Config.default()))
    again = list(say_all(voices, store, draw, Config.default()))
    assert [one.id for one in first] == [1]
    assert [(one.id, one.why) for one in again] == [(0, "was said before"), (2, "")]
    assert [(number, folder) for _, number, folder in drawn] == [(1, store.pictures), (2, store.pictures)]
    asked = store.next()
    assert asked is not None
    difference, run = headless.replay(asked.said.replay)
    assert difference is None
    assert run.ticks > asked.said.last
