"""Breath, sway and weight: alive, planted, coupled, and never a step."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import talker

from kinesics.components.anatomy import SLOTS, TORSO
from kinesics.components.carry import Carry
from kinesics.components.config import Config
from kinesics.components.corpus import Repertoire
from kinesics.components.motion import Motion
from kinesics.components.plan import NEVER, Pick, Plan
from kinesics.components.pose import Pose
from kinesics.components.reflex import SHIPPED
from kinesics.components.skin import Body
from kinesics.systems import headless, reflex
from kinesics.systems.kernels import oscillators
from kinesics.systems.reflex.table import turns_of
from kinesics.systems.schedule import TICK

_JOINTS = ("hips", "head", *(side + part for side in ("left", "right") for part in ("UpperLeg", "LowerLeg", "Foot")))


def lives(
    seconds: float, world: headless.World | None = None, moves: bool = True, **config: str
) -> tuple[headless.World, dict[str, np.ndarray]]:
    """Return the world and where joints were, (T, 3) mm each, of a woman left alone."""
    if world is None:
        settings = Config.default()
        settings = dataclasses.replace(settings, reflex=dataclasses.replace(settings.reflex, **config))
        world = headless.world(talker.body(), config=settings, with_corpus=False)
    if not moves:
        plan = world.get(0, Plan)
        plan.due, plan.next_due = [NEVER] * len(plan.due), NEVER
    rig = world.avatar.body.rig
    at = [rig.humanoid[name] for name in _JOINTS]
    seen = np.empty((round(seconds * 60), len(at), 3))
    for tick in range(len(seen)):
        world.step(TICK)
        seen[tick] = world.get(0, Pose).world_position[at] * 1e3
    return world, {name: seen[:, k] for k, name in enumerate(_JOINTS)}


def far_file(folder: Path) -> str:
    """Write a file in which she shifts as far as any file may say, from foot to foot every few seconds."""
    text = SHIPPED.read_text()
    for section, edges in (
        ("weight.dwell_s", "[4, 6]"),
        ("weight.load", "[-1, -0.98, 0.98, 1]"),
        ("weight.sideways_mm", "[80, 90]"),
        ("weight.seconds", "[0.8, 1]"),
        ("lean.dwell_s", "[5, 9]"),
        ("lean.mm", "[50, 60]"),
    ):
        head, tail = text.split(f"[{section}]")
        _, tail = tail.split("source", 1)
        share = "[1, 0, 1]" if section == "weight.load" else "[1]"
        text = f"{head}[{section}]\nedges = {edges}\nshare = {share}\nsource{tail}"
    path = folder / "far.toml"
    path.write_text(text)
    return str(path)


def longer_legs(thigh: float, shank: float) -> Body:
    """Return the figure with other legs."""
    body = talker.body()
    offset = body.rig.rest_offset.copy()
    for side in ("left", "right"):
        offset[body.rig.humanoid[side + "LowerLeg"]] *= thigh
        offset[body.rig.humanoid[side + "Foot"]] *= shank
    return dataclasses.replace(body, rig=dataclasses.replace(body.rig, rest_offset=offset), digest=f"{thigh} {shank}")


def knee_speed(at: dict[str, np.ndarray]) -> float:
    """Return the fastest either knee bends, deg/s."""
    fastest = 0.0
    for side in ("left", "right"):
        thigh, shank = at[side + "LowerLeg"] - at[side + "UpperLeg"], at[side + "Foot"] - at[side + "LowerLeg"]
        cos = (thigh * shank).sum(1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shank, axis=1)
        fastest = max(fastest, np.abs(np.diff(np.degrees(np.arccos(np.clip(cos, -1, 1))))).max() * 60)
    return fastest


def step(path: np.ndarray) -> float:
    """Return the longest way between two ticks, mm."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).max())


@pytest.mark.parametrize(("thigh", "shank"), [(1.0, 1.0), (0.75, 0.8), (1.25, 1.1), (0.9, 1.2)])
def test_her_feet_stay_and_her_knees_never_pop_at_the_largest_shifts(
    tmp_path: Path, thigh: float, shank: float
) -> None:
    settings = Config.default()
    settings = dataclasses.replace(settings, reflex=dataclasses.replace(settings.reflex, file=far_file(tmp_path)))
    world = headless.world(longer_legs(thigh, shank), config=settings, with_corpus=False)
    _, at = lives(40.0, world)
    assert np.ptp(at["hips"][:, 0]) > 120.0, "mm from foot to foot, or nothing was tried"
    for foot in ("leftFoot", "rightFoot"):
        assert np.linalg.norm(at[foot] - at[foot][0], axis=1).max() <= 1.0, "mm of foot slide"
    assert step(at["hips"]) <= 2.0, "mm a tick"
    assert knee_speed(at) <= 60.0, "deg/s"


