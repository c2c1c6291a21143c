"""Her head's share of a look, in every slot of the preview, over whatever motion it has."""

from __future__ import annotations

from ...components.motion import Motion
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Slot
from ..kernels import gaze


def turn(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Turn neck and head toward what she looks at. Nothing that measures her motion sees it, as with the reflex.

    Reads Plan.look, Plan.looks, Plan.looked, Motion.sight; writes Slot.carry and the rows of Slot from the neck on.
    """
    if not plan.looked or motion.sight is None:
        return
    sight, rig = motion.sight, motion.rig
    gaze.turn(
        rig.parent, rig.rest_offset, sight.neck, sight.head, sight.below, sight.frame, sight.between,
        plan.look, plan.looks, dt, slot.carry.view("look"), motion.turn,
        slot.rotation, slot.position, slot.world,
    )  # fmt: skip
