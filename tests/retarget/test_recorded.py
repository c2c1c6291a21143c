"""Recorded hands and bodies on her: curls land on her hinges, nothing rolls, every rest shows the same pose."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinesics.components import gltf
from kinesics.components.anatomy import BODY_SLOTS, FINGER_SLOTS, FINGERS, HAND_CHANNELS, SIDES, SLOTS
from kinesics.components.rig import Rig
from kinesics.components.take import HandAxes
from kinesics.systems.headless import AVATAR
from kinesics.systems.retarget import smplx_body
from kinesics.systems.retarget.anatomy import measure
from kinesics.systems.retarget.curl import axes_of, moments
from kinesics.systems.retarget.hinges import hinges_of
from kinesics.systems.retarget.neutral import pose
from kinesics.systems.retarget.recorded import Neutral, neutral
from kinesics.systems.retarget.rests import palm_of, rest_of

from .rigs import A_FORWARD, A_POSE, BODY, MISSING, RESTS, ROLLED_FRAMES, SPLAYED, T_POSE, rig_of
from .shown import apart, places, with_slots
from .talkers import MEASURED, SCATTER, curls, fist, mirrored, paddle, turns

NOT_THUMBS = [s for s, name in enumerate(FINGER_SLOTS) if "Thumb" not in name]
FRAMES = 600


@cache
def her() -> Rig:
    """The shipped woman with her fingers laid parallel."""
    return paddle(gltf.read(AVATAR).rig)


def talker(seed: int = 1, axis: np.ndarray = MEASURED) -> tuple[np.ndarray, np.ndarray]:
    """Return curls (30, T) and rotation vectors (30, T, 3) about the measured axes, as captured."""
    curl = curls(FRAMES, seed)
    return curl, turns(axis, curl, seed + 1)


def known(axis: np.ndarray) -> HandAxes:
    """The axes as a reader of such takes finds and gives them."""
    return HandAxes(axis, np.zeros((30, 3)), np.zeros(30), is_known=True)


def read(turn: np.ndarray) -> Neutral:
    found = axes_of(moments(turn), MEASURED)
    return neutral(smplx_body.body(), fist(smplx_body.body(), turn), known(found.axis))


def over_rest(rig: Rig, made: Neutral) -> np.ndarray:
    """Return how each finger joint turns over her rest, (30, T, 4) xyzw in rest axes, identity rests."""
    shown = pose(rig, measure(rig), made.rotation, made.hand)
    return np.stack([Rotation.from_quat(shown[:, 13 + s], scalar_first=True).as_quat() for s in range(30)])


def test_planted_axes_are_found_within_3_deg() -> None:
    for seed in range(5):
        axis = np.random.default_rng(seed).normal(size=(30, 3))
        axis /= np.linalg.norm(axis, axis=1, keepdims=True)
        _, turn = talker(seed, axis)
        found = axes_of(moments(turn), axis)
        assert max(apart(a, b) for a, b in zip(found.axis, axis)) <= 3.0
        assert found.share.min() > 0.9


def test_an_axis_is_found_from_the_mean_where_nothing_else_tells_which_way_a_curl_goes() -> None:
    axis = MEASURED
    across = np.cross(axis, [0.3, 0.5, 0.8])
    found = axes_of(moments(talker()[1]), across / np.linalg.norm(across, axis=1, keepdims=True))
    assert max(apart(a, b) for a, b in zip(found.axis, axis)) <= 3.0


def test_all_30_finger_joints_keep_95_percent_of_what_they_did() -> None:
    _, turn = talker()
    made = read(turn)
    assert made.fingers is not None
    assert made.fingers.kept.min() >= 0.95
    assert made.fingers.kept.max() < 1.0  # the scatter does not show


def test_copied_rotation_for_rotation_a_little_finger_stays_straight() -> None:
    """The control: on a flat paddle a copied curl is a twist, and a guard that allows no twist strips it."""
    curl = curls(FRAMES, 1)
    made = read(turns(MEASURED, curl, 2, scatter=0.0))
    assert made.fingers is not None
    base, end = (FINGER_SLOTS.index("leftLittle" + part) for part in ("Proximal", "Distal"))
    assert made.fingers.copied[base] == pytest.approx(0.70, abs=0.05)
    assert made.fingers.copied[end] == pytest.approx(0.08, abs=0.05)
    assert made.fingers.kept[[base, end]].min() > 0.99


def test_her_curl_is_the_talkers_within_5_percent() -> None:
    curl, turn = talker()
    shown = over_rest(her(), read(turn))
    hinges = hinges_of(rest_of(her()))
    for s in NOT_THUMBS:
        vector = Rotation.from_quat(shown[s]).as_rotvec() @ hinges.curl_axis[s] + hinges.curl_rest[s]
        assert vector.mean() == pytest.approx(curl[s].mean(), rel=0.05), FINGER_SLOTS[s]
        assert np.ptp(vector) == pytest.approx(np.ptp(curl[s]), rel=0.12), FINGER_SLOTS[s]


def test_no_finger_joint_rolls_more_than_half_a_degree() -> None:
    """A joint that rolls lifts its own hinge out of the palm's plane; spreading turns it within the plane."""
    shown = over_rest(her(), read(talker()[1]))
    rest = rest_of(her())
    hinges = hinges_of(rest)
    for s in NOT_THUMBS:
        normal = palm_of(rest, FINGER_SLOTS[s][: 4 if s < 15 else 5]).normal
        turned = Rotation.from_quat(shown[s]).apply(hinges.curl_axis[s])
        if "Proximal" in FINGER_SLOTS[s]:
            lifted = np.degrees(np.arcsin(turned @ normal)) - np.degrees(np.arcsin(hinges.curl_axis[s] @ normal))
        else:
            lifted = np.degrees(np.arccos(np.clip(turned @ hinges.curl_axis[s], -1, 1)))
        assert np.abs(lifted).max() <= 0.5, FINGER_SLOTS[s]


