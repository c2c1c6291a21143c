"""The teacher: what a proposal should have been at each tick of a motion that is known as a whole.

The side of each contact is the one that a hand comes to it on, as the rule keeps it: a sweep along time projects every
frame from a little less than the correction before it, so that one side is kept as long as the contact lasts and what
is not needed is let go of. The sweep is then smoothed both ways in time, which makes it early, and what the smoothing
left inside is put right twice more, smoothed again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64, I32
from ....components.config import Config
from ....components.guard import Guard
from ...collide.offline.figure import Figure
from ...collide.offline.motions import RATE
from ...collide.tables import ROOM, guard_of, refresh
from ...kernels import fk
from ...retarget import wrist_frames
from . import sweep

VERSION = 2  # of what a label is made from a motion by: count up when a formula or a number below changes

# All measured on the motions of docs/fence.md. Narrower windows leave the rule's jerk, wider ones move hands that touch
# nothing for half a second.
RELEASE = 15.0  # 1/s, how fast a correction gives way to what is nearer to the motion: the rule's own
WIDE, NARROW = 6, (4, 2)  # frames to either side: of the smoothing, and of that of what is put right, twice
OVER = 1.2  # of what the smoothing left inside: less leaves some, more overshoots
_ROUNDS, _STILL = 6, 5e-4  # of the sweep, and rad of change that ends them: a tenth of a mm of a hand
_ROUNDS_MENDED, _STILL_MENDED = 3, 2e-3  # of what is put right: it begins near its end


@dataclass(frozen=True, slots=True)
class Label:
    """What the teacher says of a motion. correction: (F, 18) rad; depth: (F,) m, how deep the motion itself is."""

    correction: F64
    depth: F64


def label(body: Figure, rotation: F64) -> F64:
    """Return the correction that a proposal should have been at every tick, (F, 18) rad, as in components/contacts.py.

    rotation: (F, J, 4) wxyz local, the rest rotation included, at 60 Hz
    """
    return taught(body, rotation).correction


def taught(body: Figure, rotation: F64) -> Label:
    """Return what `label` does, and how deep the motion itself is."""
    if not len(rotation):
        return Label(np.zeros((0, 18)), np.zeros(0))
    guard, (position, world) = _guard(body), placed(body, rotation)
    tables = guard.tables[: ROOM + 2]  # what projects; the rest writes into a pose
    swept, deep = np.empty((len(rotation), 18)), np.empty(len(rotation))
    kept = math.exp(-RELEASE / RATE)
    sweep.carried(kept, _ROUNDS, _STILL, True, swept, deep, position, world, *tables)
    smooth, clear = window(swept, WIDE), np.empty_like(swept)
    for half in NARROW:
        sweep.mended(_ROUNDS_MENDED, _STILL_MENDED, smooth, clear, position, world, *tables)
        smooth = smooth + OVER * window(clear - smooth, half)
    return Label(smooth, deep)


def window(values: F64, half: int) -> F64:
    """Return columns (F, N) smoothed by a raised cosine that reaches `half` frames to either side; ends are held."""
    weight = 1.0 + np.cos(math.pi * np.arange(-half, half + 1) / (half + 1))
    weight /= weight.sum()
    held = np.pad(values, ((half, half), (0, 0)), "edge")
    out = np.zeros_like(values)
    for k, share in enumerate(weight):
        out += share * held[k : k + len(values)]
    return out


def placed(body: Figure, rotation: F64) -> tuple[F64, F64]:
    """Return where her joints are at every tick: (F, J, 3) m and (F, J, 4) wxyz, avatar frame."""
    frames, count = rotation.shape[:2]
    position, world = np.empty((frames, count, 3)), np.empty((frames, count, 4))
    parent: I32 = np.array(body.rig.parent)
    given = np.ascontiguousarray(rotation, np.float64)
    fk.world_each(parent, np.array(body.rig.rest_offset), body.root(frames), given, position, world)
    return position, world


def _guard(body: Figure) -> Guard:
    guard = guard_of(body.capsules, body.rig, body.anatomy, wrist_frames(body.rig))
    refresh(guard, Config.default())
    return guard
