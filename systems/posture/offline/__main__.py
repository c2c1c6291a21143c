"""Find the four holds of an avatar: python -m kinesics.systems.posture.offline her.vrm -o her.holds.npz."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from ....components import gltf
from ....components.errors import KinesicsError
from ....components.holds import HOLDS, Hold
from ... import retarget
from ...collide.body import fitted
from ...collide.offline.figure import Figure
from .. import kept
from .solve import Solver


def made(avatar: Path) -> dict[str, Hold]:
    """Return the four holds of an avatar's file by the keys she is asked for them with."""
    body = gltf.read(avatar)
    found = fitted(body, retarget.measure(body.rig))
    if found.capsules is None:
        raise KinesicsError(found.fault)
    solver, out = Solver(body, Figure(body.source, body.rig, found.anatomy, found.capsules)), {}
    for name in HOLDS:
        began = time.perf_counter()
        hold = out[kept.key_of(body, found.anatomy, found.capsules, name)] = solver.find(name)
        least, most, deep = 1e3 * hold.told[:3]
        print(
            f"{name}: {least:.1f} to {most:.1f} mm of air, deepest {min(deep, 0.0):.1f} mm, wrist {hold.told[3]:.2f}, "
            f"{hold.seconds:.1f} s, found in {time.perf_counter() - began:.1f} s"
        )
    return out


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="python -m kinesics.systems.posture.offline", description=__doc__)
    asked.add_argument("avatar", type=Path)
    asked.add_argument("-o", "--out", type=Path, required=True)
    given = asked.parse_args()
    try:
        kept.save(given.out, made(given.avatar))
    except KinesicsError as cause:
        sys.exit(f"kinesics: {cause}")
