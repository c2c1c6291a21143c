"""The goals on real skin: the shipped woman, four other builds of her maker, and every foreign humanoid at hand."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kinesics.components import gltf
from kinesics.components.errors import AvatarError
from kinesics.systems import headless, retarget
from kinesics.systems.avatar.offline.bodies import bodies, find_wheel
from kinesics.systems.collide.offline import Report, measure

OURS = ("small", "tall", "heavy", "old", "man")
# file -> least share covered, most protrusion in mm. BrainStem is a robot of open pipes and no skin: what it reaches is
# held, the goal is not met.
FOREIGN = {
    "CesiumMan.glb": (0.98, 8.0),
    "Xbot.glb": (0.98, 8.0),
    "brunette-t.glb": (0.98, 8.0),
    "cryptovoxels.vrm": (0.98, 8.0),
    "mesh2motion_rigify_DEF.glb": (0.98, 8.0),
    "vroid.glb": (0.98, 8.0),
    "BrainStem.glb": (0.75, 20.0),
}


def fit(path: Path) -> Report:
    body = gltf.read(path)
    return measure(body, retarget.measure(body.rig))[1]


@pytest.mark.long
@pytest.mark.parametrize("name", ["default", *OURS])
def test_our_bodies_reach_the_goals(name: str) -> None:
    try:
        path = headless.AVATAR if name == "default" else bodies(name, wheel=find_wheel())[name]
    except AvatarError as cause:
        pytest.skip(str(cause))
    report = fit(path)
    assert report.covered_5mm >= 0.99
    assert report.protrusion_p95_mm <= 8.0
    assert report.base_inside_mm == 0.0


@pytest.mark.long
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_humanoids_reach_the_goals(shared: Path, name: str) -> None:
    report = fit(shared / "data" / "avatars" / name)
    covered, protrusion = FOREIGN[name]
    assert report.covered_5mm >= covered
    assert report.protrusion_p95_mm <= protrusion
    assert report.base_inside_mm == 0.0


@pytest.mark.long
def test_a_head_without_a_body_is_refused_by_name(shared: Path) -> None:
    with pytest.raises(AvatarError, match="no skin hangs on its trunk") as caught:
        fit(shared / "data" / "avatars" / "VRMC_vrm_expressions_isBinary_Overridden.vrm")
    assert "\n" not in str(caught.value)


@pytest.mark.long
def test_measuring_the_shipped_woman_takes_under_two_seconds_of_one_core() -> None:
    """Processor time, for the cores may be shared; kernels are warm after the first time."""
    body = gltf.read(headless.AVATAR)
    anatomy = retarget.measure(body.rig)
    measure(body, anatomy)
    took = []
    for _ in range(3):
        began = time.process_time()
        measure(body, anatomy)
        took.append(time.process_time() - began)
    assert min(took) < 2.0
