"""The shipped avatar file is what the rest of the project counts on, judged from its bytes alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from .glb import Glb

FILE = Path(__file__).parents[2] / "assets" / "avatar" / "default.vrm"
SIDES = ("left", "right")
TWISTS = {f"{side}{part}ArmTwist" for side in SIDES for part in ("Upper", "Lower")}
FINGERS = {
    *(f"{f}{k}" for f in ("Index", "Middle", "Ring", "Little") for k in ("Proximal", "Intermediate", "Distal")),
    *(f"Thumb{k}" for k in ("Metacarpal", "Proximal", "Distal")),
}
LIMBS = {"Eye", "Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"}
BONES = {"hips", "spine", "chest", "upperChest", "neck", "head"} | {s + b for s in SIDES for b in LIMBS | FINGERS}
PRESETS = {
    *("happy", "angry", "sad", "relaxed", "surprised", "neutral"),
    *("aa", "ih", "ou", "ee", "oh", "blink", "blinkLeft", "blinkRight"),
}
ARKIT = (
    "browDownLeft", "browDownRight", "browInnerUp", "browOuterUpLeft", "browOuterUpRight", "cheekPuff",
    "cheekSquintLeft", "cheekSquintRight", "eyeBlinkLeft", "eyeBlinkRight", "eyeLookDownLeft", "eyeLookDownRight",
    "eyeLookInLeft", "eyeLookInRight", "eyeLookOutLeft", "eyeLookOutRight", "eyeLookUpLeft", "eyeLookUpRight",
    "eyeSquintLeft", "eyeSquintRight", "eyeWideLeft", "eyeWideRight", "jawForward", "jawLeft", "jawOpen", "jawRight",
    "mouthClose", "mouthDimpleLeft", "mouthDimpleRight", "mouthFrownLeft", "mouthFrownRight", "mouthFunnel",
    "mouthLeft", "mouthLowerDownLeft", "mouthLowerDownRight", "mouthPressLeft", "mouthPressRight", "mouthPucker",
    "mouthRight", "mouthRollLower", "mouthRollUpper", "mouthShrugLower", "mouthShrugUpper", "mouthSmileLeft",
    "mouthSmileRight", "mouthStretchLeft", "mouthStretchRight", "mouthUpperUpLeft", "mouthUpperUpRight",
    "noseSneerLeft", "noseSneerRight", "tongueOut",
)  # fmt: skip


@pytest.fixture(scope="module")
def glb() -> Glb:
    return Glb(FILE)


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.degrees(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1.0, 1.0))))


def test_the_file_stays_below_5_megabytes() -> None:
    assert FILE.stat().st_size < 5_000_000


def test_her_58_bones_carry_the_names_of_vrm_1_0(glb: Glb) -> None:
    assert len(glb.joints[:58]) == 58
    assert set(glb.joints[:58]) == BONES | TWISTS
    assert all(name.startswith(("hair_", "skirt_")) for name in glb.joints[58:]), "after them only what swings"
    human = glb.document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
    assert set(human) == BONES
    assert all(glb.document["nodes"][bone["node"]]["name"] == name for name, bone in human.items())
    assert glb.document["extensions"]["VRMC_vrm"]["specVersion"] == "1.0"


def test_her_face_has_the_52_arkit_units_and_the_vrm_presets(glb: Glb) -> None:
    names = [mesh["extras"]["targetNames"] for mesh in glb.document["meshes"] if "extras" in mesh]
    assert len(names) == 1, "one mesh carries all morphs"
    assert set(names[0]) == set(ARKIT)
    assert len(names[0]) == 52
    expressions = glb.document["extensions"]["VRMC_vrm"]["expressions"]
    assert set(expressions["custom"]) == set(ARKIT)
    assert set(expressions["preset"]) == PRESETS
    for name, expression in expressions["custom"].items():
        (bind,) = expression["morphTargetBinds"]
        mesh = glb.document["meshes"][glb.document["nodes"][bind["node"]]["mesh"]]
        assert (mesh["extras"]["targetNames"][bind["index"]], bind["weight"]) == (name, 1.0)
    for name in PRESETS - {"neutral"}:
        assert expressions["preset"][name]["morphTargetBinds"], f"{name} moves nothing"


def test_every_face_unit_moves_her_face_by_more_than_a_millimetre(glb: Glb) -> None:
    face = [p for p in glb.primitives if p["mesh"] == "Face"]
    names = next(mesh["extras"]["targetNames"] for mesh in glb.document["meshes"] if "extras" in mesh)
    for k, name in enumerate(names):
        travel = max(
            np.linalg.norm(glb.accessor(p["targets"][k]["POSITION"]), axis=1).max(initial=0.0) * 1000 for p in face
        )
        assert 1.0 < travel < 60.0, f"{name} moves {travel:.1f} mm"


def test_no_vertex_is_unweighted_and_all_weights_sum_to_one(glb: Glb) -> None:
    for part in glb.primitives:
        np.testing.assert_allclose(part["WEIGHTS_0"].sum(axis=1), 1.0, atol=1e-6)
        assert part["JOINTS_0"].max() < len(glb.joints)
        if part["mesh"] not in ("Hair", "Clothes"):
            assert part["JOINTS_0"].max() < 58
        assert (part["WEIGHTS_0"] >= 0.0).all()


def test_normals_are_unit_and_no_triangle_has_zero_area(glb: Glb) -> None:
    for part in glb.primitives:
        np.testing.assert_allclose(np.linalg.norm(part["NORMAL"], axis=1), 1.0, atol=1e-5)
        corner = part["POSITION"][part["triangle"]]
        area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1) / 2
        assert area.min() > 1e-10, part["material"]


def test_she_is_a_woman_of_about_1_66_m_standing_on_the_ground_and_facing_the_viewer(glb: Glb) -> None:
    place = np.concatenate([part["POSITION"] for part in glb.primitives])
    assert abs(place[:, 1].min()) < 1e-4
    assert 1.60 < place[:, 1].max() < 1.72
    assert glb.places["leftHand"][0] > 0.3
    assert glb.places["leftEye"][2] > glb.places["head"][2] + 0.03
    assert glb.places["leftToes"][2] > glb.places["leftFoot"][2] + 0.05


def test_left_and_right_bones_mirror_within_a_millimetre(glb: Glb) -> None:
    for name, place in glb.places.items():
        if name.startswith("left"):
            np.testing.assert_allclose(glb.places["right" + name[4:]], place * [-1, 1, 1], atol=1e-3, err_msg=name)
        elif name in BONES and not name.startswith("right"):
            assert abs(place[0]) < 1e-3, name


def test_she_rests_in_a_clean_a_pose_with_straight_elbows_wrists_and_knees(glb: Glb) -> None:
    at = glb.places
    for side, sign in zip(SIDES, (1.0, -1.0)):
        upper, fore = at[side + "LowerArm"] - at[side + "UpperArm"], at[side + "Hand"] - at[side + "LowerArm"]
        assert 43.0 < np.degrees(np.arcsin(-upper[1] / np.linalg.norm(upper))) < 47.0
        assert abs(upper[2]) / np.linalg.norm(upper) < 0.02, "the arm leaves the frontal plane"
        assert upper[0] * sign > 0.0
        assert _angle(upper, fore) < 2.0
        assert _angle(fore, at[side + "MiddleProximal"] - at[side + "Hand"]) < 2.0
        thigh, shin = at[side + "LowerLeg"] - at[side + "UpperLeg"], at[side + "Foot"] - at[side + "LowerLeg"]
        assert _angle(thigh, shin) < 2.0
        assert _angle(thigh, np.array([0.0, -1.0, 0.0])) < 2.0
        assert abs((at[side + "Toes"] - at[side + "Foot"])[0]) < 0.003, "feet are parallel"
        assert abs(at[side + "Foot"][0] - at[side + "UpperLeg"][0]) < 0.01, "feet are hip-wide"


def test_twist_joints_lie_on_their_bone(glb: Glb) -> None:
    for side in SIDES:
        for start, end in (("UpperArm", "LowerArm"), ("LowerArm", "Hand")):
            a, b, twist = (glb.places[side + n] for n in (start, end, start + "Twist"))
            along = (twist - a) @ (b - a) / ((b - a) @ (b - a))
            assert 0.2 < along < 0.8
            assert np.linalg.norm(a + along * (b - a) - twist) < 0.006


def test_the_hips_joint_is_at_the_pelvis(glb: Glb) -> None:
    hips, leg, spine = (glb.places[n] for n in ("hips", "leftUpperLeg", "spine"))
    assert 0.0 < hips[1] - leg[1] < 0.03
    assert spine[1] > hips[1] + 0.03


def test_no_skin_of_torso_or_legs_is_in_the_file(glb: Glb) -> None:
    """What is not in the file cannot show through a moving garment."""
    covered = [k for k, n in enumerate(glb.joints) if n in ("hips", "spine", "chest") or n.endswith(("Leg", "Foot"))]
    for part in glb.primitives:
        if part["material"] == "skin":
            mostly = part["JOINTS_0"][np.arange(len(part["JOINTS_0"])), part["WEIGHTS_0"].argmax(axis=1)]
            assert not np.isin(mostly, covered).any()


def test_head_and_neck_are_one_skin_that_ends_under_the_collar(glb: Glb) -> None:
    """Where two skins meet, pin-holes show: there is no such line above the tunic's collar."""
    head = next(p for p in glb.primitives if p["mesh"] == "Face" and p["material"] == "skin")
    hands = next(p for p in glb.primitives if p["mesh"] == "Body" and p["material"] == "skin")
    assert np.abs(hands["POSITION"][:, 0]).min() > 0.3
    edge = np.sort(np.stack([head["triangle"], np.roll(head["triangle"], -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    side, count = np.unique(edge, axis=0, return_counts=True)
    rim = head["POSITION"][np.unique(side[count == 1])]
    cloth = next(p for p in glb.primitives if p["material"] == "fabric")["POSITION"]
    for point in rim:
        near = cloth[np.linalg.norm(cloth[:, [0, 2]] - point[[0, 2]], axis=1) < 0.025]
        assert near[:, 1].max() > point[1], f"the rim of the neck's skin shows at {point.round(3)}"


def test_her_springs_are_chains_of_her_own_joints_with_colliders(glb: Glb) -> None:
    says, nodes = glb.document["extensions"]["VRMC_springBone"], glb.document["nodes"]
    assert says["specVersion"] == "1.0"
    turned = [joint for spring in says["springs"] for joint in spring["joints"][:-1]]
    assert [nodes[joint["node"]]["name"] for joint in turned] == glb.joints[58:]
    assert len(turned) <= 24
    for spring in says["springs"]:
        for above, below in pairwise(spring["joints"]):
            assert below["node"] in nodes[above["node"]]["children"]
        assert nodes[spring["joints"][-1]["node"]]["name"].endswith("_end")
        assert spring["colliderGroups"]
    on = {nodes[collider["node"]]["name"] for collider in says["colliders"]}
    assert on == {"neck", "leftShoulder", "rightShoulder", "leftUpperLeg", "rightUpperLeg"}