def test_over_one_foot_that_leg_is_nearly_straight_and_the_free_knee_bends() -> None:
    world = headless.world(talker.body(), with_corpus=False)
    world.get(0, Plan).moves[:2, 2:] = [[1.0, 1.0], [0.05, 0.05]]
    _, at = lives(0.5, world, moves=False)
    bend = {}
    for side in ("left", "right"):
        whole = np.linalg.norm(at[side + "LowerLeg"][-1] - at[side + "UpperLeg"][-1])
        whole += np.linalg.norm(at[side + "Foot"][-1] - at[side + "LowerLeg"][-1])
        bend[side] = whole - np.linalg.norm(at[side + "Foot"][-1] - at[side + "UpperLeg"][-1])
    assert bend["left"] < 3.0 < 8.0 < bend["right"], "mm that hip and ankle are nearer than a straight leg"
    assert at["leftUpperLeg"][-1, 1] > at["rightUpperLeg"][-1, 1] + 10.0, "mm: the free hip drops"


def test_her_sway_is_a_persons() -> None:
    """Five minutes of quiet stance; the ranges are those that assets/reflex.toml names."""
    from scipy.signal import welch  # with scipy.stats behind it: a second of every run

    _, at = lives(300.0, moves=False)
    path = at["head"][:, [0, 2]] - at["head"][:, [0, 2]].mean(axis=0)
    side, front = path.std(axis=0)
    assert 2.0 <= side <= 4.0, "mm RMS sideways"
    assert 3.0 <= front <= 6.0, "mm RMS fore-aft"
    assert 6.0 <= np.linalg.norm(np.diff(path, axis=0), axis=1).mean() * 60 <= 10.0, "mm/s"
    for k in range(2):
        frequency, power = welch(path[:, k], 60.0, nperseg=3600)
        share = np.cumsum(power) / power.sum()
        assert share[np.searchsorted(frequency, 1.0)] > 0.95, "of the power is below 1 Hz"
        assert share[np.searchsorted(frequency, 0.5)] > 0.85, "of the power is below 0.5 Hz"
        assert echo(path[:, k]) < 0.5, "nothing comes back after a fixed time"


def echo(path: np.ndarray) -> float:
    """Return the largest autocorrelation after its first zero, within 2 minutes."""
    size = len(path)
    power = np.abs(np.fft.rfft(path, 2 * size)) ** 2
    same = np.fft.irfft(power)[:size] * size / (size - np.arange(size))
    same = (same / same[0])[: 120 * 60]
    return float(same[int(np.argmax(same < 0.0)) :].max())


def test_one_sine_would_be_seen_as_a_period() -> None:
    """The control of the test above."""
    assert echo(np.sin(np.arange(36_000) / 60.0 * 2 * np.pi / 4.7)) > 0.95


