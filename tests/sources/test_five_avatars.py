"""The real take on five avatars of five makers: bones point where his did, fingers curl as his and never roll."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinesics.components import gltf
from kinesics.components.anatomy import FINGER_SLOTS, HAND_CHANNELS, SIDES
from kinesics.systems import headless
from kinesics.systems.matcher.offline import sources
from kinesics.systems.retarget.anatomy import measure
from kinesics.systems.retarget.hinges import hinges_of
from kinesics.systems.retarget.neutral import pose
from kinesics.systems.retarget.recorded import neutral
from kinesics.systems.retarget.rests import palm_of, rest_of

from ..retarget.shown import apart, directions, places, with_slots

FOREIGN = ("Xbot.glb", "brunette-t.glb", "vroid.glb", "mesh2motion_rigify_DEF.glb")


@pytest.fixture(scope="module")
def take(shared: Path):
    found = sources.read(shared / "data" / "mocap" / "2_scott_0_1_1.npz")
    return found, neutral(found.rig, found.rotation[::40], found.hands)


@pytest.mark.long
@pytest.mark.parametrize("name", ["", *FOREIGN])
def test_his_talk_is_hers(take, shared: Path, name: str) -> None:
    recorded, made = take
    rig = gltf.read(shared / "data" / "avatars" / name if name else headless.AVATAR).rig
    anatomy, rest = measure(rig), rest_of(rig)
    slots = pose(rig, anatomy, made.rotation, made.hand)
    local = [with_slots(rig, frame) for frame in slots]
    # arms and hands, from the hips that hers does not turn: the same directions as his
    for frame in range(0, len(local), 12):
        own = recorded.rotation[40 * frame].copy()
        hips = Rotation.from_quat(own[0], scalar_first=True)
        y = hips.as_quat()[[1, 3]]
        heading = Rotation.from_quat([0.0, y[0], 0.0, y[1]])
        own[0] = (heading.inv() * hips).as_quat(scalar_first=True)
        his, hers = directions(places(recorded.rig, own)), directions(places(rig, local[frame]))
        for bone in (f"{side} {part}" for side in SIDES for part in ("upper arm", "forearm", "hand")):
            assert apart(his[bone], hers[bone]) < 0.2, (bone, frame)
    # fingers: the curl of each joint about her own hinge is the channel's, and her hinge stays in the palm's plane
    hinges = hinges_of(rest)
    for s, joint_name in enumerate(FINGER_SLOTS):
        joint = rig.humanoid.get(joint_name, -1)
        if joint < 0 or "Thumb" in joint_name:
            continue
        frame = Rotation.from_quat(rest.orientation[joint], scalar_first=True)
        above = Rotation.from_quat(rest.orientation[rig.parent[joint]], scalar_first=True)
        over = above * Rotation.from_quat(slots[:, 13 + s], scalar_first=True) * frame.inv()  # in rest axes
        side = "left" if s < 15 else "right"
        channel = next(k for k, c in enumerate(HAND_CHANNELS) if joint_name.lower().endswith(c.replace(" ", "")))
        curl = over.as_rotvec() @ hinges.curl_axis[s] + hinges.curl_rest[s]
        assert curl.mean() == pytest.approx(made.hand[:, int(s >= 15), channel].mean(), rel=0.05), joint_name
        normal = palm_of(rest, side).normal
        lifted = np.degrees(np.arcsin(np.clip(over.apply(hinges.curl_axis[s]) @ normal, -1, 1)))
        still = np.degrees(np.arcsin(np.clip(hinges.curl_axis[s] @ normal, -1, 1)))
        assert np.abs(lifted - still).max() <= 0.5, joint_name
