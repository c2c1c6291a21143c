"""A microphone as her voice: she moves while somebody speaks into it, and is still when nobody does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import talker

from kinesics.components.face import Face
from kinesics.components.mode import Mode
from kinesics.components.motion import Motion
from kinesics.components.plan import Plan
from kinesics.components.speech import RATE
from kinesics.components.voice import Voice
from kinesics.systems import figures, headless
from kinesics.systems.figures import replay
from kinesics.systems.schedule import TICK

BLOCK = 480  # samples, 30 ms: what a driver delivers at once


def room(seconds: float, level: float = 2e-4, seed: int = 1) -> np.ndarray:
    return (level * np.random.default_rng(seed).standard_normal(round(seconds * RATE))).astype(np.float32)


def fresh(corpus: bool = True) -> headless.World:
    return headless.world(talker.body(), talker.corpus(), seed=4, with_corpus=corpus)


def listened(world: headless.World, sound: np.ndarray, on: bool = True, tape=None):
    """Hand a sound over as a driver does, block by block as it comes, and return the run and the mouth."""
    if on:
        world.avatar.listen(True)
    recorder, mouth, given = figures.Recorder(world), [], 0
    for tick in range(len(sound) * 60 // RATE):
        while given + BLOCK <= (tick + 1) * RATE // 60:
            world.avatar.heard(sound[given : given + BLOCK])
            given += BLOCK
        world.step(TICK)
        recorder.record(world)
        mouth.append(world.get(0, Face).openness)
        if tape is not None:
            tape.record(world)
    return recorder.run(), np.array(mouth)


def wrist_mm_s(run: figures.Run) -> np.ndarray:
    hands = [run.joint("leftHand"), run.joint("rightHand")]
    return np.linalg.norm(np.diff(run.position[:, hands], axis=0), axis=2).mean(axis=1) * 60e3


def test_she_moves_while_somebody_speaks_and_is_still_when_nobody_does():
    sound = np.concatenate([room(2.0), talker.voice(8.0, pauses=()), room(6.0)])
    run, mouth = listened(fresh(), sound)
    moved = wrist_mm_s(run)
    before, during, after = moved[:115], moved[240:600], moved[-90:]
    assert during.mean() > 3.0 * before.mean()
    assert during.mean() > 3.0 * after.mean()
    assert not run.speaking[:130].any()
    assert run.speaking[180:570].mean() > 0.9
    assert mouth[:120].max() == 0.0
    assert mouth[200:560].max() > 0.5
    shown = figures.report(run)
    assert shown["corpus_speed_deg_s_max"] <= 90.0 + 1e-3
    assert shown["jump_deg_max"] <= 55.0
    assert shown["fades_interrupted"] == 0
    assert shown["windows_used"] >= 4


def test_she_answers_within_half_a_second_of_the_first_syllable():
    run, mouth = listened(fresh(), np.concatenate([room(3.0), talker.voice(3.0, pauses=())[RATE // 4 :]]))
    assert np.flatnonzero(mouth > 0.1)[0] - 180 <= 0.5 * 60  # the first syllable begins within 0.2 s
    assert np.flatnonzero(run.window >= 0)[0] - 180 <= 0.7 * 60


def test_the_mouth_is_closed_100_ms_after_the_voice_falls_silent():
    voice = talker.voice(4.0, pauses=())
    worst = 0.0
    for stop in np.linspace(1.5, 3.2, 9):
        loud = int(stop * RATE)
        loud -= loud % BLOCK
        _, mouth = listened(fresh(corpus=False), np.concatenate([voice[:loud], room(0.5)]))
        # one driver's block and its tick have passed before anybody can know
        worst = max(worst, float(mouth[round(loud / RATE * 60) + 7]))
    assert worst <= 0.05


def test_a_microphone_that_is_pulled_out_in_a_word_leaves_her_silent():
    world = fresh()
    listened(world, talker.voice(3.0, pauses=())[: int(2.4 * RATE)])
    for _ in range(12):
        world.step(TICK)
    assert not world.get(0, Voice).active
    assert world.get(0, Face).openness <= 0.05
    for _ in range(300):
        world.step(TICK)
    assert world.get(0, Plan).picks[-1].row == -1  # her arms sink
    world.avatar.listen(True)  # no news: it is on
    run, _ = listened(world, talker.voice(3.0, pauses=()), on=False)
    assert run.speaking.any()


def test_the_row_is_picked_by_the_second_just_heard():
    """Fed with a clip's own loudness and timbre, the live query is that second of it."""
    world = fresh()
    listened(world, talker.voice(4.0, pauses=()))
    ring = world.get(0, Voice).live
    assert ring is not None
    asked = talker.voice(4.0, pauses=())[int(2.95 * RATE) : int(3.95 * RATE)]
    loud = np.array([np.mean(asked[k : k + 512] ** 2) for k in range(0, len(asked) - 512, 267)])
    shape = 10 * np.log10(loud + 1e-10)
    shape = np.clip(shape, shape.max() - 30, None)
    best = max(np.corrcoef(np.roll(ring.second, k)[8:50], shape[8:50])[0, 1] for k in range(-4, 5))
    assert best > 0.9
    assert ring.has_timbre
    plan = world.get(0, Plan)
    assert plan.picks[-1].ranks[0] >= 0
    assert world.get(0, Motion).repertoire is not None


