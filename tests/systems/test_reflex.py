"""Breath, sway and weight: alive, planted, coupled, and never a step."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import talker

from kinesics.components.carry import Carry
from kinesics.components.config import Config
from kinesics.components.corpus import Repertoire
from kinesics.components.motion import Motion
from kinesics.components.plan import NEVER, Breath, Pick, Plan, Shift
from kinesics.components.pose import Pose
from kinesics.systems import headless, reflex
from kinesics.systems.kernels import oscillators
from kinesics.systems.schedule import TICK


def standing(seconds: float, seed: int = 1, **reflex_settings: float) -> tuple[headless.World, np.ndarray, np.ndarray]:
    """Return the world, hips (T, 3) mm and ankles (T, 2, 3) mm of a woman left alone."""
    config = Config.default()
    config = dataclasses.replace(config, reflex=dataclasses.replace(config.reflex, **reflex_settings))
    world = headless.world(talker.body(), seed=seed, config=config, with_corpus=False)
    rig = talker.rig()
    hips, feet = [], []
    for _ in range(round(seconds * 60)):
        world.step(TICK)
        pose = world.get(world.avatar.entity, Pose)
        hips.append(pose.world_position[rig.humanoid["hips"]] * 1e3)
        feet.append(pose.world_position[[rig.humanoid["leftFoot"], rig.humanoid["rightFoot"]]] * 1e3)
    return world, np.array(hips), np.array(feet)


def test_she_shifts_her_weight_and_her_feet_stay_where_they_are() -> None:
    _, hips, feet = standing(150.0, dwell_edges_s=(8.0, 14.0), dwell_weight=(1.0,))
    assert np.ptp(hips[:, 0]) > 25.0, "mm sideways: nobody stands like a post"
    assert np.linalg.norm(np.diff(hips, axis=0), axis=1).max() <= 2.0, "mm a tick"
    assert np.linalg.norm(feet - feet[0], axis=2).max() <= 1.0, "mm of foot slide"


def test_the_time_on_one_foot_is_never_a_fixed_period() -> None:
    world, _, _ = standing(0.1)
    config = world.config
    from kinesics.components.draw import draws
    from kinesics.systems.reflex.plan import _dwell

    dwell = np.array([_dwell(config, draws(9, 0, "reflex", k)) for k in range(3000)]) / 60.0
    assert dwell.std() > 10.0, "s"
    assert abs(dwell.mean() - 49.0) < 3.0, "s, the source's mean"
    counts = np.histogram(dwell, config.reflex.dwell_edges_s)[0] / 3000
    assert np.abs(counts - np.array(config.reflex.dwell_weight)).max() < 0.03


def busy_rows(repertoire: Repertoire) -> tuple[int, int]:
    """Return the most and the least busy row."""
    return int(repertoire.row_busy.argmax()), int(repertoire.row_busy.argmin())


def hip_steps(follow_at_once: bool) -> float:
    """Return the largest hip step, mm a tick, while busy jumps once a second between 1 and 0."""
    world = headless.world(talker.body(), with_corpus=False)
    motion = world.get(0, Motion)
    plan, carry = world.get(0, Plan), world.get(0, Carry)
    plan.shifts.append(Shift(0, 1.0, 1.6))
    plan.next_shift = NEVER
    row = np.array([1.0, 0.0], np.float32)
    motion.repertoire = dataclasses.replace(_empty(), row_busy=row)
    world.config = dataclasses.replace(world.config, gains=dataclasses.replace(world.config.gains))
    hip = []
    for tick in range(900):
        plan.picks = [Pick(tick, (tick // 60) % 2, -1, 0, 0, 0.0)]
        if follow_at_once:  # the fault: the weight follows the per-row number step for step
            carry.view("busy")[:] = float((tick // 60) % 2 == 0), 0.0
            carry.view("presence")[:] = 1.0 - carry.view("busy")[0], 0.0
            plan.touch(tick)
        world.step(tuple(s for s in TICK if getattr(s, "__module__", "") != "kinesics.systems.matcher.plan"))
        hip.append(world.get(0, Pose).world_position[0] * 1e3)
    steps = np.linalg.norm(np.diff(np.array(hip[300:]), axis=0), axis=1)
    return float(steps.max())


def _empty() -> Repertoire:
    zero = np.zeros((0,), np.int32)
    return Repertoire(
        np.zeros(1, np.int32), np.zeros((1, 43, 3), np.float32), np.ones(43), zero, zero,
        np.zeros((0, 60), np.float32), np.zeros((0, 13), np.float32), np.zeros(0, bool),
        np.zeros((0, 8, 4), np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32), "empty",
    )  # fmt: skip


def test_a_change_of_row_never_steps_the_hip() -> None:
    assert hip_steps(follow_at_once=False) <= 2.0, "mm a tick"
    assert hip_steps(follow_at_once=True) >= 5.0, "mm a tick: the control must show the fault"


def breathing(**cut: float) -> dict[str, np.ndarray]:
    """Run the oscillators for a minute with a weight shift each 8 s; `cut` sets couplings."""
    before = {name: getattr(oscillators, name) for name in cut}
    phase, lift, share = np.zeros(1), np.zeros(2), np.zeros(2)
    sway_phase, where = np.zeros(5), np.zeros(2)
    period = np.array([2.9, 4.7, 7.3, 11.9, 23.0])
    taken = np.array([-1.0, 1.0, 1.0, 1.0])
    out = {"lift": [], "phase": [], "sway": [], "where": []}
    try:
        for name, value in cut.items():
            setattr(oscillators, name, value)
        breathe, sway = oscillators.breathe.py_func, oscillators.sway.py_func
        for tick in range(3600):
            oscillators.settle(share, 1.0 if (tick // 480) % 2 else -1.0, 2.4, 1 / 60)
            speech = 1.0 if tick > 1800 else 0.0
            breathe(phase, lift, speech, 14 / 60, taken, share[1], 1 / 60)
            sway(sway_phase, period, 0.003, lift[0], share[1], 1 / 60, where)
            for key, value in (("lift", lift[0]), ("phase", phase[0]), ("sway", sway_phase.copy()), ("where", where[0])):
                out[key].append(value)
    finally:
        for name, value in before.items():
            setattr(oscillators, name, value)
    return {key: np.array(value) for key, value in out.items()}


@pytest.mark.parametrize(
    ("coupling", "off", "seen"),
    [
        ("SWAY_SLOWED", 0.0, "sway"),
        ("SWAY_DEEPENED", 0.0, "where"),
        ("SHIFT_DRAGS_SWAY", 0.0, "sway"),
        ("SHIFT_DRAGS_BREATH", 0.0, "phase"),
        ("SPEECH_SLOWS_BREATH", 1.0, "lift"),
    ],
)
def test_each_coupling_shows_when_it_is_cut(coupling: str, off: float, seen: str) -> None:
    whole, cut = breathing(), breathing(**{coupling: off})
    assert np.abs(whole[seen] - cut[seen]).max() > 0.05 * np.abs(whole[seen]).max()


def test_breath_slows_the_sway_and_deepens_it() -> None:
    run = breathing()
    speed = np.diff(np.unwrap(run["sway"][:, 4] * 2 * np.pi))
    top, low = run["lift"][1:] > 0.8, run["lift"][1:] < 0.2
    assert speed[top].mean() < 0.85 * speed[low].mean()


def test_she_breathes_more_slowly_while_she_speaks() -> None:
    run = breathing()
    assert np.diff(np.unwrap(run["phase"][1800:] * 2 * np.pi)).sum() < 0.75 * np.diff(
        np.unwrap(run["phase"][:1800] * 2 * np.pi)
    ).sum()


def test_she_breathes_in_before_she_speaks_and_deeper_for_a_long_sentence() -> None:
    depth = {}
    for seconds in (1.6, 6.0):
        world = headless.world(talker.body(), with_corpus=False)
        quiet = np.zeros(16_000, np.float32)
        world.avatar.say((np.concatenate([quiet, talker.voice(seconds, pauses=())]), 16_000))
        lifts, spoke = [], None
        for tick in range(180):
            world.step(TICK)
            lifts.append(world.get(0, Carry).view("lift")[0])
            if spoke is None and world.get(0, Plan).speaking_from == tick:
                spoke = tick
        assert spoke is not None
        breath: Breath = world.get(0, Plan).breaths[0]
        assert breath.tick < spoke
        assert lifts[spoke] > lifts[breath.tick] + 0.3, "the chest is up when the voice begins"
        depth[seconds] = breath.depth
    assert depth[6.0] > depth[1.6] + 0.5


def test_stillness_takes_the_sway_away() -> None:
    def path(stillness: float) -> float:
        world = headless.world(talker.body(), seed=2, with_corpus=False)
        world.avatar.stillness = stillness
        head = []
        for tick in range(1200):
            world.step(TICK)
            if tick > 240:
                head.append(world.get(0, Pose).world_position[talker.rig().humanoid["head"]] * 1e3)
        return float(np.linalg.norm(np.diff(np.array(head), axis=0), axis=1).sum())

    assert path(1.0) < 0.25 * path(0.0)


def test_private_and_public_breathe_the_same() -> None:
    poses = []
    for mode in ("private", "public"):
        world = headless.world(talker.body(), seed=3, with_corpus=False)
        world.inbox.post("mode", mode=mode)
        for _ in range(300):
            world.step(TICK)
        poses.append(world.get(0, Pose).rotation.copy())
    assert np.array_equal(*poses)
    assert reflex.sway.__doc__
