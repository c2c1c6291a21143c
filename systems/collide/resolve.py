"""The rule as a system, and as a door for one pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.arrays import F64
from ...components.config import Config
from ...components.contacts import Contacts
from ...components.guard import Guard
from ...components.outbox import Outbox
from ...components.pose import Pose
from ...components.world import World
from ..kernels import rule
from .tables import ROOM, refresh

_FAULT = {
    rule.NO_POSE: "rule: the pose is not a number, left as it is",
    rule.NO_TARGET: "rule: a correction is not a number, begun anew",
}


def resolve(world: World) -> None:
    """Keep her arms out of her body and out of each other, on the pose that is shown.

    Reads Guard, World.config; reads and writes Contacts, Pose; writes Outbox ('contact', 'degraded').
    """
    config = world.config
    is_on, grows = "rule" in config.run.layers, config.rule.method == "growth"
    for entity, guard, contacts, pose in world.each(Guard, Contacts, Pose):
        if not is_on:
            _off(contacts)
            continue
        if guard.config is not config:
            refresh(guard, config)
        shown = (pose.rotation, pose.world_position, pose.world_rotation)
        given: tuple[Any, ...] = (*guard.tables, *shown)
        rule.tick(
            grows, contacts.fresh, world.dt, contacts.memory, contacts.was, contacts.was_at, guard.out, guard.rows,
            contacts.point, contacts.depth, *given,
        )  # fmt: skip
        raw, depth, left, right, found, fault = guard.out.tolist()
        if fault:
            world.get(entity, Outbox).degrade(world.tick, _FAULT[int(fault)])
            if fault == rule.NO_POSE:
                contacts.raw_mm = contacts.depth_mm = 0.0
                contacts.moved_mm[:], contacts.count = 0.0, 0
                continue
        contacts.fresh = False
        contacts.raw_mm, contacts.depth_mm = 1e3 * raw, 1e3 * depth
        contacts.moved_mm[0], contacts.moved_mm[1] = 1e3 * left, 1e3 * right
        if found or contacts.touching:
            _tell(world, entity, guard, contacts, int(found))


def resolve_pose(guard: Guard, pose: Pose, config: Config) -> tuple[F64, float]:
    """Take one pose out of contact, seen by itself, and return the correction (2, 3, 3) and how deep it still is, mm.

    pose: changed; nothing is remembered, so two neighbouring poses may be corrected to different sides
    """
    if guard.config is not config:
        refresh(guard, config)
    given: tuple[Any, ...] = (*guard.tables, pose.rotation, pose.world_position, pose.world_rotation)
    depth = rule.clear(*given)
    return guard.tables[ROOM][0].reshape(2, 3, 3).copy(), 1e3 * depth


def _tell(world: World, entity: int, guard: Guard, contacts: Contacts, count: int) -> None:
    """Keep this tick's contacts by the numbers of the capsules, and say when they begin."""
    contacts.count = count
    contacts.pair[:count] = guard.column[guard.rows[:count]]
    if count and not contacts.touching:
        deepest = int(np.argmax(contacts.depth[:count]))
        arm, other = (guard.capsules.names[guard.capsules.joint[c]] for c in contacts.pair[deepest])
        world.get(entity, Outbox).say(world.tick, "contact", joint=arm, other=other, depth_mm=contacts.raw_mm)
    contacts.touching = count > 0


def _off(contacts: Contacts) -> None:
    """Forget what the rule did: without it the pose is the motion's own."""
    if not contacts.fresh:
        contacts.fresh = True
        contacts.memory[:] = 0.0
        contacts.raw_mm = contacts.depth_mm = 0.0
        contacts.moved_mm[:], contacts.count, contacts.touching = 0.0, 0, False
