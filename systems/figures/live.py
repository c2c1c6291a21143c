"""The figures of the tick that is shown, for a panel or a host."""

from __future__ import annotations

from typing import Any

from ...components.motion import Motion
from ...components.outbox import Outbox
from ...components.plan import Plan
from ...components.preview import Preview
from ...components.voice import Voice
from ...components.world import World


def live(world: World, entity: int) -> dict[str, Any]:
    """Return what one avatar is doing now, in the report's names where it has them."""
    plan, motion, voice = world.get(entity, Plan), world.get(entity, Motion), world.get(entity, Voice)
    slots = world.get(entity, Preview).slots
    pick = plan.picks[-1] if plan.picks else None
    return {
        "tick": world.tick,
        "mode": world.mode.value,
        "layers": sorted(motion.layers),
        "speaking": voice.active,
        "position_s": voice.position if voice.current is not None else None,
        "window": slots[0].row if slots else -1,
        "ranks": list(pick.ranks) if pick is not None else None,
        "jump_deg": pick.jump_deg if pick is not None else None,
        "fade": slots[0].fade if slots else 1.0,
        "corpus_speed_deg_s": slots[0].speed_deg_s if slots else 0.0,
        "forced_cuts": plan.forced,
        "fades_interrupted": plan.interrupted,
        "refused": dict(plan.refused),
        "tick_us": world.tick_seconds * 1e6,
        "degraded": sorted(world.get(entity, Outbox).degraded),
    }
