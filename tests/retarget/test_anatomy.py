"""How she stands before any motion, and what is found on her, in cm and deg."""

from __future__ import annotations

import numpy as np
import pytest

from kinesics.components.anatomy import FINGERS, SIDES, SLOT_GROUP, SLOTS
from kinesics.components.config.sections import Gains
from kinesics.components.errors import AvatarError
from kinesics.components.rig import Rig
from kinesics.systems.kernels import fk, twist
from kinesics.systems.retarget.anatomy import measure

from .rigs import A_FORWARD, MISSING, RESTS, ROLLED_FRAMES, T_POSE, Variant, anatomy_of, rig_of
from .shown import apart, directions, places

ALL = (*RESTS, ROLLED_FRAMES, *MISSING)
named = pytest.mark.parametrize("variant", ALL, ids=lambda v: v.name)


def standing(variant: Variant) -> dict[str, np.ndarray]:
    anatomy = anatomy_of(variant)
    return places(rig_of(variant), anatomy.base, anatomy.base_root)


@named
def test_she_stands_on_her_ankles_with_straight_legs(variant: Variant) -> None:
    at, anatomy = standing(variant), anatomy_of(variant)
    rest = places(rig_of(variant), rig_of(variant).rest_rotation)
    for s, (side, g) in enumerate(zip(SIDES, (1, -1))):
        assert at[side + "Foot"] == pytest.approx(anatomy.foot[s], abs=1e-9)
        assert at[side + "Foot"][1] == pytest.approx(rest[side + "Foot"][1], abs=1e-9)
        assert at[side + "Foot"][0] == pytest.approx(g * 0.09, abs=0.002)  # under the hip
        sole = at[side + "Toes"] - at[side + "Foot"]
        assert sole == pytest.approx(rest[side + "Toes"] - rest[side + "Foot"], abs=1e-9)  # feet as in rest
        assert np.linalg.norm(anatomy.pole[s]) == pytest.approx(1.0)
        assert anatomy.pole[s, 2] > 0.9
    assert anatomy.height == pytest.approx(rest["crown"][1], abs=1e-9)


@named
def test_arms_hang_a_little_away_from_the_body_with_relaxed_elbows(variant: Variant) -> None:
    at = standing(variant)
    bone = directions(at)
    for side, g in zip(SIDES, (1, -1)):
        assert apart(bone[side + " upper arm"], bone[side + " forearm"]) == pytest.approx(20.0, abs=0.1)
        wrist = (at[side + "Hand"] - at[side + "UpperArm"]) * [g, 1, 1]
        assert 0.10 < wrist[0] < 0.16
        assert -0.50 < wrist[1] < -0.44
        assert 0.05 < wrist[2] < 0.12
        elbow = at[side + "LowerArm"] * [g, 1, 1]
        line = 0.5 * (at[side + "UpperArm"] + at[side + "Hand"]) * [g, 1, 1]
        assert elbow[2] < line[2] - 0.01  # the elbow points back
        assert elbow[0] > line[0] + 0.01  # and out
        palm = np.cross(bone[side + " hand"], bone[side + " palm width"]) * g
        assert palm[0] * g < -0.5  # palms toward the thighs
        for finger, curl in zip(FINGERS, (22, 28, 31, 30)):
            bend = apart(bone[f"{side} {finger} Proximal"], bone[f"{side} {finger} Intermediate"])
            assert bend == pytest.approx(curl, abs=0.1)


def test_the_base_pose_is_the_same_whatever_the_file_rests_in() -> None:
    truth = standing(T_POSE)
    for variant in RESTS:
        for joint, place in standing(variant).items():
            if "humb" not in joint:
                assert np.linalg.norm(place - truth[joint]) < 0.0005, (variant.name, joint)


def test_left_and_right_are_mirror_images() -> None:
    for variant in ALL:
        at = standing(variant)
        for joint, place in at.items():
            if joint.startswith("left"):
                assert place * [-1, 1, 1] == pytest.approx(at["right" + joint[4:]], abs=1e-9)


def test_knees_that_rest_bent_tell_where_they_point() -> None:
    rig = rig_of(T_POSE)
    rotation = rig.rest_rotation.copy()
    for side in SIDES:
        for part, angle in (("UpperLeg", -10.0), ("LowerLeg", 20.0)):  # thigh forward, shin back
            half = np.radians(angle) / 2
            rotation[rig.names.index(side + part)] = [np.cos(half), np.sin(half), 0, 0]
    bent = measure(Rig(rig.names, rig.node, rig.parent, rig.rest_offset, rotation, rig.humanoid))
    assert (bent.pole[:, 2] > 0.95).all()
    assert bent.base[rig.names.index("leftLowerLeg")] == pytest.approx(rotation[rig.names.index("leftLowerLeg")])


def test_missing_joints_and_legs_are_minus_one_and_nothing_breaks() -> None:
    parts = ("UpperLeg", "LowerLeg", "Foot", "Toes", "LittleDistal", "LittleTip")
    anatomy = anatomy_of(Variant("a bust", without=parts, lowered=30.0))
    assert (anatomy.leg == -1).all()
    assert (anatomy.base_root == 0).all()
    assert anatomy.slot_joint[SLOTS.index("leftLittleDistal")] == -1
    assert anatomy.slot_joint[SLOTS.index("leftLittleIntermediate")] >= 0


def test_a_rig_without_a_humanoid_joint_is_refused_in_one_line() -> None:
    with pytest.raises(AvatarError, match="0 of the 43 humanoid joints"):
        measure(Rig(("box",), np.zeros(1), np.array([-1]), np.zeros((1, 3)), np.eye(4)[:1], {}))


