"""Gesture, lips and brows in one process, and nothing of torch in the other."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable

import numpy as np
import pytest

from kinesics.components.gesture import NEW
from kinesics.systems import headless
from kinesics.systems.avatar.handle import hear
from kinesics.systems.face.model import brows, lips
from kinesics.systems.model_process.desk import Rows
from kinesics.systems.model_process.parent import ModelProcess
from kinesics.systems.model_process.settings import Named

from .conftest import said, until

Host = Callable[..., ModelProcess]
LIPS, BROWS = Named("kinesics.systems.face.model:lips"), Named("kinesics.systems.face.model:brows", {"seed": 3})


def heard(ticks: int) -> np.ndarray:
    """Return (ticks, 6) f32, what brows hear of a voice that stresses a word each second and ends in a question."""
    rows = np.zeros((ticks, 6), np.float32)
    rows[:, 0], rows[:, 1], rows[:, 2] = 1.0, -3.0, np.inf
    rows[::60, 2], rows[::60, 3] = 0.1, 2.0
    rows[0, 4] = 1.0
    rows[-30:, 5] = np.linspace(0.0, 1.0, 30)
    return rows


def test_lips_read_block_by_block_give_the_bits_of_lips_read_whole() -> None:
    voice = hear(headless.HELLO, (), "").audio[: 2 * 16_000]
    model = lips()
    _, whole = model.rows(0, 0, voice)
    parts, at = [], 0
    for block in np.array_split(voice, 37):
        first, rows = model.rows(1, at, block)
        assert first == sum(map(len, parts))
        parts.append(rows)
        at += len(block)
    assert np.array_equal(np.concatenate(parts), whole)
    assert len(whole) > 190
    first, rows = model.rows(1, at + 1600, voice[:1600])  # a gap: another voice begins
    assert first == 0
    assert np.array_equal(rows, model.rows(2, 0, voice[:1600])[1])


def test_brows_moved_block_by_block_do_what_they_do_moved_at_once() -> None:
    said = heard(600)
    whole = brows(seed=3).rows(0, 0, said)[1]
    model = brows(seed=3)
    parts = [model.rows(0, 50 * k, said[50 * k : 50 * k + 50])[1] for k in range(12)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert 0.2 < whole[:, 2].max() <= 1.0  # she raised them
    assert np.isfinite(whole).all()


@pytest.mark.long
def test_lips_and_brows_answer_while_a_sentence_is_made_in_the_same_process(host: Host) -> None:
    had = "torch" in sys.modules
    torch = importlib.util.find_spec("torch") is not None
    gesture = Named("kinesics.systems.speech_gesture.session:host", {"weights": "filled"})
    slow = Named("made_up_models:smooth", {"step_s": 0.5})
    process = host(gesture=gesture if torch else slow, lips=LIPS, brows=BROWS)
    until(lambda: process.state in ("ready", "off"), "it did not start")
    assert process.state == "ready", process.detail
    assert set(process.models) == {"gesture", "lips", "brows"}
    voice = hear(headless.HELLO, (), "").audio[:32_000]
    process.ask(said(1, frames=3 * NEW))
    process.brows(0, 0, heard(600))
    for at in range(0, len(voice), 1600):
        process.lips(0, at, voice[at : at + 1600])
    rows: list[Rows] = []
    windows = []
    until(lambda: _took(process, rows, windows) and len(rows) == 21 and len(windows) == 3, "answers are missing")
    moved, mouth = [r for r in rows if r.kind == "brows"], [r for r in rows if r.kind == "lips"]
    assert np.array_equal(moved[0].rows, brows(seed=3).rows(0, 0, heard(600))[1])
    assert np.array_equal(np.concatenate([r.rows for r in mouth]), lips().rows(0, 0, voice)[1])
    assert not any(r.why for r in rows)
    assert ("torch" in sys.modules) == had  # it is in the child alone


def _took(process: ModelProcess, rows: list[Rows], windows: list[object]) -> bool:
    process.wait(0.1)
    for answer in process.poll():
        (rows if isinstance(answer, Rows) else windows).append(answer)
    return True
