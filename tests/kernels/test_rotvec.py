"""Rotation vectors against scipy and across whole turns, in rad."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinesics.systems.kernels import rotvec

component = st.floats(-4, 4, allow_subnormal=False)
vectors = st.tuples(component, component, component).map(np.array)
sizes = st.floats(-14, 0).map(lambda power: 10.0**power)


def exp(r: np.ndarray) -> np.ndarray:
    out = np.empty(4)
    rotvec.exp(r, out)
    return out


def log(q: np.ndarray) -> np.ndarray:
    out = np.empty(3)
    rotvec.log(q, out)
    return out


@given(r=vectors, size=sizes)
def test_exp_is_that_of_scipy_at_every_size(r: np.ndarray, size: float) -> None:
    got, want = exp(r * size), Rotation.from_rotvec(r * size).as_quat(scalar_first=True)
    assert min(np.abs(got - want).max(), np.abs(got + want).max()) < 2e-16 * 4
    assert np.linalg.norm(got) == pytest.approx(1.0, abs=4e-16)


@given(r=vectors, size=sizes)
def test_log_gives_back_what_exp_took_to_the_last_digits(r: np.ndarray, size: float) -> None:
    r = r * size
    if np.linalg.norm(r) < np.pi:
        assert log(exp(r)) == pytest.approx(r, rel=1e-12, abs=1e-15 * np.linalg.norm(r))
    assert np.linalg.norm(log(exp(r))) <= np.pi + 1e-12
    assert (log(-exp(r)) == log(exp(r))).all()


@given(r=vectors, turns=st.integers(-3, 3), drift=vectors)
def test_log_near_finds_the_turn_that_was_meant(r: np.ndarray, turns: int, drift: np.ndarray) -> None:
    angle = np.linalg.norm(r)
    if angle < 1e-3:
        return
    meant = r * (angle + turns * 2 * np.pi) / angle
    previous = meant + 0.5 * drift / max(1.0, np.linalg.norm(drift))  # up to 0.5 rad away, half a turn is 3.1
    got = np.empty(3)
    rotvec.log_near(exp(r), previous, got)
    assert got == pytest.approx(meant, abs=1e-9)
    rotvec.log_near(-exp(r), previous, got)
    assert got == pytest.approx(meant, abs=1e-9)
    rotvec.log_near(exp(r), previous, previous)
    assert (previous == got).all()


def test_no_rotation_stays_a_whole_turn_when_it_was_one() -> None:
    out = np.empty(3)
    rotvec.log_near(np.array([1.0, 0, 0, 0]), np.array([0.0, 6.2, 0]), out)
    assert out == pytest.approx([0, 2 * np.pi, 0])
    rotvec.log_near(np.array([1.0, 0, 0, 0]), np.array([0.0, 0.2, 0]), out)
    assert out.tolist() == [0, 0, 0]


def test_a_joint_that_turns_on_and_on_has_no_jump() -> None:
    """Three whole turns about one axis: the shortest vector jumps by 360 degrees, the continuous one never."""
    axis = np.array([0.6, 0.0, 0.8])
    path = axis * np.linspace(0, 6 * np.pi, 500)[:, None]
    rotation, shortest, along = np.empty((500, 4)), np.empty((500, 3)), np.empty((500, 3))
    rotvec.exp_each(path, rotation)
    rotvec.log_each(rotation, shortest)
    assert np.abs(np.diff(shortest, axis=0)).max() > 4
    rotvec.log_along(rotation, along)
    assert along == pytest.approx(path, abs=1e-9)


@given(rest=vectors, r=vectors)
def test_a_delta_goes_on_the_right_of_the_rest(rest: np.ndarray, r: np.ndarray) -> None:
    want = (Rotation.from_rotvec(rest) * Rotation.from_rotvec(r)).as_quat(scalar_first=True)
    out, rows = exp(rest), exp(rest)[None].copy()
    rotvec.apply(out, r, out)
    assert min(np.abs(out - want).max(), np.abs(out + want).max()) < 1e-14
    rotvec.apply_each(rows, r[None], rows)
    assert (rows[0] == out).all()
