"""The rule as a system, and as a door for one pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.arrays import F64
from ...components.config import Config
from ...components.contacts import Contacts, Window
from ...components.fence import Fence
from ...components.guard import Guard
from ...components.outbox import Outbox
from ...components.plan import NEVER, Plan
from ...components.pose import Pose
from ...components.preview import Preview
from ...components.world import World
from ..kernels import rule, window
from .response import response
from .tables import ROOM, refresh

_FAULT = {
    rule.NO_POSE: "rule: the pose is not a number, left as it is",
    rule.NO_TARGET: "rule: a correction is not a number, begun anew",
}


UNSEEN = 1e3  # m, where capsules were on the last tick if nobody looked: a leap, so no speed is made of it


def resolve(world: World) -> None:
    """Keep her arms out of her body and out of each other, on the pose that is shown.

    Reads Guard, Fence.is_live, World.config; reads and writes Contacts, Pose; writes Outbox ('contact', 'degraded').
    """
    for entity, _ in world.each(Guard):
        if world.has(entity, Fence) and world.get(entity, Fence).is_live:
            continue  # `fence.judge` does it, after the proposal
        resolve_window(world, entity)


def resolve_window(world: World, entity: int, *, proposed: bool = False) -> None:
    """Move one avatar's correction on by a tick and put it into her pose as it stands. Once a tick, by whom it may be.

    proposed: something was put into the pose after it was composed, so nothing is known of the ticks to come

    Reads Guard, World.config; reads and writes Contacts, Pose; writes Outbox ('contact', 'degraded').
    """
    config, guard = world.config, world.get(entity, Guard)
    contacts, pose = world.get(entity, Contacts), world.get(entity, Pose)
    if "rule" not in config.run.layers:
        _off(contacts)
        return
    if guard.config is not config:
        refresh(guard, config)
    preview = world.get(entity, Preview) if world.has(entity, Preview) else None
    first = preview.take() if preview is not None else NEVER
    if preview is None or preview.ahead == 0 or proposed or config.rule.method == "growth" or _holds(world, entity):
        if contacts.window is not None:
            contacts.window = None
            contacts.was[:] = UNSEEN
        _causal(world, entity, guard, contacts, pose)
    else:
        _looking(world, entity, guard, contacts, pose, preview, first)


def _looking(
    world: World, entity: int, guard: Guard, contacts: Contacts, pose: Pose, preview: Preview, first: int
) -> None:
    """Correct a pose whose next ticks are known."""
    kept, ahead = contacts.window, preview.ahead
    if kept is None:
        kept = contacts.window = Window()
        kept.nearest[:] = shown = contacts.memory[rule.APPLIED]
        step = world.dt * contacts.memory[rule.VELOCITY]
        kept.past[0], kept.past[1] = shown - step, shown - 2.0 * step
    is_new = kept.ahead != ahead or kept.until != world.tick + ahead - 1
    first = world.tick if is_new else min(first, world.tick + ahead)
    kept.ahead, kept.until = ahead, world.tick + ahead
    given: tuple[Any, ...] = (*guard.tables, pose.rotation, pose.world_position, pose.world_rotation)
    window.tick(
        world.tick, first, contacts.fresh, world.dt, kept.nearest, kept.force, kept.past, response(ahead),
        contacts.memory, guard.out, guard.rows, contacts.point, contacts.depth, preview.position, preview.world,
        preview.listed, preview.good, preview.rows, preview.pull, preview.answer, *given,
    )  # fmt: skip
    _take(world, entity, guard, contacts)


def _holds(world: World, entity: int) -> bool:
    """Return whether a hold shows: what may touch changes along its way, so what comes is not known."""
    posture = world.get(entity, Plan).posture if world.has(entity, Plan) else None
    return posture is not None and posture.shown != ""


def _causal(world: World, entity: int, guard: Guard, contacts: Contacts, pose: Pose) -> None:
    given: tuple[Any, ...] = (*guard.tables, pose.rotation, pose.world_position, pose.world_rotation)
    rule.tick(
        world.config.rule.method == "growth", contacts.fresh, world.dt, contacts.memory, contacts.was, contacts.was_at,
        guard.out, guard.rows, contacts.point, contacts.depth, *given,
    )  # fmt: skip
    _take(world, entity, guard, contacts)


def _take(world: World, entity: int, guard: Guard, contacts: Contacts) -> None:
    """Keep what the kernel told of a tick."""
    raw, depth, left, right, found, fault = guard.out.tolist()
    if fault:
        world.get(entity, Outbox).degrade(world.tick, _FAULT[int(fault)])
        if fault == rule.NO_POSE:
            contacts.raw_mm = contacts.depth_mm = 0.0
            contacts.moved_mm[:], contacts.count = 0.0, 0
            return
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
        contacts.window = None
        contacts.raw_mm = contacts.depth_mm = 0.0
        contacts.moved_mm[:], contacts.count, contacts.touching = 0.0, 0, False
