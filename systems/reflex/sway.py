"""The reflex's own motion on one tick: oscillators with state, weighted down while the corpus is busy."""

from __future__ import annotations

from ...components.motion import Motion
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Slot
from ..kernels import oscillators
from .table import turns_of


def sway(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Write the reflex's turns and where it takes the pelvis.

    Reads Motion, Plan, Persona and Slot.carry; writes Slot.reflex, Slot.hips, Slot.sink, Slot.carry.
    """
    reflex, standing = motion.config.reflex, motion.standing
    speaking = 1.0 if plan.speaking_from <= tick < plan.speaking_to else 0.0
    stance = motion.stance
    oscillators.advance(
        plan.moves, plan.fidget, plan.taken, plan.breathing, standing.period, standing.amplitude,
        slot.carry.view("reflex"), float(tick), persona.stillness, speaking, activity(motion, plan, tick),
        reflex.busy_smooth_s, reflex.stand_down_s, reflex.breath, reflex.sway, reflex.shift, dt,
        turns_of(motion.anatomy), stance.frame, stance.hips_frame, "reflex" in motion.layers,
        motion.turn[0], slot.reflex, slot.hips, slot.sink,
    )  # fmt: skip


def activity(motion: Motion, plan: Plan, tick: int) -> float:
    """Return how busy the corpus row of this tick is, 0..1; 0 without a corpus."""
    if motion.repertoire is None or "corpus" not in motion.layers:
        return 0.0
    for pick in reversed(plan.picks):
        if pick.tick <= tick:
            return float(motion.repertoire.row_busy[pick.row]) if pick.row >= 0 else 0.0
    return 0.0
