"""Every layer multiplied over the base pose, feet planted."""

from __future__ import annotations

from ...components.motion import Motion
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Slot
from ..kernels import compose


def over(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Write the pose of one slot: base, reflex, corpus, sentence, then legs and twist.

    Reads Motion, Slot.reflex, hips, sink, corpus, sentence; writes Slot.rotation, root, position, world.
    """
    rig, body, stance = motion.rig, motion.anatomy, motion.stance
    compose.pose(
        rig.parent, rig.rest_offset, rig.rest_rotation, body.base, body.base_root, body.slot_joint, stance.hips,
        body.leg, body.foot, stance.foot_frame, body.pole, body.twist, body.twist_axis, body.twist_share,
        slot.reflex, slot.corpus, slot.sentence, slot.hips, slot.sink, motion.turn,
        slot.root, slot.rotation, slot.position, slot.world,
    )  # fmt: skip
