"""The store: order, digests, copies, and the doors to the outside."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from kinesics.components.carry import Carry
from kinesics.components.clock import FixedClock
from kinesics.components.draw import draws
from kinesics.components.inbox import Inbox
from kinesics.components.outbox import Outbox
from kinesics.components.plan import Pick, Plan
from kinesics.components.preview import Preview, Slot
from kinesics.components.world import World


def test_the_error_says_what_the_entity_has() -> None:
    world = World()
    her = world.spawn(Plan())
    with pytest.raises(KeyError, match="entity 0 has no Carry; it has Plan"):
        world.get(her, Carry)


def test_one_bit_of_any_state_changes_the_digest() -> None:
    def make() -> World:
        world = World(seed=4)
        world.spawn(Plan(picks=[Pick(3, 1, 0, 6, 20, 12.5)]), Carry())
        return world

    first, second = make(), make()
    assert first.digest() == second.digest()
    second.get(0, Carry).view("share")[0] = np.nextafter(0.0, 1.0)
    assert first.digest() != second.digest()
    assert [k for k, v in first.digests().items() if second.digests()[k] != v] == ["Carry"]
    third = make()
    third.get(0, Plan).picks[0] = Pick(3, 1, 0, 6, 21, 12.5)
    assert first.digest() != third.digest()


def test_caches_are_in_no_digest() -> None:
    world = World()
    her = world.spawn(Plan(), Preview(), Outbox())
    before = world.digest()
    world.get(her, Preview).slots.append(Slot.of(3))
    world.get(her, Outbox).say(0, "started", id=1)
    assert world.digest() == before


def test_a_copy_goes_its_own_way() -> None:
    world = World(seed=2)
    her = world.spawn(Plan(), Carry())
    twin = world.copy()
    assert twin.digest() == world.digest()
    twin.get(her, Carry).view("presence")[0] = 0.5
    twin.get(her, Plan).recent.append(7)
    assert world.get(her, Carry).view("presence")[0] == 0.0
    assert world.get(her, Plan).recent == []


def test_a_draw_depends_on_who_and_when_and_on_nothing_else() -> None:
    first = draws(5, 0, "reflex", 100).random(4)
    draws(5, 0, "matcher", 100).random(1000)
    assert np.array_equal(first, draws(5, 0, "reflex", 100).random(4))
    others = [
        draws(6, 0, "reflex", 100),
        draws(5, 1, "reflex", 100),
        draws(5, 0, "face", 100),
        draws(5, 0, "reflex", 101),
    ]
    assert all(not np.array_equal(first, other.random(4)) for other in others)


def test_messages_of_many_threads_all_arrive_once() -> None:
    inbox = Inbox()
    inbox.keep = True

    def post(k: int) -> None:
        for i in range(500):
            inbox.post("say", k, i=i)

    threads = [threading.Thread(target=post, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    seen = []
    while any(thread.is_alive() for thread in threads):
        seen += inbox.drain(1)
    seen += inbox.drain(2)
    assert len(seen) == 2000 == len(inbox.log)
    for k in range(4):
        assert [e.data["i"] for e in seen if e.avatar == k] == list(range(500))


@pytest.mark.parametrize("fps", [24.0, 30.0, 59.94, 60.0, 75.0, 120.0, 144.0])
def test_ten_seconds_are_six_hundred_ticks_at_any_frame_rate(fps: float) -> None:
    clock = FixedClock()
    ticks = sum(clock.advance(1.0 / fps) for _ in range(round(fps * 10)))
    assert abs(ticks - 600) <= 1
    assert clock.dropped == 0


def test_a_display_at_the_tick_rate_gets_one_tick_a_frame() -> None:
    clock = FixedClock()
    assert {clock.advance(1.0 / 59.94) for _ in range(600)} == {1}


def test_a_stall_does_not_become_a_spiral() -> None:
    clock = FixedClock()
    assert clock.advance(3.0) == clock.limit
    assert clock.dropped == 180 - clock.limit
    assert clock.advance(1.0 / 30.0) <= 3
