"""Depth on her skin must be that of the triangles, whatever capsules say, and the rule must keep it small."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import talker
from tried_body import her

from kinesics.components.rig import Rig
from kinesics.components.skin import Body, Material, Mesh, Skin
from kinesics.systems.collide.offline.drive import drive
from kinesics.systems.collide.offline.motions import idle
from kinesics.systems.collide.offline.skin_depth import inside, skin_of
from kinesics.systems.collide.offline.stress import stress


def box(name: str, rig: Rig, joint: str, low: tuple[float, ...], high: tuple[float, ...], split: int) -> Mesh:
    """Return a closed box, faces split in squares, all of it on one joint; corners in the avatar's frame at rest."""
    points, faces = [], []
    for axis in range(3):
        for end in (0.0, 1.0):
            first = len(points)
            for a in np.linspace(0.0, 1.0, split + 1):
                for b in np.linspace(0.0, 1.0, split + 1):
                    points.append(np.insert([a, b], axis, end))
            for a in range(split):
                for b in range(split):
                    k = first + a * (split + 1) + b
                    square = [(k, k + split + 1, k + split + 2), (k, k + split + 2, k + 1)]
                    flip = (end == 0.0) == (axis != 1)  # outward, whichever two axes the square has
                    faces += [t[::-1] if flip else t for t in square]
    corner = np.array(low) + np.array(points) * (np.array(high) - np.array(low))
    count = len(corner)
    joints = np.full((count, 4), rig.humanoid[joint], np.uint16)
    weight = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)).astype(np.float32)
    flat, white = np.zeros((count, 2), np.float32), np.ones((count, 4), np.float32)
    ahead = np.tile([0.0, 0.0, 1.0], (count, 1)).astype(np.float32)
    return Mesh(name, corner.astype(np.float32), ahead, flat, white, joints, weight, np.array(faces, np.uint32), 0, 0)


def boxes(deep: float) -> Body:
    """Return the T-posed figure of numbers: a trunk, and a left hand that reaches `deep` m into a block on it."""
    made = talker.body()
    rig = made.rig
    position = np.zeros((len(rig.names), 3))
    for j, above in enumerate(rig.parent):
        position[j] = rig.rest_offset[j] + (position[above] if above >= 0 else 0.0)
    bind = np.tile(np.eye(4), (1, len(rig.names), 1, 1))
    bind[0, :, :3, 3] = -position
    x, y, z = position[rig.humanoid["leftHand"]]
    meshes = (
        box("trunk", rig, "chest", (-0.15, 0.9, -0.1), (0.15, 1.4, 0.1), 6),
        box("block", rig, "chest", (x + 0.10 - deep, y - 0.2, z - 0.2), (x + 0.6, y + 0.2, z + 0.2), 12),
        box("hand", rig, "leftHand", (x, y - 0.02, z - 0.03), (x + 0.10, y + 0.02, z + 0.03), 6),
        box("right", rig, "rightHand", (-x - 0.1, y - 0.02, z - 0.03), (-x, y + 0.02, z + 0.03), 6),
    )
    return dataclasses.replace(made, skin=Skin(meshes, bind, (Material("skin"),)))


@pytest.mark.parametrize("deep", [0.004, 0.025, 0.06])
def test_a_hand_in_a_block_is_as_deep_as_it_was_put(deep: float) -> None:
    body = boxes(deep)
    left, right = inside(skin_of(body), body.rig.rest_rotation, np.zeros(3))
    assert left.max() == pytest.approx(deep, abs=1e-6)
    assert right.max() == 0.0


def test_a_hand_beside_the_block_is_outside() -> None:
    body = boxes(-0.003)
    left, right = inside(skin_of(body), body.rig.rest_rotation, np.zeros(3))
    assert left.max() == 0.0
    assert right.max() == 0.0


def test_hands_at_the_thighs_are_in_her_trousers_without_the_rule_and_out_of_them_with_it() -> None:
    body, figure = her()
    skin, motion = skin_of(body), idle(figure, 400)
    kept = drive(figure, motion)
    root = figure.anatomy.base_root
    before = [1e3 * max(d.max() for d in inside(skin, motion[f], root)) for f in (0, 399)]
    after = [1e3 * max(d.max() for d in inside(skin, kept[f], root)) for f in (0, 399)]
    assert min(before) > 8.0  # mm
    assert max(after) == 0.0


@pytest.mark.long
def test_stressed_hands_are_at_most_4_mm_in_her_skin_in_99_of_100_frames() -> None:
    body, figure = her()
    skin, motion = skin_of(body), stress(figure, 11)
    kept = drive(figure, motion)
    root, frames = figure.anatomy.base_root, np.linspace(40, len(motion) - 40, 60).astype(int)
    deep = np.array([1e3 * max(d.max() for d in inside(skin, kept[f], root)) for f in frames])
    raw = np.array([1e3 * max(d.max() for d in inside(skin, motion[f], root)) for f in frames])
    assert np.percentile(raw, 90) > 30.0
    assert np.percentile(deep, 99) <= 4.0
