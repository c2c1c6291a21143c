"""The corpus layer: never faster, never farther than the gates, never cut short, quiet when she is."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import talker

from kinesics.components.config import Config
from kinesics.components.errors import CorpusError
from kinesics.components.motion import Motion
from kinesics.components.plan import Plan
from kinesics.components.preview import Preview
from kinesics.components.speech import RATE
from kinesics.systems import figures, headless, matcher
from kinesics.systems.matcher import choose, query
from kinesics.systems.schedule import TICK
from kinesics.systems.voice.analyse import analyse


@pytest.fixture(scope="module")
def talk() -> figures.Run:
    """Forty seconds of talk with pauses, then ten of silence."""
    world = headless.world(talker.body(), talker.corpus(), seed=1)
    for k in range(4):
        world.avatar.say((talker.voice(10.0, pauses=((3.0, 3.5), (6.0, 7.4)), seed=k), RATE))
    return headless.run(world, 50.0)


def test_her_arms_never_exceed_the_gates(talk: figures.Run) -> None:
    shown = figures.report(talk)
    assert shown["corpus_speed_deg_s_max"] <= 90.0 + 1e-3, "deg/s"
    assert shown["jump_deg_max"] <= 55.0, "deg"
    assert shown["fades_interrupted"] == 0
    assert shown["non_finite"] == 0
    assert shown["windows_used"] >= 20


def test_what_shows_is_as_slow_as_what_was_gated(talk: figures.Run) -> None:
    """The springs and the reflex may not add speed that the gate did not see: 5 deg/s of reflex on top at most."""
    assert figures.report(talk)["arm_speed_deg_s"]["max"] <= 95.0


def test_no_row_is_picked_while_a_fade_runs(talk: figures.Run) -> None:
    picks = np.flatnonzero((talk.jump_deg > 0.0) | np.r_[False, np.diff(talk.window) != 0])
    fade_ends = [k for k in range(1, talk.ticks) if talk.fade[k] < talk.fade[k - 1] and talk.fade[k - 1] < 0.97]
    assert picks.size > 20
    assert fade_ends == []


def test_she_moves_when_she_speaks_and_is_quiet_when_she_is_not(talk: figures.Run) -> None:
    wrists = [talk.joint("leftHand"), talk.joint("rightHand")]
    moved = np.linalg.norm(np.diff(talk.position[:, wrists], axis=0), axis=2).mean(axis=1) * 60e3
    voice, after = moved[: 40 * 60], moved[45 * 60 :]
    assert voice.mean() >= 3.0 * after.mean(), "mm/s"
    assert after.mean() > 0.5, "mm/s: she breathes, she is no statue"


def test_a_row_is_not_shown_again_within_its_history(talk: figures.Run) -> None:
    rows = talk.window[np.flatnonzero(np.r_[True, np.diff(talk.window) != 0])]
    rows = rows[rows >= 0]
    assert len(set(rows[:20].tolist())) == 20


def test_a_corpus_too_fast_for_the_gains_is_refused_with_the_numbers() -> None:
    config = Config.default()
    config = dataclasses.replace(config, gates=dataclasses.replace(config.gates, speed_deg_s=1.0))
    with pytest.raises(CorpusError, match=r"corpus: \d+ of \d+ rows stay under 1 deg/s .* 60 are needed"):
        headless.world(talker.body(), talker.corpus(), config=config)


def test_a_voice_of_pure_noise_and_one_of_nothing_move_nobody_out_of_bounds() -> None:
    for pcm in (np.random.default_rng(1).uniform(-1, 1, 5 * RATE).astype(np.float32), np.zeros(5 * RATE, np.float32)):
        world = headless.world(talker.body(), talker.corpus(), seed=2)
        world.avatar.say((pcm, RATE))
        shown = figures.report(headless.run(world, 7.0))
        assert shown["non_finite"] == 0
        assert shown["corpus_speed_deg_s_max"] <= 90.0 + 1e-3


def test_a_stop_brings_her_to_rest_without_a_jerk() -> None:
    world = headless.world(talker.body(), talker.corpus(), seed=4)
    utterance = world.avatar.say((talker.voice(8.0, pauses=()), RATE))
    recorder = figures.Recorder(world)
    for tick in range(600):
        if tick == 200:
            utterance.stop()
        world.step(TICK)
        recorder.record(world)
    run = recorder.run()
    wrists = [run.joint("leftHand"), run.joint("rightHand")]
    speed = np.linalg.norm(np.diff(run.position[:, wrists], axis=0), axis=2).max(axis=1) * 60e3
    assert figures.report(run)["corpus_speed_deg_s_max"] <= 90.0 + 1e-3
    assert speed[-60:].max() < 30.0, "mm/s: at rest"
    assert run.window[-1] == -1


def test_the_second_to_come_is_what_will_be_heard() -> None:
    speech = analyse(talker.voice(4.0), RATE)
    envelope, timbre, has = query.second_to_come(speech, 1.0)
    assert has
    assert timbre.shape == (13,)
    np.testing.assert_allclose(envelope, speech.envelope[60:120] - speech.envelope[60:120].mean(), atol=1e-5)
    beyond, _, has_after = query.second_to_come(speech, 9.0)
    assert not has_after
    assert np.abs(beyond).max() < 1e-9
    half, _, _ = query.second_to_come(speech, speech.seconds - 0.5)
    assert half[:25].mean() > half[35:].mean(), "the end is silence"


def test_the_row_that_fits_is_found_when_her_voice_is_the_clips_own() -> None:
    """Rows carry their own voice: asked with exactly one row's second, that row ranks first by audio and timbre."""
    world = headless.world(talker.body(), talker.corpus(), seed=1)
    motion, index = world.get(0, Motion), world.get(0, matcher.Index)
    repertoire = motion.repertoire
    assert repertoire is not None
    found = 0
    for row in range(100, 2000, 53):
        if not index.choice[row] or not repertoire.row_voiced[row]:
            continue
        from kinesics.systems.kernels import search

        search.best(
            index.packed, index.legal, repertoire.row_pose[row].astype(np.float64),
            repertoire.row_envelope[row].astype(np.float64), repertoire.row_timbre[row].astype(np.float64),
            True, np.pi, index.work, index.rows, index.ranks, index.jump,
        )  # fmt: skip
        assert index.rows[0] == row
        found += 1
    assert found >= 5


