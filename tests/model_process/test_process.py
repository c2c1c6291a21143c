"""A sentence goes into another process and comes back as motion; what goes wrong there costs that sentence alone."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest
from made_up_models import motion

from kinesics.components.gesture import Lost, Sentence, Window
from kinesics.engine_plugin import doctor
from kinesics.systems.model_process.desk import STATES
from kinesics.systems.model_process.parent import ModelProcess
from kinesics.systems.model_process.protocol import LONGEST
from kinesics.systems.model_process.ring import Ring
from kinesics.systems.model_process.settings import Named, Settings

from .conftest import PATIENCE, answers, said, until

Host = Callable[..., ModelProcess]


def test_motion_comes_back_bit_for_bit_from_a_process_that_is_killed_in_between(host: Host) -> None:
    process = host({"wrong": "nan", "wrong_at": 4})
    windows, lost = answers_of(process, said(1))
    assert lost is None
    assert [(w.frame, w.is_last) for w in windows] == [(0, False), (112, False), (224, True)]
    assert np.array_equal(np.concatenate([w.rotation for w in windows]), motion(1, 0, 336))
    assert process.state == "ready"
    first = process.pid
    os.kill(first, signal.SIGKILL)
    until(lambda: process.pid not in (0, first) and process.state == "ready", "it did not come back")
    windows, lost = answers_of(process, said(2, frames=600))  # its fifth window holds a NaN
    assert lost is not None
    assert "1 numbers that are not finite" in lost.why
    assert len(windows) == 4
    assert process.state == "degraded"
    assert "not finite" in process.detail
    windows, lost = answers_of(process, said(3))
    assert (len(windows), lost, process.state) == (3, None, "ready")
    assert process.figures()["refused"] == 1
    assert process.figures()["deaths"] == 1
    process.close()
    assert (process.state, process.pid) == ("off", 0)


def answers_of(process: ModelProcess, sentence: Sentence) -> tuple[list[Window], Lost | None]:
    process.ask(sentence)
    return answers(process, sentence.id)


def test_without_a_model_it_is_off_and_says_so() -> None:
    process = ModelProcess(Settings())
    process.start()
    assert (process.state, process.detail) == ("off", "no model is named")
    process.ask(said(4))
    (lost,) = process.poll()
    assert lost == Lost(4, 0, "the model process is off: no model is named")
    process.lips(0, 0, np.zeros(160, np.float32))
    process.cancel(0)
    process.close()
    assert process.poll() == []
    assert process.state in STATES


def test_where_it_cannot_be_run_it_is_off_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(room: int) -> None:
        raise OSError(24, "Too many open files")

    process = ModelProcess(Settings(gesture=Named("made_up_models:smooth")))
    monkeypatch.setattr(Ring, "new", full)
    process.start()
    assert (process.state, process.detail) == ("off", "it cannot be run: [Errno 24] Too many open files")
    monkeypatch.setattr("os.name", "nt")
    process.start()
    monkeypatch.undo()
    assert (process.state, process.pid) == ("off", 0)
    assert "needs Linux or macOS" in process.detail


def test_a_sentence_that_is_too_long_is_lost_before_it_is_sent(host: Host) -> None:
    process = host()
    process.ask(Sentence(1, 0, 0, np.zeros(LONGEST + 1, np.float32)))
    (lost,) = process.poll()
    assert lost == Lost(1, 0, "a sentence of 524 s, at most 524; say it in parts")


def test_a_frozen_program_is_not_started_a_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    process = ModelProcess(Settings(gesture=Named("made_up_models:smooth")))
    process.start()
    assert (process.state, process.detail) == ("off", "there is no Python interpreter to run it in")
    process.close()


def test_asking_polling_and_cancelling_never_wait(host: Host) -> None:
    """The child does not read, the socket is full: a tick must not notice."""
    process = host({"wrong": "stop"}, silent_s=1000.0)
    process.ask(said(1))
    until(lambda: process.state == "busy", "it did not begin")
    audio = np.zeros(30 * 16_000, np.float32)
    spent = time.thread_time()
    for number in range(2, 402):
        process.ask(Sentence(number, number % 7, 0, audio))
        process.poll()
        process.cancel(number % 3)
    spent = time.thread_time() - spent
    assert spent / 400 < 1e-3  # s of a tick's 16.7 ms
    assert process.figures()["asked"] == 401


@pytest.mark.parametrize(
    ("why", "line"),
    [
        ("torch", "torch is not installed: pip install 'kinesics[speech]'"),
        pytest.param("no such file: x.safetensors", "OSError: no such file: x.safetensors", marks=pytest.mark.long),
        pytest.param("version", "it speaks version 0 of the protocol, this is version 1", marks=pytest.mark.long),
    ],
)
def test_a_model_that_cannot_be_loaded_leaves_it_off_with_one_line(host: Host, why: str, line: str) -> None:
    process = host({"why": why}, at="broken")
    process.ask(said(1))
    until(lambda: process.state == "off", "it did not give up")
    assert process.detail == line
    assert answers(process, 1)[1] == Lost(1, 0, line)
    assert process.figures()["starts"] == 1


@pytest.mark.long
def test_doctor_says_whether_it_loads_here_and_why_not() -> None:
    took, fault = doctor.hosted("made_up_models:smooth")
    assert (took < PATIENCE, fault) == (True, "")
    _, fault = doctor.hosted("made_up_models:broken", why="torch")
    assert fault == "its process is off: torch is not installed: pip install 'kinesics[speech]'"


@pytest.mark.long
def test_weights_other_than_those_of_the_replay_are_not_used(host: Host) -> None:
    process = host(expect={"gesture": "smooth-2"})
    until(lambda: process.state == "off", "it did not give up")
    assert process.detail == "gesture: not the weights that were asked for (smooth-2; found smooth-1)"


@pytest.mark.long
def test_nothing_named_is_imported_by_the_parent() -> None:
    """The name of a module is all that the parent knows of a model."""
    process = ModelProcess(Settings(gesture=Named("made_up_and_absent:model")))
    process.start()
    until(lambda: process.state == "off", "it did not give up")
    assert "No module named 'made_up_and_absent'" in process.detail
    process.close()
