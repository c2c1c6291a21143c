"""What she says is lived through again on a copy, with one thing swapped, and she never knows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest
import talker
from graded import TICKS, tick

from kinesics.components.config import Config
from kinesics.components.errors import GradingError
from kinesics.components.fence import Fence
from kinesics.components.speech import RATE
from kinesics.components.voice import Voice
from kinesics.components.world import World
from kinesics.systems import headless
from kinesics.systems.figures import Recorder, Run
from kinesics.systems.grading import Session, Store, layers, moments
from kinesics.systems.grading.capture import Capture
from kinesics.systems.grading.copy import Lived, live
from kinesics.systems.schedule import TICK

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
SECONDS = 1.6


@pytest.fixture(scope="module")
def voice() -> tuple[np.ndarray, int]:
    return talker.voice(SECONDS, pauses=()), RATE


@pytest.fixture
def spoken(first: headless.World, voice: tuple[np.ndarray, int]) -> Callable[..., headless.World]:
    """Return a world in training in which she was just asked to say something."""

    def make(mode: str = "training", **run: object) -> headless.World:
        config = Config.default()
        config = dataclasses.replace(config, run=dataclasses.replace(config.run, mode=mode, **run))
        world = headless.World(seed=4, config=config)
        world.avatar = headless.spawn(world, first.avatar.body, headless.load_corpus(), first)
        world.avatar.say(voice, text="as it was said")
        return world

    return make


_LONG = [pytest.param(name, marks=pytest.mark.long) for name in ("looking ahead", "a head in shadow", "a head live")]
SHOWN = "what she showed"


@pytest.fixture(scope="module", params=["as it is", *_LONG])
def lived(request: pytest.FixtureRequest, first: headless.World) -> tuple[Run, Capture, dict[str, Lived]]:
    """A second of the shipped sentence that bends her arms into her, then stopped; copies of it through each layer.

    Those of the layer that she runs herself stand there a second time, as SHOWN.
    """
    ahead = 18 if request.param == "looking ahead" else 0
    config = dataclasses.replace(first.config, run=dataclasses.replace(first.config.run, lookahead=ahead))
    world = headless.World(seed=1, config=config)
    world.avatar = headless.spawn(world, first.avatar.body, headless.load_corpus(), first)
    if request.param.startswith("a head "):
        world.avatar.fence(request.param.removeprefix("a head in ").removeprefix("a head "))
    world.avatar.say(headless.HELLO)
    for _ in range(280):
        world.step(TICK)
    voice, recorder = world.get(world.avatar.entity, Voice), Recorder(world)
    capture = Capture.begin(world, world.avatar.entity, voice)
    world.inbox.taps.append(capture.events)
    for k in range(120):
        if k == 80:
            world.avatar.stop()
        world.step(TICK)
        recorder.record(world)
        capture.follow(world, voice)
        if capture.is_whole:
            break
    out = {}
    mine = "head " if request.param == "a head live" else "rule"
    for layer in layers(capture.world, world.avatar.entity):
        copy = capture.world.copy()
        for event in layer.events:
            copy.inbox.post(event.kind, event.avatar, **event.data)
        steps = live(copy, capture)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                out[layer.name] = end.value()
                break
        if layer.name.startswith(mine):
            out[SHOWN] = out[layer.name]
            if not layer.events:
                assert copy.digests() == capture.digests
    return recorder.run(), capture, out


def test_a_copy_with_nothing_swapped_shows_what_she_showed_to_the_last_bit(
    lived: tuple[Run, Capture, dict[str, Lived]],
) -> None:
    run, _, copies = lived
    again = copies[SHOWN].run
    assert again.ticks == run.ticks == 111
    for name in ("rotation", "root", "position", "face", "window", "depth_mm"):
        assert np.array_equal(getattr(again, name), getattr(run, name)), name


def test_the_motion_before_any_rule_is_the_same_whatever_was_drawn(
    lived: tuple[Run, Capture, dict[str, Lived]],
) -> None:
    """So the moments that are shown, which come of it, tell nothing."""
    _, _, copies = lived
    rule = copies.pop("rule")
    assert rule.run.raw_rotation is not None
    for name, other in copies.items():
        assert other.run.raw_rotation is not None
        assert np.array_equal(other.run.raw_rotation, rule.run.raw_rotation), name
        assert np.array_equal(other.raw, rule.raw), name
        assert np.array_equal(other.run.window, rule.run.window), name
    copies["rule"] = rule


def test_a_head_that_she_runs_is_drawn_too_and_puts_its_proposals_in(
    lived: tuple[Run, Capture, dict[str, Lived]], request: pytest.FixtureRequest
) -> None:
    _, _, copies = lived
    is_there = "a head " in request.node.name
    heads = [name for name in copies if name.startswith("head ")]
    assert len(heads) == is_there
    for name in heads:
        seen = copies[name]
        assert seen.has_rule
        assert np.abs(seen.run.position - copies["rule"].run.position).max() > 1e-4  # m: it is not the rule alone
        assert seen.run.depth_mm.max() <= 10.0  # with the rule after it


def test_without_a_layer_her_arms_are_where_the_motion_has_them(lived: tuple[Run, Capture, dict[str, Lived]]) -> None:
    """Swapped in one tick: nothing of the rule's correction is left, and what the rule moved is seen to differ."""
    _, _, copies = lived
    none, rule = copies["none"], copies["rule"]
    wrists = [none.run.joint(name) for name in ("leftHand", "rightHand")]
    assert np.abs(none.run.position[:, wrists] - none.raw).max() < 1e-9  # m
    away = np.linalg.norm(rule.run.position[:, wrists] - none.run.position[:, wrists], axis=-1)
    assert away.max() > 1e-3  # m: this sentence is one that the rule has work with
    assert away.max() == pytest.approx(1e-3 * rule.run.moved_mm.max(), abs=2e-4)


