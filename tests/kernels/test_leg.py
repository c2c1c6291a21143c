"""Planted legs in mm and degrees: the foot stays, the knee follows without a jump, nothing pops at full length."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesics.systems.kernels import fk, leg, quat

REACH = 0.9985
UPPER, LOWER, FOOT, TOE = 1, 3, 5, 6
PARENT = np.array([-1, 0, 1, 2, 3, 4, 5], np.int32)  # pelvis, thigh, its second half, shank, its second half, foot, toe
seeds = st.integers(0, 2**32 - 1)


def unit(rng: np.random.Generator, n: int) -> np.ndarray:
    v = rng.normal(size=n)
    return v / np.linalg.norm(v)


def small_turn(rng: np.random.Generator, angle: float) -> np.ndarray:
    q = np.empty(4)
    quat.about(unit(rng, 3), angle, q)
    return q


class Leg:
    """A leg whose bones are skewed in their own frames, thigh and shank each cut in two, hanging down in the base."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.rng = rng
        self.offset = np.array(
            [[0, 0.95, 0], [0.09, -0.04, 0.01], [0, -0.2, 0], [0, -0.22, 0], [0, -0.21, 0], [0, -0.2, 0], [0, 0, 0.1]]
        )
        orientation = np.array([unit(rng, 4) for _ in PARENT])
        orientation[0] = small_turn(rng, 0.2)
        position = np.cumsum(self.offset, axis=0) + rng.uniform(-0.01, 0.01, size=(7, 3))
        position[LOWER, 2] += 0.07  # the knee is a little bent in the base: in reach, 0.99 of the whole length or less
        for j in range(1, 7):
            quat.rotate_back(orientation[j - 1], position[j] - position[j - 1], self.offset[j])
        self.offset[0] = position[0]
        self.base = np.empty((7, 4))
        fk.local(PARENT, orientation, self.base)
        self.rotation = self.base.copy()
        self.root = np.zeros(3)
        self.position, self.orientation = np.empty((7, 3)), np.empty((7, 4))
        self.forward()
        self.hip, self.knee, self.ankle = (self.position[j].copy() for j in (UPPER, LOWER, FOOT))
        self.length = np.linalg.norm(self.knee - self.hip) + np.linalg.norm(self.ankle - self.knee)
        self.foot_world = self.orientation[FOOT].copy()
        self.pole = self.knee - self.hip

    def forward(self) -> None:
        fk.world(PARENT, self.offset, self.root, self.rotation, self.position, self.orientation)

    def plant(self, target: np.ndarray, pole: np.ndarray | None = None) -> float:
        return leg.plant(
            PARENT, self.offset, self.base, self.position, self.orientation, self.rotation,
            UPPER, LOWER, FOOT, target, self.foot_world, self.pole if pole is None else pole, REACH,
        )  # fmt: skip

    def target(self, share: float) -> np.ndarray:
        """A place at this share of the leg's length, within 50 deg of where the leg hangs."""
        way = self.ankle - self.hip
        way = way / np.linalg.norm(way) + 0.7 * unit(self.rng, 3)
        return self.hip + way / np.linalg.norm(way) * share * self.length


def degrees(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.degrees(max(quat.angle(x, y) for x, y in zip(np.atleast_2d(a), np.atleast_2d(b)))))


@given(seed=seeds, share=st.floats(0.3, REACH))
def test_a_foot_in_reach_stays_within_a_millionth_of_a_millimetre(seed: int, share: float) -> None:
    one = Leg(seed)
    target, foot = one.target(share * (1 - 1e-12)), small_turn(one.rng, 2.0)
    one.foot_world = foot.copy()
    left = one.plant(target)
    rows = [UPPER, LOWER, FOOT]
    position, orientation = one.position[rows].copy(), one.orientation[rows].copy()
    one.forward()  # what the whole skeleton then shows
    assert np.abs(one.position[FOOT] - target).max() < 1e-9
    assert degrees(one.orientation[FOOT], foot) < 1e-6
    assert left < 1e-12
    assert np.abs(one.position[rows] - position).max() < 1e-12
    assert degrees(one.orientation[rows], orientation) < 1e-6
    others = [0, 2, 4, 6]
    assert (one.rotation[others] == one.base[others]).all()


