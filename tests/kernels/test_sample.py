"""The motion between stored frames, in rad and deg."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinesics.systems.kernels.sample import sample, shown_angles

rng = np.random.default_rng(1)
MOTION = rng.normal(scale=0.4, size=(40, 5, 3)).astype(np.float32)


def at(frame60: float, first: int = 10, last: int = 30, delta: np.ndarray = MOTION) -> np.ndarray:
    out = np.empty((5, 3))
    sample(delta, first, last, frame60, out)
    return out


def test_every_stored_frame_is_shown_exactly() -> None:
    for frame in range(20):
        assert (at(2.0 * frame) == MOTION[10 + frame]).all()


def test_a_clip_never_shows_its_neighbour() -> None:
    """Wild frames on both sides of the clip leave it as it was."""
    wild = MOTION.copy()
    wild[:10] = wild[30:] = 1e6
    for frame60 in np.arange(-5, 60, 0.37):
        assert (at(frame60, delta=wild) == at(frame60)).all()
    assert (at(-3.0) == MOTION[10]).all()
    assert (at(1e9) == MOTION[29]).all()
    assert (at(7.0, 4, 5) == MOTION[4]).all()


@given(start=st.floats(-3, 3), slope=st.floats(-3, 3), bend=st.floats(-3, 3), frame60=st.floats(2, 35))
def test_motion_that_bends_evenly_is_reproduced(start: float, slope: float, bend: float, frame60: float) -> None:
    """Catmull-Rom is exact for parabolas away from the ends."""
    t = np.arange(40.0)[:, None, None] - 20
    delta = np.broadcast_to(start + slope * t + bend * t * t, (40, 5, 3)).copy()
    x = 10 + frame60 / 2 - 20
    assert at(frame60, delta=delta) == pytest.approx(np.full((5, 3), start + slope * x + bend * x * x), abs=1e-9)


def test_the_speed_of_a_clip_is_that_of_what_is_played() -> None:
    gain = np.array([0.8, 0.65, 0.5, 1.0, 0.0])
    angles = np.empty((40, 5))
    shown_angles(MOTION, gain, 10, 30, np.empty((5, 3)), np.empty((5, 4)), np.empty((5, 4)), angles)
    for i in range(40):
        a, b = (Rotation.from_rotvec(gain[:, None] * at(float(n))) for n in (i, i + 1))
        assert angles[i] == pytest.approx((a.inv() * b).magnitude(), abs=1e-9)
    assert angles[38:] == pytest.approx(0.0, abs=1e-15)
    assert angles[:, 4] == pytest.approx(0.0, abs=1e-15)
