"""What it costs to hand a pose and a face to Panda, and to move her skin, beside Panda's own Character."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from . import Figure as Entry
from . import entry

ROUNDS, SKIN_ROUNDS = 300, 30


def figures() -> list[Entry]:
    """Return writeback.ms (60 joints that all have a node, 52 shapes) and writeback.skin_ms (every vertex of hers)."""
    from panda3d.core import TransformState

    from ...components import gltf
    from ...systems import headless
    from .. import scene
    from ..write_back import hand_over
    from .panda_character import PandaCharacter

    body = gltf.read(headless.AVATAR)
    figure, panda = scene.dress(body), PandaCharacter(body)
    for joint in range(len(body.rig.names)):
        figure.expose(joint)
    joints, shapes = len(body.rig.names), len(body.morph_names)
    rng = np.random.default_rng(1)
    position, rotation = rng.normal(size=(joints, 3)), rng.normal(size=(joints, 4))
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    face = rng.random(shapes)

    def next_tick() -> None:
        position[:] += 1e-6
        face[:] = (face + 0.01) % 1.0
        TransformState.garbageCollect()  # as a host's own task does each frame

    def ours() -> None:
        hand_over(figure, position, rotation, face)

    def theirs() -> None:
        panda.drive(position, rotation, face)

    made = [
        entry(
            "writeback.ms", _ms(ours, next_tick, ROUNDS) * 60 / joints, "ms", goal=0.1,
            reference=("Character, one call a joint and slider", _ms(theirs, next_tick, ROUNDS) * 60 / joints),
        ),
        entry(
            "writeback.skin_ms", _ms(figure.vertices.draw, _both(next_tick, ours), SKIN_ROUNDS), "ms", goal=5.0,
            reference=("Panda3D's own animation", _ms(panda.animate, _both(next_tick, theirs), SKIN_ROUNDS)),
        ),
    ]  # fmt: skip
    figure.remove()
    return made


def _both(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    def both() -> None:
        first()
        second()

    return both


def _ms(work: Callable[[], None], before: Callable[[], None], rounds: int) -> float:
    """Return the median of `rounds` runs, ms; `before` runs untimed ahead of each."""
    times = []
    for _ in range(rounds + 3):
        before()
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times[3:]) * 1e3
