"""The same neutral motion looks the same on every rig, in deg and m."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinesics.components.anatomy import BODY_SLOTS, FINGERS, HAND_CHANNELS, KNUCKLES, SIDES, SLOTS
from kinesics.components.errors import CorpusError
from kinesics.systems.retarget.anatomy import measure
from kinesics.systems.retarget.neutral import pose

from .rigs import A_FORWARD, BODY, MISSING, RANDOM_FRAMES, RESTS, ROLLED_FRAMES, T_POSE, Variant, anatomy_of, rig_of
from .shown import apart, directions, mirrored_motion, places, random_motion, wanted, with_slots

ALL = (*RESTS, ROLLED_FRAMES, *MISSING)
named = pytest.mark.parametrize("variant", ALL, ids=lambda v: v.name)


def seen(variant: Variant, rotation: np.ndarray, hand: np.ndarray) -> list[dict[str, np.ndarray]]:
    """Return where her joints are in each frame."""
    rig = rig_of(variant)
    return [places(rig, with_slots(rig, frame)) for frame in pose(rig, anatomy_of(variant), rotation, hand)]


@named
def test_the_same_motion_points_every_bone_the_same_way_on_every_rig(variant: Variant) -> None:
    rotation, hand = random_motion(20, 7)
    for frame, at in enumerate(seen(variant, rotation, hand)):
        truth = wanted(rotation[frame], hand[frame])
        shown = directions(at)
        assert len(shown) == len(truth)
        for bone, direction in shown.items():
            assert apart(direction, truth[bone]) < 0.1, (frame, bone)


@named
def test_no_motion_is_a_t_pose_with_straight_fingers(variant: Variant) -> None:
    (at,) = seen(variant, np.zeros((1, 13, 3)), np.zeros((1, 2, 16)))
    for bone, direction in directions(at).items():
        side = [1.0, 0, 0] if bone.startswith("left") else [-1.0, 0, 0]
        assert apart(direction, np.array([0.0, 0, 1.0] if "width" in bone else side)) < 0.1, bone


@pytest.mark.parametrize("variant", [*RESTS, ROLLED_FRAMES], ids=lambda v: v.name)
def test_a_whole_body_stands_where_the_neutral_body_does(variant: Variant) -> None:
    """With every bone present the joints themselves coincide: shoulders, elbows, wrists, fingertips within 0.5 mm."""
    rotation, hand = random_motion(10, 3)
    for at, truth in zip(seen(variant, rotation, hand), seen(T_POSE, rotation, hand)):
        for joint in truth:
            if not any(word in joint for word in ("Leg", "Foot", "Toes", "humb", "armature")):
                off = (at[joint] - at["hips"]) - (truth[joint] - truth["hips"])
                assert np.linalg.norm(off) < 0.0005, joint


def test_arms_are_not_wrung_by_the_pose_a_file_rests_in() -> None:
    """Upper arm, forearm and hand have the same roll as in the T-pose file, within 0.1 deg: skin turns with them.

    A bent elbow tells the roll; a straight one that was only lowered needs none.
    """
    rotation, hand = random_motion(5, 11)
    truth = orientations(T_POSE, rotation, hand)
    for variant in RESTS:
        if variant.seed is None:  # equal local frames can be compared
            shown = orientations(variant, rotation, hand)
            for joint, turned in truth.items():
                assert np.degrees((turned.inv() * shown[joint]).magnitude()).max() < 0.1, (variant.name, joint)


def orientations(variant: Variant, rotation: np.ndarray, hand: np.ndarray) -> dict[str, Rotation]:
    rig = rig_of(variant)
    out = {}
    shown = [with_slots(rig, frame) for frame in pose(rig, anatomy_of(variant), rotation, hand)]
    for side in SIDES:
        for part in ("UpperArm", "LowerArm", "Hand"):
            joint, turned = rig.humanoid[side + part], Rotation.identity()
            while joint >= 0:
                turned = Rotation.from_quat([f[joint] for f in shown], scalar_first=True) * turned
                joint = int(rig.parent[joint])
            out[side + part] = turned
    return out


@settings(max_examples=15)
@given(seed=st.integers(0, 1000))
def test_a_mirrored_motion_is_seen_mirrored(seed: int) -> None:
    rotation, hand = random_motion(3, seed)
    for variant in (A_FORWARD, RANDOM_FRAMES):
        plain = seen(variant, rotation, hand)
        mirror = seen(variant, *mirrored_motion(rotation, hand))
        for a, b in zip(plain, mirror):
            for joint, place in a.items():
                other = joint.replace("left", "<").replace("right", "left").replace("<", "right")
                assert place * [-1, 1, 1] == pytest.approx(b[other], abs=1e-6), joint


@settings(max_examples=25)
@given(curls=st.lists(st.floats(-10, 95), min_size=12, max_size=12), spread=st.floats(-5, 15))
def test_a_curl_is_the_angle_at_the_joint(curls: list[float], spread: float) -> None:
    """Whatever curl and splay the file rests in: the bend between two finger bones is the channel's, within 1 deg."""
    hand = np.zeros((1, 2, 16))
    hand[..., :12] = np.radians(curls)
    hand[..., 15] = np.radians(spread)
    for variant in (A_FORWARD, ROLLED_FRAMES):
        (at,) = seen(variant, np.zeros((1, 13, 3)), hand)
        bone = directions(at)
        for side in SIDES:
            for f, finger in enumerate(FINGERS):
                base = bone[f"{side} {finger} Proximal"]
                assert np.degrees(np.arcsin(-base[1])) == pytest.approx(_folded(curls[3 * f]), abs=1.0)
                for k in (1, 2):
                    bend = apart(bone[f"{side} {finger} {KNUCKLES[k - 1]}"], bone[f"{side} {finger} {KNUCKLES[k]}"])
                    assert bend == pytest.approx(abs(curls[3 * f + k]), abs=1.0)


