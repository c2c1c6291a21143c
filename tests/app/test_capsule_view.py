"""Her capsules over her in the window, key C: where they are, what is drawn where an arm touches, and that they go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from panda3d.core import GeomVertexReader, NodePath

from kinesics.components.capsules import CapsuleSet
from kinesics.components.contacts import Contacts
from kinesics.components.pose import Pose
from kinesics.engine_plugin import AvatarPlugin
from kinesics.engine_plugin.app import capsules as view
from kinesics.engine_plugin.axes import points_from_panda
from kinesics.systems.avatar import Avatar
from kinesics.systems.collide.offline.pairs import place
from tests import talker
from tests.collide.person import Build, person


@dataclass
class Stage:
    """As much of a window as the view asks for."""

    base: Any
    plugin: AvatarPlugin
    her: Avatar
    overlay: Any
    is_open: bool = True

    __hash__ = object.__hash__


@pytest.fixture
def stage(base: Any, told: Any) -> Any:
    plugin = AvatarPlugin(base)
    her = plugin.spawn(person(Build(scale=0.8)), corpus=talker.corpus())
    told.tell = told
    yield Stage(base, plugin, her, told)
    plugin.destroy()


def corners(node: NodePath, top: NodePath) -> np.ndarray:
    """Return the corners of a node's mesh as `top` sees them, (N, 3) m, glTF axes."""
    data = node.node().getGeom(0).getVertexData()
    reader = GeomVertexReader(data, "vertex")
    matrix = node.getMat(top)
    out = [matrix.xformPoint(reader.getData3()) for _ in range(data.getNumRows())]
    return points_from_panda(np.array([[p.x, p.y, p.z] for p in out]))


def test_capsules_stand_where_the_rule_has_them_while_she_moves(stage: Stage) -> None:
    view.toggle(stage)
    for _ in range(20):
        stage.base.taskMgr.step()
    world, entity = stage.plugin.world, stage.her.entity
    capsules, pose = world.get(entity, CapsuleSet), world.get(entity, Pose)
    placed = place(stage.her.body.rig, capsules, pose.rotation, pose.root)
    figure = stage.plugin.figure(stage.her)
    seen = 0
    for joint in np.unique(capsules.joint):
        (node,) = figure.expose(int(joint)).findAllMatches("capsules of *")
        mine = np.flatnonzero(capsules.joint == joint)
        point = corners(node, figure.node).reshape(len(mine), -1, 3)
        for capsule, each in zip(mine, point, strict=True):
            start, along = placed.start[capsule], placed.end[capsule] - placed.start[capsule]
            t = np.clip((each - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
            off = np.linalg.norm(each - start - t[:, None] * along, axis=1)
            assert np.abs(off - capsules.radius[capsule]).max() < 1e-4  # m: every corner lies on its capsule
            seen += 1
    assert seen == len(capsules.joint)
    view.toggle(stage)


def test_a_contact_is_a_dot_in_its_place_and_redder_when_deeper(stage: Stage) -> None:
    contacts = next((c for _, c in stage.plugin.world.each(Contacts)), None)
    if contacts is None:
        contacts = Contacts.of(1)
    dots = view._dots(stage.plugin.figure(stage.her))
    contacts.count = 2
    contacts.point[:2] = [[0.2, 1.0, 0.1], [-0.1, 0.9, 0.2]]
    contacts.depth[:2] = [0.0, 0.02]
    view.show_contacts(dots, contacts)
    shown = [dot for dot in dots if not dot.isHidden()]
    assert len(shown) == 2
    top = stage.plugin.figure(stage.her).node
    middle = np.array([corners(dot, top).mean(axis=0) for dot in shown])
    assert np.abs(middle - contacts.point[:2]).max() < 1e-4
    assert shown[0].getColor()[1] > 0.7 > shown[1].getColor()[1]
    contacts.count = 0
    view.show_contacts(dots, contacts)
    assert all(dot.isHidden() for dot in dots)


def test_the_key_takes_everything_away_again(stage: Stage) -> None:
    assert stage.base.render.findAllMatches("**/capsules of *").getNumPaths() == 0
    view.toggle(stage)
    stage.base.taskMgr.step()
    assert stage.base.render.findAllMatches("**/capsules of *").getNumPaths() > 20
    view.toggle(stage)
    stage.base.taskMgr.step()
    assert not [task for task in stage.base.taskMgr.getAllTasks() if "capsules" in task.name]
    assert stage.base.render.findAllMatches("**/capsules of *").getNumPaths() == 0
    assert stage.base.render.findAllMatches("**/contact").getNumPaths() == 0


def test_another_avatar_brings_her_own_and_one_without_says_so(stage: Stage) -> None:
    view.toggle(stage)
    stage.base.taskMgr.step()
    old = stage.her
    stage.her = stage.plugin.spawn(talker.body(), corpus=talker.corpus())
    stage.plugin.remove(old)
    stage.base.taskMgr.step()
    assert stage.base.render.findAllMatches("**/capsules of *").getNumPaths() == 0
    view.toggle(stage)
    view.toggle(stage)
    assert stage.overlay == ["she has no capsules: her skin could not be measured"]