def test_equal_rigs_have_equal_digests_and_others_not() -> None:
    assert measure(rig_of(T_POSE)).digest == anatomy_of(T_POSE).digest
    assert len({anatomy_of(variant).digest for variant in ALL}) == len(ALL)


def test_every_slot_is_in_the_group_that_its_gain_names() -> None:
    gains = Gains()
    assert [getattr(gains, group) for group in SLOT_GROUP] == gains.slots.tolist()


TWISTED = Variant(
    "twist joints",
    lowered=47.0,
    elbow=30.0,
    seed=11,
    extra=(
        ("chain_leftForeArmRoll", "leftLowerArm", "leftHand", 0.3),
        ("chain_leftForeArm.002", "leftLowerArm", "leftHand", 0.7),
        ("rightLowerArmTwist", "rightLowerArm", "rightHand", 0.5),
        ("rightUpperArmTwist1", "rightUpperArm", "rightLowerArm", 0.0),
        ("rightUpperArmTwist2", "rightUpperArm", "rightLowerArm", 0.0),
    ),
)


def test_twist_joints_are_found_on_the_chain_and_beside_it() -> None:
    rig, anatomy = rig_of(TWISTED), anatomy_of(TWISTED)
    found = {
        rig.names[t]: (rig.names[child], rig.names[bone], round(float(share), 3))
        for (t, child, bone), share in zip(anatomy.twist, anatomy.twist_share)
    }
    assert found == {
        "chain_leftForeArmRoll": ("leftHand", "leftLowerArm", 0.3),
        "chain_leftForeArm.002": ("leftHand", "leftLowerArm", 0.7),
        "rightLowerArmTwist": ("rightHand", "rightLowerArm", 0.5),
        "rightUpperArmTwist1": ("rightLowerArm", "rightUpperArm", 0.333),  # all at one end: spread evenly
        "rightUpperArmTwist2": ("rightLowerArm", "rightUpperArm", 0.667),
    }
    assert len(anatomy_of(T_POSE).twist) == 0
    assert len(anatomy_of(A_FORWARD).twist) == 0


@pytest.mark.parametrize(("roll", "bend"), [(60.0, 0.0), (-80.0, 25.0), (0.0, 40.0)])
def test_a_rolled_hand_rolls_its_forearm_by_shares_and_stays_where_it_is(roll: float, bend: float) -> None:
    rig, anatomy = rig_of(TWISTED), anatomy_of(TWISTED)
    joints = len(rig.names)
    rest_at, rest_turned = np.empty((joints, 3)), np.empty((joints, 4))
    fk.world(rig.parent, rig.rest_offset, np.zeros(3), rig.rest_rotation, rest_at, rest_turned)
    rotation = rig.rest_rotation.copy()
    turned = rest_turned.copy()
    for side in SIDES:
        elbow, wrist = (rig.humanoid[side + part] for part in ("LowerArm", "Hand"))
        line = rest_at[wrist] - rest_at[elbow]
        line /= np.linalg.norm(line)
        across = np.cross(line, [0.0, 1.0, 0.0])
        across /= np.linalg.norm(across)
        for axis, angle in ((across, bend), (line, roll)):
            half = np.radians(angle) / 2
            turned[wrist] = _times(np.r_[np.cos(half), np.sin(half) * axis], turned[wrist])
        rotation[wrist] = _times(_inverse(turned[rig.parent[wrist]]), turned[wrist])
    for _ in range(2):  # the second time changes nothing
        twist.share(
            rig.parent,
            rig.rest_rotation,
            anatomy.twist,
            anatomy.twist_axis,
            anatomy.twist_share,
            np.empty((5, 4)),
            rotation,
        )
        at, now = np.empty((joints, 3)), np.empty((joints, 4))
        fk.world(rig.parent, rig.rest_offset, np.zeros(3), rotation, at, now)
        for side in SIDES:
            wrist = rig.humanoid[side + "Hand"]
            assert at[wrist] == pytest.approx(rest_at[wrist], abs=1e-12)
            assert abs(now[wrist] @ turned[wrist]) == pytest.approx(1.0, abs=1e-12)
        for (joint, child, _), share in zip(anatomy.twist, anatomy.twist_share):
            shown = 2 * np.degrees(np.arccos(min(1.0, abs(now[joint] @ rest_turned[joint]))))
            want = abs(roll) * share if rig.names[child].endswith("Hand") else 0.0
            assert shown == pytest.approx(want, abs=1e-4), rig.names[joint]


def test_the_base_pose_already_has_its_forearm_rolled_with_the_hand() -> None:
    """A file whose hands rest rolled by 60 deg: hanging they are not, and the skin of the forearm follows by half."""
    rolled = Variant("rolled", wrist_roll=60.0, seed=2, extra=TWISTED.extra[2:])
    rig, anatomy = rig_of(rolled), anatomy_of(rolled)
    again = anatomy.base.copy()
    work = np.empty((5, 4))
    twist.share(rig.parent, rig.rest_rotation, anatomy.twist, anatomy.twist_axis, anatomy.twist_share, work, again)
    assert again == pytest.approx(anatomy.base, abs=1e-12)
    joint = rig.names.index("rightLowerArmTwist")
    turned = 2 * np.degrees(np.arccos(abs(anatomy.base[joint] @ rig.rest_rotation[joint])))
    assert turned == pytest.approx(30.0, abs=0.5)


def _times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.r_[a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


def _inverse(q: np.ndarray) -> np.ndarray:
    return q * [1, -1, -1, -1]
