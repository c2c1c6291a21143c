"""Which sentence wins, what may be shown, when a dead process is started again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from made_up_models import motion

from kinesics.components.gesture import JOINTS, NEW, SAMPLES, Sentence, Window
from kinesics.systems.model_process.checks import fault
from kinesics.systems.model_process.restarts import Restarts
from kinesics.systems.model_process.slots import Slots


def said(number: int, after: int = 0, frame: int = 0, avatar: int = 0, frames: int = 300) -> Sentence:
    return Sentence(number, avatar, number, np.zeros(frames * SAMPLES, np.float32), (), after, frame)


def ask(slots: Slots, sentence: Sentence, until: float = math.inf) -> list[int]:
    return [lost.sentence for lost in slots.ask(sentence, 0.0, until)]


def test_the_newest_sentence_wins() -> None:
    slots = Slots()
    for number in (1, 2, 3):
        assert ask(slots, said(number)) == []
        due = slots.unsent()
        assert due is not None
        due.sent = 0.0
        assert due.sentence.id == number
    assert slots.unsent() is None
    assert (slots.count, slots.replaced) == (1, 2)


def test_a_flood_of_sentences_leaves_one_to_be_sent() -> None:
    slots = Slots()
    for number in range(1, 1001):
        ask(slots, said(number))
    due = slots.unsent()
    assert due is not None
    assert due.sentence.id == 1000


def test_a_sentence_that_goes_on_waits_until_what_it_goes_on_from_is_made() -> None:
    slots = Slots()
    ask(slots, said(1))
    first = slots.unsent()
    assert first is not None
    first.sent = 0.0
    assert ask(slots, said(2, after=1, frame=300)) == []
    assert slots.unsent() is None
    slots.came(first, NEW)
    assert slots.unsent() is None
    slots.came(first, 3 * NEW)
    due = slots.unsent()
    assert due is not None
    assert due.sentence.id == 2
    assert slots.running(0, first.number) is None  # the rest of the first one is not waited for


def test_a_barge_in_does_not_wait_for_what_shows_already() -> None:
    slots = Slots()
    ask(slots, said(1))
    first = slots.unsent()
    assert first is not None
    first.sent = 0.0
    slots.came(first, NEW)
    ask(slots, said(2, after=1, frame=60))
    due = slots.unsent()
    assert due is not None
    assert due.sentence.id == 2


def test_a_third_in_the_queue_takes_the_second_ones_place_and_that_is_told() -> None:
    slots = Slots()
    ask(slots, said(1))
    ask(slots, said(2, after=1, frame=300))
    assert ask(slots, said(3, after=2, frame=300)) == [2]
    first = slots.unsent()
    assert first is not None
    slots.done(0, first.number)
    due = slots.unsent()
    assert due is not None
    assert due.sentence.id == 3


def test_avatars_do_not_take_each_others_place() -> None:
    slots = Slots()
    ask(slots, said(1, avatar=0))
    ask(slots, said(2, avatar=1))
    slots.cancel(0)
    due = slots.unsent()
    assert due is not None
    assert due.sentence.id == 2


def test_what_comes_too_late_is_given_up_and_the_next_one_runs() -> None:
    slots = Slots()
    ask(slots, said(1), until=5.0)
    ask(slots, said(2, after=1, frame=300))
    assert list(slots.late(5.0)) == []
    assert [r.sentence.id for r in slots.late(5.1)] == [1]
    due = slots.unsent()
    assert due is not None
    assert due.sentence.id == 2


def test_a_death_costs_what_was_sent_and_nothing_else() -> None:
    slots = Slots()
    ask(slots, said(1))
    due = slots.unsent()
    assert due is not None
    due.sent = 0.0
    ask(slots, said(2, after=1, frame=300))
    ask(slots, said(3, avatar=1))
    assert [r.sentence.id for r in slots.died(every=False)] == [1]
    left = slots.unsent()
    assert left is not None
    assert left.sentence.id == 2
    assert sorted(r.sentence.id for r in slots.died(every=True)) == [2, 3]


GOOD = motion(1, 0, NEW)


def spoiled(kind: str) -> np.ndarray:
    out = GOOD.copy()
    if kind == "nan":
        out[3, 5, 1] = np.nan
    elif kind == "inf":
        out[0, 0, 0] = np.inf
    elif kind == "long":
        out[9, 9] *= 1.01
    elif kind == "zero":
        out[9, 9] = 0.0
    elif kind == "turn":
        out[60:, 7] = [0.0, 1.0, 0.0, 0.0]
    return out


@pytest.mark.parametrize(
    ("rotation", "frame", "made", "why"),
    [
        (GOOD, 0, 0, ""),
        (GOOD, NEW - 16, NEW, ""),
        (spoiled("nan"), 0, 0, "1 numbers that are not finite"),
        (spoiled("inf"), 0, 0, "1 numbers that are not finite"),
        (spoiled("long"), 0, 0, "length is off by 0.01, at most 0.001"),
        (spoiled("zero"), 0, 0, "length is off by 1, at most 0.001"),
        (spoiled("turn"), 0, 0, "a joint that turns"),
        (GOOD[:, :54], 0, 0, "shape 112 x 54 x 4, wanted 1 to 512 frames x 55 joints x 4"),
        (GOOD[:, :, :3], 0, 0, "shape 112 x 55 x 3"),
        (GOOD[0], 0, 0, "shape 55 x 4"),
        (GOOD[:0], 0, 0, "shape 0 x 55 x 4"),
        (np.zeros((513, JOINTS, 4), np.float32), 0, 0, "shape 513"),
        (GOOD, NEW, 0, "wanted them to go on from 0"),
        (GOOD, -1, 0, "wanted them to go on from 0"),
        (GOOD, 0, NEW, "wanted them to go on from 112"),
        (GOOD, 400, 400, "frames 400 to 512"),
    ],
)
def test_only_motion_that_can_be_shown_passes(rotation: np.ndarray, frame: int, made: int, why: str) -> None:
    assert why in fault(Window(1, 0, frame, rotation), said(1), made, 90.0)
    assert bool(why) == bool(fault(Window(1, 0, frame, rotation), said(1), made, 90.0))


def test_a_process_that_dies_again_and_again_waits_longer_and_then_stays_off() -> None:
    restarts = Restarts(1.0, 30.0, 5, 600.0)
    assert [restarts.died(t) for t in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)] == [1.0, 2.0, 4.0, 8.0, 16.0, None]
    assert restarts.died(599.0) is None
    assert restarts.died(602.5) == 4.0  # two deaths lie in the last 10 min
    many = Restarts(1.0, 30.0, 9, 600.0)
    assert [many.died(0.0) for _ in range(7)][-2:] == [30.0, 30.0]