@given(seed=seeds, share=st.floats(0.3, 3.0))
def test_the_knee_bends_to_the_pole_and_bones_keep_their_length(seed: int, share: float) -> None:
    one = Leg(seed)
    target, pole = one.target(share), unit(one.rng, 3) * 10.0
    left = one.plant(target, pole)
    hip, knee, ankle = one.position[UPPER], one.position[LOWER], one.position[FOOT]
    assert np.linalg.norm(knee - hip) == pytest.approx(np.linalg.norm(one.knee - one.hip), abs=1e-9)
    assert np.linalg.norm(ankle - knee) == pytest.approx(np.linalg.norm(one.ankle - one.knee), abs=1e-9)
    assert np.linalg.norm(ankle - target) == pytest.approx(left, abs=1e-9)
    line = (ankle - hip) / np.linalg.norm(ankle - hip)
    bend = knee - hip - (knee - hip) @ line * line
    side = pole - pole @ line * line
    assert bend @ side > -1e-12
    assert np.abs(np.cross(bend, side)).max() < 1e-6


@given(seed=seeds)
def test_the_base_pose_is_its_own_answer(seed: int) -> None:
    one = Leg(seed)
    one.plant(one.ankle)
    assert degrees(one.rotation, one.base) < 1e-5


@given(seed=seeds, share=st.floats(0.3, 1.2))
def test_neither_thigh_nor_shank_rolls_about_its_bone(seed: int, share: float) -> None:
    one = Leg(seed)
    one.plant(one.target(share))
    one.forward()
    change, bone = np.empty(4), np.empty(3)
    for top, bottom in ((UPPER, LOWER), (LOWER, FOOT)):
        quat.between(one.base[top], one.rotation[top], change)
        quat.rotate_back(one.orientation[top], one.position[bottom] - one.position[top], bone)
        # swing alone turns about an axis across where the bone was, hence across where it is
        assert abs(np.degrees(quat.roll(change, bone / np.linalg.norm(bone)))) < 1e-6


@given(seed=seeds, share=st.floats(0.3, 1.1))
def test_a_micrometre_of_target_moves_no_joint_by_a_fifth_of_a_millimetre(seed: int, share: float) -> None:
    one = Leg(seed)
    target = one.target(share)
    forward = np.array([0.0, 0.0, 1.0])
    leg_way = (target - one.hip) / np.linalg.norm(target - one.hip)
    pole = forward - 0.9 * forward @ leg_way * leg_way
    one.plant(target, pole)
    position, rotation = one.position.copy(), one.rotation.copy()
    one.plant(target + 1e-6 * unit(one.rng, 3), pole)
    assert np.abs(one.position - position).max() < 1e-4
    assert degrees(one.rotation, rotation) < 0.02


def swept(step: float) -> tuple[np.ndarray, np.ndarray]:
    """Ankle distance and knee (m) of a leg of 0.45 + 0.4 m while the target sinks from 0.8 to 0.95 m below the hip."""
    hip, pole = np.zeros(3), np.array([0.0, 0.0, 1.0])
    ankles, knees = [], []
    for distance in np.arange(0.8, 0.95, step):
        knee, ankle = np.empty(3), np.empty(3)
        leg.solve(hip, np.array([0.0, -distance, 0.0]), 0.45, 0.4, pole, REACH, knee, ankle)
        ankles.append(-ankle[1])
        knees.append(knee)
    return np.array(ankles), np.array(knees)