def test_listening_is_not_public_and_ends_when_told():
    world = fresh(corpus=False)
    listened(world, talker.voice(3.0, pauses=())[: int(2.4 * RATE)])
    assert world.mode is Mode.PRIVATE
    assert world.get(0, Voice).active
    world.avatar.listen(False)
    for _ in range(6):
        world.step(TICK)
    assert not world.get(0, Voice).active
    assert world.get(0, Face).openness <= 0.05
    known = world.get(0, Voice).live.mean.copy()
    world.avatar.heard(talker.voice(1.0))
    world.step(TICK)
    assert not world.get(0, Voice).active
    world.avatar.listen(True)
    world.step(TICK)
    np.testing.assert_array_equal(world.get(0, Voice).live.mean, known)  # whose microphone it is does not change


def test_what_she_says_goes_before_what_she_hears():
    world = fresh(corpus=False)
    world.avatar.say((talker.voice(1.0), RATE))
    run, _ = listened(world, room(1.2))
    assert run.speaking[:50].any()
    assert not run.speaking[-5:].any()


def test_noise_numbers_and_silence_from_a_driver_move_nobody():
    sound = np.concatenate([room(3.0, 1e-2), np.zeros(RATE, np.float32), np.full(RATE, np.nan, np.float32)])
    run, mouth = listened(fresh(), sound)
    assert mouth.max() == 0.0
    assert not run.speaking.any()
    assert figures.report(run)["non_finite"] == 0


def test_a_run_with_a_microphone_and_a_stream_plays_again_bit_for_bit(tmp_path: Path):
    world = headless.world(seed=3)
    tape = headless.tape(world)
    listened(world, talker.voice(2.0, pauses=()), tape=tape)
    u = world.avatar.begin(24_000, text="fed")
    pcm = np.repeat(talker.voice(1.5), 3)[::2].copy()
    for tick in range(100):
        if tick < 90:
            u.feed(pcm[tick * 400 : tick * 400 + 400], [("word", tick / 60, tick / 60)] if tick == 30 else ())
        if tick == 95:
            u.end()
        world.step(TICK)
        tape.record(world)
    replay.save(tape, tmp_path / "run.npz")
    first, run = headless.replay(tmp_path / "run.npz")
    assert first is None
    assert run.ticks == 220
    assert run.about["digest"] == world.digest()
    assert run.speaking[:115].any()
    assert run.speaking[125:].any()
