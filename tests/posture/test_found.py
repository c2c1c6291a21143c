"""Holds found anew: the other arm first, and the shipped ones again."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from held_skin import Skin
from tried_body import her

from kinesics.components.holds import HOLDS
from kinesics.components.motion import Motion
from kinesics.systems import headless, retarget
from kinesics.systems.collide.offline import measure, store
from kinesics.systems.posture import kept

pytestmark = pytest.mark.long


def test_crossed_the_other_way_round_she_lies_as_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kept, "KEPT", tmp_path)
    body, _ = her()
    world = headless.world(body, with_corpus=False)
    world.avatar.hold("crossed", first="right")
    run = headless.run(world, 12.0)
    hold = world.get(world.avatar.entity, Motion).holds["crossed"]
    assert hold.first == 1
    assert hold.told[3] <= 0.85
    skin = Skin(body)
    for frame in (500, 600, 719):
        air, deep = skin.look(hold, run.rotation[frame], run.root[frame])
        assert all(0.0 <= mm <= 4.0 for mm in air)
        assert deep <= 1.0
    assert len(list(tmp_path.glob("*.npz"))) == 1  # and the next time she is asked it is read


def test_measured_again_she_loses_no_posture(tmp_path: Path) -> None:
    body, figure = her()
    store.save(tmp_path / "her.body.npz", measure(body, retarget.measure(body.rig))[0], body.digest)
    capsules = store.load(tmp_path / "her.body.npz", body.rig)
    for name in HOLDS:
        hold = kept.load(kept.SHIPPED, kept.key_of(body, figure.anatomy, capsules, name))
        assert len(hold.pair) == len(hold.allowance) > 0
        assert hold.pair.max() < len(capsules.joint)


def test_the_shipped_holds_are_what_the_search_finds_here() -> None:
    from kinesics.systems.posture.offline.solve import Solver  # brings scipy.stats: a second of every fast run

    body, figure = her()
    began = time.process_time()
    solver = Solver(body, figure)
    found = solver.find("hands_on_hips")
    assert time.process_time() - began < 60.0  # s of processor, compiling included where nothing was
    key = kept.key_of(body, figure.anatomy, figure.capsules, "hands_on_hips", None)
    shipped = kept.load(kept.SHIPPED, key)
    assert found.seconds == shipped.seconds
    assert np.abs(found.wrist - shipped.wrist).max() < 0.005  # m: another machine's last bits move a search a little
