"""A head put back to shadow, and its proposal handed over to the rule: what shows does not jump."""

from __future__ import annotations

import numpy as np

from ...components.arrays import F64
from ...components.contacts import Contacts
from ...components.fence import Fence
from ...components.guard import Guard
from ...components.outbox import Outbox
from ...components.world import World
from ..kernels import judge as kernel

NONE: F64 = np.zeros(18)
QUATS = 21  # place in Guard.tables


def fall(world: World, entity: int, fence: Fence, reason: str) -> None:
    """Put a live head back to shadow, where it stays until somebody asks for it again, and say why."""
    fence.is_live, fence.reason = False, reason
    fence.fell += 1
    world.get(entity, Outbox).say(world.tick, "fell_back", part="fence", reason=reason)


def let_go(fence: Fence, contacts: Contacts, dt: float, guard: Guard) -> None:
    """Let the rule hold what the proposal holds now."""
    if fence.is_put:
        over(fence, contacts, NONE, NONE, dt, guard)
        fence.is_put = False


def over(fence: Fence, contacts: Contacts, proposal: F64, rate: F64, dt: float, guard: Guard) -> None:
    """Let the rule hold the difference between the proposal that was in the pose and another one."""
    if not contacts.fresh:
        memory, quats = contacts.memory, guard.tables[QUATS]
        kernel.hand_over(memory, contacts.was, fence.shown, fence.shown_rate, proposal, rate, dt, quats)
