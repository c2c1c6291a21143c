"""No broken wrist and no crossed fingers on any avatar, from a talker of numbers, the real take and a written BVH."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinesics.components import gltf
from kinesics.components.anatomy import BODY_SLOTS, FINGER_SLOTS, SIDES, SLOTS
from kinesics.components.rig import Rig
from kinesics.components.take import Take
from kinesics.systems.headless import AVATAR
from kinesics.systems.matcher.offline import sources
from kinesics.systems.retarget import smplx_body
from kinesics.systems.retarget.anatomy import measure
from kinesics.systems.retarget.curl import axes_of, moments
from kinesics.systems.retarget.neutral import pose
from kinesics.systems.retarget.recorded import Neutral, finger_turns, neutral, orientations
from kinesics.systems.retarget.rests import rest_of

from ..sources import written
from .hand_figures import order, wrists
from .talkers import MEASURED, curls, fist, mirrored, paddle, turns
from .test_recorded import known

FOREIGN = ("Xbot.glb", "brunette-t.glb", "vroid.glb", "mesh2motion_rigify_DEF.glb")
APART = 5.0  # mm that neighbouring fingers stay beside each other; they are 15 mm and more wide


@cache
def shipped() -> Rig:
    return gltf.read(AVATAR).rig


def shown(rig: Rig, made: Neutral) -> np.ndarray:
    """Return her local rotations (T, J, 4) of neutral motion."""
    out = np.tile(rig.rest_rotation, (len(made.rotation), 1, 1))
    slots = pose(rig, measure(rig), made.rotation, made.hand)
    for slot, name in enumerate(SLOTS):
        if name in rig.humanoid:
            out[:, rig.humanoid[name]] = slots[:, slot]
    return out


@cache
def talker() -> tuple[np.ndarray, Neutral]:
    """A talker whose fingers curl 15 to 70 degrees about the 30 measured axes, whose wrists go as far as they may."""
    rig, frames = smplx_body.body(), 300
    local = fist(rig, turns(MEASURED, curls(frames, 4), 5))
    t = np.arange(frames) / 60.0
    for side, g in zip(SIDES, (1.0, -1.0)):
        wrist = np.stack([0.0 * t, g * 0.15 * np.sin(1.9 * t), g * -0.6 * np.sin(1.3 * t)], axis=1)
        local[:, rig.humanoid[side + "Hand"]] = Rotation.from_rotvec(wrist).as_quat(scalar_first=True)
    axes = axes_of(moments(turns(MEASURED, curls(frames, 4), 5)), MEASURED)
    return local, neutral(rig, local, known(axes.axis))


@pytest.mark.parametrize("hand", ["hers", "a flat paddle"])
def test_her_fingers_lie_beside_each_other_and_her_wrists_are_the_talkers(hand: str) -> None:
    local, made = talker()
    rig = shipped() if hand == "hers" else paddle(shipped())
    hers = shown(rig, made)
    assert order(rig, hers).min() > APART
    assert wrists(rig, hers) == pytest.approx(wrists(smplx_body.body(), local), abs=0.02)
    assert wrists(rig, hers).max() <= 1.0


def test_copied_rotation_for_rotation_his_fingers_cross_and_this_figure_says_so() -> None:
    """The control: the same rotations on a flat hand, whose little finger then curls off its own bone."""
    local, _ = talker()
    crossed = order(smplx_body.body(), local).min(axis=1) < 0.0
    assert crossed.mean() > 0.5


def test_a_wrist_that_is_bent_too_far_is_called_broken() -> None:
    rig = shipped()
    _, made = talker()
    rotation = made.rotation.copy()
    rotation[:, BODY_SLOTS.index("leftHand"), 1] += np.radians(45.0)
    broken = wrists(rig, shown(rig, Neutral(rotation, made.hand, made.fingers)))
    assert (broken[0] > 1.0).mean() > 0.5
    assert broken[1].max() <= 1.0


@pytest.fixture(scope="module")
def recordings(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Take, Neutral]]:
    """The real take, and a BVH of a talker whose arms hang and gesture."""
    path = tmp_path_factory.mktemp("own") / "own.bvh"
    rig, (rotation, hand) = written.without_armature(), written.talk(8.0)
    rotation = rotation.copy()
    for side, g in zip(SIDES, (1.0, -1.0)):
        for part, share, lean in (("UpperArm", 0.7, [0, 0, -1.15]), ("LowerArm", 0.4, [0, -1.1, 0]), ("Hand", 0.6, 0)):
            slot = BODY_SLOTS.index(side + part)
            rotation[:, slot] = share * rotation[:, slot] + g * np.array(lean)
    path.write_text(written.bvh(rig, written.shown(rig, rotation, hand)))
    takes = [sources.read(shared / "data" / "mocap" / "2_scott_0_1_1.npz"), sources.read(path)]
    return {t.kind: (t, neutral(t.rig, t.rotation[::6], t.hands)) for t in takes}


@pytest.mark.long
def test_all_30_joints_of_the_real_take_keep_95_percent_of_what_they_did(recordings) -> None:
    fingers = recordings["smplx"][1].fingers
    assert fingers.kept.min() >= 0.95
    assert (fingers.share > 0.9).all()
    base = [FINGER_SLOTS.index(side + "LittleDistal") for side in SIDES]
    assert fingers.copied[base].max() < 0.5  # the control: on parallel hinges most of it would go


@pytest.mark.long
@pytest.mark.parametrize("kind", ["smplx", "bvh"])
@pytest.mark.parametrize("name", ["", "paddle", *FOREIGN])
def test_no_avatar_breaks_a_wrist_or_crosses_fingers(recordings, shared: Path, kind: str, name: str) -> None:
    take, made = recordings[kind]
    rig = gltf.read(shared / "data" / "avatars" / name).rig if name in FOREIGN else shipped()
    rig = paddle(rig) if name == "paddle" else rig
    hers = shown(rig, made)
    assert order(rig, hers).min() > APART
    assert wrists(rig, hers).max() <= 1.0
    assert wrists(rig, hers) == pytest.approx(wrists(take.rig, take.rotation[::6]), abs=0.02)


@pytest.mark.long
def test_the_real_hands_in_a_mirror_are_mirrored_within_1_deg(recordings) -> None:
    take, _ = recordings["smplx"]
    turn = finger_turns(rest_of(take.rig), orientations(take.rig.parent.tolist(), take.rotation[::6]))
    toward = smplx_body.AXES * smplx_body.FLEXES[:, None]
    made = []
    for motion, about in ((turn, toward), (mirrored(turn), np.concatenate([toward[15:], toward[:15]]) * [1, -1, -1])):
        axes = known(axes_of(moments(motion), about).axis)
        made.append(neutral(smplx_body.body(), fist(smplx_body.body(), motion), axes).hand)
    assert np.degrees(np.abs(made[0] - made[1][:, ::-1])).max() <= 1.0
