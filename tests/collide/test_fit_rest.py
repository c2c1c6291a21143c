"""Where her arms hang when nothing moves them, which pairs may touch, and what is kept of it on disk."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from kinesics.components import gltf
from kinesics.components.anatomy import SIDES, Anatomy
from kinesics.components.capsules import FREE, CapsuleSet
from kinesics.components.config import Config
from kinesics.components.errors import AvatarError, OutputError
from kinesics.components.rig import Rig
from kinesics.systems import headless, retarget
from kinesics.systems.collide import body as collide_body
from kinesics.systems.collide.offline import measure, store
from kinesics.systems.collide.offline.base_pose import METRIC, solve
from kinesics.systems.collide.offline.pairs import near, overlap, place
from kinesics.systems.kernels import quat, rotvec
from tests import talker
from tests.collide.person import Build, person, times

MARGIN = Config.default().rule.margin  # m


@cache
def woman() -> tuple[Rig, Anatomy, CapsuleSet]:
    body = person(Build(hips=1.5))
    anatomy = retarget.measure(body.rig)
    return body.rig, anatomy, measure(body, anatomy)[0]


def swung(rig: Rig, capsules: CapsuleSet, anatomy: Anatomy, inward_deg: float) -> Anatomy:
    """Return the anatomy with both straight arms swung toward the body about the shoulder."""
    base = anatomy.base.copy()
    orientation = place(rig, capsules, base, anatomy.base_root).orientation
    for side, g in zip(SIDES, (1.0, -1.0), strict=True):
        joint = rig.humanoid[side + "UpperArm"]
        half = math.radians(inward_deg) / 2.0
        turned = times(np.array([math.cos(half), 0.0, 0.0, -g * math.sin(half)]), orientation[joint])
        base[joint] = times(orientation[rig.parent[joint]] * [1, -1, -1, -1], turned)
    return replace(anatomy, base=base)


def moved(rig: Rig, capsules: CapsuleSet, before: np.ndarray, after: np.ndarray, root: np.ndarray) -> float:
    """Return what a change of the arms costs in the rule's own metric, m: each link's own turn times its length."""
    first, second = (place(rig, capsules, pose, root).orientation for pose in (before, after))
    total, turn, r = 0.0, np.empty(4), np.empty(3)
    for side in SIDES:
        above = np.zeros(3)
        for name, metres in zip(("UpperArm", "LowerArm", "Hand"), METRIC, strict=True):
            joint = rig.humanoid[side + name]
            quat.mul(second[joint], first[joint] * [1, -1, -1, -1], turn)
            rotvec.log(turn, r)
            total += (metres * np.linalg.norm(r - above)) ** 2
            above = r.copy()
    return math.sqrt(total)


def test_hands_that_hang_inside_her_hips_are_brought_out_by_the_least_turn() -> None:
    """Against the obvious way, the smallest swing of the straight arms that clears them: never dearer."""
    rig, anatomy, capsules = woman()
    inside = swung(rig, capsules, anatomy, 14.0)
    root = anatomy.base_root
    raw = near(capsules, place(rig, capsules, inside.base, root))
    assert raw.gap.min() < -0.010, "they are more than 10 mm inside to begin with"
    found = solve(rig, inside, capsules)
    assert found.inside_mm == 0.0
    assert near(capsules, place(rig, capsules, found.rotation, root), MARGIN).gap.size == 0, "the rule's margin is free"
    for degrees in np.arange(0.0, 40.0, 1.0):
        pose = swung(rig, capsules, inside, -degrees).base
        if near(capsules, place(rig, capsules, pose, root), MARGIN).gap.size == 0:
            break
    assert moved(rig, capsules, inside.base, found.rotation, root) <= 1.02 * moved(
        rig, capsules, inside.base, pose, root
    )


def test_a_base_pose_that_is_free_stays_to_the_bit() -> None:
    rig, anatomy, capsules = woman()
    assert (solve(rig, anatomy, capsules).rotation == anatomy.base).all()


def test_hands_and_forearms_have_no_allowance() -> None:
    """An allowance for fingers in a thigh would make that legal for good."""
    _, _, capsules = woman()
    assert set(capsules.part[capsules.pair[:, 0]].tolist()) <= {1}
    assert set(capsules.part[capsules.joined[:, 0]].tolist()) <= {1}
    assert (capsules.part[capsules.pair[:, 1]] == 0).all()
    assert capsules.allowance.max(initial=0.0) <= 0.0351  # m


def test_a_tested_pair_is_clear_or_allowed_in_rest_and_in_the_base_pose() -> None:
    rig, anatomy, capsules = woman()
    upper = capsules.arm[capsules.link == 0]
    for pose in (rig.rest_rotation, anatomy.base):
        deep = overlap(capsules, place(rig, capsules, pose), upper, capsules.body)
        allow = capsules.allow[capsules.link == 0]
        assert (deep <= np.where(allow >= FREE / 2, np.inf, allow + 1e-4))[allow < 0.035].all()


def test_only_the_upper_half_of_an_upper_arm_is_joined_to_her() -> None:
    rig, _, capsules = woman()
    placed = place(rig, capsules, rig.rest_rotation)
    for side in SIDES:
        shoulder, elbow = (placed.position[rig.humanoid[side + name]] for name in ("UpperArm", "LowerArm"))
        way = elbow - shoulder
        for arm in {int(a) for a, _ in capsules.joined if capsules.names[capsules.joint[a]] == side + "UpperArm"}:
            middle = 0.5 * (placed.start[arm] + placed.end[arm])
            assert (middle - shoulder) @ way / (way @ way) < 0.6


def test_legs_below_the_reach_of_her_hands_are_not_tested() -> None:
    rig, _, capsules = woman()
    feet = [rig.humanoid[side + "Foot"] for side in SIDES]
    thighs = [rig.humanoid[side + "UpperLeg"] for side in SIDES]
    assert not capsules.tested[np.isin(capsules.joint, feet)].any()
    assert capsules.tested[np.isin(capsules.joint, thighs)].any()
    assert capsules.tested[capsules.part > 0].all()


def test_a_file_gives_the_same_capsules_back(tmp_path: Path) -> None:
    rig, _, capsules = woman()
    store.save(tmp_path / "body.npz", capsules, "a file")
    assert store.load(tmp_path / "body.npz", rig).digest == capsules.digest
    assert store.source(tmp_path / "body.npz") == "a file"
    with np.load(tmp_path / "body.npz", allow_pickle=False) as file:
        contract = {"names", "bone", "a", "b", "radius", "part", "pair", "allowance", "joined"}
        assert contract <= set(file.files)
    assert [path.name for path in tmp_path.iterdir()] == ["body.npz"]


def _change(name: str, value: object) -> object:
    def change(arrays: dict[str, np.ndarray]) -> None:
        arrays[name] = value(arrays[name]) if callable(value) else np.array(value)

    return change


DAMAGE = {
    "has no 'radius'": lambda arrays: arrays.pop("radius"),
    "not finite": _change("a", lambda a: np.where(np.arange(len(a))[:, None] == 3, np.nan, a)),
    "a radius is": _change("radius", lambda r: -r),
    "'bone' has": _change("bone", lambda b: b + 9000),
    "'pair' has": _change("pair", lambda p: p - 5000),
    "'allowance' has shape": _change("allowance", lambda a: a[:-1]),
    "another avatar's": _change("rig", "0123456789abcdef"),
    "version": _change("version", np.array(999, np.int32)),
    "unit quaternions": _change("base", lambda b: 2.0 * b),
    "dimensions": _change("joined", lambda j: j.ravel()),
}


@pytest.mark.parametrize("said", DAMAGE)
def test_a_damaged_file_is_one_line(tmp_path: Path, said: str) -> None:
    rig, _, capsules = woman()
    store.save(tmp_path / "body.npz", capsules)
    with np.load(tmp_path / "body.npz") as file:
        arrays = dict(file)
    DAMAGE[said](arrays)
    np.savez(tmp_path / "body.npz", **arrays)
    with pytest.raises(AvatarError, match=said) as caught:
        store.load(tmp_path / "body.npz", rig)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kept", [0, 10, 400, 3000])
def test_a_file_that_was_cut_off_is_one_line(tmp_path: Path, kept: int) -> None:
    rig, _, capsules = woman()
    store.save(tmp_path / "body.npz", capsules)
    whole = (tmp_path / "body.npz").read_bytes()
    (tmp_path / "body.npz").write_bytes(whole[:kept])
    with pytest.raises(AvatarError, match="measure the avatar again"):
        store.load(tmp_path / "body.npz", rig)


def test_a_file_of_pickles_is_not_opened(tmp_path: Path) -> None:
    rig, _, _ = woman()
    np.savez(tmp_path / "body.npz", names=np.array([object()], object), allow_pickle=True)
    with pytest.raises(AvatarError, match="no capsules can be read"):
        store.load(tmp_path / "body.npz", rig)


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        store.save(tmp_path / "file" / "body.npz", woman()[2])


def test_she_is_measured_once_and_a_damaged_file_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collide_body, "KEPT", tmp_path)
    body = replace(person(Build(scale=0.7)), digest="a person")
    anatomy = retarget.measure(body.rig)
    calls = []
    monkeypatch.setattr("kinesics.systems.collide.offline.measure", lambda *a: calls.append(1) or measure(*a))
    first = collide_body.fitted(body, anatomy)
    second = collide_body.fitted(body, anatomy)
    assert len(calls) == 1
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:500])
    third = collide_body.fitted(body, anatomy)
    assert len(calls) == 2
    assert first.capsules is not None
    assert {f.capsules.digest for f in (first, second, third) if f.capsules} == {first.capsules.digest}
    assert first.anatomy.digest != anatomy.digest, "what was made for the pose before is made again"
    assert (first.anatomy.base == first.capsules.base).all()


def test_who_has_no_skin_moves_without_the_rule_and_says_so() -> None:
    world = headless.world(talker.body(), with_corpus=False)
    (said,) = (text for text in world.avatar.figures()["degraded"] if "rule" in text)
    assert said.startswith("the rule is off, her arms may enter her body")
    assert "weight the mesh" in said
    assert not list(world.each(CapsuleSet))


def test_a_second_avatar_shares_the_first_ones_capsules() -> None:
    world = headless.world(person(Build(scale=0.7)), with_corpus=False)
    headless.spawn(world, world.avatar.body, None)
    first, second = (capsules for _, capsules in world.each(CapsuleSet))
    assert first is second


def test_the_shipped_capsules_are_the_shipped_avatars() -> None:
    body = gltf.read(headless.AVATAR)
    assert store.source(collide_body.SHIPPED) == body.digest
    capsules = store.load(collide_body.SHIPPED, body.rig)
    assert len(capsules.joint) > 150
    assert collide_body.fitted(body, retarget.measure(body.rig)).fault == ""


@pytest.mark.long
def test_the_shipped_capsules_are_what_is_measured_today() -> None:
    body = gltf.read(headless.AVATAR)
    shipped = store.load(collide_body.SHIPPED, body.rig)
    today, _ = measure(body, retarget.measure(body.rig))
    assert len(today.joint) == len(shipped.joint)
    assert np.abs(today.start - shipped.start).max() < 1e-3  # m: another machine's rounding may move a few
    assert np.abs(today.radius - shipped.radius).max() < 1e-3
    assert (today.joined == shipped.joined).all()