def test_nothing_lands_where_it_was_authored_unless_the_layers_under_it_yield() -> None:
    """The corpus' pose is reached exactly only with the reflex off; with it on, breath and sway come on top."""
    wrists = {}
    for layers in (("corpus",), ("corpus", "reflex")):
        config = Config.default()
        config = dataclasses.replace(config, run=dataclasses.replace(config.run, layers=layers))
        world = headless.world(talker.body(), talker.corpus(), config=config, seed=1)
        world.avatar.say((talker.voice(5.0), RATE))
        run = headless.run(world, 6.0)
        slot = world.get(0, Preview).slots[0]
        wrists[layers] = run.position[:, run.joint("leftHand")]
        assert (np.abs(slot.reflex).max() == 0.0) == ("reflex" not in layers)
        assert len(world.get(0, Plan).picks) >= 1
    apart = np.linalg.norm(wrists[("corpus",)] - wrists[("corpus", "reflex")], axis=1) * 1e3
    assert apart.max() > 1.0, "mm"


def test_what_is_picked_does_not_depend_on_the_other_layers() -> None:
    """Reflex and face come after or beside the choice: with them off she picks the same rows on the same ticks."""
    rows = {}
    for layers in (("corpus",), ("reflex", "corpus"), ("reflex", "corpus", "face")):
        config = Config.default()
        config = dataclasses.replace(config, run=dataclasses.replace(config.run, layers=layers))
        world = headless.world(talker.body(), talker.corpus(), config=config, seed=6)
        world.avatar.say((talker.voice(6.0), RATE))
        rows[layers] = headless.run(world, 8.0).window
    first, *others = rows.values()
    assert len(set(first.tolist())) >= 5
    assert all(np.array_equal(first, other) for other in others)


def test_a_pick_lost_with_a_copy_of_the_world_is_found_again() -> None:
    """The search is spread over ticks; a copy made in the middle of one must come to the same row."""
    world = headless.world(talker.body(), talker.corpus(), seed=6)
    world.avatar.say((talker.voice(6.0), RATE))
    while world.get(0, Plan).asked is None or world.tick < 90:
        world.step(TICK)
    for _ in range(5):
        world.step(TICK)
    twin = world.copy()
    for _ in range(120):
        world.step(TICK)
        twin.step(TICK)
        assert twin.digest() == world.digest()


def test_she_does_not_speak_with_hanging_arms() -> None:
    """From where she stands the pose rank liked rows that hang: short sentences were spoken with the arms down."""
    world = headless.world(seed=1)
    speech = analyse(talker.voice(6.0, pauses=()), RATE)
    world.avatar.say(speech)
    run = headless.run(world, 6.0)
    hands = [run.joint("leftHand"), run.joint("rightHand")]
    raised = (run.position[:, hands, 1] - run.position[0, hands, 1]).max(axis=1) * 100.0
    assert (raised[120:330] > 6.0).mean() > 0.8, "cm above where they hang, the higher hand"
    assert not run.forced.any()


def test_a_pick_is_the_same_however_many_ticks_share_the_search_for_it() -> None:
    world = headless.world(talker.body(), talker.corpus(), seed=1)
    world.avatar.say((talker.voice(6.0, pauses=()), RATE))
    while (asked := world.get(0, Plan).asked) is None or asked.playing is None:
        world.step(headless.TICK)
    slices, picks = [], []
    motion, index, recent = world.get(0, Motion), world.get(0, matcher.Index), list(world.get(0, Plan).recent)
    for ticks in (1, 7, 36):
        question = dataclasses.replace(asked, tick=asked.due - ticks, known=1)
        work = choose.answer(motion, index, question, recent, world.config)
        count = 0
        try:
            while True:
                next(work)
                count += 1
        except StopIteration as end:
            picks.append(end.value)
        slices.append(count)
    assert picks[0] == picks[1] == picks[2]
    assert picks[0].pick is not None
    assert slices[0] < slices[2] <= 36
