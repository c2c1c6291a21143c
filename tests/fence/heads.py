"""Heads made of numbers, to try the fence with: one that holds still, one that pushes in, one that shakes."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinesics.components.capsules import CapsuleSet
from kinesics.components.head import CORRECTION, HIDDEN, SEEN, Head
from kinesics.components.motion import Motion
from kinesics.components.world import World

_OPEN = 20.0  # of a gate's sum: to the last bit
_WIDTH = 4
PUSHES_IN = (0.0, 0.0, -0.35, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.35)  # rad: both upper arms into her sides


def still(world: World, proposal: Any = (), **digests: str) -> Head:
    """Return a head that proposes the same on every tick. proposal: up to 18 rad; digests: of another body."""
    return _head(world, proposal, **digests)


def shaking(world: World, size: float = 0.1) -> Head:
    """Return a head that turns both elbows to and fro on every tick, by looking at its own last proposal. size: rad."""
    last, elbow = SEEN + 4, 4
    enter, take, leave = _zeros(SEEN + CORRECTION, _WIDTH), _zeros(_WIDTH, 3 * HIDDEN), _zeros(HIDDEN, CORRECTION + 2)
    enter[last, 0], enter[last, 1] = 100.0, -100.0
    take[0, 2 * HIDDEN], take[1, 2 * HIDDEN] = -1.0, 1.0
    taken = _zeros(3 * HIDDEN)
    taken[HIDDEN : 2 * HIDDEN] = -_OPEN  # keeps nothing of its state before
    leave[0, elbow] = leave[0, 9 + elbow] = size
    return _head(world, (0.0,) * elbow + (1e-3,), enter=enter, take=take, taken=taken, leave=leave)


def overflowing(world: World) -> Head:
    """Return a head whose weights are numbers and whose proposals are none."""
    leave, taken = np.full((HIDDEN, CORRECTION + 2), 3e38, np.float32), _zeros(3 * HIDDEN)
    taken[HIDDEN : 2 * HIDDEN], taken[2 * HIDDEN :] = -_OPEN, _OPEN
    return _head(world, leave=leave, taken=taken)


def _head(world: World, proposal: Any = (), avatar: str = "", capsules: str = "", **weights: Any) -> Head:
    left = _zeros(CORRECTION + 2)
    left[: len(proposal)] = proposal
    left[CORRECTION:] = _OPEN
    made = {
        "enter": _zeros(SEEN + CORRECTION, _WIDTH), "entered": _zeros(_WIDTH), "take": _zeros(_WIDTH, 3 * HIDDEN),
        "taken": _zeros(3 * HIDDEN), "keep": _zeros(HIDDEN, 3 * HIDDEN), "kept": _zeros(3 * HIDDEN),
        "leave": _zeros(HIDDEN, CORRECTION + 2), "left": left,
    } | weights  # fmt: skip
    rig, skin = world.get(0, Motion).rig.digest, world.get(0, CapsuleSet).digest
    return Head(avatar or rig, capsules or skin, **made)


def _zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)