def test_a_spread_stays_within_12_deg() -> None:
    rig = rig_of(T_POSE)
    spread = np.zeros((30, FRAMES, 3))
    opened = np.linspace(0.0, np.radians(40.0), FRAMES)
    for s in NOT_THUMBS:
        if FINGER_SLOTS[s].endswith("IndexProximal"):
            spread[s, :, 1] = opened * (-1.0 if s >= 15 else 1.0)
    flat = neutral(rig, fist(rig, -spread))
    assert np.abs(flat.hand[..., -1]).max() <= np.radians(12.0)
    assert np.abs(flat.hand[..., -1]).max() > np.radians(3.0)


def test_mirrored_input_is_mirrored_within_1_deg() -> None:
    _, turn = talker()
    made = read(turn)
    axes = axes_of(moments(mirrored(turn)), np.concatenate([MEASURED[15:], MEASURED[:15]]) * [1, -1, -1])
    other = neutral(smplx_body.body(), fist(smplx_body.body(), mirrored(turn)), known(axes.axis))
    assert np.degrees(np.abs(made.hand[:, 0] - other.hand[:, 1])).max() <= 1.0
    assert np.degrees(np.abs(made.hand[:, 1] - other.hand[:, 0])).max() <= 1.0


@pytest.mark.parametrize("variant", [*RESTS, ROLLED_FRAMES, *MISSING], ids=lambda v: v.name)
def test_round_trip_onto_the_rig_it_came_from_within_a_millionth_of_a_radian(variant) -> None:
    rig = rig_of(variant)
    rotation, hand = motion()
    before = pose(rig, measure(rig), rotation, hand)
    local = np.tile(rig.rest_rotation, (len(before), 1, 1))
    for slot, name in enumerate(SLOTS):
        if name in rig.humanoid:
            local[:, rig.humanoid[name]] = before[:, slot]
    for is_ours in (False, True):
        made = neutral(rig, local, is_ours=is_ours)
        after = pose(rig, measure(rig), made.rotation, made.hand)
        for slot, name in enumerate(SLOTS):
            if "Thumb" in name and not is_ours:
                continue  # its saddle is read on two axes, its flexion on the one that its motion has
            a = Rotation.from_quat(before[:, slot], scalar_first=True)
            b = Rotation.from_quat(after[:, slot], scalar_first=True)
            assert (a.inv() * b).magnitude().max() <= 1e-6, (name, is_ours)


