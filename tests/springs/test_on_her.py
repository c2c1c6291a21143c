"""The shipped avatar's hair and tunic in the tick, and springs of broken files."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesics.components.gltf import read
from kinesics.components.pose import Pose
from kinesics.components.skin import Body
from kinesics.components.springs import Springs
from kinesics.systems import headless, retarget
from kinesics.systems.kernels import fk, quat
from kinesics.systems.schedule import TICK
from kinesics.systems.springs.swing import move
from tests.avatar.variants import Edit

FILE = Path(__file__).parents[2] / "assets" / "avatar" / "default.vrm"


@pytest.fixture(scope="module")
def her() -> Body:
    return read(FILE)


def _tails_at_rest(body: Body, pose: Pose) -> np.ndarray:
    springs = body.springs
    assert springs is not None
    out = np.empty((len(springs.joint), 3))
    for k, joint in enumerate(springs.joint):
        quat.rotate(pose.world_rotation[joint], springs.tail[k], out[k])
        out[k] += pose.world_position[joint]
    return out


def _standing(body: Body, turn: float = 0.0) -> Pose:
    """Return her base pose with her head turned by `turn` rad."""
    anatomy, rig = retarget.measure(body.rig), body.rig
    pose = Pose.of(len(rig.names))
    pose.root[:] = anatomy.base_root
    pose.rotation[:] = anatomy.base
    pose.rotation[rig.humanoid["head"]] = [np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0]
    fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation)
    return pose


def test_standing_still_her_hair_hangs_as_it_was_drawn_within_four_millimetres(her: Body) -> None:
    assert her.springs is not None
    pose = _standing(her)
    drawn, springs = _tails_at_rest(her, pose), Springs.of(her.springs)
    for _ in range(120):
        pose = _standing(her) if _ == 0 else pose
        move(springs, pose, her.rig.parent, her.rig.rest_offset, her.rig.rest_rotation, 1 / 60)
    assert np.linalg.norm(springs.tail - drawn, axis=1).max() * 1000 < 4.0


def test_her_hair_lags_behind_a_turning_head_and_comes_to_rest(her: Body) -> None:
    assert her.springs is not None
    springs, rig = Springs.of(her.springs), her.rig
    lag = []
    for tick in range(180):
        turn = 0.6 * np.sin(np.pi * min(tick / 60, 1.0)) ** 2
        pose = _standing(her, turn)
        drawn = _tails_at_rest(her, pose)
        move(springs, pose, rig.parent, rig.rest_offset, rig.rest_rotation, 1 / 60)
        lag.append(np.linalg.norm(springs.tail - drawn, axis=1).max() * 1000)
    assert max(lag[:60]) > 10.0
    assert lag[-1] < 4.0


def test_the_tick_swings_her_and_a_second_run_is_the_same_bit_for_bit() -> None:
    worlds = [headless.world(seed=3, with_corpus=False) for _ in range(2)]
    digests: list[Any] = []
    for world in worlds:
        for _ in range(90):
            world.step(TICK)
        digests.append(world.digests())
    assert "Springs" in digests[0]
    assert digests[0] == digests[1]
    twin = copy.deepcopy(worlds[0].get(0, Springs))
    worlds[0].step(TICK)
    assert worlds[0].digests()["Springs"] != digests[0]["Springs"]
    assert twin.tail.tobytes() != worlds[0].get(0, Springs).tail.tobytes()


def test_where_her_hair_is_follows_from_the_joints_it_hangs_on() -> None:
    world = headless.world(seed=3, with_corpus=False)
    for _ in range(30):
        world.step(TICK)
    pose, rig = world.get(0, Pose), world.avatar.body.rig
    position, turned = np.empty_like(pose.world_position), np.empty_like(pose.world_rotation)
    fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, position, turned)
    assert np.abs(position - pose.world_position).max() * 1e6 < 0.01
    assert np.abs(1.0 - np.abs((turned * pose.world_rotation).sum(axis=1))).max() < 1e-9


BROKEN: dict[str, Any] = {
    "a joint of no node": lambda s: s["springs"][0]["joints"][0].update(node=9999),
    "a text for a stiffness": lambda s: s["springs"][0]["joints"][0].update(stiffness="soft"),
    "colliders that are no list": lambda s: s.update(colliders={}),
    "a group of a collider that is not there": lambda s: s["colliderGroups"][0].update(colliders=[99]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_springs_hang_still_and_are_told_of(tmp_path: Path, name: str) -> None:
    edit = Edit(FILE)
    BROKEN[name](edit.document["extensions"]["VRMC_springBone"])
    path = tmp_path / "her.vrm"
    path.write_bytes(edit.bytes())
    body = read(path)
    assert body.springs is None
    assert [w for w in body.warnings if w.startswith("hair and cloth hang still")]


def test_huge_numbers_in_springs_are_bounded(tmp_path: Path) -> None:
    edit = Edit(FILE)
    says = edit.document["extensions"]["VRMC_springBone"]
    says["springs"][0]["joints"][0].update(stiffness=1e300, gravityPower=-1e300, dragForce=7, hitRadius=-1)
    says["colliders"][0]["shape"]["capsule"]["radius"] = 1e300
    path = tmp_path / "her.vrm"
    path.write_bytes(edit.bytes())
    body = read(path)
    assert body.springs is not None
    assert np.abs(body.springs.gravity).max() <= 1e4
    springs, pose = Springs.of(body.springs), _standing(body)
    for _ in range(10):
        move(springs, pose, body.rig.parent, body.rig.rest_offset, body.rig.rest_rotation, 1 / 60)
    assert np.isfinite(springs.tail).all()
