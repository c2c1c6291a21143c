"""Draws and grades are kept, whatever happens, and nothing but the table tells what was drawn."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from graded import draw, layer, ready, said

from kinesics.components.errors import GradingError
from kinesics.components.grading import is_grade_store
from kinesics.components.inbox import Inbox
from kinesics.systems.grading import Store
from kinesics.systems.grading import store as module
from kinesics.systems.grading.table import rows

ROOT = Path(__file__).parents[2]
NAMES = ("none", "rule", "head")
pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


def test_ninety_draws_of_three_layers_lie_within_chance(store: Store) -> None:
    """Rarer ones are likelier, so a layer is closer to its third than the 95 % of fair dice (30 +- 9)."""
    drawn = [draw(store, NAMES)[1] for _ in range(90)]
    assert all(21 <= drawn.count(name) <= 39 for name in NAMES), {name: drawn.count(name) for name in NAMES}


def test_no_layer_is_ever_certain_nor_excluded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new head that was never drawn is four times as likely as another, not the next for sure."""
    seen: list[list[float]] = []

    class Dice:
        def choices(self, layers: list[object], weights: list[float]) -> list[object]:
            seen.append([w / sum(weights) for w in weights])
            return [layers[len(seen) % 2]]

    monkeypatch.setattr(module.secrets, "SystemRandom", Dice)
    for _ in range(20):
        draw(store, NAMES)  # the dice never give a head
    assert max(seen[-1]) == pytest.approx(4 / 6)
    assert min(seen[-1]) == pytest.approx(1 / 6)


def test_a_glance_at_the_file_does_not_tell_what_was_drawn(store: Store) -> None:
    """Equal layers lie in it as unlike bytes, and their names once, however often they were drawn."""
    names = ("nothing at all", "guarded", "learned 7")
    for _ in range(20):
        ready(store, names)
    held = store.path.read_bytes()
    for name in names:
        assert held.count(name.encode()) <= 2, name  # the table of names and its index
    with sqlite3.connect(store.path) as db:
        seals = {seal for (seal,) in db.execute("SELECT seal FROM asked")}
    assert len(seals) == 20


def test_nothing_but_the_table_gives_a_draw_back(store: Store) -> None:
    ready(store, NAMES)
    told = f"{store.next()} {store.waiting()} {store.shown()} {vars(store)}"
    assert not [name for name in NAMES if name in told]


def test_a_grade_is_kept_and_the_next_one_comes(store: Store) -> None:
    first, second = ready(store, NAMES)[0], ready(store, NAMES, number=1)[0]
    asked = store.next()
    assert asked is not None
    assert (asked.id, asked.said.text) == (first, "sentence 0")
    assert all(picture.is_file() for picture in asked.pictures)
    store.submit(first, "good", "her hands")
    assert [asked.id for asked in store.waiting()] == [second]
    assert store.has("voice-0", 1)
    assert not store.has("voice-0", 2)


def test_a_grade_may_be_changed_once_and_both_are_kept(store: Store) -> None:
    number, _ = ready(store, NAMES)
    store.submit(number, "good")
    store.submit(number, "bad", change=True)
    assert store.shown()[0].grades == ("good", "bad")
    with pytest.raises(GradingError, match="once is all it may be"):
        store.submit(number, "good", change=True)


@pytest.mark.parametrize(
    ("number", "grade", "change", "words"),
    [
        (99, "good", False, "99: no such id to grade; the next one is 2"),
        (1, "good", False, "1: is graded good already; it may be changed once"),
        (2, "good", True, "2: has no grade to change"),
        (2, "fine", False, "grade 'fine': wanted good or bad"),
        (3, "good", False, "3: no such id to grade"),
    ],
)
def test_what_cannot_be_graded_gets_one_line(store: Store, number: int, grade: str, change: bool, words: str) -> None:
    ready(store, NAMES)
    ready(store, NAMES)
    assert draw(store, NAMES)[0] == 3  # drawn, and its strips are still to come
    store.submit(1, "good")
    with pytest.raises(GradingError, match=words) as told:
        store.submit(number, grade, change=change)
    assert "\n" not in str(told.value)


def test_a_draw_that_is_taken_back_is_never_asked_for_and_counts_for_no_layer(store: Store) -> None:
    number, _ = draw(store, ["none"])
    store.drop(number, "training was left")
    assert store.next() is None
    with pytest.raises(GradingError, match="no such id"):
        store.submit(number, "good")
    shown, _ = ready(store, ["none"])
    store.drop(shown, "too late")
    assert [asked.id for asked in store.waiting()] == [shown]


def test_the_file_is_only_ever_added_to(store: Store) -> None:
    number, _ = ready(store, NAMES)
    store.submit(number, "good")
    with sqlite3.connect(store.path) as db:
        for table in ("asked", "ruled", "shown", "graded", "names"):
            for change in (f"DELETE FROM {table}", f"UPDATE {table} SET rowid = rowid + 1"):
                with pytest.raises(sqlite3.IntegrityError, match="only added to"):
                    db.execute(change)


def test_a_file_of_something_else_is_no_store_and_stays_as_it_was(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE t(x)")
    before = other.read_bytes()
    with pytest.raises(GradingError, match="is no store of grades"):
        Store(other).draw(said(), [layer("none")], Inbox())
    with pytest.raises(GradingError, match="is no store of grades"):
        Store(other).next()
    assert other.read_bytes() == before


def test_an_empty_file_is_a_store_in_which_nothing_waits(store: Store) -> None:
    """A program that is killed at its very first write leaves one."""
    store.path.touch()
    assert store.next() is None
    assert rows(store) == []
    with pytest.raises(GradingError, match="nothing to grade yet"):
        store.submit(1, "good")
    assert draw(store, ("none",))[1] == "none"


def test_a_folder_that_cannot_be_written_gets_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GradingError, match="cannot be written"):
        Store(tmp_path / "file" / "grades.sqlite").draw(said(), [layer("none")], Inbox())


_WRITER = """
import sys
sys.path[:0] = [sys.argv[2]]
from graded import ready
from kinesics.systems.grading import Store
store = Store(sys.argv[1])
while True:
    number, _ = ready(store, ("none", "rule"))
    store.submit(number, "good")
    print(number, flush=True)
"""


@pytest.mark.long
def test_a_program_killed_while_it_grades_loses_nothing_it_was_told_is_kept(store: Store) -> None:
    """Killed at three unlike moments: every id it has acknowledged is there, graded, and the file takes more."""
    acknowledged = 0
    for wait in (0.0, 0.05, 0.11):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(store.path), str(ROOT / "tests")],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert writer.stdout is not None
        told = [int(writer.stdout.readline()) for _ in range(4)]
        time.sleep(wait)
        writer.kill()
        told += [int(line) for line in writer.stdout if line.endswith("\n")]
        writer.wait()
        writer.stdout.close()
        graded = {asked.id for asked in store.shown() if asked.grades}
        assert set(told) <= graded
        assert min(told) > acknowledged
        acknowledged = max(told)
    assert is_grade_store(store.path)
    assert ready(store, NAMES)[0] > acknowledged
