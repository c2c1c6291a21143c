"""Her axes and Panda's: nothing is mirrored, nothing is lost on the way there and back."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from panda3d.core import LMatrix4d, LPoint3d

from kinesics.engine_plugin import axes

POINT = arrays(np.float64, (3,), elements=st.floats(-3, 3))


@given(points=arrays(np.float64, (5, 3), elements=st.floats(-3, 3)))
def test_points_come_back_bit_for_bit(points: np.ndarray) -> None:
    np.testing.assert_array_equal(axes.points_from_panda(axes.points_to_panda(points)), points)


@given(matrix=arrays(np.float64, (2, 4, 4), elements=st.floats(-3, 3)))
def test_transforms_come_back_bit_for_bit(matrix: np.ndarray) -> None:
    back = axes.FROM_PANDA @ np.swapaxes(axes.matrices_to_panda(matrix), -1, -2) @ axes.TO_PANDA
    np.testing.assert_array_equal(back, matrix)


def test_she_faces_a_panda_viewer_and_keeps_her_left_hand() -> None:
    """Panda's default camera looks along +Y with Z up: her face must look at -Y, her left stay at +X."""
    np.testing.assert_array_equal(axes.points_to_panda(np.eye(3)), [[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    assert np.linalg.det(axes.TO_PANDA) == 1.0  # a turn, no mirror


@given(point=POINT, move=POINT)
def test_panda_moves_a_point_where_our_own_product_does(point: np.ndarray, move: np.ndarray) -> None:
    matrix = np.eye(4)
    matrix[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    matrix[:3, 3] = move
    ours = matrix[:3, :3] @ point + move
    stored = LMatrix4d(*axes.matrices_to_panda(matrix).ravel().tolist())
    theirs = stored.xformPoint(LPoint3d(*axes.points_to_panda(point).tolist()))
    np.testing.assert_allclose(axes.points_from_panda(np.array(theirs)), ours, atol=1e-12)
