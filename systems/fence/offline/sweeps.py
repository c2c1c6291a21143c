"""Arm sweeps: both arms led slowly through all that shoulders and elbows can do, also where nobody gestures."""

from __future__ import annotations

import math

import numpy as np

from ....components.anatomy import BODY_SLOTS, SIDES
from ....components.arrays import F64
from ...collide.offline.figure import Figure, shown
from ...collide.offline.motions import RATE, waves
from ...collide.offline.optimum import depths
from ...collide.offline.stress import HAND_MOST, UPPER_MOST

# deg: middle and reach of an arm's turns: forward, out, about its own axis, at the elbow, of the hand
_MIDDLE = np.array([30.0, 12.0, 5.0, 65.0, 0.0, 0.0, 0.0])
_REACH = np.array([38.0, 22.0, 30.0, 38.0, 14.0, 14.0, 14.0])
_LEAST = np.array([-30.0, -20.0, -70.0, 2.0, -50.0, -30.0, -30.0])
_MOST = np.array([110.0, 75.0, 70.0, 145.0, 50.0, 30.0, 30.0])
_BAND = (0.04, 0.22)  # Hz: a wave of it reaches 100 deg/s, as a lively talker does
_HANGING = np.array([0.0, 14.0, 0.0, 12.0, 0.0, 0.0, 0.0])  # where nothing is inside
_AROUND = 0.7  # s to either side of what is too deep that is drawn back to it
_TRIES = 25


def arms(body: Figure, seed: int, frames: int) -> F64:
    """Return (frames, J, 4) at 60 Hz: arms that sweep on a swaying torso, no deeper inside her than stress is."""
    draw = np.random.default_rng([22, seed])
    turns = np.stack([_MIDDLE + _REACH * waves(draw, frames, *_BAND, len(_MIDDLE)) for _ in SIDES])
    turns = np.clip(turns, _LEAST, _MOST)
    torso = np.radians(2.0) * np.stack([waves(draw, frames, 0.1, 0.4) for _ in range(3)], axis=1)
    share = np.ones((2, frames))
    around = _around(round(_AROUND * RATE))
    for _ in range(_TRIES):
        made = shown(body, _neutral(_HANGING + share[..., None] * (turns - _HANGING), torso))
        deep = depths(body.scene(made))
        over = np.maximum(deep[:, :, 0] - UPPER_MOST, deep[:, :, 1:].max(axis=2) - HAND_MOST)
        if over.max() <= 0.0:
            return made
        for side in range(2):
            spread = np.convolve((over[:, side] > 0.0).astype(float), np.ones(len(around)), "same") > 0.0
            share[side] *= 1.0 - 0.25 * np.convolve(spread, around / around.sum(), "same")
    return shown(body, _neutral(np.tile(_HANGING, (2, frames, 1)), torso))  # a body that is inside itself anyhow


def _around(half: int) -> F64:
    return 1.0 + np.cos(math.pi * np.arange(-half, half + 1) / (half + 1))


def _neutral(turns: F64, torso: F64) -> F64:
    """Return rotation (F, 13, 3) rad of BODY_SLOTS. turns: (2, F, 7) deg as in _MIDDLE; torso: (F, 3, 3) rad."""
    from scipy.spatial.transform import Rotation

    out = np.zeros((turns.shape[1], len(BODY_SLOTS), 3))
    for k, name in enumerate(("spine", "chest", "upperChest")):
        out[:, BODY_SLOTS.index(name)] = torso[:, k]
    for side, (name, sign) in enumerate(zip(SIDES, (1.0, -1.0), strict=True)):
        forward, aside, about, elbow, *hand = np.radians(turns[side]).T
        down = Rotation.from_rotvec(np.outer(-sign * (0.5 * math.pi - aside), [0.0, 0.0, 1.0]))
        ahead = Rotation.from_rotvec(np.outer(-forward, [1.0, 0.0, 0.0]))
        own = Rotation.from_rotvec(np.outer(about, [1.0, 0.0, 0.0]))
        first = BODY_SLOTS.index(name + "UpperArm")
        out[:, first] = (ahead * down * own).as_rotvec()
        out[:, first + 1, 1] = -sign * elbow
        out[:, first + 2] = np.stack(hand, axis=1)
    return out