def motion(frames: int = 240) -> tuple[np.ndarray, np.ndarray]:
    """Return neutral motion that talks: arms about, fingers curled 5..70 deg, little spread."""
    draw = np.random.default_rng(3)
    t = np.arange(frames)[:, None, None] / 60.0
    rotation = 0.4 * np.sin(2 * np.pi * draw.uniform(0.2, 0.8, (1, 13, 3)) * t + draw.uniform(0, 6, (1, 13, 3)))
    rotation[:, :5] *= 0.2
    hand = 0.65 + 0.5 * np.sin(2 * np.pi * draw.uniform(0.2, 0.8, (1, 2, 16)) * t + draw.uniform(0, 6, (1, 2, 16)))
    hand[..., -1] = np.radians(3.0) * np.sin(2 * np.pi * 0.3 * t[..., 0])
    hand[..., 12:15] *= 0.5
    return rotation, hand


def test_one_pose_recorded_from_an_a_rest_and_a_t_rest_puts_fingertips_within_1_mm() -> None:
    tips = {}
    shape = rig_of(T_POSE)
    for variant in (T_POSE, A_POSE, A_FORWARD, SPLAYED):
        rig = rig_of(variant)
        rotation, hand = motion()
        local = np.tile(rig.rest_rotation, (len(rotation), 1, 1))
        before = pose(rig, measure(rig), rotation, hand)
        for slot, name in enumerate(SLOTS):
            local[:, rig.humanoid[name]] = before[:, slot]
        made = neutral(rig, local)
        shown = pose(shape, measure(shape), made.rotation, made.hand)
        at = [places(shape, with_slots(shape, frame)) for frame in shown[::20]]
        tips[variant.name] = np.array([[p[f"{side}{f}Tip"] for side in SIDES for f in FINGERS] for p in at])
    truth = tips.pop("T-pose")
    for name, found in tips.items():
        assert 1000.0 * np.linalg.norm(found - truth, axis=-1).max() < 1.0, name


def test_hands_without_fingers_are_relaxed_ones() -> None:
    names = [name for name in BODY if not any(f in name for f in (*FINGERS, "Thumb", "thumb"))]
    whole = rig_of(T_POSE)
    keep = [whole.names.index(name) for name in names]
    rig = Rig(
        tuple(names),
        np.arange(len(names)),
        np.array([-1 if whole.parent[j] < 0 else names.index(whole.names[whole.parent[j]]) for j in keep]),
        whole.rest_offset[keep],
        whole.rest_rotation[keep],
        {n: names.index(n) for n in names if n in whole.humanoid},
    )
    made = neutral(rig, np.tile(rig.rest_rotation, (30, 1, 1)))
    assert made.fingers is None
    assert np.degrees(made.hand[0, 0, HAND_CHANNELS.index("middle proximal")]) == pytest.approx(27.0)


def test_who_turns_around_shows_the_same_as_who_does_not() -> None:
    """Where the recorded pelvis faces belongs to the room, not to the talk."""
    rig = rig_of(T_POSE)
    local = np.tile(rig.rest_rotation, (60, 1, 1))
    local[:, rig.humanoid["leftUpperArm"]] = Rotation.from_rotvec([0, 0, -1.0]).as_quat(scalar_first=True)
    turned = local.copy()
    turned[:, rig.humanoid["hips"]] = Rotation.from_rotvec(
        np.linspace(0, 3.0, 60)[:, None] * np.array([0, 1.0, 0])
    ).as_quat(scalar_first=True)
    assert np.abs(neutral(rig, local).rotation - neutral(rig, turned).rotation).max() < 1e-9


def test_a_tilted_pelvis_shows_in_the_spine() -> None:
    rig = rig_of(T_POSE)
    local = np.tile(rig.rest_rotation, (30, 1, 1))
    local[:, rig.humanoid["hips"]] = Rotation.from_rotvec([0.2, 0, 0]).as_quat(scalar_first=True)
    made = neutral(rig, local)
    assert made.rotation[0, BODY_SLOTS.index("spine"), 0] == pytest.approx(0.2, abs=1e-9)


def test_the_scatter_of_these_talkers_is_that_of_a_capture() -> None:
    curl, turn = talker()
    off = turn - MEASURED[:, None] * curl[..., None]
    assert np.degrees(np.sqrt((off**2).sum(axis=2).mean())) == pytest.approx(np.degrees(SCATTER), rel=0.1)
