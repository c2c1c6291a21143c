"""What Panda holds is what our kinematics say: joints and skin, read back and held against plain float64 numpy."""

from __future__ import annotations

import time

import numpy as np
import pytest
from panda3d.core import NodePath

from kinesics.components.skin import Body
from kinesics.engine_plugin import scene
from kinesics.engine_plugin.bench import best
from kinesics.engine_plugin.write_back import hand_over, read_joints, read_vertices
from tests.engine import made_up

JOINT_MM, SKIN_MAX_MM, SKIN_MEAN_MM = 1e-4, 1e-3, 2e-4  # the published limits, coordinates below 2 m


def worst_and_mean_mm(body: Body, seed: int, angle: float) -> tuple[float, float, float]:
    """Return the worst joint, worst vertex and mean vertex error of a random pose and face, mm an axis."""
    rng = np.random.default_rng(seed)
    rotation = body.rig.rest_rotation + rng.normal(size=body.rig.rest_rotation.shape) * angle
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    position, orientation = made_up.world(body, rotation, rng.normal(size=3) * 0.05)
    face = rng.random(len(body.morph_names))
    figure = scene.dress(body)
    hand_over(figure, position, orientation, face)
    figure.vertices.draw()
    joint = np.abs(read_joints(figure.node) - position).max()
    wanted = made_up.skinned(body, position, orientation, face)
    error = np.concatenate([np.abs(a - b).ravel() for a, b in zip(read_vertices(figure.node), wanted, strict=True)])
    assert max(np.abs(points).max() for points in wanted) < 2.0
    figure.remove()
    return joint * 1e3, error.max() * 1e3, error.mean() * 1e3


@pytest.mark.parametrize("seed", range(3))
def test_a_made_up_body_is_drawn_to_a_ten_thousandth_of_a_millimetre(seed: int) -> None:
    """Two skins of different bind pose and scale, shapes with dots in their names, a rigid part."""
    joint, worst, mean = worst_and_mean_mm(made_up.body(seed=seed), seed, 0.1)
    assert joint <= JOINT_MM
    assert worst <= SKIN_MAX_MM
    assert mean <= SKIN_MEAN_MM


def test_a_body_of_160_joints_is_drawn_as_exactly() -> None:
    joint, worst, mean = worst_and_mean_mm(made_up.body(joints=160, morphs=4), 5, 0.05)
    assert joint <= JOINT_MM
    assert worst <= SKIN_MAX_MM
    assert mean <= SKIN_MEAN_MM


def test_the_shipped_woman_is_drawn_as_exactly(her_body: Body) -> None:
    joint, worst, mean = worst_and_mean_mm(her_body, 7, 0.1)
    assert joint <= JOINT_MM
    assert worst <= SKIN_MAX_MM
    assert mean <= SKIN_MEAN_MM


def test_a_body_without_shapes_and_one_without_meshes_stand() -> None:
    body = made_up.body(joints=3, morphs=0)
    assert worst_and_mean_mm(body, 1, 0.1)[1] <= SKIN_MAX_MM
    bare = Body("bare", "glTF", body.rig, type(body.skin)((), body.skin.bind, ()), ())
    figure = scene.dress(bare)
    assert read_joints(figure.node).shape == (3, 3)
    figure.remove()


def test_a_prop_on_her_hand_goes_where_the_hand_goes(her_body: Body) -> None:
    figure = scene.dress(her_body)
    scenery = NodePath("scenery")
    figure.node.reparentTo(scenery)
    figure.node.setPosHpr(3, 4, 0, 90, 0, 0)
    prop = figure.expose("leftHand").attachNewNode("cup")
    before = prop.getPos(figure.node)
    rotation = her_body.rig.rest_rotation.copy()
    rotation[her_body.rig.humanoid["leftUpperArm"]] = (0.8, 0, 0, 0.6)
    position, orientation = made_up.world(her_body, rotation)
    hand_over(figure, position, orientation, figure.vertices.face)
    x, y, z = prop.getPos(figure.node)
    np.testing.assert_allclose((x, z, -y), position[her_body.rig.humanoid["leftHand"]], atol=1e-6)
    assert (prop.getPos(figure.node) - before).length() > 0.2
    figure.remove()


def test_one_name_moves_its_shape_on_every_mesh_that_has_it() -> None:
    body = made_up.body(morphs=6)
    figure = scene.dress(body)
    rest = read_vertices(figure.node)
    face = np.zeros(6)
    face[0] = 1.0
    hand_over(figure, *made_up.world(body, body.rig.rest_rotation), face)
    figure.vertices.draw()
    for mesh, before, after in zip(body.skin.meshes, rest, read_vertices(figure.node), strict=True):
        moved = np.nonzero(np.abs(after - before).max(axis=1) > 1e-6)[0]
        shape = [morph for morph in mesh.morphs if morph.name == body.morph_names[0]]
        np.testing.assert_array_equal(moved, shape[0].index if shape else [])
    figure.remove()


def test_a_face_at_rest_again_is_the_same_bits() -> None:
    body = made_up.body(morphs=6)
    figure = scene.dress(body)
    rest = np.concatenate(read_vertices(figure.node))
    pose = made_up.world(body, body.rig.rest_rotation)
    for face in (np.full(6, 0.7), np.zeros(6)):
        hand_over(figure, *pose, face)
        figure.vertices.draw()
    np.testing.assert_array_equal(np.concatenate(read_vertices(figure.node)), rest)
    figure.remove()


def test_handing_over_60_joints_and_52_weights_takes_a_tenth_of_a_millisecond() -> None:
    """Every joint with a node of its own; the least of many rounds, for other programs only ever add."""
    body = made_up.body(joints=60, morphs=52)
    figure = scene.dress(body)
    for joint in range(60):
        figure.expose(joint)
    position, orientation = made_up.world(body, body.rig.rest_rotation)
    face = np.random.default_rng(1).random(52)

    def once() -> float:
        began = time.perf_counter()
        hand_over(figure, position, orientation, face)
        return (time.perf_counter() - began) * 1e3

    assert best(once, 200) <= 0.1
    figure.remove()
