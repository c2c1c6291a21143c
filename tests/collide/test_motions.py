"""The motions that the rule is tried on must be as hard as they say, and the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tried_body import her

from kinesics.systems.collide.offline.motions import PRESSED, fresh, idle, press
from kinesics.systems.collide.offline.optimum import depths, wrists
from kinesics.systems.collide.offline.stress import stress
from kinesics.systems.collide.offline.takes import performed, recorded
from kinesics.systems.kernels import quat

SECONDS = 20


def _degrees_a_second(rotation: np.ndarray, joint: int) -> np.ndarray:
    angle = np.empty(len(rotation) - 1)
    quat.angle_each(np.ascontiguousarray(rotation[:-1, joint]), np.ascontiguousarray(rotation[1:, joint]), angle)
    return np.degrees(angle) * 60.0


def test_idle_hands_hang_inside_her_thighs_and_hardly_move() -> None:
    _, body = her()
    motion = idle(body, 60 * SECONDS)
    scene = body.scene(motion)
    deep = 1e3 * depths(scene)
    assert 10.0 < np.median(deep[:, :, 2].max(axis=1)) < 35.0
    assert deep[:, :, 0].max() < 5.0  # mm, upper arms hang free
    speed = np.linalg.norm(np.diff(wrists(scene), axis=0), axis=-1) * 60.0
    assert speed.max() < 0.12  # m/s
    assert np.abs(np.linalg.norm(motion, axis=2) - 1.0).max() < 1e-9


def test_a_pressed_hand_is_5_cm_inside_for_3_seconds_and_comes_back_to_where_it_was() -> None:
    _, body = her()
    motion = press(body, 3.0)
    deep = depths(body.scene(motion))[:, 0, 1:].max(axis=1)
    assert np.ptp(deep[120:300]) < 1e-9
    assert abs(deep[200] - PRESSED) < 2e-3
    assert np.array_equal(motion[0], motion[-1])
    assert deep[0] == 0.0


@pytest.mark.long
def test_stress_is_as_hard_as_the_table_says_and_no_faster_than_talk() -> None:
    """Raw depth p95 >= 60 mm and p99 >= 79 mm, with upper arms that stay out of the ribs: else no way out is meant."""
    _, body = her()
    motion = stress(body, 11)
    deep = 1e3 * depths(body.scene(motion))
    p95, p99 = np.percentile(deep.max(axis=(1, 2)), (95, 99))
    assert p95 >= 60.0
    assert p99 >= 79.0
    assert deep[:, :, 0].max() < 60.0
    assert deep.max() < 140.0
    for side in range(2):
        assert np.percentile(_degrees_a_second(motion, body.joint(side, "UpperArm")), 99) < 130.0


@pytest.mark.long
def test_the_same_seed_is_the_same_stress_and_another_is_another() -> None:
    _, body = her()
    one, two, other = (stress(body, seed, 300) for seed in (5, 5, 6))
    assert np.array_equal(one, two)
    assert np.abs(one - other).max() > 0.1


def test_fresh_seeds_are_new_every_time() -> None:
    assert len({*fresh(8), *fresh(8)}) == 16


def test_a_talker_whom_nobody_governs_gets_into_her_body(buzz: object) -> None:
    """The stand-in for a recorded take must need the rule, or tests on it prove nothing."""
    _, body = her()
    motion = performed(buzz, body)  # type: ignore[arg-type]
    deep = 1e3 * depths(body.scene(motion)).max(axis=(1, 2))
    assert np.percentile(deep, 99) > 5.0
    assert (deep == 0.0).mean() > 0.2


def test_a_take_of_any_frame_rate_lasts_as_long_and_moves_as_fast(tmp_path: Path) -> None:
    _, body = her()
    shown = []
    for rate in (30, 120, 24.0):
        times = np.arange(round(4 * rate) + 1) / rate
        poses = np.zeros((len(times), 55, 3))
        poses[:, 16, 2] = 0.4 * np.sin(2.0 * times)
        file = tmp_path / f"{rate}.npz"
        np.savez(file, poses=poses.reshape(len(times), 165), mocap_frame_rate=rate)
        shown.append(recorded(file, body, gains=False))
    assert [len(motion) for motion in shown] == [241] * 3
    for motion in shown[1:]:
        assert np.abs(motion - shown[0]).max() < 1e-3
