"""Holds on bodies that are not the shipped one: a broad one, and a stranger's with a wide chest and bell sleeves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from held_skin import Skin, fastest, flipped

from kinesics.components import gltf
from kinesics.components.errors import AvatarError
from kinesics.components.motion import Motion
from kinesics.systems import headless
from kinesics.systems.avatar.offline.bodies import bodies, find_wheel
from kinesics.systems.posture import kept

pytestmark = pytest.mark.long
SETTLED = 1.0  # s after the way


def file(name: str, shared: Path) -> Path:
    if name.endswith(".glb"):
        path = shared / "data" / "avatars" / name
        if not path.is_file():
            pytest.skip(f"{path} is not there")
        return path
    try:
        return bodies(name, wheel=find_wheel())[name]
    except AvatarError as cause:
        pytest.skip(str(cause))


@pytest.fixture
def anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "KEPT", tmp_path)


@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize(("who", "name"), [("heavy", "crossed"), ("vroid.glb", "behind_back")])
def test_she_holds_it_on_another_body_too(who: str, name: str, shared: Path) -> None:
    body = gltf.read(file(who, shared))
    world, skin = headless.world(body, with_corpus=False), Skin(body)
    world.avatar.hold(name)
    run = headless.run(world, 12.0)
    hold = world.get(world.avatar.entity, Motion).holds[name]
    end, settled = round(60 * hold.seconds), round(60 * (hold.seconds + SETTLED))
    assert hold.told[3] <= 0.85  # of the functional wrist ellipse
    for frame in (settled, len(run.rotation) - 1):
        air, deep = skin.look(hold, run.rotation[frame], run.root[frame])
        assert all(0.0 <= mm <= 4.0 for mm in air)
        assert deep <= 1.0
    assert run.moved_mm[settled:].max() <= 1.0  # mm, by the rule
    assert run.moved_mm[:settled].max() <= 5.0  # on the way, while she sways; her arms hang 4 mm off at its start
    assert max(skin.deep(run.rotation[k], run.root[k]) for k in np.linspace(0, end, 12).astype(int)) <= 2.0
    assert fastest(run, body.rig.humanoid) <= 180.0
    assert flipped(run, body.rig.humanoid) <= 1.0
