"""What touches in a hold may: the rule would open every clasp, for capsules stand some millimetres off the skin."""

from __future__ import annotations

import numpy as np

from ...components.arrays import F32, F64, I32
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
                let(guard, hold, np.array(state[1:]))
            guard.opened = state


def closed_at(hold: Hold, progress: float) -> tuple[float, float]:
    """Return how far each hand has come to rest at so many seconds of the way, 0..1."""
    frame = min(max(60.0 * progress, 0.0), len(hold.closed) - 1.0)
    k = min(int(frame), len(hold.closed) - 2)
    both = hold.closed[k] + (frame - k) * (hold.closed[k + 1] - hold.closed[k])
    return float(both[0]), float(both[1])


Opening = tuple[I32, I32, F32, I32]  # rows and columns of Guard.allow, m, and (K, 2) arms: 0 left, 1 right, 2 neither


def let(guard: Guard, hold: Hold, closed: F64) -> None:
    """Add a hold's allowances to those of a guard, as far as each hand has come to rest. closed: (2,) 0..1."""
    rows, columns, allowance, arms = opening(guard, hold)
    guard.allow[rows, columns] += allowance * shared(arms, closed)


def opening(guard: Guard, hold: Hold) -> Opening:
    """Return which pairs of a guard a hold opens, by how much and with which arms."""
    place = np.zeros(int(guard.column.max(initial=0)) + 1, np.int32)
    place[guard.column[guard.column >= 0]] = np.flatnonzero(guard.column >= 0)
    c = guard.capsules
    arm = np.where(c.part[hold.pair] == 0, 2, np.where(c.left[hold.pair] > 0, 0, 1)).astype(np.int32)
    return place[hold.pair[:, 0]], place[hold.pair[:, 1]], hold.allowance.astype(np.float32), arm


def shared(arms: I32, closed: F64) -> F32:
    """Return how far both arms of each pair have come to rest, 0..1; her body always has."""
    far = np.array([closed[0], closed[1], 1.0])[arms]
    return far.min(axis=1).astype(np.float32)
