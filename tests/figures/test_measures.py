"""How she was cut and whether she is in time: each measure is shown a run in which what it counts was planted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import talker
from syllables import talk

from kinesics.components.anatomy import BODY_SLOTS
from kinesics.components.motion import Motion
from kinesics.systems import headless
from kinesics.systems.figures import Run, compare, read_run, report, write_run
from kinesics.systems.figures.beats import beats
from kinesics.systems.figures.cutting import JUMPS, SWINGS, jumps, reuse, swings
from kinesics.systems.figures.frechet import between, frechet

NAMES = ("chest", "leftHand", "rightHand", "head")
SECONDS = 90


def made(seconds: int = SECONDS, **arrays: object) -> Run:
    """Return a run of four joints that stand still, speaking all the time; `arrays` are put in the others' place."""
    count, joints = seconds * 60, len(NAMES)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (count, joints, 1))
    one, flags = np.zeros(count, np.float32), np.zeros(count, bool)
    run = Run(
        60.0, NAMES, np.arange(joints), np.array([-1, 0, 0, 0]), np.zeros((joints, 3)), still[0], still,
        np.zeros((count, 3)), np.zeros((count, joints, 3)), (), np.zeros((count, 0), np.float32),
        np.full(count, -1, np.int32), one + 1.0, one, flags, one, one, one, np.zeros((count, 2), np.float32), 0.0,
        one, ~flags,
    )  # fmt: skip
    return replace(run, **arrays)  # type: ignore[arg-type]


def accents(count: int = 70, seed: int = 1) -> np.ndarray:
    """Return (A,) s: moments without a beat of their own."""
    gaps = np.random.default_rng(seed).uniform(0.7, 1.7, count)
    at = np.cumsum(gaps)
    return at[at < SECONDS - 1.0]


def stopping(at: np.ndarray, seed: int = 2) -> np.ndarray:
    """Return positions of hands that come to rest about each of these moments, give or take 30 ms, and move between."""
    draw = np.random.default_rng(seed)
    stops = np.sort(at + 0.03 * draw.standard_normal(len(at)))
    t = np.arange(SECONDS * 60) / 60.0
    place = np.zeros((len(t), len(NAMES), 3))
    knots = np.concatenate([[0.0], stops, [SECONDS]])
    for joint in (1, 2):
        targets = np.cumsum(draw.choice([-0.12, 0.12], len(knots)) * draw.uniform(0.5, 1.5, len(knots)))
        for k, (a, b) in enumerate(pairwise(knots)):
            inside = (t >= a) & (t < b)
            x = (t[inside] - a) / (b - a)
            place[inside, joint, 0] = targets[k] + (targets[k + 1] - targets[k]) * x * x * (3.0 - 2.0 * x)
    return place


def test_hands_that_rest_on_accents_stand_5_deviations_out_and_shuffled_ones_do_not() -> None:
    at = accents()
    found = beats(made(position=stopping(at), accent_s=at))
    assert found is not None
    assert found["z"] > 5.0
    assert found["score"] > 0.9
    assert found["accents"] == len(at)
    zs = []
    for seed in range(6):
        gaps = np.random.default_rng(10 + seed).permutation(np.diff(at))
        shuffled = beats(made(position=stopping(at), accent_s=at[0] + np.concatenate([[0.0], np.cumsum(gaps)])))
        assert shuffled is not None
        zs.append(shuffled["z"])
    assert abs(np.mean(zs)) < 1.0
    assert np.abs(zs).max() < 3.0
    assert sum(abs(z) < 2.0 for z in zs) >= 5


def test_hands_that_stop_all_the_time_score_high_and_are_still_not_in_time() -> None:
    """Why it is a z: twitching hands are near every accent, shifted or not."""
    often = np.arange(0.3, SECONDS - 1, 0.27)
    found = beats(made(position=stopping(often), accent_s=accents()))
    assert found is not None
    assert found["score"] > 0.6
    assert abs(found["z"]) < 3.0


def test_pauses_do_not_count_and_few_accents_say_nothing() -> None:
    """Hands rest in pauses: without cutting them out any motion that rests with the voice would look in time."""
    at, t = accents(), np.arange(SECONDS * 60) / 60.0
    said = (t % 10.0) < 6.0
    place = stopping(np.arange(0.2, SECONDS, 0.61))
    place[~said] = place[np.maximum.accumulate(np.where(said, np.arange(len(t)), 0))[~said]]
    inside = at[said[np.round(at * 60).astype(int)]]
    found = beats(made(position=place, accent_s=inside, speaking=said))
    assert found is not None
    assert abs(found["z"]) < 2.5
    assert beats(made(position=place, accent_s=at[:19])) is None
    assert beats(made(position=place)) is None


def test_a_cloud_against_its_own_half_is_near_and_the_same_motion_at_double_speed_is_far() -> None:
    draw = np.random.default_rng(4)
    mix = draw.normal(size=(39, 39))
    cloud = draw.normal(size=(6000, 39)) @ mix
    first, second = between(cloud[::2], cloud[1::2]), between(cloud, 2.0 * cloud)
    assert first < 0.1 * second
    assert second == pytest.approx(
        np.sqrt(np.trace(np.cov(cloud, rowvar=False)) + (cloud.mean(0) ** 2).sum()), rel=1e-6
    )
    assert between(cloud, cloud + 3.0) == pytest.approx(3.0 * np.sqrt(39), rel=1e-6)
    assert between(cloud, cloud) < 1e-3


