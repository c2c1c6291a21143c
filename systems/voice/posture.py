"""What she is told to hold, as it arrives: a hold with everything that was found of it on her body."""

from __future__ import annotations

from typing import Any

from ...components.holds import ARRAYS, Hold, Posture
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.world import World


def ask(world: World, entity: int, kind: str, data: dict[str, Any]) -> None:
    """Take a hold onto the plan, or let go of it.

    Reads the event; writes Plan.posture, Motion.holds, an asset.
    """
    plan = world.get(entity, Plan)
    if kind == "release":
        if plan.posture is not None:
            plan.posture.wanted, plan.posture.chosen = "", False
        return
    motion, name = world.get(entity, Motion), str(data["name"])
    if "wrist" in data:
        motion.holds[name] = Hold(name, int(data["first"]), *(data[array] for array in ARRAYS))
    if plan.posture is None:
        plan.posture = Posture()
    plan.posture.wanted, plan.posture.held, plan.posture.chosen = name, world.tick, False
