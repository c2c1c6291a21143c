"""Her brows on a tick: what is heard goes to a model, and springs go where the model wants them.

A learned model takes the place of the designed one: a function of `Heard` and `Brows` in MODELS, named by [face] brows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np

from ...components.arrays import F64, frozen
from ...components.brows import BROWS, Brows, Heard
from ...components.draw import draws
from ...components.face_map import FaceMap
from ...components.voice import Voice
from ...components.world import World
from ..kernels import mouth
from . import accents, brow_rules, loudness

RISE = frozen(
    np.full(5, 21.6), np.float64
)  # 1/s: nine tenths of a raise after 180 ms (facts of people: see brow_rules)
FALL = frozen(np.full(5, 9.7), np.float64)  # 1/s: nine tenths of the way back after 400 ms
_REST = 0.004  # of a shape, and of it a second, under which nothing is seen

Draw = Callable[[], np.random.Generator]


class Model(Protocol):
    """A brow model: the same numbers in and the same five shapes out, whatever is inside."""

    def __call__(self, heard: Heard, brows: Brows, tick: int, draw: Draw) -> None:
        """Write Brows.target, (5,) 0..1 in the order of BROWS, and Brows.slow; its memory is Brows' other fields.

        tick: 1/60 s; draw: returns random numbers of this tick, the same when it is run again
        """
        ...


MODELS: dict[str, Model] = {"rules": brow_rules.move}


def move(world: World, entity: int, brows: Brows, voice: Voice) -> None:
    """Hear, ask the model, and move the springs. Writes Brows."""
    model = MODELS.get(world.config.face.brows)
    if model is None:
        brows.target[:] = 0.0
        brows.slow = True
    else:
        heard = brows.heard
        was = heard.speaking
        heard.speaking = voice.active
        heard.begins = heard.begins or (voice.active and not was)
        accents.listen(brows, voice, world.tick, world.dt)
        heard.loudness = loudness.level(voice)
        model(heard, brows, world.tick, partial(draws, world.seed, entity, "brows", world.tick))
        if heard.strength:
            heard.strength, heard.accent, heard.begins = 0.0, np.inf, False
    wants = any(brows.target.tolist())  # numpy's own any takes ten times as long for five numbers
    if brows.moving or wants:
        mouth.move(brows.value, brows.velocity, brows.target, FALL if brows.slow else RISE, 1.0, 0.0, world.dt)
        brows.moving = wants or max(brows.value.tolist()) > _REST
        if not brows.moving:
            brows.value[:] = 0.0
            brows.velocity[:] = 0.0


def show(brows: Brows, face_map: FaceMap, weight: F64) -> None:
    """Add her brows to her channels, 1 at most. A face without brow shapes shows nothing of them."""
    if not brows.moving:
        return
    for unit, value in zip(BROWS, brows.value.tolist()):
        if value > _REST:
            for channel, full in face_map.units.get(unit, ()):
                weight[channel] = min(float(weight[channel]) + min(value, 1.0) * full, 1.0)
