"""A hundred sentences graded from end to end, without a window, by a grader that only sees what she is shown."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.grading import GRADES, Layer, Said
from kinesics.components.inbox import Inbox
from kinesics.components.mode import Mode
from kinesics.components.speech import RATE, Speech
from kinesics.systems import headless
from kinesics.systems.avatar.handle import hear
from kinesics.systems.grading import Session, Store, table
from kinesics.systems.grading import store as module
from kinesics.systems.grading.table import rows
from kinesics.systems.schedule import TICK

ROOT = Path(__file__).parents[2]
COUNT, SEED = 100, 5
KILLED_AFTER = 20  # grades


class Watched(Store):
    """A store whose draws the test hears, on their way into the copy's inbox."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.heard: dict[int, str] = {}

    def draw(self, said: Said, layers: Sequence[Layer], inbox: Inbox) -> int:
        number = super().draw(said, layers, inbox)
        events = inbox.drain(0)
        for event in events:
            inbox.post(event.kind, event.avatar, **event.data)
        self.heard[number] = "none" if events else "rule"  # she runs with the rule: nothing is swapped then
        return number


def speech(number: int) -> Speech:
    """Return one of a hundred sentences, a second of buzzing."""
    return hear((talker.voice(1.05, pauses=(), seed=number), RATE), (), f"sentence {number}")


def say(store: Store, wanted: Sequence[Speech], told: Callable[[int], None] = lambda number: None) -> str:
    """Have her say all of these in one go, grading while she talks; return the digest of her world at the end."""
    world = headless.world(seed=SEED)
    world.mode = Mode.TRAINING
    session = Session(world, store)
    for one in wanted:
        world.avatar.say(one)
    for _ in range(sum(round(one.seconds * 60) for one in wanted) + 60):
        world.step(TICK)
        session.after(world)
        session.work(4)
        for number in grade(session):
            told(number)
    digest = world.digest()
    while session.work(100):
        pass
    for number in grade(session):
        told(number)
    assert session.missed == {}
    return digest


def grade(session: Session) -> Iterator[int]:
    """Draw what there is and grade it by what the picture shows, here some of its bits."""
    store = session.store
    while session.outcomes:
        outcome = session.outcomes.popleft()
        picture = store.pictures / f"{outcome.id}-front.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(outcome.run.rotation[outcome.moments].tobytes())
        session.show(outcome.id, [picture])
        asked = store.next()
        assert asked is not None
        bits = hashlib.blake2b(asked.pictures[0].read_bytes()).digest()
        store.submit(asked.id, GRADES[bits[0] % 2])
        yield asked.id


def acknowledge(number: int) -> None:
    print(number, flush=True)


@pytest.mark.long
def test_a_hundred_sentences_are_graded_once_each_though_it_was_killed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Watched(tmp_path / "grades.sqlite")
    script = "import sys; sys.path[:0] = sys.argv[2:]; import test_hundred_sentences as t; t.child(sys.argv[1])"
    places = [str(ROOT / "tests"), str(Path(__file__).parent)]
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(store.path), *places], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    told = [int(child.stdout.readline()) for _ in range(KILLED_AFTER)]
    os.kill(child.pid, signal.SIGKILL)
    told += [int(line) for line in child.stdout if line.endswith("\n")]
    child.wait()
    child.stdout.close()
    assert set(told) <= {asked.id for asked in store.shown() if asked.grades}  # nothing acknowledged was lost

    monkeypatch.setattr(module, "SAFE", "OFF")  # from here on nobody kills, and no write waits for the disk
    sentences = [speech(k) for k in range(COUNT)]
    left = [one for one in sentences if not store.has(one.digest, SEED)]
    assert COUNT - len(left) >= KILLED_AFTER
    graded = say(store, left)
    for asked in store.waiting():  # shown, and killed before the grade
        store.submit(asked.id, "good")

    plain = headless.world(seed=SEED)
    plain.mode = Mode.TRAINING
    for one in left:
        plain.avatar.say(one)
    for _ in range(sum(round(one.seconds * 60) for one in left) + 60):
        plain.step(TICK)
    assert plain.digest() == graded  # the run that was graded is the run that was not

    found = rows(store)
    assert sorted(row.said.text for row in found) == sorted(one.text for one in sentences)
    assert {row.id: row.layer for row in found if row.id in store.heard} == {
        number: name for number, name in store.heard.items()
    }
    counted = table(store)
    for one in counted["layers"]:
        mine = [row for row in found if row.layer == one["layer"]]
        assert (one["n"], one["good"]) == (len(mine), np.mean([row.grades[-1] == "good" for row in mine]))
        assert 35 <= one["n"] <= 65  # of 100; a fair coin leaves this in 0.2 % of all runs, ours is steadier
    assert len(counted["layers"]) == 2
    assert counted["enough"]


def child(path: str) -> None:
    """Grade until it is killed, telling each id once its grade is kept."""
    say(Store(path), [speech(k) for k in range(COUNT)], acknowledge)
