"""What she says through a microphone is a thing to grade as well: what sounds between two pauses."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest
import talker
from graded import tick

from kinesics.components.speech import RATE
from kinesics.components.world import World
from kinesics.systems import headless
from kinesics.systems.grading import Session, Store

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
LIVE = 1.6  # s of a live voice, then silence


def hear_live(
    world: World, session: Session | None, count: int, *, seconds: float = LIVE, pause: int = 0, slice_: int = 0
) -> None:
    """Have a microphone hear a voice from tick 20 on, a block a tick, with a pause in its middle."""
    samples = talker.voice(seconds, pauses=())
    half, block, sent = len(samples) // 2, RATE // 60, 0
    for k in range(count):
        voice = k >= 20 and sent < len(samples) and not (pause and half <= sent and k < 20 + half // block + pause)
        world.avatar.heard(samples[sent : sent + block] if voice else np.zeros(block))
        sent += block if voice else 0
        tick(world, session, 1, slice_)


@pytest.fixture
def listening(first: headless.World) -> Callable[..., headless.World]:
    """Return a world in training whose voice is a microphone."""

    def make(mode: str = "training") -> headless.World:
        config = dataclasses.replace(first.config, run=dataclasses.replace(first.config.run, mode=mode))
        world = headless.World(seed=4, config=config)
        world.avatar = headless.spawn(world, first.avatar.body, headless.load_corpus(), first)
        world.avatar.listen()
        return world

    return make


def test_a_phrase_of_her_live_voice_is_captured_and_changes_no_bit_of_her(
    listening: Callable[..., headless.World], store: Store
) -> None:
    """From its first sound on, once, and the copy hears the same samples at the same ticks: else it is let go."""
    plain, graded = listening(), listening()
    session = Session(graded, store)
    hear_live(plain, None, 160)
    hear_live(graded, session, 160, slice_=3)
    while session.work(1000):
        pass
    assert plain.digests() == graded.digests()
    assert session.missed == {}
    (outcome,) = session.outcomes
    assert outcome.said.text == ""
    assert outcome.said.seconds == pytest.approx(LIVE, abs=0.35)  # its gate opens late and holds over stops
    assert 20 <= outcome.said.first <= 40
    assert outcome.run.face.max() > 0.2  # her copy's mouth speaks


@pytest.mark.long
def test_a_live_voice_that_pauses_for_less_than_half_a_second_says_one_thing(
    listening: Callable[..., headless.World], store: Store
) -> None:
    for pause, things in ((20, 1), (75, 2)):  # ticks
        world = listening()
        session = Session(world, store)
        hear_live(world, session, 350, seconds=3.4, pause=pause)
        assert (len(session._ready), session.missed) == (things, {})
        session.end()


@pytest.mark.long
def test_samples_that_a_copy_does_not_hear_are_missed_before_anything_is_drawn(
    listening: Callable[..., headless.World], store: Store
) -> None:
    world = listening()
    session = Session(world, store)
    hear_live(world, session, 200)
    events = session._ready[0].events
    at = next(k for k, (_, event) in enumerate(events) if event.kind == "audio" and k > 20)
    del events[at]
    while session.work(1000):
        pass
    assert session.missed == {"her copy came to other bits than she did": 1}
    assert not store.path.exists()


@pytest.mark.parametrize("mode", ["private", pytest.param("public", marks=pytest.mark.long)])
def test_a_live_voice_in_private_or_public_is_not_captured(
    listening: Callable[..., headless.World], store: Store, mode: str
) -> None:
    world = listening(mode)
    session = Session(world, store)
    hear_live(world, session, 60)
    assert not session.is_busy
    assert world.inbox.taps == []
    world.inbox.post("mode", mode="training")
    hear_live(world, session, 60)  # and goes on while training is begun
    assert len(session._open) == 1