def test_grading_changes_no_bit_of_her(spoken: Callable[..., headless.World], store: Store) -> None:
    """Captured, replayed a slice a tick, drawn: her world is the one that nobody graded."""
    plain, graded = spoken(), spoken()
    session = Session(graded, store)
    tick(plain, None)
    tick(graded, session, slice_=3)
    while session.work(1000):
        pass
    assert [outcome.said.text for outcome in session.outcomes] == ["as it was said"]
    assert plain.digests() == graded.digests()


@pytest.mark.parametrize(
    "what",
    [
        pytest.param("no rule", marks=pytest.mark.long),
        pytest.param("a head live", marks=pytest.mark.long),
        "a head live that forgets",
    ],
)
def test_what_she_runs_herself_is_held_against_her_before_anything_is_drawn(
    spoken: Callable[..., headless.World], store: Store, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy that goes another way than she did is no copy of her: nothing is swapped on it yet."""
    world = spoken(**({"layers": ("corpus", "reflex")} if what == "no rule" else {}))
    if "head" in what:
        world.avatar.fence("live")
    session = Session(world, store)
    if what.endswith("forgets"):
        whole = World.copy

        def forgets(self: World) -> World:
            twin = whole(self)
            twin.get(world.avatar.entity, Fence).memory[:] = 0.0
            return twin

        monkeypatch.setattr(World, "copy", forgets)
    tick(world, session)
    while session.work(1000):
        pass
    if what.endswith("forgets"):
        assert session.missed == {"her copy came to other bits than she did": 1}
        assert not store.path.exists()
        return
    assert session.missed == {}
    assert len(session.outcomes) == 1


def test_what_is_handed_out_tells_nothing_but_how_she_moved(
    spoken: Callable[..., headless.World], store: Store
) -> None:
    world = spoken()
    session = Session(world, store)
    tick(world, session)
    while session.work(7):
        pass
    (outcome,) = session.outcomes
    run = outcome.run
    assert run.about == {}
    assert run.raw_rotation is None
    for name in ("depth_raw_mm", "depth_mm", "moved_mm", "tick_us"):
        assert not getattr(run, name).any(), name
    assert np.isfinite(run.position).all()
    assert outcome.moments.tolist() == sorted(set(outcome.moments.tolist()))
    assert 5 <= len(outcome.moments) <= 8
    assert outcome.moments[-1] < run.ticks
    assert outcome.said.seconds == pytest.approx(SECONDS)
    assert store.next() is None  # until its strips are there
    session.show(outcome.id, [])
    asked = store.next()
    assert asked is not None
    assert asked.said == outcome.said


def test_a_slice_of_work_is_no_longer_than_asked(spoken: Callable[..., headless.World], store: Store) -> None:
    world = spoken()
    session = Session(world, store)
    tick(world, session)
    ticks: list[int] = []

    def ready(copy: World) -> bool:
        ticks.append(copy.tick)
        return True

    session.work(5, ready)
    assert len(ticks) <= 5
    assert session.work(5, lambda copy: False)  # a copy that waits for a search: later
    assert session.is_busy
    while session.work(5, ready):
        pass
    assert len(ticks) == pytest.approx(2 * session.outcomes[0].run.ticks, abs=6)  # with the rule, and as drawn


@pytest.mark.parametrize("mode", ["private", "public"])
def test_nothing_said_in_private_or_public_is_captured(
    spoken: Callable[..., headless.World], store: Store, mode: str
) -> None:
    world = spoken(mode=mode)
    session = Session(world, store)
    tick(world, session, slice_=3)
    assert not session.is_busy
    assert not session.outcomes
    assert not store.path.exists()
    assert world.inbox.taps == []


@pytest.mark.parametrize(
    ("mode", "when"),
    [
        ("public", "while she speaks"),
        ("public", "while it is replayed"),
        ("public", "while its strips are drawn"),
        ("private", "while it is replayed"),
    ],
)
def test_leaving_training_ends_a_replay_clean(
    spoken: Callable[..., headless.World], store: Store, mode: str, when: str
) -> None:
    world = spoken()
    session = Session(world, store)
    tick(world, session, 40 if when == "while she speaks" else TICKS)
    drawn = []
    if when == "while it is replayed":
        session.work(200)
        assert session.live
        drawn = list(session.live)
    if when == "while its strips are drawn":
        while session.work(1000):
            pass
        drawn = [outcome.id for outcome in session.outcomes]
        assert drawn
    world.inbox.post("mode", mode=mode)
    tick(world, session, 2, slice_=100)
    assert not session.is_busy
    assert not session.outcomes
    assert not session.live
    assert world.inbox.taps == []
    for number in drawn:
        with pytest.raises(GradingError, match="no longer wanted"):
            session.show(number, [])
    assert store.waiting() == []
    world.inbox.post("mode", mode="training")
    tick(world, session, 2)
    assert not session.is_busy or when == "while she speaks"  # what was half said before is not taken up
    assert not session.live


def test_a_sentence_during_which_settings_change_is_let_go(spoken: Callable[..., headless.World], store: Store) -> None:
    world = spoken()
    session = Session(world, store)
    tick(world, session, 40)
    world.inbox.post("config", config=dataclasses.replace(world.config))
    tick(world, session, TICKS - 40, slice_=3)
    assert session.missed == {"settings changed while she spoke": 1}
    assert not session.outcomes


def test_a_sentence_that_is_stopped_at_once_is_not_shown(spoken: Callable[..., headless.World], store: Store) -> None:
    world = spoken()
    session = Session(world, store)
    tick(world, session, 20)
    world.avatar.stop()
    tick(world, session, 60, slice_=3)
    assert session.missed == {"too short": 1}


def test_what_was_half_said_when_training_began_is_not_taken_up(
    spoken: Callable[..., headless.World], store: Store
) -> None:
    """A host makes its session when training is begun."""
    world = spoken()
    tick(world, None, 40)
    session = Session(world, store)
    tick(world, session, 2)
    assert not session.is_busy


@pytest.mark.long
def test_two_sentences_in_a_row_are_two_things_to_grade(
    spoken: Callable[..., headless.World], store: Store, voice: tuple[np.ndarray, int]
) -> None:
    world = spoken()
    world.avatar.say(voice, text="and again")
    session = Session(world, store)
    tick(world, session, TICKS + 100, slice_=6)
    while session.work(1000):
        pass
    assert [outcome.said.text for outcome in session.outcomes] == ["as it was said", "and again"]
    assert session.missed == {}


def test_what_is_shown_is_evenly_timed_and_where_the_motion_goes_deepest() -> None:
    depth, raw = np.zeros(300), np.zeros((300, 2, 3))
    depth[200], depth[90] = 20.0, 10.0
    raw[140:, 1, 0] = 0.1  # one fast step where nothing is deep
    chosen = moments(depth, raw).tolist()
    assert {200, 90, 140} <= set(chosen)
    assert len(chosen) == 8
    assert min(np.diff(chosen)) >= 12  # ticks: no two that show the same
    assert max(np.diff([0, *chosen, 299])) <= 60  # a fifth of it: nothing long goes unseen
    still = moments(np.zeros(300), np.zeros((300, 2, 3)))
    assert len(still) == 8
    assert len(moments(np.zeros(3), np.zeros((3, 2, 3)))) == 1