def test_a_target_out_of_reach_is_neared_without_a_pop() -> None:
    step = 1e-5  # m
    ankle, knee = swept(step)
    speed = np.diff(ankle) / step
    assert speed[0] == pytest.approx(1.0)
    assert speed.min() >= 0.0
    assert ankle.max() == pytest.approx(0.85, abs=1e-9)
    # a hard stop would take the speed from 1 to 0 in one step
    assert np.abs(np.diff(speed)).max() < 1.1 * step / ((1 - REACH) * 0.85)
    assert np.linalg.norm(np.diff(knee, axis=0), axis=1).max() < 12 * step
    hard = np.minimum(np.arange(0.8, 0.95, step), 0.85)
    assert np.abs(np.diff(hard, n=2)).max() / step > 0.9  # control: what the bound above refuses


@given(low=st.floats(0.0, 0.2), high=st.floats(0.3, 2.0), margin=st.floats(1e-3, 0.02))
def test_the_slope_of_the_reach_is_one_at_both_ends_of_the_exact_part(low: float, high: float, margin: float) -> None:
    for edge in (low + margin, high - margin):
        assert leg.reached(edge, low, high, margin) == pytest.approx(edge, abs=1e-15)
        before = edge - leg.reached(edge - 1e-7, low, high, margin)
        after = leg.reached(edge + 1e-7, low, high, margin) - edge
        assert before / after == pytest.approx(1.0, abs=1e-3)
    for distance in (0.0, low, high, 10.0):
        assert low <= leg.reached(distance, low, high, margin) <= high


def test_a_straight_leg_knows_which_way_to_bend() -> None:
    for angle in np.linspace(0, 2 * np.pi, 60):
        pole = np.array([np.cos(angle), 0.0, np.sin(angle)])
        knee, ankle = np.empty(3), np.empty(3)
        leg.solve(np.zeros(3), np.array([0.0, -5.0, 0.0]), 0.4, 0.4, pole, REACH, knee, ankle)
        assert knee == pytest.approx([0.0, -0.4, 0.0], abs=1e-6)
        leg.solve(np.zeros(3), np.array([0.0, -0.79, 0.0]), 0.4, 0.4, pole, REACH, knee, ankle)
        assert knee[[0, 2]] / np.linalg.norm(knee[[0, 2]]) == pytest.approx(pole[[0, 2]], abs=1e-9)


@pytest.mark.parametrize("pole", [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -3.0, 0.0)])
@pytest.mark.parametrize("target", [(0.0, 0.0, 0.0), (0.0, -0.7, 0.0), (0.0, -9.0, 0.0)])
def test_no_target_and_no_pole_gives_a_number_that_is_none(pole: tuple[float, ...], target: tuple[float, ...]) -> None:
    knee, ankle = np.empty(3), np.empty(3)
    left = leg.solve(np.zeros(3), np.array(target), 0.4, 0.4, np.array(pole), REACH, knee, ankle)
    assert np.isfinite(knee).all()
    assert np.isfinite(ankle).all()
    assert left == pytest.approx(np.linalg.norm(ankle - target), abs=1e-12)
    assert np.linalg.norm(knee) == pytest.approx(0.4, abs=1e-9)
    assert np.linalg.norm(ankle - knee) == pytest.approx(0.4, abs=1e-9)


@given(seed=seeds)
def test_a_hip_that_sank_by_the_drop_has_its_ankle_just_in_reach(seed: int) -> None:
    rng = np.random.default_rng(seed)
    hip = rng.normal(size=3)
    ankle = hip + rng.uniform([-0.4, -1.5, -0.4], [0.4, -0.2, 0.4])
    sink = leg.drop(hip, ankle, 0.85, REACH)
    assert np.linalg.norm(hip - [0.0, sink, 0.0] - ankle) == pytest.approx(0.85 * REACH, abs=1e-9)
    assert (sink > 0) == (np.linalg.norm(hip - ankle) > 0.85 * REACH)


def test_an_ankle_out_of_reach_to_the_side_sinks_the_hip_to_its_height() -> None:
    assert leg.drop(np.array([0.0, 0.9, 0.0]), np.array([2.0, 0.1, 0.0]), 0.85, REACH) == pytest.approx(0.8)
