"""Where the next ticks of her motion are known her arms meet a contact softly, and a changed plan throws no arm."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import talker
from ruled import settings
from tried_body import her

from kinesics.components.arrays import F64
from kinesics.components.config import Config
from kinesics.components.contacts import LENGTH, Contacts
from kinesics.components.face import Face
from kinesics.components.outbox import Outbox
from kinesics.components.plan import Plan
from kinesics.components.pose import Pose
from kinesics.components.preview import Preview
from kinesics.components.speech import RATE
from kinesics.systems import headless
from kinesics.systems.collide.offline.drive import drive
from kinesics.systems.collide.offline.figure import Figure
from kinesics.systems.collide.offline.figures import figures, held, jerk
from kinesics.systems.collide.offline.motions import idle, press
from kinesics.systems.collide.offline.replan import BEYOND, EVERY, Replanned
from kinesics.systems.collide.response import response
from kinesics.systems.figures import replay
from kinesics.systems.figures.report import report
from kinesics.systems.schedule import TICK

IN = 120  # frame on which `press` has the hand in


@pytest.fixture(scope="module")
def figure() -> Figure:
    return her()[1]


@pytest.fixture(scope="module")
def pressed(figure: Figure) -> F64:
    return press(figure)


@pytest.mark.parametrize("ahead", [1, 6, 31])
def test_a_correction_that_stays_is_stayed_with_and_a_step_is_met_without_a_jump(ahead: int) -> None:
    for answer in response(ahead):
        assert answer.shape == (ahead + 1, ahead + 5)
        assert np.allclose(answer.sum(axis=1), 1.0), "what was and what comes are the same: so is what shows"
        assert np.allclose(answer[:, 4:], answer[:, 4:].T), "of two slots each answers to the other alike"
        shown = np.zeros(3)
        path = []
        for _ in range(80):
            step = answer[0] @ np.concatenate([shown, np.ones(ahead + 2)])
            shown = np.array([step, shown[0], shown[1]])
            path.append(step)
        assert abs(path[-1] - 1.0) <= 1e-3
        assert np.abs(np.diff([0.0, 0.0, 0.0, *path], 3)).max() <= 0.12
    assert ahead + 2 <= LENGTH, "all that is looked at is kept, and the slot before"


@pytest.mark.parametrize("ahead", [6, 18])
def test_a_held_hand_is_clear_and_still_and_is_let_go(figure: Figure, pressed: F64, ahead: int) -> None:
    before, after = figure.scene(pressed), figure.scene(drive(figure, pressed, ahead=ahead))
    found = held(before, after, 0, (IN, IN + 179 - ahead), IN + 240)  # it knows when the hand is let go
    assert found.inside_mm <= 0.5
    assert found.still_s <= 0.5
    assert found.reversals == 0
    assert found.end_mm <= 0.01
    assert found.back_s <= 0.5
    seen = figures(before, after)
    assert seen.depth[3] <= 0.3
    assert seen.jerk[1] <= 0.2


def test_what_is_known_makes_a_contact_softer(figure: Figure, pressed: F64) -> None:
    part = pressed[: IN + 30]
    before = figure.scene(part)
    ones = [figures(before, figure.scene(drive(figure, part, ahead=n))).jerk[2] for n in (0, 6, 18)]
    assert max(ones[1:]) < 0.35 * ones[0]


def test_she_starts_clear(figure: Figure) -> None:
    seen = figures(*(figure.scene(m) for m in (idle(figure, 8), drive(figure, idle(figure, 8), ahead=18))))
    assert seen.depth[3] <= 0.5


def test_a_hand_that_turns_back_when_all_knew_it_would_stay(figure: Figure, pressed: F64) -> None:
    """For 18 ticks the correction was that of a hand held inside; then the hand goes out as it came in."""
    out = np.concatenate([pressed[IN : IN - EVERY : -1], pressed[:1].repeat(BEYOND + 1, axis=0)])
    plan = Replanned(np.array([pressed[: EVERY + BEYOND], out[: EVERY + BEYOND]]))
    before, after = figure.scene(plan.rotation), figure.scene(drive(figure, plan, ahead=18))
    moved = (after.joint - before.joint)[:, 0, 2]
    step = 1e3 * np.diff(moved, axis=0)
    assert figures(before, after).depth[3] <= 2.0
    assert np.linalg.norm(np.diff(step, axis=0), axis=1)[IN - 3 : IN + 30].max() <= 1.5, "its speed goes on"
    assert jerk(moved)[IN - 3 : IN + 30].max() <= 1.5


def of(ahead: int, live: int = 6, **run: Any) -> Config:
    config = Config.default()
    return dataclasses.replace(config, run=dataclasses.replace(config.run, lookahead=ahead, lookahead_live=live, **run))


def spoken(ahead: int, drop: bool = False) -> tuple[list[dict[str, str]], F64, F64]:
    """Return digests, poses before the rule and faces of four seconds: she is stopped, looks aside, speaks again."""
    world = headless.world(her()[0], seed=4, config=of(ahead))
    world.avatar.say(headless.HELLO)
    draw = np.random.default_rng(3)
    digests, poses, faces = [], [], []
    for tick in range(240):
        if tick == 130:
            world.avatar.stop()
        if tick == 140:
            world.avatar.look_at((0.6, 1.5, 1.5))
        if tick == 160:
            world.avatar.say(headless.HELLO)
        if drop and draw.random() < 0.2:
            world.get(0, Preview).drop(tick + int(draw.integers(0, ahead + 1)))
        world.step(TICK)
        digests.append(world.digests())
        poses.append(world.get(0, Preview).slots[0].rotation.copy())
        faces.append(world.get(0, Face).weight.copy())
    return digests, np.array(poses), np.array(faces)


@pytest.fixture(scope="module")
def ahead() -> tuple[list[dict[str, str]], F64, F64]:
    return spoken(18)


def test_all_she_does_is_the_same_to_the_bit_on_every_tick(ahead: tuple[Any, ...]) -> None:
    """So she obeys as fast: stop, a new sentence, a look. Only how her arms are kept out of her body differs."""
    plain = spoken(0)
    assert np.array_equal(ahead[1], plain[1])
    assert np.array_equal(ahead[2], plain[2])
    for kind in ("Voice", "Carry", "Gaze", "Face"):
        assert all(a[kind] == b[kind] for a, b in zip(ahead[0], plain[0], strict=True)), kind
    assert any(a["Contacts"] != b["Contacts"] for a, b in zip(ahead[0], plain[0], strict=True))


def test_dropping_what_was_looked_ahead_changes_no_digest(ahead: tuple[Any, ...]) -> None:
    assert spoken(18, drop=True)[0] == ahead[0]
    assert spoken(6, drop=True)[0] == spoken(6)[0]


def test_a_replay_looks_as_far_ahead_and_the_figures_say_how_far(tmp_path: Path) -> None:
    world = headless.world(her()[0], seed=4, config=of(18, live=5))
    tape = headless.tape(world)
    world.avatar.say((talker.voice(1.0), RATE))
    headless.run(world, 0.5, tape)
    assert world.avatar.figures()["lookahead"] == 18
    world.avatar.stop()
    world.avatar.listen()
    made = headless.run(world, 0.5, tape)
    assert world.avatar.figures()["lookahead"] == report(made)["lookahead"] == 5
    replay.save(tape, tmp_path / "run.npz")
    first, again = headless.replay(tmp_path / "run.npz")
    assert first is None
    assert report(again)["lookahead"] == 5


def test_looking_less_far_or_not_at_all_throws_no_arm() -> None:
    """She is told so while her hands hang at her thighs, where the rule always holds them off."""
    world = headless.world(her()[0], seed=4, config=of(18, layers=("reflex", "rule")), with_corpus=False)
    hands = [world.avatar.body.rig.humanoid[side + "Hand"] for side in ("left", "right")]
    moved = []
    for tick, changed in enumerate((18, 6, 0, 31)):
        world.inbox.post("config", config=of(changed, layers=("reflex", "rule")))
        for _ in range(40):
            world.step(TICK)
            pose, slot = world.get(0, Pose), world.get(0, Preview).slots[0]
            moved.append(pose.world_position[hands] - slot.position[hands])
            assert len(world.get(0, Preview).slots) == changed + 1
            assert (world.get(0, Contacts).window is None) == (changed == 0)
        assert world.tick == 40 * (tick + 1)
    assert np.linalg.norm(np.diff(np.array(moved), axis=0), axis=2).max() <= 1e-3, "m a tick"
    assert world.get(0, Contacts).depth_mm <= 0.5


def test_on_a_microphone_less_is_known() -> None:
    world = headless.world(her()[0], config=of(18, live=5), with_corpus=False)
    world.step(TICK)
    assert len(world.get(0, Preview).slots) == 19
    world.avatar.listen()
    world.step(TICK)
    assert len(world.get(0, Preview).slots) == 6


def test_a_pose_to_come_that_is_no_number_is_not_followed(figure: Figure, pressed: F64) -> None:
    broken = pressed[: IN + 40].copy()
    broken[IN - 20 : IN - 15, figure.joint(0, "UpperArm")] = np.nan
    shown = drive(figure, broken, ahead=18)
    good = np.isfinite(broken).all(axis=(1, 2))
    assert np.isfinite(shown[good]).all()
    assert figures(figure.scene(broken[good]), figure.scene(shown[good])).depth[3] <= 5.0


def test_a_memory_that_is_no_number_begins_anew() -> None:
    world = headless.world(her()[0], config=of(18, layers=("reflex", "rule")), with_corpus=False)
    for _ in range(5):
        world.step(TICK)
    contacts = world.get(0, Contacts)
    assert contacts.window is not None
    contacts.window.nearest[7, 3] = np.nan
    world.step(TICK)
    assert np.isfinite(contacts.window.nearest).all()
    assert np.isfinite(world.get(0, Pose).rotation).all()
    assert contacts.depth_mm <= 0.5
    assert "rule: a correction is not a number, begun anew" in world.get(0, Outbox).degraded


def test_a_pick_is_on_the_plan_as_early_as_is_looked() -> None:
    """Else each pick would change what was known, once a second."""
    world = headless.world(her()[0], seed=4, config=of(18))
    world.avatar.say(headless.HELLO)
    early = []
    for _ in range(300):
        before = {id(pick) for pick in world.get(0, Plan).picks}
        world.step(TICK)
        early += [p.tick - world.tick + 1 for p in world.get(0, Plan).picks if id(p) not in before and p.row >= 0]
    assert len(early) >= 3
    assert sum(ticks == 18 for ticks in early) >= len(early) - 1, "all but the first of a sentence"


def test_settings_say_how_far(figure: Figure) -> None:
    assert settings().run.ahead(False) == settings().run.lookahead
    assert settings().run.ahead(True) == settings().run.lookahead_live
