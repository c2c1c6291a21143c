"""Sentences on her: they come in, flow into each other, give way, and nothing she does ever jumps."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import talker
from smooth_model import SmoothModel

from kinesics.components.anatomy import ARM_SLOTS, SLOTS
from kinesics.components.carry import Carry
from kinesics.components.config import Config
from kinesics.components.gesture import Lost
from kinesics.components.mode import Mode
from kinesics.components.motion import Motion
from kinesics.components.outbox import Outbox
from kinesics.components.plan import Plan
from kinesics.components.preview import Preview
from kinesics.components.sentences import Sentences
from kinesics.components.speech import RATE
from kinesics.components.voice import Voice
from kinesics.systems import headless
from kinesics.systems.figures import Run, replay
from kinesics.systems.figures.report import jerk, speed
from kinesics.systems.kernels.sentence import SHARE
from kinesics.systems.schedule import TICK
from kinesics.systems.speech_gesture.link import Here, Link
from kinesics.systems.speech_gesture.session import Sessions

LIMIT = Config.default().sentence.limit_deg_s
DUE = 24  # ticks from asking to the first motion, in a run that waits


def settings(weights: str = "numbers", **sentence: Any) -> Config:
    plain = Config.default()
    return dataclasses.replace(plain, sentence=dataclasses.replace(plain.sentence, weights=weights, **sentence))


def her(model: SmoothModel | None = None, config: Config | None = None) -> headless.World:
    """Return a world with a figure made of numbers and a model of numbers behind it."""
    world = headless.world(talker.body(), talker.corpus(), config=config or settings(), with_model=False)
    world.link = Link(Here(Sessions(model or SmoothModel())), waits=True)
    return world


def sentences(world: headless.World) -> Sentences:
    found = world.get(0, Plan).sentences
    assert found is not None
    return found


class Watch:
    """What each tick showed of the layer: utterance, whether it is on, its share."""

    def __init__(self) -> None:
        self.playing: list[int] = []
        self.is_on: list[bool] = []
        self.share: list[float] = []
        self.corpus: list[float] = []
        self.serial: list[int] = []

    def __call__(self, world: Any) -> None:
        found, slots = sentences(world), world.get(0, Preview).slots
        self.playing.append(found.playing.id if found.playing is not None else 0)
        self.is_on.append(found.is_on)
        self.serial.append(found.serials)
        self.share.append(slots[0].sentence_share if slots else 0.0)
        self.corpus.append(float(np.abs(slots[0].corpus).max()) if slots else 0.0)


def arm_speed(run: Run) -> np.ndarray:
    joints = [run.joint(SLOTS[k]) for k in ARM_SLOTS]
    return np.concatenate([[0.0], speed(run.rotation[:, joints]).max(axis=1)])


def test_without_weights_nothing_of_it_is_there() -> None:
    plain = headless.world(talker.body(), talker.corpus())
    assert plain.link is None
    assert plain.get(0, Plan).sentences is None
    assert plain.get(0, Carry).data.size == Carry().data.size
    assert "sentence" not in headless.run(plain, 0.1).about["layers"]


def test_her_motion_comes_in_at_the_time_she_is_at_and_the_corpus_is_gone_in_it() -> None:
    world, watch = her(), Watch()
    world.avatar.say((talker.voice(6.0), RATE))
    run = headless.run(world, 5.0, before=watch)
    first = watch.is_on.index(True)
    assert first == DUE + 1  # seen before the tick after
    assert watch.share[first + 20] == 1.0
    assert max(watch.corpus[first + 20 :]) == 0.0
    assert 0.2 < watch.share[first + 8] < 0.9  # eased, no switch
    assert "sentence" in run.about["layers"]
    assert run.about["sentence"]["first_motion_s"] == pytest.approx(DUE / 60.0)
    assert arm_speed(run).max() <= LIMIT
    playing = sentences(world).playing
    assert playing is not None
    assert playing.is_whole


def test_noise_takes_longer_and_never_goes_beyond_the_limit() -> None:
    world = her(SmoothModel(size=6.0, slow=0))
    world.avatar.say((talker.voice(6.0), RATE))
    run = headless.run(world, 6.0)
    found = arm_speed(run)
    assert np.percentile(found[60:300], 50) > 0.5 * LIMIT  # it is noise
    assert found.max() <= LIMIT + 1.0
    assert all(np.isfinite(a).all() for a in (run.rotation, run.position, run.root))


def five(world: headless.World) -> tuple[Run, Watch]:
    watch = Watch()
    for k, seconds in enumerate((3.0, 1.5, 5.0, 2.2, 4.1)):
        world.avatar.say((talker.voice(seconds, pauses=(), seed=k), RATE))
    return headless.run(world, before=watch), watch


def test_five_sentences_flow_into_each_other() -> None:
    world = her(SmoothModel(slow=1))  # as lively as a recorded talker: jerk p95 1.2 mm/frame^3, one take has 1.8
    run, watch = five(world)
    on = np.array(watch.is_on)
    begun = np.flatnonzero(np.diff(np.array(watch.serial)))
    assert sentences(world).sentences == 5
    assert len(begun) == 5
    assert on[begun[0] + 1 : begun[-1] + 60].all()  # no restart at the seams
    found, jerks = arm_speed(run), jerk(run, [run.joint("leftHand"), run.joint("rightHand")]).max(axis=1)
    seam = np.zeros(run.ticks, bool)
    for at in begun[1:]:
        seam[at - 1 : at + 30] = True
    inside = np.array(watch.share[1:] + watch.share[-1:]) >= 1.0
    inside &= ~seam
    inside[: begun[0] + 40] = False
    assert found[seam].max() <= 1.1 * found[inside].max()
    assert np.percentile(jerks[seam[3:]], 95) <= 1.1 * np.percentile(jerks[inside[3:]], 95)


def test_the_next_sentence_is_asked_for_before_the_last_ends_and_begins_from_its_end() -> None:
    model = SmoothModel()
    world = her(model)
    world.avatar.say((talker.voice(3.0), RATE))
    world.avatar.say((talker.voice(2.0, seed=4), RATE))
    headless.run(world, 2.0)
    assert world.get(0, Voice).current is not None
    assert world.get(0, Voice).current.id == 1  # type: ignore[union-attr]
    waiting = sentences(world).waiting
    assert waiting is not None
    assert (waiting.id, waiting.is_whole) == (2, True)
    assert model.calls == 2
    assert not np.allclose(model.seeds[1], model.rest_seed)


@pytest.mark.long
def test_the_same_run_twice_gives_the_same_bits() -> None:
    assert five(her())[0].about["digest"] == five(her())[0].about["digest"]


@pytest.mark.long
def test_a_replay_needs_no_model(tmp_path: Path) -> None:
    world = headless.world(config=settings(), with_model=False)
    world.link = Link(Here(Sessions(SmoothModel())), waits=True)
    tape = headless.tape(world)
    world.avatar.say((talker.voice(2.0), RATE))
    done = headless.run(world, 1.5, tape)
    replay.save(tape, tmp_path / "run.npz")
    first, again = headless.replay(tmp_path / "run.npz")
    assert first is None
    assert again.about["digest"] == done.about["digest"]
    assert again.about["sentence"]["sentences"] == 1


def hands_over(world: headless.World, change: Any, *, speaks: bool) -> None:
    """Check that she goes from a sentence to the matcher without a jump after a change, and how soon."""
    headless.run(world, 2.0)
    assert sentences(world).is_on
    change()
    watch = Watch()
    run = headless.run(world, 2.0, before=watch)
    assert not watch.is_on[1]  # at the next tick's boundary
    assert watch.share[14] == 0.0  # 0.2 s, and the tick that it is seen on
    found = arm_speed(run)
    assert found.max() <= 150.0  # it comes to rest; no jump, though the rows under it were elsewhere
    if speaks:
        assert (run.window[:13] >= 0).any()  # the matcher's next row, within 0.2 s
        assert run.fade[30] < 1.0 or run.window[30] >= 0


def test_stop_gives_way_at_once_and_her_arms_sink() -> None:
    world = her()
    world.avatar.say((talker.voice(6.0), RATE))
    hands_over(world, world.avatar.stop, speaks=False)
    headless.run(world, 4.0)
    assert world.get(0, Plan).picks[-1].pose is None  # hanging, not held for ever


def test_public_switches_it_off_at_a_tick_boundary() -> None:
    world = her()
    world.avatar.say((talker.voice(6.0), RATE))
    hands_over(world, lambda: world.inbox.post("mode", mode=Mode.PUBLIC.value), speaks=True)
    world.avatar.say((talker.voice(2.0), RATE), interrupt=True)
    headless.run(world, 1.0)
    assert not sentences(world).asks
    assert not sentences(world).is_on


@pytest.mark.long
def test_a_microphone_switches_it_off() -> None:
    world = her()
    world.avatar.say((talker.voice(6.0), RATE))
    hands_over(world, world.avatar.listen, speaks=False)


def test_a_model_that_dies_leaves_her_to_the_matcher_when_its_motion_is_out() -> None:
    world, watch = her(), Watch()
    world.avatar.say((talker.voice(8.0, pauses=()), RATE))

    def kill(now: Any) -> None:
        watch(now)
        if now.tick == 120:
            assert world.link is not None
            host = world.link.host
            host.cancel(0)
            host.state = "dead"

    model = SmoothModel()
    world.link = Link(_Slow(Sessions(model)), waits=False)
    run = headless.run(world, 7.0, before=kill)
    assert model.calls == 1
    off = len(watch.is_on) - watch.is_on[::-1].index(True)
    assert 200 <= off <= 2 * 112 + 60
    assert (run.window[off : off + 12] >= 0).any()
    assert arm_speed(run)[off - 5 :].max() <= 150.0
    assert sentences(world).late == 1


class _Slow(Here):
    """One window, then nothing for as long as nobody waits."""

    def ask(self, sentence: Any) -> None:
        super().ask(sentence)
        self.wait(0.0)


@pytest.mark.long
def test_a_window_that_comes_late_joins_at_its_own_time() -> None:
    world, watch = her(), Watch()
    world.link = Link(_Slow(Sessions(SmoothModel())), waits=False)
    world.avatar.say((talker.voice(8.0, pauses=()), RATE))

    def late(now: Any) -> None:
        watch(now)
        if now.tick == 280:
            assert world.link is not None
            world.link.host.wait(0.0)

    run = headless.run(world, 6.5, before=late)
    on = np.array(watch.is_on)
    assert (on[30], on[270], on[290]) == (True, False, True)
    assert float(world.get(0, Carry).view("sentence_clock")[0]) == pytest.approx(world.tick, abs=1.5)
    assert arm_speed(run).max() <= LIMIT


@pytest.mark.long
def test_a_new_sentence_takes_the_place_of_one_that_is_said() -> None:
    model = SmoothModel()
    world, watch = her(model), Watch()
    world.avatar.say((talker.voice(8.0, pauses=()), RATE))
    headless.run(world, 2.0)
    world.avatar.say((talker.voice(3.0, seed=8), RATE), interrupt=True)
    run = headless.run(world, 2.0, before=watch)
    assert sentences(world).playing is not None
    assert sentences(world).playing.id == 2  # type: ignore[union-attr]
    assert watch.is_on[DUE + 3]
    assert arm_speed(run).max() <= LIMIT
    assert not np.allclose(model.seeds[-1], model.rest_seed)  # from where she was


def test_she_may_be_removed_while_a_reply_is_on_its_way() -> None:
    world = her()
    other = headless.spawn(world, talker.body(), talker.corpus())
    world.avatar.say((talker.voice(4.0), RATE))
    other.say((talker.voice(4.0), RATE))
    assert world.link is not None
    for tick in range(60):
        if tick == 10:
            world.remove(0)
        world.link.before(world)
        world.step(TICK)
    assert world.get(other.entity, Plan).sentences.is_on  # type: ignore[union-attr]


@pytest.mark.parametrize("what", ["shape", "nan", "gap", "stale"])
def test_motion_that_cannot_be_shown_is_left_out(what: str) -> None:
    world = her()
    world.link = None
    world.avatar.say((talker.voice(4.0), RATE))
    motion, number, frame = np.zeros((40, 43, 3), np.float32), 1, 0
    if what == "shape":
        motion = np.zeros((40, 42, 3), np.float32)
    elif what == "nan":
        motion[3, 7, 1] = np.nan
    elif what == "gap":
        frame = 5
    else:
        number = 7
    for tick in range(30):
        if tick == 5:
            world.inbox.post("motion", 0, id=number, frame=frame, motion=motion, is_last=True)
        world.step(TICK)
    assert not sentences(world).is_on
    assert np.isfinite(world.get(0, Preview).slots[0].rotation).all()


@pytest.mark.long
@pytest.mark.parametrize(("lead_ms", "begins"), [(0.0, 0), (200.0, 12), (1000.0, DUE + 1)])
def test_voice_and_lips_wait_for_her_motion_as_long_as_they_are_told_to(lead_ms: float, begins: int) -> None:
    world = her(config=settings(lead_ms=lead_ms))
    world.avatar.say((talker.voice(2.0), RATE))
    heard: list[bool] = []
    run = headless.run(world, 1.0, before=lambda now: heard.append(now.get(0, Voice).current is not None))
    assert heard.index(True) - 1 == begins
    if begins > DUE:  # both begin together
        assert sentences(world).first_s == 0.0
    assert run.about["sentence"]["sentences"] == 1


@pytest.mark.long
def test_dropping_what_was_looked_ahead_changes_no_bit() -> None:
    def digest(drops: bool) -> str:
        plain = settings()
        world = her(config=dataclasses.replace(plain, run=dataclasses.replace(plain.run, lookahead=7)))
        draw = np.random.default_rng(3)
        world.avatar.say((talker.voice(2.5), RATE))
        world.avatar.say((talker.voice(2.0, seed=4), RATE))

        def drop(now: Any) -> None:
            if drops and draw.random() < 0.2:
                now.get(0, Preview).drop()

        return str(headless.run(world, 5.0, before=drop).about["digest"])

    assert digest(True) == digest(False)


def test_lost_motion_is_said_once() -> None:
    world = her()
    world.avatar.say((talker.voice(4.0), RATE))

    class Loses(Here):
        def wait(self, seconds: float) -> bool:
            self._made += [Lost(1, 0, "planted")] if self._running else []
            self._running.clear()
            return True

    world.link = Link(Loses(Sessions(SmoothModel())), waits=True)
    headless.run(world, 1.0)
    assert "sentence: planted" in world.get(0, Outbox).degraded
    assert not sentences(world).is_on


@pytest.mark.long
def test_her_gains_turn_it_and_the_torso_shows_less() -> None:
    motion = her().get(0, Motion)
    headless.run(world := her(config=settings(head=0.5)), 0.1)
    gain = world.get(0, Motion).sentence_gain
    assert gain[SLOTS.index("head")] == 0.5
    assert gain[SLOTS.index("chest")] == 0.3
    assert gain[SLOTS.index("leftHand")] == 1.0
    assert motion.sentence_gain.shape == (43,)


@pytest.mark.long
def test_looking_ahead_shows_the_same() -> None:
    def poses(ahead: int) -> np.ndarray:
        plain = settings()
        world = her(config=dataclasses.replace(plain, run=dataclasses.replace(plain.run, lookahead=ahead)))
        world.avatar.say((talker.voice(3.0), RATE))
        return headless.run(world, 2.0).rotation

    assert np.abs(poses(0) - poses(6)).max() < 0.02


def test_the_share_is_in_the_carry_that_is_copied() -> None:
    world = her()
    world.avatar.say((talker.voice(3.0), RATE))
    headless.run(world, 1.5)
    twin = world.copy()
    assert twin.digest() == world.digest()
    assert twin.get(0, Carry).view("sentence_clock")[SHARE] == 1.0
