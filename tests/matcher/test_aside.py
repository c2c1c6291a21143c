"""A corpus too large for the tick is searched on a thread: the same picks whenever the answer comes."""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest
import talker

from kinesics.components.index import Index
from kinesics.components.motion import Motion
from kinesics.components.outbox import Outbox
from kinesics.components.plan import Plan
from kinesics.components.speech import RATE
from kinesics.systems import figures, headless, matcher
from kinesics.systems.kernels import prune, search
from kinesics.systems.matcher import aside, choose, near, wide
from kinesics.systems.matcher.prepare import prepare
from kinesics.systems.schedule import TICK

SECONDS = 8.0


def world(large: int = 0, seed: int = 3) -> headless.World:
    """Return a world whose corpus is held as a large one is."""
    made = headless.world(talker.body(), talker.corpus(), seed=seed)
    motion = made.get(0, Motion)
    assert motion.repertoire is not None
    made.put(0, prepare(motion.repertoire, motion.anatomy, made.config, large))
    made.avatar.say((talker.voice(SECONDS, pauses=((3.0, 4.5),)), RATE))
    return made


def at_once(store: wide.Wide, question: Any) -> Future[Any]:
    """Answer in the tick, as slices do."""
    answer: Future[Any] = Future()
    is_search = isinstance(question, wide.Question)
    answer.set_result(store.best([question])[0] if is_search else store.nearest(question))
    return answer


def digests(made: headless.World, ticks: int = 500) -> list[str]:
    out = []
    for _ in range(ticks):
        made.step(TICK)
        out.append(made.digest())
    return out


