"""Quaternions against scipy, in rad and without units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinesics.systems.kernels import quat

coordinate = st.floats(-1, 1, allow_subnormal=False)
vectors = st.tuples(coordinate, coordinate, coordinate).map(np.array)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 1e-3)
quaternions = (
    st.tuples(coordinate, coordinate, coordinate, coordinate)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 1e-3)
    .map(lambda q: q / np.linalg.norm(q))
)


def scipy_of(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q, scalar_first=True)


def same(a: np.ndarray, b: np.ndarray, limit: float = 1e-12) -> bool:
    """Equal as rotations: q and -q are one."""
    return bool(min(np.abs(a - b).max(), np.abs(a + b).max()) < limit)


@given(a=quaternions, b=quaternions, v=vectors)
def test_products_and_turned_vectors_are_those_of_scipy(a: np.ndarray, b: np.ndarray, v: np.ndarray) -> None:
    out, vector = np.empty(4), np.empty(3)
    quat.mul(a, b, out)
    assert same(out, (scipy_of(a) * scipy_of(b)).as_quat(scalar_first=True))
    quat.between(a, b, out)
    assert same(out, (scipy_of(a).inv() * scipy_of(b)).as_quat(scalar_first=True))
    quat.rotate(a, v, vector)
    assert vector == pytest.approx(scipy_of(a).apply(v), abs=1e-14)
    quat.rotate_back(a, vector, vector)
    assert vector == pytest.approx(v, abs=1e-14)
    assert quat.angle(a, b) == pytest.approx((scipy_of(a).inv() * scipy_of(b)).magnitude(), abs=1e-12)


@given(a=quaternions, b=quaternions, t=st.floats(-0.5, 1.5))
def test_outputs_may_be_the_inputs(a: np.ndarray, b: np.ndarray, t: float) -> None:
    for function, arguments in ((quat.mul, ()), (quat.between, ()), (quat.slerp, (t,))):
        want = np.empty(4)
        function(a, b, *arguments, want)
        left, right = a.copy(), b.copy()
        function(left, b, *arguments, left)
        function(a, right, *arguments, right)
        assert (left == want).all()
        assert (right == want).all()
    want = np.empty(4)
    quat.conj(a, want)
    left = a.copy()
    quat.conj(left, left)
    assert (left == want).all()


@given(q=quaternions)
def test_matrices_go_there_and_back(q: np.ndarray) -> None:
    matrix, back = np.empty((3, 3)), np.empty(4)
    quat.to_matrix(q, matrix)
    assert matrix == pytest.approx(scipy_of(q).as_matrix(), abs=1e-14)
    quat.from_matrix(matrix, back)
    assert back[0] >= 0.0
    assert same(back, q)


@given(u=directions, v=directions, scale=st.floats(1e-6, 1e6))
def test_the_shortest_arc_brings_one_direction_onto_the_other(u: np.ndarray, v: np.ndarray, scale: float) -> None:
    q, turned = np.empty(4), np.empty(3)
    for target in (v, -u, u, -u + 1e-7 * v):
        quat.arc(u * scale, target, q)
        assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-14)
        quat.rotate(q, u / np.linalg.norm(u), turned)
        assert turned == pytest.approx(target / np.linalg.norm(target), abs=3e-8)
        cosine = np.clip(u @ target / np.linalg.norm(u) / np.linalg.norm(target), -1, 1)
        assert quat.angle(q, np.array([1.0, 0, 0, 0])) == pytest.approx(np.arccos(cosine), abs=1e-7)


def test_an_arc_without_a_direction_does_not_turn() -> None:
    q = np.empty(4)
    quat.arc(np.zeros(3), np.array([1.0, 0, 0]), q)
    assert q.tolist() == [1, 0, 0, 0]


@given(a=quaternions, b=quaternions, t=st.floats(0, 1))
def test_slerp_goes_the_short_way_at_constant_speed(a: np.ndarray, b: np.ndarray, t: float) -> None:
    out = np.empty(4)
    quat.slerp(a, b, t, out)
    whole = quat.angle(a, b)
    if whole < np.pi - 1e-3:  # at half a turn either way is short
        assert quat.angle(a, out) == pytest.approx(t * whole, abs=1e-9)
        assert quat.angle(out, b) == pytest.approx((1 - t) * whole, abs=1e-9)


@given(axis=directions, roll=st.floats(-3.1, 3.1), tilt=st.floats(-3.0, 3.0), turn=st.floats(-3, 3))
def test_roll_is_the_part_about_the_axis(axis: np.ndarray, roll: float, tilt: float, turn: float) -> None:
    axis = axis / np.linalg.norm(axis)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across = Rotation.from_rotvec(turn * axis).apply(across / np.linalg.norm(across))
    whole = Rotation.from_rotvec(tilt * across) * Rotation.from_rotvec(roll * axis)
    q = whole.as_quat(scalar_first=True)
    assert quat.roll(q, axis) == pytest.approx(roll, abs=1e-9)
    assert quat.roll(-q, axis) == pytest.approx(roll, abs=1e-9)


@pytest.mark.parametrize("broken", [np.zeros(4), np.full(4, np.nan)])
def test_a_quaternion_without_a_length_becomes_no_rotation(broken: np.ndarray) -> None:
    out = np.empty(4)
    quat.normalise(broken, out)
    assert out.tolist() == [1, 0, 0, 0]


def test_rows_are_handled_as_one_by_one() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 50, 4))
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    v = rng.normal(size=(50, 3))
    sa, sb = scipy_of(a), scipy_of(b)
    out, turned, angles, matrices = np.empty((50, 4)), np.empty((50, 3)), np.empty(50), np.empty((50, 3, 3))
    quat.mul_each(a, b, out)
    assert all(same(x, y) for x, y in zip(out, (sa * sb).as_quat(scalar_first=True)))
    quat.mul_each(a[:1], b, out)
    assert all(same(x, y) for x, y in zip(out, (sa[0] * sb).as_quat(scalar_first=True)))
    quat.between_each(a, b[:1], out)
    assert all(same(x, y) for x, y in zip(out, (sa.inv() * sb[0]).as_quat(scalar_first=True)))
    quat.conj_each(a, out)
    assert all(same(x, y) for x, y in zip(out, sa.inv().as_quat(scalar_first=True)))
    quat.slerp_each(a, b, 0.25, out)
    quat.angle_each(a, out, angles)
    assert angles == pytest.approx(0.25 * (sa.inv() * sb).magnitude(), abs=1e-9)
    assert quat.furthest(a, out) == angles.max()
    quat.rotate_each(a, v, turned)
    assert turned == pytest.approx(sa.apply(v), abs=1e-13)
    quat.to_matrix_each(a, matrices)
    for matrix, x in zip(matrices, a):
        quat.from_matrix(matrix, out[0])
        assert same(out[0], x)
    quat.normalise_each(a * 3, out)
    assert out == pytest.approx(a, abs=1e-15)
