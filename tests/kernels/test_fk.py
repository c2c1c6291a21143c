"""Forward kinematics against matrices, in m and rad."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinesics.systems.kernels import fk


def tree(seed: int, joints: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    parent = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))], np.int32)
    rotation = Rotation.random(joints, random_state=seed).as_quat(scalar_first=True)
    return parent, rng.normal(scale=0.3, size=(joints, 3)), rng.normal(size=3), rotation


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), joints=st.integers(1, 60))
def test_joints_are_where_a_product_of_matrices_puts_them(seed: int, joints: int) -> None:
    parent, offset, root, rotation = tree(seed, joints)
    position, orientation, back = np.empty((joints, 3)), np.empty((joints, 4)), np.empty((joints, 4))
    fk.world(parent, offset, root, rotation, position, orientation)
    frames: list[np.ndarray] = []
    for j in range(joints):
        matrix = np.eye(4)
        matrix[:3, :3] = Rotation.from_quat(rotation[j], scalar_first=True).as_matrix()
        matrix[:3, 3] = offset[j] + (root if j == 0 else 0)
        frames.append(matrix if j == 0 else frames[parent[j]] @ matrix)
        assert position[j] == pytest.approx(frames[j][:3, 3], abs=1e-12)
        turned = Rotation.from_quat(orientation[j], scalar_first=True).as_matrix()
        assert turned == pytest.approx(frames[j][:3, :3], abs=1e-12)
    fk.local(parent, orientation, back)
    assert np.minimum(np.abs(back - rotation).max(1), np.abs(back + rotation).max(1)).max() < 1e-12


def test_many_frames_are_each_frame() -> None:
    parent, offset, root, rotation = tree(5, 30)
    frames = np.stack([rotation, rotation[::-1]])
    roots = np.stack([root, -root])
    position, orientation = np.empty((2, 30, 3)), np.empty((2, 30, 4))
    fk.world_each(parent, offset, roots, frames, position, orientation)
    one, turned = np.empty((30, 3)), np.empty((30, 4))
    for f in range(2):
        fk.world(parent, offset, roots[f], frames[f], one, turned)
        assert (one == position[f]).all()
        assert (turned == orientation[f]).all()
