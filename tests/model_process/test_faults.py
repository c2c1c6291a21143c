"""Everything that can go wrong in the child, planted: each is survived, told in one line, and over by itself."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kinesics.systems.model_process.parent import ModelProcess

from .conftest import answers, said, until

Host = Callable[..., ModelProcess]
pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("nan", "1 numbers that are not finite"),
        ("shape", "shape 112 x 54 x 4"),
        ("length", "length is off by 0.01"),
        ("far", "turns"),
        ("raise", "ValueError: the kernel gave up"),
    ],
)
def test_a_bad_answer_costs_its_sentence_alone(host: Host, wrong: str, why: str) -> None:
    process = host({"wrong": wrong, "wrong_at": 1}, turn_deg=90.0)
    process.ask(said(1))
    windows, lost = answers(process, 1)
    assert [w.frame for w in windows] == [0]
    assert lost is not None
    assert why in lost.why
    assert "\n" not in lost.why
    assert (process.state, why in process.detail) == ("degraded", True)
    process.ask(said(2, frames=100))  # one window: it is good
    windows, lost = answers(process, 2)
    assert (len(windows), lost) == (1, None)
    assert (process.state, process.detail) == ("ready", "")
    assert process.figures().get("deaths", 0) == 0


@pytest.mark.parametrize(
    ("wrong", "limits", "why"),
    [
        ("exit", {}, "exit code 7"),
        ("stop", {"silent_s": 2.0}, "no sign of life for 2 s"),
        ("hang", {"stall_s": 1.0}, "one step took more than 1 s"),
        ("flood", {}, "floods: "),
        ("noise", {}, "damaged on its way"),
    ],
)
def test_a_child_that_is_past_hope_is_ended_and_another_one_started(
    host: Host, tmp_path: Path, wrong: str, limits: dict[str, float], why: str
) -> None:
    process = host({"wrong": wrong, "once": str(tmp_path / "was")}, **limits)
    process.ask(said(1))
    until(lambda: process.pid, "it did not start")
    first = process.pid
    windows, lost = answers(process, 1)
    assert (windows, lost is not None) == ([], True)
    assert lost is not None
    assert why in lost.why
    process.ask(said(2))
    windows, lost = answers(process, 2)
    assert (len(windows), lost, process.state) == (3, None, "ready")
    assert process.pid not in (0, first)
    with pytest.raises(ProcessLookupError):  # it is gone, and reaped
        os.kill(first, 0)


def test_a_child_that_does_not_load_is_ended(host: Host) -> None:
    process = host({"why": "slow"}, at="broken", start_s=1.0, starts=1)
    until(lambda: process.state == "off", "it was waited for")
    assert "not loaded after 1 s" in process.detail
    assert process.figures()["starts"] == 2


def test_a_host_that_was_stopped_for_a_while_takes_what_piled_up_for_no_flood(host: Host) -> None:
    process = host(beat_s=0.005)
    until(lambda: process.state == "ready", "it did not start")
    with process._desk.lock:  # its thread waits here, as it does while a compiler has the interpreter
        time.sleep(2.0)
    process.ask(said(1))
    windows, lost = answers(process, 1)
    assert (len(windows), lost) == (3, None)
    assert process.figures().get("deaths", 0) == 0


def test_stale_answers_are_dropped(host: Host) -> None:
    process = host({"wrong": "stale"})
    process.ask(said(1))
    windows, lost = answers(process, 1)
    assert [w.frame for w in windows] == [0, 112, 224]
    assert lost is None
    assert process.figures()["stale"] == 5


def test_a_child_that_dies_again_and_again_stays_off_until_it_is_asked_for(host: Host) -> None:
    process = host({"wrong": "exit"}, starts=3)
    for number in (1, 2, 3, 4):
        process.ask(said(number))
        assert answers(process, number)[1] is not None
    until(lambda: process.state == "off", "it went on")
    assert process.figures()["starts"] == 4
    process.ask(said(5))
    (lost,) = process.poll()
    assert "off: the model process ended (exit code 7)" in lost.why  # type: ignore[union-attr]
    process.start()
    until(lambda: process.state == "ready", "it does not heed")


def test_a_barge_in_takes_the_place_of_what_is_made_and_of_what_waits(host: Host) -> None:
    process = host({"step_s": 0.3, "steps": 6})
    process.ask(said(1, frames=3000))
    until(lambda: process.figures().get("windows"), "it did not begin")
    process.ask(said(2, after=1, frame=3000))
    process.ask(said(3, after=1, frame=5))
    process.poll()
    windows, lost = answers(process, 3)
    assert (len(windows), lost) == (3, None)
    assert process.figures()["windows"] <= 5
    assert process.figures()["replaced"] == 2


def test_a_flood_of_questions_is_answered_with_the_newest(host: Host) -> None:
    process = host({"step_s": 0.05})
    until(lambda: process.state == "ready", "it did not start")
    for number in range(1, 301):
        process.ask(said(number, frames=900))
        time.sleep(0.001)
    windows, lost = answers(process, 300)
    assert (len(windows), lost) == (9, None)
    assert process.figures().get("deaths", 0) == 0


def test_sentences_of_two_avatars_are_made_side_by_side(host: Host) -> None:
    process = host({"step_s": 0.1})
    process.ask(said(1, frames=600, avatar=0))
    process.ask(said(2, frames=600, avatar=1))
    came: list[int] = []
    end = time.monotonic() + 60.0
    while len(came) < 12 and time.monotonic() < end:
        process.wait(0.1)
        came += [answer.avatar for answer in process.poll()]
    assert sorted(came) == [0] * 6 + [1] * 6
    assert set(came[:4]) == {0, 1}


def test_motion_that_would_come_too_late_is_given_up(host: Host) -> None:
    process = host({"step_s": 0.5})
    until(lambda: process.state == "ready", "it did not start")
    process.ask(said(1, frames=3000), within=1.2)
    _, lost = answers(process, 1)
    assert lost is not None
    assert lost.why == "its motion would have come too late"
    until(lambda: process.state == "ready", "it is still busy")
    process.ask(said(2, frames=100))
    assert answers(process, 2)[1] is None


def test_after_a_cancel_nothing_more_comes(host: Host) -> None:
    process = host({"step_s": 0.2})
    process.ask(said(1, frames=3000))
    until(lambda: process.figures().get("windows"), "it did not begin")
    process.cancel(0)
    process.poll()
    process.ask(said(2, frames=300))
    windows, _ = answers(process, 2)
    assert len(windows) == 3
    assert process.poll() == []


def test_what_a_model_prints_does_not_reach_the_messages(host: Host) -> None:
    process = host(at="chatty", back_off_s=1000.0, longest_s=1000.0)  # it stays dead, so that its last words stay
    process.ask(said(1))
    assert answers(process, 1)[1] is None
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: process.state == "dead", "it lives")
    assert "signal 9; it said: " in process.detail


def test_live_voice_is_read_from_the_ring_and_what_was_overrun_is_counted(host: Host) -> None:
    from kinesics.systems.model_process.settings import Named

    process = host(gesture=None, lips=Named("made_up_models:Sums"), live_s=0.1)
    until(lambda: process.state == "ready", "it did not start")
    rng = np.random.default_rng(5)
    voice = rng.normal(size=1600).astype(np.float32)
    rows = []
    for first in range(0, 1600, 400):
        process.hear(voice[first : first + 400])
        process.lips(0, first, 400)
        until(lambda: process.wait(0.1), "no rows")
        rows += [answer.rows for answer in process.poll()]
    assert np.allclose(np.concatenate(rows)[:, 0], np.cumsum(voice, dtype=np.float64), atol=1e-4)
    process.hear(np.ones(5000, np.float32))
    process.lips(0, 1600, 5000)
    until(lambda: process.wait(0.1), "no rows")
    until(lambda: process.figures()["overruns"] == 3400, "nobody counted")
