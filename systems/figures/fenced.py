"""What the learned fence did, in figures."""

from __future__ import annotations

from typing import Any

from ...components.fence import Fence
from ...components.world import World


def told(world: World, entity: int) -> dict[str, Any] | None:
    """Return what the fence of one avatar does and did, None where it is off.

    stage: shadow or live, now; asked: what was asked for; reason: why it is another
    ticks, not_finite, fast, too_deep, refused: ticks, as in Fence; fell: how often it was put back
    raw_mm, depth_mm, moved_mm: of this tick: depth without the proposal and with it, wrists held by it
    proposed_mm, left_mm: mean a tick and wrist: what the proposal held, and in live what the rule did after it
    """
    if not world.has(entity, Fence):
        return None
    fence = world.get(entity, Fence)
    wrists = 2.0 * max(fence.ticks, 1)
    return {
        "stage": "live" if fence.is_live else "shadow",
        "asked": fence.asked,
        "reason": fence.reason,
        "head": fence.head.digest,
        "ticks": fence.ticks,
        "not_finite": fence.not_finite,
        "fast": fence.fast,
        "too_deep": fence.too_deep,
        "refused": fence.refused,
        "fell": fence.fell,
        "raw_mm": fence.raw_mm,
        "depth_mm": fence.depth_mm,
        "moved_mm": fence.moved_mm.tolist(),
        "proposed_mm": fence.proposed / wrists,
        "left_mm": fence.left / wrists,
    }
