"""What a correction costs and how that grows with it, by the teacher's own contact slopes: held against torch's.

Second implementation: collide/offline/second.py, which has its own kinematics, distances and differentiation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64, I32
from ...collide.offline.figure import Figure
from ...collide.offline.optimum import COST
from ...collide.offline.scene import Scene
from ...collide.offline.second import Second
from ...collide.offline.solve import MOST, _bends, _slope, gap_of, near, put
from ...kernels.compiled import njit

DEEP = 1e4  # of a squared depth against what a correction displaces, as in `optimum.loss`
_AT_ONCE = 40  # frames that torch looks at together: all pairs of them, with their slopes, are in memory


def losses(scene: Scene, correction: F64) -> tuple[F64, F64]:
    """Return DEEP sum depth^2 + COST r^2 of each frame, (F,) m^2, and its slope, (F, 18) m^2/rad.

    correction: (F, 18) rad
    """
    r = np.ascontiguousarray(correction, np.float64)
    loss, slope = np.empty(len(scene)), np.empty((len(scene), 18))
    s = scene
    _losses(
        s.joint, s.side, s.link, s.arm_start, s.arm_along, s.arm_radius, s.body_start, s.body_along, s.body_radius,
        s.allow, s.allow_arms, COST, r, loss, slope,
    )  # fmt: skip
    return loss, slope


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two implementations differ at most. loss, slope: share of the larger of 1 and the value's size."""

    frames: int
    loss: float
    slope: float


def agreement(body: Figure, rotation: F64, correction: F64) -> Agreement:
    """Return how far the compiled losses and slopes are from torch's, at corrections of a motion's frames."""
    loss, slope = losses(body.scene(rotation), correction)
    worst = [0.0, 0.0]
    for first in range(0, len(rotation), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        second = Second(body.rig, body.capsules, rotation[some], body.root(len(rotation[some])))
        for k, (ours, theirs) in enumerate(
            ((loss[some], second.loss(correction[some])), (slope[some], second.slope(correction[some])))
        ):
            worst[k] = max(worst[k], float((np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))).max()))
    return Agreement(len(rotation), *worst)


@njit(cache=True)
def _losses(
    joint: F64, side: I32, link: I32, at: F64, way: F64, ra: F64, body: F64, body_along: F64, rb: F64, allow: F64,
    across: F64, weight: F64, r: F64, loss: F64, slope: F64,
) -> None:  # fmt: skip
    turn, place, found = np.empty((2, 3, 3, 3)), np.empty((2, 3, 3)), np.empty(5)
    start, along = np.empty((at.shape[1], 3)), np.empty((at.shape[1], 3))
    pairs, row, bend = np.empty((MOST, 2), np.int32), np.empty((1, 18)), np.empty((6, 2))
    point, n = np.empty(3), np.empty(3)
    bodies = body.shape[1]
    for f in range(joint.shape[0]):
        loss[f] = 0.0
        for a in range(18):
            loss[f] += weight[a] * r[f, a] ** 2
            slope[f, a] = 2.0 * weight[a] * r[f, a]
        put(r[f], joint[f], side, link, at[f], way[f], turn, place, start, along)
        _bends(r[f], bend)
        for p in range(near(0.0, start, along, ra, body[f], body_along[f], rb, allow, across, found, pairs)):
            i, j = pairs[p, 0], pairs[p, 1]
            gap = gap_of(i, j, start, along, ra, body[f], body_along[f], rb, allow, across, found)
            size = max(np.sqrt(found[0] ** 2 + found[1] ** 2 + found[2] ** 2), 1e-12)
            row[:] = 0.0
            for x in range(3):
                n[x], point[x] = found[x] / size, start[i, x] + found[3] * along[i, x]
            _slope(row, 0, 9 * side[i], link[i], point, n, 1.0, r[f], bend, turn, place)
            if j >= bodies:
                k = j - bodies
                for x in range(3):
                    point[x] = start[k, x] + found[4] * along[k, x]
                _slope(row, 0, 9 * side[k], link[k], point, n, -1.0, r[f], bend, turn, place)
            loss[f] += DEEP * gap * gap
            for a in range(18):
                slope[f, a] += 2.0 * DEEP * gap * row[0, a]
