"""Springs: exact in time, whatever the step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesics.systems.kernels import spring

gaps = st.floats(-10, 10, allow_subnormal=False)
halflives = st.floats(0.02, 5.0)
steps = st.floats(1e-4, 0.5)


@given(value=gaps, velocity=gaps, target=gaps, rate=st.floats(0.2, 60), dt=steps)
def test_two_half_steps_end_where_one_step_does(
    value: float, velocity: float, target: float, rate: float, dt: float
) -> None:
    once = np.array([value]), np.array([velocity])
    twice = np.array([value]), np.array([velocity])
    goal = np.array([target])
    spring.follow_rate(*once, goal, rate, dt)
    spring.follow_rate(*twice, goal, rate, dt / 2)
    spring.follow_rate(*twice, goal, rate, dt / 2)
    assert twice[0] == pytest.approx(once[0], abs=1e-9)
    assert twice[1] == pytest.approx(once[1], abs=1e-7)
    assert spring.step(value, velocity, target, rate, dt) == pytest.approx((once[0][0], once[1][0]), abs=1e-13)


@given(halflife=halflives, gap=gaps)
def test_half_of_the_gap_is_closed_after_one_halflife(halflife: float, gap: float) -> None:
    value, velocity = np.zeros(1), np.zeros(1)
    spring.follow(value, velocity, np.array([gap]), halflife, halflife)
    assert value[0] == pytest.approx(gap / 2, abs=1e-9)


@given(gap=gaps, rate=st.floats(1, 60))
def test_from_rest_it_never_overshoots(gap: float, rate: float) -> None:
    value, velocity = np.zeros(1), np.zeros(1)
    for _ in range(100):
        spring.follow_rate(value, velocity, np.array([gap]), rate, 1 / 60)
        assert abs(value[0]) <= abs(gap) * (1 + 1e-12)


def test_it_obeys_its_equation_of_motion() -> None:
    """Against 200 000 small Euler steps of x'' = -2 rate x' - rate^2 (x - target)."""
    rate, dt, target = 12.0, 1e-6, 2.0
    x, v = -1.0, 5.0
    for _ in range(200_000):
        v += (-2 * rate * v - rate**2 * (x - target)) * dt
        x += v * dt
    assert spring.step(-1.0, 5.0, target, rate, 0.2) == pytest.approx((x, v), abs=1e-4)
