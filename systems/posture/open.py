"""What touches in a hold may: the rule would open every clasp, for capsules stand some millimetres off the skin."""

from __future__ import annotations

import numpy as np

from ...components.arrays import F64, I32
from ...components.carry import Carry
from ...components.guard import Guard
from ...components.holds import Hold
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.world import World

SHUT = ("", 0.0, 0.0)


def open_pairs(world: World) -> None:
    """Let the pairs of her hold overlap, those of each arm as far as its hand has come to rest.

    Open all the way, skin met skin on the way in; opened when both arms had come, the rule held the first one off.

    Reads Plan.posture, Carry, Motion.holds; writes Guard, its allowances.
    """
    for entity, plan, guard in world.each(Plan, Guard):
        if plan.posture is None:
            continue
        hold = world.get(entity, Motion).holds.get(plan.posture.shown)
        state = SHUT
        if hold is not None:
            left, right = closed_at(hold, float(world.get(entity, Carry).view("hold")[0]))
            if left > 0.0 or right > 0.0:
                state = (hold.digest, left, right)
        if state != guard.opened:
            np.copyto(guard.allow, guard.usual)
            if hold is not None and state != SHUT:
                _open(guard, hold, np.array(state[1:]))
            guard.opened = state


def closed_at(hold: Hold, progress: float) -> tuple[float, float]:
    """Return how far each hand has come to rest at so many seconds of the way, 0..1."""
    frame = min(max(60.0 * progress, 0.0), len(hold.closed) - 1.0)
    k = min(int(frame), len(hold.closed) - 2)
    both = hold.closed[k] + (frame - k) * (hold.closed[k + 1] - hold.closed[k])
    return float(both[0]), float(both[1])


def _open(guard: Guard, hold: Hold, closed: F64) -> None:
    first, second = _columns(guard, hold.pair[:, 0]), _columns(guard, hold.pair[:, 1])
    share = np.minimum(_share(guard, hold.pair[:, 0], closed), _share(guard, hold.pair[:, 1], closed))
    guard.allow[first, second] += (share * hold.allowance).astype(np.float32)


def _columns(guard: Guard, capsule: I32) -> I32:
    place = np.zeros(int(guard.column.max(initial=0)) + 1, np.int32)
    place[guard.column[guard.column >= 0]] = np.flatnonzero(guard.column >= 0)
    return place[capsule]


def _share(guard: Guard, capsule: I32, closed: F64) -> F64:
    """Return how far the arm of each capsule has come to rest, 1 for one of her body."""
    c = guard.capsules
    return np.where(c.part[capsule] == 0, 1.0, np.where(c.left[capsule] > 0, closed[0], closed[1]))
