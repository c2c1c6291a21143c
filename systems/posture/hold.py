"""The posture layer on one tick: over everything that is composed, for it has the arms to itself."""

from __future__ import annotations

from ...components.motion import Motion
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Slot
from ..kernels import holding

GAIN = 6.0  # 1/s: how fast the pace along the way changes; turning back midway takes a third of a second
SHARE = 0.45  # of the way, over which her arms leave what they did and take to it


def hold(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Move her arms along the way into what she holds, or back, and keep them on her skin.

    Reads Plan.posture, Motion; reads and writes Carry 'hold', Slot.rotation, position, world.
    """
    posture = plan.posture
    if posture is None or posture.shown == "" or "posture" not in motion.layers:
        return
    h, reach, rig, body = motion.holds[posture.shown], motion.reach, motion.rig, motion.anatomy
    progress = slot.carry.view("hold")
    pace = 1.0 if posture.into else -1.0
    progress[1] += min(max(pace - progress[1], -GAIN * dt), GAIN * dt)
    progress[0] += progress[1] * dt
    if not 0.0 < progress[0] < h.seconds:
        progress[0], progress[1] = min(max(progress[0], 0.0), h.seconds), 0.0
    if progress[0] <= 0.0 or reach is None:
        return
    holding.pose(
        rig.parent, rig.rest_offset, rig.rest_rotation, body.twist, body.twist_axis, body.twist_share, reach.below,
        reach.collar, reach.hang, reach.length, reach.neutral, reach.turn, reach.place, reach.joint, reach.carrier,
        reach.finger, h.wrist, h.hand, h.swivel, h.girdle, h.closed, h.finger, h.on, h.at, h.tie, h.share, h.links,
        h.joints, h.first, 60.0 * progress[0], weight_at(progress[0] / h.seconds), slot.rotation, slot.position,
        slot.world,
    )  # fmt: skip


def weight_at(share: float) -> float:
    """Return how much of a hold shows beside what her arms did, 0..1, at a share of the way into it."""
    x = min(share / SHARE, 1.0)
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))