@pytest.mark.long
def test_a_thread_however_slow_picks_what_the_tick_itself_would(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = world()
    by_thread = digests(beside)
    answer = aside._answer

    def slowly(store: wide.Wide, batch: list[Any]) -> None:
        time.sleep(0.03)
        answer(store, batch)

    monkeypatch.setattr(aside, "_answer", slowly)
    slow = digests(world(), 200)
    monkeypatch.setattr(choose, "ask", at_once)
    assert digests(world()) == by_thread
    assert slow == by_thread[:200]
    assert len(beside.get(0, Plan).recent) >= 5


@pytest.mark.long
def test_she_keeps_to_her_gates_with_a_corpus_held_in_half_the_room() -> None:
    run = headless.run(world(), SECONDS + 1.0)
    shown = figures.report(run)
    assert shown["corpus_speed_deg_s_max"] <= 90.0 + 1e-3, "deg/s"
    assert shown["jump_deg_max"] <= 55.0, "deg"
    assert shown["fades_interrupted"] == 0
    assert shown["windows_used"] >= 5


@pytest.mark.long
def test_a_copy_in_the_middle_of_a_search_comes_to_the_same_row() -> None:
    made = world()
    while made.get(0, Plan).asked is None or made.tick < 90:
        made.step(TICK)
    twin = made.copy()
    assert digests(twin, 120) == digests(made, 120)


@pytest.mark.long
def test_a_small_corpus_is_never_searched_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a thread was asked")

    monkeypatch.setattr(choose, "ask", refuse)
    made = headless.world(talker.body(), talker.corpus(), seed=3)
    made.avatar.say((talker.voice(3.0), RATE))
    assert made.get(0, Index).wide is None
    digests(made, 120)
    assert len(made.get(0, Plan).recent) >= 1


def test_half_the_room_finds_what_the_whole_one_does() -> None:
    """Stored in steps of 1/64 dB and .004 degrees the first of 2000 rows is the first in nearly all questions."""
    made = world(10**9)
    motion, index = made.get(0, Motion), made.get(0, Index)
    repertoire = motion.repertoire
    assert repertoire is not None
    store = wide.packed(repertoire, index.choice, index.legal & ~index.choice, 64)
    rng = np.random.default_rng(2)
    same, among, asked = 0, 0, 60
    for row in rng.choice(np.flatnonzero(index.choice), asked):
        here = repertoire.row_pose[rng.choice(np.flatnonzero(index.choice))].astype(np.float64)
        envelope = repertoire.row_envelope[row].astype(np.float64) + rng.normal(size=60)
        timbre = repertoire.row_timbre[row].astype(np.float64)
        limit = made.config.gates.jump
        found = store.best([wide.Question(here, envelope, timbre, True, limit, wide.NONE)])[0]
        listed, _, refused = search.best(
            index.packed, index.choice, here, envelope, timbre, True, limit, index.work, index.rows, index.ranks,
            index.jump,
        )  # fmt: skip
        assert abs(listed - len(found.rows)) <= 1
        assert abs(refused - found.refused) <= 1
        same += listed == 0 or found.rows[0] == index.rows[0]
        among += listed == 0 or index.rows[0] in found.rows[:4]
    assert same >= 0.9 * asked
    assert among >= 0.98 * asked


def test_rows_shown_lately_are_barred_and_a_question_costs_no_other_one() -> None:
    made = world()
    repertoire, store = made.get(0, Motion).repertoire, made.get(0, Index).wide
    assert repertoire is not None
    rng = np.random.default_rng(5)
    questions = []
    for row in store.choice[3][:: len(store.choice[3]) // 20][:16]:
        pose = repertoire.row_pose[row].astype(np.float64)
        question = wide.Question(pose, rng.normal(size=60) * 6, rng.normal(size=13), True, 0.9, wide.NONE)
        first = store.best([question])[0]
        barred = first.rows[: len(first.rows) // 2]
        again = store.best([dataclasses.replace(question, barred=np.r_[barred, 10**8].astype(np.int32))])[0]
        assert not set(again.rows.tolist()) & set(barred.tolist())
        assert again.refused == first.refused
        questions.append(question)
    together = store.best(questions)
    for question, found in zip(questions, together):
        alone = store.best([question])[0]
        np.testing.assert_array_equal(found.rows, alone.rows)
        np.testing.assert_array_equal(found.ranks, alone.ranks)


def test_where_too_little_was_kept_it_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world()
    repertoire, store = made.get(0, Motion).repertoire, made.get(0, Index).wide
    assert repertoire is not None
    rng, likely, passes = np.random.default_rng(6), prune.limits, []
    questions = [
        wide.Question(repertoire.row_pose[row].astype(np.float64), rng.normal(size=60), rng.normal(size=13), True, 0.9,
                      wide.NONE)
        for row in store.choice[3][:900:300]
    ]  # fmt: skip
    exact = store.best(questions)

    def stingy(*given: Any) -> None:
        likely(*given)
        passes.append(given[5])
        if given[3] != 1 and given[5] < 4.0:  # all questions but the second one, in its first place
            given[-1][:3] = 1

    monkeypatch.setattr(prune, "limits", stingy)
    for found, want in zip(store.best(questions), exact):
        np.testing.assert_array_equal(found.rows, want.rows)
        np.testing.assert_array_equal(found.ranks, want.ranks)
    assert max(passes) == 4.0


def test_where_nothing_is_in_reach_the_nearest_row_is_found_on_the_thread_too() -> None:
    made = world()
    config = dataclasses.replace(made.config, gates=dataclasses.replace(made.config.gates, jump_deg=5.0))
    made.config = config
    run = headless.run(made, 4.0)
    assert run.forced.any()
    assert figures.report(run)["corpus_speed_deg_s_max"] <= 90.0 + 1e-3


def test_a_host_that_cannot_wait_goes_on_in_the_clip_and_its_replay_does_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two of three searches are stuck on their due tick; the log alone, with no thread to be late, gives the same."""
    made, may = world(), threading.Event()
    made.inbox.keep = True
    answer = aside._answer

    def when_it_may(store: wide.Wide, batch: list[Any]) -> None:
        may.wait(10.0)
        answer(store, batch)

    monkeypatch.setattr(aside, "_answer", when_it_may)
    first, late = [], 0
    for _ in range(480):
        plan = made.get(0, Plan)
        if plan.asked is not None and not plan.asked.rest and plan.asked.due <= made.tick:
            if late % 3 == 2:
                may.set()
                waits = made.get(0, Index).waits
                assert waits is not None
                waits.result(10.0)
            for entity in matcher.unanswered(made):
                made.inbox.post("late", entity)
            late += 1
        made.step(TICK)
        may.clear()
        first.append(made.digest())
    may.set()
    plan = made.get(0, Plan)
    assert plan.lates >= 3
    assert len(plan.recent) >= 2
    assert any("not found in time" in text for text in made.get(0, Outbox).degraded)

    monkeypatch.setattr(choose, "ask", at_once)
    twin, log, second = world(), list(made.inbox.log), []
    twin.inbox.drain(0)  # the voice is in the log
    for tick in range(480):
        while log and log[0][0] == tick:
            event = log.pop(0)[1]
            twin.inbox.post(event.kind, event.avatar, **event.data)
        twin.step(TICK)
        second.append(twin.digest())
    assert second == first


def test_what_goes_wrong_on_the_thread_is_raised_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world()
    store = made.get(0, Index).wide

    def fails(*_: Any) -> None:
        raise MemoryError("no room for 2 GB")

    monkeypatch.setattr(wide.Wide, "best", fails)
    question = wide.Question(np.zeros((8, 4)), np.zeros(60), np.zeros(13), False, 0.9, wide.NONE)
    with pytest.raises(MemoryError, match="no room"):
        aside.ask(store, question).result(10.0)
    monkeypatch.undo()
    assert len(aside.ask(store, question).result(10.0).rows) == 0, "the thread lives on"


def test_among_all_rows_that_faiss_finds_the_ranks_are_the_exact_ones() -> None:
    """It leaves out what is far: asked for as many as there are it leaves out nothing."""
    pytest.importorskip("faiss", reason="the extra `faiss` is not installed")
    made = world()
    repertoire, store = made.get(0, Motion).repertoire, made.get(0, Index).wide
    assert repertoire is not None
    found = near.built(store.choice)
    assert found is not None
    found.index.nprobe = found.index.nlist
    some = wide.Wide(store.choice, store.others, store.listed, found)
    rng = np.random.default_rng(7)
    for row in rng.choice(store.choice[3], 5):
        pose = repertoire.row_pose[row].astype(np.float64)
        question = wide.Question(pose, rng.normal(size=60) * 6, rng.normal(size=13), True, 0.9, wide.NONE)
        exact, close = store.best([question])[0], some.best([question])[0]
        np.testing.assert_array_equal(close.rows, exact.rows)
        np.testing.assert_array_equal(close.ranks, exact.ranks)


def test_faiss_is_asked_only_where_the_settings_say_so_and_the_corpus_is_that_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = world(10**9)
    motion, index = made.get(0, Motion), made.get(0, Index)
    repertoire = motion.repertoire
    assert repertoire is not None
    rows = (repertoire, index.choice, index.legal & ~index.choice, 64)
    assert wide.packed(*rows, is_near=True).near is None
    monkeypatch.setattr(wide, "MANY", 100)
    assert wide.packed(*rows).near is None
    monkeypatch.setitem(sys.modules, "faiss", None)
    assert wide.packed(*rows, is_near=True).near is None, "without it the exact search goes on"
