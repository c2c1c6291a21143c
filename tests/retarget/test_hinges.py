"""Finger hinges measured on hands whose hinges are known, in deg."""

from __future__ import annotations

import numpy as np
import pytest

from kinesics.components.anatomy import FINGER_SLOTS, FINGERS, KNUCKLES, SIDES
from kinesics.components.rig import Rig
from kinesics.systems.retarget.hinges import hinges_of
from kinesics.systems.retarget.rests import palm_of, rest_of

from .rigs import A_FORWARD, HANGING, RESTS, ROLLED_FRAMES, SHARES, SPLAYED, T_POSE, Variant, rig_of
from .shown import apart

THUMBS = ("ThumbMetacarpal", "ThumbProximal", "ThumbDistal", "thumbTip")


def measured(variant: Variant) -> dict[str, tuple[np.ndarray, float, float]]:
    """Return joint -> hinge, rest curl and rest spread in deg."""
    h = hinges_of(rest_of(rig_of(variant)))
    return {
        name: (h.curl_axis[s], np.degrees(h.curl_rest[s]), np.degrees(h.turn_rest[s]))
        for s, name in enumerate(FINGER_SLOTS)
        if h.joint[s] >= 0
    }


def test_a_flat_paddle_has_four_parallel_hinges_and_no_curl() -> None:
    for variant in (T_POSE, ROLLED_FRAMES):
        for name, (axis, curl, spread) in measured(variant).items():
            if "Thumb" not in name:
                across = np.array([0.0, 0, -1.0 if name.startswith("left") else 1.0])
                assert apart(axis, across) < 0.01, name
                assert abs(curl) < 0.01
                assert abs(spread) < 0.01


@pytest.mark.parametrize("variant", RESTS, ids=lambda v: v.name)
def test_planted_hinges_rest_curls_and_splay_are_found(variant: Variant) -> None:
    """Each finger was curled and splayed by known angles; its hinge lies across it in the palm's plane."""
    rest = rest_of(rig_of(variant))
    for side in SIDES:
        palm = palm_of(rest, side)
        for finger in FINGERS:
            for knuckle, planted in zip(KNUCKLES, variant.curls):
                axis, curl, spread = measured(variant)[side + finger + knuckle]
                assert curl == pytest.approx(planted, abs=0.1)
                if knuckle == "Proximal":
                    assert spread == pytest.approx(SHARES[finger] * variant.splay, abs=0.1)
                lean = SHARES[finger] * variant.splay
                across = np.cross(palm.forward, palm.normal)
                assert apart(axis, across) == pytest.approx(abs(lean), abs=0.1)
                assert abs(axis @ palm.normal) < 1e-6


def test_without_fingertips_the_end_joint_is_taken_to_follow_the_middle_one() -> None:
    bare = measured(Variant("no tips", curls=(5.0, 12.0, 8.0), tips=False))
    for side in SIDES:
        for finger in FINGERS:
            assert bare[side + finger + "Distal"][1] == pytest.approx(8.0, abs=0.1)


def test_left_and_right_hinges_are_mirror_images() -> None:
    for variant in (A_FORWARD, SPLAYED, HANGING):
        found = measured(variant)
        for name, (axis, curl, spread) in found.items():
            if name.startswith("left"):
                other = found["right" + name[4:]]
                assert apart(axis * [1, -1, -1], other[0]) < 1e-4, name  # an axis mirrors as a turn does
                assert (curl, spread) == pytest.approx(other[1:], abs=1e-9)


def test_a_middle_finger_that_leans_by_build_keeps_its_lean() -> None:
    """The hand of a MakeHuman body: every finger 8 deg to the little side. Spread counts from its middle finger."""
    rig = rig_of(T_POSE)
    rotation = rig.rest_rotation.copy()
    half = np.radians(8.0) / 2
    for side, g in zip(SIDES, (1, -1)):
        for finger in FINGERS:
            rotation[rig.names.index(side + finger + "Proximal")] = [np.cos(half), 0, g * np.sin(half), 0]
    h = hinges_of(rest_of(Rig(rig.names, rig.node, rig.parent, rig.rest_offset, rotation, rig.humanoid)))
    assert h.turn_rest == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "without",
    [
        THUMBS,
        tuple("Little" + part for part in (*KNUCKLES, "Tip")),
        tuple(finger + part for finger in FINGERS for part in ("Intermediate",)),
        tuple(finger + part for finger in FINGERS for part in ("Distal", "Tip")),
        ("ThumbMetacarpal",),
    ],
)
def test_hands_that_lack_joints_are_measured_by_what_is_there(without: tuple[str, ...]) -> None:
    variant = Variant("few", curls=(5.0, 10.0, 6.0), lowered=45.0, without=without, seed=3)
    full = Variant("all", curls=(5.0, 10.0, 6.0), lowered=45.0, seed=3)
    found, truth = measured(variant), measured(full)
    assert len(found) == len(truth) - 2 * len([w for w in without if not w.endswith("Tip")])
    for name, (axis, _, _) in found.items():
        if "Thumb" not in name:
            assert apart(axis, truth[name][0]) < 3.0, name
        assert np.isfinite(axis).all()
        assert np.linalg.norm(axis) == pytest.approx(1.0)


def test_one_finger_and_a_thumb_still_give_a_hinge_that_curls_it_inward() -> None:
    """A thumb lies below the palm's plane, so the palm is only known within 30 deg; the finger still closes."""
    only = tuple(finger + part for finger in ("Middle", "Ring", "Little") for part in (*KNUCKLES, "Tip"))
    found, truth = (measured(Variant("few", lowered=45.0, without=w)) for w in (only, ()))
    for name in ("leftIndexProximal", "rightIndexIntermediate"):
        assert apart(found[name][0], truth[name][0]) < 35.0


def test_a_missing_middle_joint_hands_its_curl_to_the_end_joint() -> None:
    rig = rig_of(Variant("two bones", without=tuple(finger + "Intermediate" for finger in FINGERS)))
    h = hinges_of(rest_of(rig))
    row = h.curl_weight[FINGER_SLOTS.index("leftRingDistal")]
    assert np.flatnonzero(row).tolist() == [7, 8]
