"""The next ticks of her motion, and the first of them shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ...components.anatomy import SLOT_GROUP
from ...components.carry import Carry
from ...components.config import Config
from ...components.motion import Motion
from ...components.persona import Persona
from ...components.plan import NEVER, Plan
from ...components.pose import Pose
from ...components.preview import Preview, Slot
from ...components.voice import Voice
from ...components.world import World

Ahead: TypeAlias = "Callable[[Motion, Plan, Persona, Slot, int, float], None]"

TORSO_SLOTS = 5  # spine, chest, upperChest, neck, head come first in SLOTS and follow the slower spring


def preview(world: World, ahead: tuple[Ahead, ...]) -> None:
    """Evaluate every missing slot with the functions of `ahead` and show the first.

    Reads Plan, Motion, Persona, Voice, World.config; writes Preview, Motion (settings), Carry, Pose, Plan.changed.
    """
    tick, dt = world.tick, world.dt
    for entity, plan, motion in world.each(Plan, Motion):
        slots, carry = world.get(entity, Preview), world.get(entity, Carry)
        if motion.config is not world.config:
            refresh(motion, world.config)
            slots.drop()
            slots.changed = tick
        if plan.changed != NEVER:
            slots.drop(plan.changed)
            slots.changed = min(slots.changed, plan.changed)
            plan.changed = NEVER
        count = world.config.run.ahead(world.get(entity, Voice).is_live) + 1
        _advance(slots, tick, count, len(motion.rig.names), carry)
        persona = world.get(entity, Persona)
        before = carry
        for at, slot in enumerate(slots.slots, tick):
            if slot.tick != at:
                slot.tick = at
                slot.carry.data[:] = before.data
                for function in ahead:
                    function(motion, plan, persona, slot, at, dt)
                if count > 1:
                    slots.keep(slot)
            before = slot.carry
        _show(slots.slots[0], carry, world.get(entity, Pose))


def refresh(motion: Motion, config: Config) -> None:
    """Take what the settings say about her motion."""
    motion.config = config
    motion.rate[:TORSO_SLOTS] = config.springs.torso
    motion.rate[TORSO_SLOTS:] = config.springs.arms
    motion.gain[:] = [getattr(config.gains, group) for group in SLOT_GROUP]
    motion.sentence_gain[:] = config.sentence.slots
    motion.sentence_limit = config.sentence.limit
    motion.layers = frozenset(config.run.layers)


def _advance(slots: Preview, tick: int, count: int, joints: int, carry: Carry) -> None:
    """Move the ring on to `tick`: the slot that was shown becomes the last."""
    ring = slots.slots
    if ring and ring[0].tick >= 0 and ring[0].tick < tick:
        ring.append(ring.pop(0))
        ring[-1].tick = -1
    while len(ring) < count:
        ring.append(Slot.of(joints, carry))
    del ring[count:]


def _show(slot: Slot, carry: Carry, pose: Pose) -> None:
    carry.data[:] = slot.carry.data
    pose.root[:] = slot.root
    pose.rotation[:] = slot.rotation
    pose.world_position[:] = slot.position
    pose.world_rotation[:] = slot.world
