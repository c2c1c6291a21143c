"""Does a change of row turn her head round? The slow spring's own figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....components.anatomy import SLOTS
from ....components.arrays import F64
from ....components.motion import Motion
from ....components.plan import Pick
from ...figures.report import REVERSAL
from ...kernels import quat
from ..blend import evaluate
from .performers.body import followed as sprung

SIDE = 6  # ticks (0.1 s): a speed that is reached later than that is a new movement, not a turn
AFTER = 30  # ticks: a reversal that comes later than 0.5 s after a pick is not the cut's
NEAR = 9  # ticks (0.15 s) within which a reversal of an uncut clip is the same one
_CHAIN = tuple(SLOTS.index(name) for name in ("spine", "chest", "upperChest", "neck", "head"))


@dataclass(frozen=True, slots=True)
class Cuts:
    """Reversals a second that the cuts made, of yaw and pitch together, and the size of the head's motion (p95 - p5).

    Fields:
        reversals_per_s: of the run's picks
        size_deg: (2,) yaw and pitch, with the spring
        share:    of the size without any spring, the smaller of yaw and pitch
    """

    reversals_per_s: float
    size_deg: tuple[float, float]
    share: float


def cut_reversals(motion: Motion, picks: Sequence[Pick], ticks: int, torso_rate: float) -> Cuts:
    """Return what the cuts of a run do to the head when torso, neck and head follow at `torso_rate` (1/s).

    A cut reversal is a change of sign of the head's yaw or pitch speed, above 3 deg/s on both sides, within 0.5 s after
    a pick, that neither clip shows when it is played uncut through the same spring.
    picks: every pick of the run, by tick; ticks: its length
    """
    raw = head_angles(motion, picks, 0, ticks)
    shown = followed(raw, torso_rate)
    count = 0
    for k, pick in enumerate(picks):
        if max(pick.fade, pick.slow) == 0 or pick.tick + AFTER >= ticks:
            continue
        # each clip alone through the same spring, run in for a second
        first = max(pick.tick - 60, 0)
        uncut = [
            followed(head_angles(motion, [p], first, pick.tick + AFTER + NEAR), torso_rate) if p is not None else None
            for p in (picks[k - 1] if k else None, _alone(pick, first))
        ]
        for axis in range(2):
            found = _turns(shown[axis], pick.tick, pick.tick + AFTER)
            own = [t + first for u in uncut if u is not None for t in _turns(u[axis], 0, len(u[axis]))]
            count += sum(all(abs(t - o) > NEAR for o in own) for t in found)
    size = np.array([np.ptp(np.percentile(a, [5, 95])) for a in shown])
    free = np.array([np.ptp(np.percentile(a, [5, 95])) for a in raw])
    return Cuts(count / (ticks / 60.0), (float(size[0]), float(size[1])), float((size / np.maximum(free, 1e-9)).min()))


def _alone(pick: Pick, first: int) -> Pick:
    """Return the incoming clip as if it had been running since `first`."""
    back = min(pick.tick - first, pick.frame)
    return Pick(pick.tick - back, pick.row, pick.clip, pick.frame - back, 0, 0.0, end=pick.end)


def head_angles(motion: Motion, picks: Sequence[Pick], first: int, last: int) -> F64:
    """Return (2, last - first) deg: yaw and pitch of the head as the crossfades alone make them, no spring."""
    turned, now, at = np.empty((last - first, 4)), np.empty_like(motion.quats[0]), -1
    for tick in range(first, last):
        while at + 1 < len(picks) and picks[at + 1].tick <= tick:
            at += 1
        evaluate(motion, picks[at - 1] if at > 0 else None, picks[at] if at >= 0 else None, tick, now)
        turned[tick - first] = chain(now)
    return np.array(angles(turned))


def followed(course: F64, rate: float) -> F64:
    """Return what a critically damped spring, at rest in the first tick, makes of a course (A, T). rate: 1/s."""
    return sprung(course.T, rate, 60.0).T


def chain(turned: F64) -> F64:
    """Return (4,) wxyz: the head over the base pose, from every slot's own rotation (43, 4)."""
    out = turned[_CHAIN[0]].copy()
    for slot in _CHAIN[1:]:
        quat.mul(out, turned[slot], out)
    return out


def angles(world: F64) -> tuple[F64, F64]:
    """Return yaw and pitch of rotations over the base pose, deg. world: (T, 4)."""
    forward = np.empty((len(world), 3))
    quat.rotate_each(world, np.array([[0.0, 0.0, 1.0]]), forward)
    yaw = np.degrees(np.unwrap(np.arctan2(forward[:, 0], forward[:, 2])))
    return yaw, np.degrees(np.arcsin(np.clip(-forward[:, 1], -1.0, 1.0)))


def _turns(angle: F64, first: int, last: int) -> list[int]:
    """Return the ticks in first..last on which an angle turns round, above REVERSAL within SIDE ticks on both sides."""
    rate = np.diff(angle) * 60.0
    out = []
    for t in range(max(first, 1), min(last, len(rate))):
        if rate[t - 1] * rate[t] < 0.0:
            sign = np.sign(rate[t])
            before, after = -sign * rate[max(t - SIDE, 0) : t], sign * rate[t : t + SIDE]
            if before.max() > REVERSAL and after.max() > REVERSAL:
                out.append(t)
    return out