def _folded(curl: float) -> float:
    """Return how far a bone leaves the palm's plane: past a right angle less again."""
    return curl if curl <= 90 else 180 - curl


def test_a_missing_bone_hands_its_turn_to_its_neighbour() -> None:
    """A nod of the neck shows at the head without a neck; a bow of upper chest shows at the only spine joint."""
    rotation = np.zeros((1, 13, 3))
    rotation[0, BODY_SLOTS.index("neck")] = [0.4, 0, 0]
    rotation[0, BODY_SLOTS.index("upperChest")] = [0.2, 0, 0]
    for variant in MISSING:
        (at,) = seen(variant, rotation, np.zeros((1, 2, 16)))
        crown = at["crown"] - at["head"]
        rest = np.array(BODY["crown"][1]) - np.array(BODY["head"][1])
        assert apart(crown, Rotation.from_rotvec([0.6, 0, 0]).apply(rest)) < 0.01, variant.name
        last = next(name for name in ("upperChest", "chest", "spine") if name in at)
        top = next(name for name in ("neck", "head") if name in at)
        rest = np.array(BODY[top][1]) - np.array(BODY[last][1])
        assert apart(at[top] - at[last], Rotation.from_rotvec([0.2, 0, 0]).apply(rest)) < 0.01, variant.name


def test_a_joint_she_lacks_is_no_rotation_and_the_rest_still_moves() -> None:
    names = ("LittleProximal", "LittleIntermediate", "LittleDistal", "LittleTip", "ThumbMetacarpal", "ThumbProximal")
    bare = Variant("bare", without=(*names, "ThumbDistal", "thumbTip"), lowered=40.0, elbow=30.0)
    rig = rig_of(bare)
    rotation, hand = random_motion(2, 1)
    shown = pose(rig, measure(rig), rotation, hand)
    for slot, name in enumerate(SLOTS):
        if "Little" in name or "Thumb" in name:
            assert (shown[:, slot] == [1, 0, 0, 0]).all()
    truth = wanted(rotation[0], hand[0])
    for bone, direction in directions(places(rig, with_slots(rig, shown[0]))).items():
        assert apart(direction, truth[bone]) < 0.1, bone


def test_a_hand_without_fingers_follows_the_arm() -> None:
    every = tuple(f + k for f in FINGERS for k in (*KNUCKLES, "Tip"))
    thumbs = ("ThumbMetacarpal", "ThumbProximal", "ThumbDistal", "thumbTip")
    rig = rig_of(Variant("stumps", without=(*every, *thumbs), lowered=40.0, elbow=30.0, seed=8))
    rotation, hand = random_motion(2, 1)
    shown = directions(places(rig, with_slots(rig, pose(rig, measure(rig), rotation, hand)[0])))
    truth = wanted(rotation[0], hand[0])
    assert {b for b in shown} == {f"{s} {b}" for s in SIDES for b in ("upper arm", "forearm")}
    for bone, direction in shown.items():
        assert apart(direction, truth[bone]) < 0.1, bone


def test_a_thumb_opposes_and_bends_into_the_palm_on_both_hands() -> None:
    for variant in (T_POSE, A_FORWARD, RANDOM_FRAMES):
        for channel in ("thumb flex", "thumb end", "thumb opposition"):
            hand = np.zeros((2, 2, 16))
            hand[1, :, HAND_CHANNELS.index(channel)] = 0.5
            still, moved = seen(variant, np.zeros((2, 13, 3)), hand)
            for side in SIDES:
                tip, goal = side + "thumbTip", side + "LittleProximal"
                before = np.linalg.norm(still[tip] - still[goal])
                if channel == "thumb opposition":
                    assert moved[tip][1] < still[tip][1] - 0.01, (variant.name, side)  # palms are down: into the palm
                else:
                    assert np.linalg.norm(moved[tip] - moved[goal]) < before - 0.004, (variant.name, side, channel)


def test_motion_of_another_shape_is_refused_in_one_line() -> None:
    rig = rig_of(T_POSE)
    with pytest.raises(CorpusError, match=r"shape \(4, 12, 3\)"):
        pose(rig, measure(rig), np.zeros((4, 12, 3)), np.zeros((4, 2, 16)))