def hip_steps(follow_at_once: bool, offset: float = 0.022) -> float:
    """Return the largest hip step, mm a tick, while busy jumps once a second between 1 and 0.27.

    0.022 m: the source's mean shift. 1 and 0.27: the 5th and the 95th of a hundred rows of a talker's corpus.
    """
    world = headless.world(talker.body(), with_corpus=False)
    motion = world.get(0, Motion)
    plan, carry = world.get(0, Plan), world.get(0, Carry)
    plan.due, plan.next_due = [NEVER] * len(plan.due), NEVER
    plan.moves[:2, 2:] = [[1.0, 1.0], [offset, offset]]
    motion.repertoire = _two_rows(np.array([1.0, 0.27], np.float32))
    hip = []
    for tick in range(600):
        plan.picks = [Pick(tick, (tick // 60) % 2, -1, 0, 0, 0.0)]
        if follow_at_once:  # the fault: the weight follows the per-row number step for step
            carry.view("busy")[:] = motion.repertoire.row_busy[(tick // 60) % 2], 0.0
            carry.view("presence")[:] = 1.0 - carry.view("busy")[0], 0.0
            plan.touch(tick)
        world.step(tuple(s for s in TICK if getattr(s, "__module__", "") != "kinesics.systems.matcher.plan"))
        hip.append(world.get(0, Pose).world_position[0] * 1e3)
    return step(np.array(hip[120:]))


def _two_rows(busy: np.ndarray) -> Repertoire:
    zero = np.zeros((0,), np.int32)
    none = Repertoire(
        np.zeros(1, np.int32), np.zeros((1, 43, 3), np.float32), np.ones(43), zero, zero,
        np.zeros((0, 60), np.float32), np.zeros((0, 13), np.float32), np.zeros(0, bool),
        np.zeros((0, 8, 4), np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32), "two",
    )  # fmt: skip
    return dataclasses.replace(none, row_busy=busy)


def test_a_change_of_row_never_steps_the_hip() -> None:
    assert hip_steps(follow_at_once=False) <= 2.0, "mm a tick"
    assert hip_steps(follow_at_once=False, offset=0.062) <= 2.0, "mm a tick, at the farthest shift"
    assert hip_steps(follow_at_once=True) == pytest.approx(9.0, abs=1.5), "mm a tick: the control must show the fault"


def test_a_turned_knob_never_steps_the_hip() -> None:
    world = headless.world(talker.body(), with_corpus=False)
    world.get(0, Plan).moves[:2, 2:] = [[1.0, 1.0], [0.06, 0.06]]
    _, before = lives(1.0, world, moves=False)
    reflex_off = dataclasses.replace(world.config.reflex, sway=0.0, shift=0.0)
    world.inbox.post("config", config=dataclasses.replace(world.config, reflex=reflex_off))
    _, at = lives(8.0, world)
    assert before["hips"][-1, 0] > 50.0
    assert abs(at["hips"][-1, 0] - at["leftFoot"][-1, 0] / 2 - at["rightFoot"][-1, 0] / 2) < 1.0, "mm from the middle"
    assert step(at["hips"]) <= 2.0, "mm a tick"


def breathing(**cut: float) -> dict[str, np.ndarray]:
    """Run the oscillators for a minute with a weight shift each 8 s; `cut` sets couplings."""
    before = {name: getattr(oscillators, name) for name in cut}
    phase, count, lift = np.zeros(1), np.zeros(1), np.zeros(2)
    sway_phase, where = np.zeros((2, 5)), np.zeros(2)
    period = np.array([[2.9, 4.7, 7.3, 11.9, 23.0], [3.1, 4.3, 7.9, 13.0, 27.0]])
    row, none = np.array([[60 / 14, 0.46, 1.0]]), np.array([NEVER, 1.0, 1.0, 1.0])
    out = {"lift": [], "phase": [], "sway": [], "where": [], "fast": []}
    try:
        for name, value in cut.items():
            setattr(oscillators, name, value)
        breathe, sway = oscillators.breathe.py_func, oscillators.sway.py_func
        for tick in range(3600):
            side = 1.0 if (tick // 480) % 2 else -1.0
            _, speed = oscillators.eased(np.array([tick // 480 * 480, 1.6, -side, side]), float(tick), 1 / 60)
            breathe(phase, count, lift, 1.0 if tick > 1800 else 0.0, row, none, -1.0, speed, 1.0, 1 / 60)
            sway(sway_phase, period, np.full((2, 5), 1e-3), lift[0], speed, 1 / 60, where)
            shown = {"lift": lift[0], "phase": phase[0] + count[0], "sway": sway_phase[0, -1], "where": where[0]}
            for key, value in (shown | {"fast": sway_phase[0, 0]}).items():
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
        ("SWAY_WANDERS", 0.0, "where"),
        ("SHIFT_DRAGS_SWAY", 0.0, "fast"),
        ("SHIFT_DRAGS_BREATH", 0.0, "phase"),
        ("SPEECH_SLOWS_BREATH", 1.0, "phase"),
    ],
)
def test_each_coupling_shows_when_it_is_cut(coupling: str, off: float, seen: str) -> None:
    whole, cut = breathing(), breathing(**{coupling: off})
    assert np.abs(whole[seen] - cut[seen]).max() > 0.05 * np.abs(whole[seen]).max()


def test_breath_slows_the_sway_and_deepens_it() -> None:
    whole, even = breathing(), breathing(SWAY_SLOWED=0.0, SWAY_DEEPENED=0.0)
    top, low = whole["lift"] > 0.8, whole["lift"] < 0.2

    def speed(run: dict[str, np.ndarray]) -> np.ndarray:
        return np.diff(np.unwrap(run["sway"] * 2 * np.pi), append=0.0)

    slowed = speed(whole)[top][:-1].mean() / speed(whole)[low][:-1].mean()
    assert slowed < 0.85 * speed(even)[top][:-1].mean() / speed(even)[low][:-1].mean()
    assert whole["where"].std() > 1.1 * even["where"].std()


def test_a_weight_shift_hurries_breath_and_sway() -> None:
    whole = breathing()
    during = np.concatenate([np.arange(480 * k + 24, 480 * k + 72) for k in range(3)])
    for key, cut in (("phase", "SHIFT_DRAGS_BREATH"), ("fast", "SHIFT_DRAGS_SWAY")):
        turn = 2 * np.pi
        with_shift = np.unwrap(whole[key] * turn)
        without = np.unwrap(breathing(**{cut: 0.0})[key] * turn)
        drag = np.abs(np.diff(with_shift) - np.diff(without))
        assert drag[during].mean() > 3.0 * np.delete(drag, during)[:1500].mean()


def test_she_breathes_more_slowly_while_she_speaks() -> None:
    phase = breathing()["phase"]
    assert phase[-1] - phase[1800] < 0.75 * (phase[1800] - phase[0])


def test_no_two_of_her_breaths_are_alike() -> None:
    world = headless.world(talker.body(), with_corpus=False)
    lift = []
    for _ in range(60 * 90):
        world.step(TICK)
        lift.append(world.get(0, Carry).view("lift")[0])
    up = np.array(lift)
    tops = np.flatnonzero((up[1:-1] > up[:-2]) & (up[1:-1] >= up[2:]) & (up[1:-1] > 0.4))
    length = np.diff(tops) / 60.0
    assert 12.0 < 60.0 / length.mean() < 16.0, "breaths a minute"
    assert length.std() > 0.15, "s"
    assert up[tops + 1].std() > 0.05, "of a quiet breath's depth"


def test_she_breathes_in_before_she_speaks_and_deeper_for_a_long_sentence() -> None:
    depth = {}
    for seconds in (1.6, 6.0):
        world = headless.world(talker.body(), with_corpus=False)
        quiet = np.zeros(16_000, np.float32)
        world.avatar.say((np.concatenate([quiet, talker.voice(seconds, pauses=())]), 16_000))
        lifts, spoke = [], None
        plan = world.get(0, Plan)
        for tick in range(180):
            world.step(TICK)
            lifts.append(world.get(0, Carry).view("lift")[0])
            if spoke is None and plan.speaking_from == tick:
                spoke = tick
        assert spoke is not None
        began = int(plan.taken[0])
        assert began < spoke
        assert max(lifts[began : spoke + 1]) > lifts[began] + 0.3, "the chest is up when the voice begins"
        assert lifts[spoke] > 0.7
        depth[seconds] = plan.taken[1]
    assert depth[6.0] > depth[1.6] + 0.5


def test_stillness_takes_the_sway_away() -> None:
    def path(stillness: float) -> float:
        world = headless.world(talker.body(), seed=2, with_corpus=False)
        world.avatar.stillness = stillness
        _, at = lives(20.0, world)
        return float(np.linalg.norm(np.diff(at["head"][240:], axis=0), axis=1).sum())

    assert path(1.0) < 0.25 * path(0.0)


def test_two_of_them_side_by_side_do_not_move_in_step() -> None:
    world = headless.world(talker.body(), with_corpus=False)
    headless.spawn(world, talker.body(), None)
    for _ in range(60):
        world.step(TICK)
    a, b = world.get(0, Carry), world.get(1, Carry)
    assert abs(a.view("breath_phase")[0] - b.view("breath_phase")[0]) > 0.02
    assert np.abs(a.view("sway_phase") - b.view("sway_phase")).min(initial=1.0) > 0.0
    assert world.get(0, Plan).due != world.get(1, Plan).due


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


@pytest.mark.parametrize("lost", [("chest",), ("spine",), ("chest", "upperChest"), ("neck",)])
def test_what_a_lost_joint_would_turn_shows_at_its_neighbour(lost: tuple[str, ...]) -> None:
    """With her weight on one leg the trunk comes back over the foot, with however many joints it has."""
    anatomy = headless.world(talker.body(), with_corpus=False).get(0, Motion).anatomy
    joints = anatomy.slot_joint.copy()
    joints[[SLOTS.index(name) for name in lost]] = -1
    whole, folded = turns_of(anatomy), turns_of(dataclasses.replace(anatomy, slot_joint=joints, digest=str(lost)))
    np.testing.assert_allclose(folded.sum(axis=1), whole.sum(axis=1), atol=1e-15)
    assert not folded[:, [SLOTS.index(name) for name in lost]].any()
    kept = [s for s, name in enumerate(SLOTS) if name not in (*TORSO, "neck", "head")]
    np.testing.assert_array_equal(folded[:, kept], whole[:, kept])
