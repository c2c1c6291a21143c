"""A motion whose plan changes: what was known of the ticks to come turns out not to be what comes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from ...kernels import quat
from .figure import Figure

EVERY = 120  # ticks from one change to the next
BEYOND = 32  # ticks that a part is known past the change that ends it: more than is ever looked ahead
LEAST = 12  # ticks of a fade at least, as the matcher's
SPEED = 90.0  # deg/s at most that a fade adds to an arm's joint, as the matcher's gate


@dataclass(frozen=True, slots=True)
class Replanned:
    """A motion in parts of EVERY ticks. part: (P, EVERY + BEYOND, J, 4) wxyz local, each as it would have gone on."""

    part: F64

    @property
    def rotation(self) -> F64:
        """What comes, (P EVERY, J, 4)."""
        return np.ascontiguousarray(self.part[:, :EVERY]).reshape(-1, *self.part.shape[2:])

    def known(self, frame: int, tick: int) -> F64:
        """Return the pose of a tick as it is known on `frame`, (J, 4)."""
        k = frame // EVERY
        pose: F64 = self.part[k, tick - k * EVERY]
        return pose


def replanned(figure: Figure, rotation: F64, seed: int = 1) -> Replanned:
    """Return a motion that every two seconds turns, on a sine fade, to another place of it.

    rotation: (F, J, 4) it is made of; F > EVERY + BEYOND. Of some places drawn the one with the nearest pose is taken.
    """
    draw = np.random.default_rng(seed)
    arms = [j for side in range(2) for j in (figure.joint(side, p) for p in ("UpperArm", "LowerArm", "Hand")) if j >= 0]
    long, parts = EVERY + BEYOND, []
    at = 0
    outgoing = rotation[: long + EVERY]
    for _ in range(len(rotation) // EVERY):
        here = outgoing[EVERY] if parts else outgoing[0]
        if parts:
            tried = draw.integers(0, len(rotation) - long - EVERY, 12)
            at = int(min(tried, key=lambda k: _apart(rotation[k, arms], here[arms])))
        incoming = rotation[at : at + long + EVERY]
        part = incoming[:long].copy()
        if parts:
            jump = math.degrees(_apart(incoming[0, arms], here[arms]))
            fade = min(max(LEAST, math.ceil(math.pi * jump / (2.0 * SPEED) * 60.0)), EVERY)
            old = np.concatenate([outgoing[EVERY:], outgoing[-1:].repeat(long, axis=0)])
            for k in range(fade):
                weight = 0.5 - 0.5 * math.cos(math.pi * k / fade)
                quat.slerp_each(np.ascontiguousarray(old[k]), np.ascontiguousarray(incoming[k]), weight, part[k])
        parts.append(part)
        outgoing = np.concatenate([part, incoming[long:]])
    return Replanned(np.array(parts))


def _apart(a: F64, b: F64) -> float:
    return quat.furthest(np.ascontiguousarray(a), np.ascontiguousarray(b))
