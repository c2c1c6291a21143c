"""A model process of made-up models, and patience: a loaded machine must not fail a test."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from kinesics.components.gesture import SAMPLES, Lost, Sentence, Window
from kinesics.systems.model_process.parent import ModelProcess
from kinesics.systems.model_process.settings import Named, Settings

PATIENCE = 120.0  # s that anything may take: loading torch and compiling kernels beside other tests too
# limits that a crowded machine keeps: three seconds without a sign of life happen there, and who is nice starves
EASY: dict[str, Any] = {"silent_s": 30.0, "back_off_s": 0.05, "longest_s": 0.2, "beat_s": 0.2, "nice": 0}


def until(fact: Callable[[], Any], what: str) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not fact():
        assert time.monotonic() < end, what
        time.sleep(0.005)


def said(number: int, frames: int = 300, avatar: int = 0, after: int = 0, frame: int = 0) -> Sentence:
    """Return a silent sentence of so many frames."""
    return Sentence(number, avatar, number, np.zeros(frames * SAMPLES, np.float32), (), after, frame)


def answers(process: ModelProcess, number: int) -> tuple[list[Window], Lost | None]:
    """Return the windows of a sentence, up to its last or until it is lost."""
    windows: list[Window] = []
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        process.wait(0.2)
        for answer in process.poll():
            if isinstance(answer, Lost) and answer.sentence == number:
                return windows, answer
            if isinstance(answer, Window) and answer.sentence == number:
                windows.append(answer)
                if answer.is_last:
                    return windows, None
    raise AssertionError(f"no answer: {process.figures()}")


@pytest.fixture
def host() -> Iterator[Callable[..., ModelProcess]]:
    """Return a function that starts a process; settings as keywords, `model` those of made_up_models.smooth."""
    made: list[ModelProcess] = []

    def start(model: dict[str, Any] | None = None, at: str = "smooth", **limits: Any) -> ModelProcess:
        gesture = Named(f"made_up_models:{at}", model or {})
        process = ModelProcess(Settings(**{"gesture": gesture, **EASY, **limits}))
        made.append(process)
        process.start()
        return process

    yield start
    for process in made:
        process.close()