@cache
def matched() -> tuple[Run, Motion]:
    """Return 26 s of her with a corpus of eight clips of numbers, and what she is made of."""
    world = headless.world(talker.body(), corpus=talker.corpus(), seed=1)
    world.avatar.say(talk(26.0))
    run = headless.run(world, seconds=26.0)
    return run, world.get(world.avatar.entity, Motion)


def as_shown(motion: Motion, clips: list[int], speed: int) -> Run:
    """Return a run that shows clips of her corpus as they are, sped up."""
    run = matched()[0]
    assert motion.repertoire is not None
    start = motion.repertoire.start
    turn = np.concatenate([motion.repertoire.delta[start[c] : start[c + 1]] for c in clips])[::speed]
    turn = np.repeat(turn * motion.repertoire.gain[:, None], 2, axis=0)
    turn = np.resize(turn, (run.ticks, *turn.shape[1:]))
    local = run.rotation.copy()
    for slot in range(len(BODY_SLOTS)):
        joint = motion.anatomy.slot_joint[slot]
        size = np.linalg.norm(turn[:, slot], axis=1, keepdims=True)
        half = np.concatenate([np.cos(size / 2), turn[:, slot] * np.sinc(size / 2 / np.pi) / 2], axis=1)
        a, b = motion.anatomy.base[joint], half
        local[:, joint, 0] = a[0] * b[:, 0] - b[:, 1:] @ a[1:]
        local[:, joint, 1:] = a[0] * b[:, 1:] + b[:, :1] * a[1:] + np.cross(a[1:], b[:, 1:])
    speaking = np.ones(run.ticks, bool)
    return replace(run, rotation=local, speaking=speaking, window=np.full(run.ticks, -1, np.int32))


def test_frechet_of_clips_of_the_corpus_is_that_of_its_halves_and_grows_with_their_speed() -> None:
    run, motion = matched()
    assert motion.repertoire is not None
    whole = list(range(len(motion.repertoire.start) - 1))
    others, sped = frechet(as_shown(motion, whole[::2], 1)), frechet(as_shown(motion, whole[::2], 3))
    assert others is not None
    assert sped is not None
    assert others["pose_deg"] == pytest.approx(others["halves_pose_deg"], rel=0.6)
    assert others["velocity_deg_s"] == pytest.approx(others["halves_velocity_deg_s"], rel=0.6)
    assert sped["velocity_deg_s"] > 3.0 * others["velocity_deg_s"]
    assert frechet(replace(run, about={})) is None  # read from a file, nothing is known of her corpus


def test_what_she_played_is_never_in_the_half_that_she_is_held_against() -> None:
    run, motion = matched()
    assert motion.repertoire is not None
    shown = frechet(replace(run, speaking=np.ones(run.ticks, bool)))
    assert shown is not None
    played = set(motion.repertoire.row_clip[np.unique(run.window[run.window >= 0])].tolist())
    odd = set(range(1, len(motion.repertoire.start) - 1, 2))
    assert shown["clips"] == len(odd - played)


def test_jumps_and_swings_fall_into_their_bins() -> None:
    jump = np.zeros(SECONDS * 60, np.float32)
    jump[[60, 120, 180, 240]] = [3.0, 12.0, 12.5, 54.0]
    found = jumps(made(jump_deg=jump))
    assert found["edges"] == list(JUMPS)
    assert sum(found["counts"]) == 4
    assert found["counts"][0] == 1
    assert found["counts"][2] == 2
    assert found["counts"][10] == 1
    t = np.arange(SECONDS * 60) / 60.0
    nod = 3.0 * np.sin(2 * np.pi * 0.5 * t)  # swings of 6 deg, one a second
    found = swings((nod, 0.0 * t), 3.0)
    assert found["counts"][SWINGS.index(4.0)] == pytest.approx(SECONDS, abs=2)
    assert sum(found["counts"]) == found["counts"][SWINGS.index(4.0)]
    assert sum(swings((0.05 * nod, 0.0 * t), 3.0)["counts"]) == 0  # nobody sees it


def test_a_row_shown_three_times_is_counted_as_reuse() -> None:
    rows = [4, 9, 4, 7, -1, 4, 8]
    window = np.repeat(np.array(rows, np.int32), 60)
    run = made(len(rows), window=window)
    found = reuse(run)
    assert found == {"rows": 6, "share": pytest.approx(1.0 - 4 / 6), "most": 3, "least_s": 2.0}
    assert reuse(made(5)) is None


def test_a_report_holds_them_and_its_run_keeps_the_accents(tmp_path: Path) -> None:
    run = matched()[0]
    found = report(run)
    assert found["beats"] is None or abs(found["beats"]["z"]) < 100.0
    assert sum(found["jumps"]["counts"]) >= found["forced_cuts"]
    assert found["reuse"]["rows"] > 10
    assert len(run.accent_s) > 10
    assert run.speaking[np.round(run.accent_s * 60).astype(int)].mean() > 0.95
    write_run(run, tmp_path / "run.npz")
    assert np.array_equal(read_run(tmp_path / "run.npz").accent_s, run.accent_s)
    assert report(run) == found  # no clock and no chance in it


def test_compare_names_what_became_worse_of_them() -> None:
    before = {
        "beats": {"z": 6.0},
        "frechet": {"pose_deg": 10.0, "velocity_deg_s": 20.0, "clips": 4},
        "reuse": {"share": 0.1},
    }
    after = {
        "beats": {"z": 1.0},
        "frechet": {"pose_deg": 14.0, "velocity_deg_s": 21.0, "clips": 9},
        "reuse": {"share": 0.5},
    }
    worse = compare(before, after)
    assert [line.split(":")[0] for line in worse] == ["reuse.share", "frechet.pose_deg", "beats.z"]
    assert compare(after, before) == []
    assert compare(before, {}) != []
