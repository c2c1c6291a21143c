"""Every layer multiplied over the base pose, feet planted."""

from __future__ import annotations

from ...components.motion import Motion
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Slot
from ..kernels import compose, twist


def over(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Write the pose of one slot: base, reflex, corpus, then legs and twist.

    Reads Motion, Slot.reflex, Slot.hips, Slot.sink, Slot.corpus; writes Slot.rotation, root, position, world.
    """
    rig, anatomy, stance = motion.rig, motion.anatomy, motion.stance
    compose.layers(
        anatomy.base, anatomy.slot_joint, slot.reflex, slot.corpus, stance.hips, slot.hips, slot.rotation
    )
    twist.share(
        rig.parent, rig.rest_rotation, anatomy.twist, anatomy.twist_axis, anatomy.twist_share, motion.quats[1],
        slot.rotation,
    )  # fmt: skip
    slot.root[:] = anatomy.base_root
    slot.root += slot.sink
    compose.stand(
        rig.parent, rig.rest_offset, anatomy.base, anatomy.leg, anatomy.foot, stance.foot_frame, anatomy.pole,
        slot.root, slot.rotation, slot.position, slot.world,
    )  # fmt: skip
