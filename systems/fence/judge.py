"""The head's proposal on every tick: measured in shadow, put into the pose when live, with the rule after it."""

from __future__ import annotations

from typing import Any

from ...components.contacts import Contacts
from ...components.fence import Fence, Proposer
from ...components.guard import Guard
from ...components.mode import Private, Public, audience
from ...components.pose import Pose
from ...components.preview import Preview
from ...components.world import World
from ..collide import resolve_window
from ..collide.tables import refresh
from ..kernels import head
from ..kernels import judge as kernel
from .fall import NONE, fall, over

LOOKS = 10  # ticks before a proposal is put in: the first ones, out of an empty memory, threw her hands 10 mm a tick
CHAIN, DEEPER = 2, 1e-3  # place in Guard.tables; m, by how much a proposal may be deeper than the motion: a choice
RULE_OFF = "the rule that has to run after it was switched off"


def judge(world: World) -> None:
    """Ask each head what it proposes for the motion of this tick, and judge it; when live, put it in before the rule.

    A head falls back to shadow, and stays there, on a proposal that is not finite, on one faster than [fence]
    rate_deg_s, and when more than `share` of the window was deeper than `depth_mm` after it. In shadow all of this is
    counted, and nothing else is touched.

    Reads Preview, Guard, Proposer, World.mode, World.config; reads and writes Fence; when live writes Pose and Contacts
    through the rule, and Outbox ('fell_back', 'contact', 'degraded').
    """
    who = audience(world.mode)
    if isinstance(who, Public):
        return  # `switch` has ended all of them
    for entity, fence in world.each(Fence):
        _judge(who, world, entity, fence)


def _judge(who: Private, world: World, entity: int, fence: Fence) -> None:
    guard, proposer = world.get(entity, Guard), world.get(entity, Proposer)
    slot, was_live = world.get(entity, Preview).slots[0], fence.is_live
    if guard.config is not world.config:
        refresh(guard, world.config)
    proposal, before, out = fence.proposal, fence.rate, proposer.out
    before[:] = proposal  # `_weigh` makes it the rate of change
    if guard.opened[0]:
        _rest(fence)  # a hold: no head has learned that hands may rest on each other
        if was_live:
            _show(world, entity, fence, guard, refuses=True)
        return
    fence.looked += 1
    asked: tuple[Any, ...] = (slot.world, slot.position, *proposer.tables, fence.memory, proposal)
    head.propose(*asked)
    given: tuple[Any, ...] = (proposal, before, world.dt, out, *guard.tables, slot.position, slot.world)
    kernel.measure(*given)
    reason = _weigh(world, fence, *out.tolist())
    if was_live:
        if "rule" not in world.config.run.layers:
            reason = RULE_OFF
        if reason:
            fall(world, entity, fence, reason)
        refuses = bool(out[kernel.DEPTH] > out[kernel.RAW] + DEEPER or out[kernel.FAULT])
        _show(world, entity, fence, guard, refuses=refuses)
    fence.ticks += 1


def _rest(fence: Fence) -> None:
    """Propose nothing, and remember nothing."""
    fence.proposal[:], fence.rate[:], fence.memory[:], fence.is_new, fence.looked = 0.0, 0.0, 0.0, True, 0
    fence.raw_mm = fence.depth_mm = fence.moved_mm[0] = fence.moved_mm[1] = 0.0


def _weigh(
    world: World, fence: Fence, raw: float, depth: float, left: float, right: float, speed: float, fault: float
) -> str:
    """Keep what was measured of a proposal and return why the head must not be live, "" if it may."""
    limits = world.config.fence
    if fault:  # there is nothing to remember of a pose or a proposal that is none
        _rest(fence)
        if fault == kernel.NO_POSE:
            return ""
        fence.not_finite += 1
        return "its proposal is not a number"
    fence.rate[:] = 0.0 if fence.is_new else (fence.proposal - fence.rate) / world.dt
    fence.raw_mm, fence.depth_mm = 1e3 * raw, 1e3 * depth
    fence.moved_mm[0], fence.moved_mm[1] = 1e3 * left, 1e3 * right
    fence.proposed += 1e3 * (left + right)
    is_deep = depth > limits.depth
    fence.deep[fence.at] = is_deep
    fence.at = (fence.at + 1) % len(fence.deep)
    fence.too_deep += is_deep
    was_new, fence.is_new = fence.is_new, False
    if speed > limits.rate and not was_new:
        fence.fast += 1
        return f"its proposal turned faster than {limits.rate_deg_s:g} deg/s"
    if is_deep and fence.deep.sum() > limits.share * len(fence.deep):
        return f"deeper than {limits.depth_mm:g} mm on more than {100 * limits.share:g} % of {limits.window_s:g} s"
    return ""


def _show(world: World, entity: int, fence: Fence, guard: Guard, refuses: bool) -> None:
    """Put the proposal into the pose, where it may be, and run the rule on what comes of it."""
    contacts, pose = world.get(entity, Contacts), world.get(entity, Pose)
    slot = world.get(entity, Preview).slots[0]
    is_heard = fence.is_live and fence.looked > LOOKS
    puts = is_heard and not refuses
    if puts != fence.is_put:
        proposal, rate = (fence.proposal, fence.rate) if puts else (NONE, NONE)
        over(fence, contacts, proposal, rate, world.dt, guard)
        fence.is_put = puts
    fence.refused += fence.is_live and refuses
    if puts:
        fence.shown[:], fence.shown_rate[:] = fence.proposal, fence.rate
        given: tuple[Any, ...] = (*guard.tables, pose.rotation, pose.world_position, pose.world_rotation)
        kernel.put(fence.proposal, *given)
    resolve_window(world, entity, proposed=is_heard)
    fence.left_mm[:] = contacts.moved_mm
    fence.left += float(contacts.moved_mm[0] + contacts.moved_mm[1])
    if puts:  # what the viewer sees of both, against the motion
        kernel.apart(guard.tables[CHAIN], slot.position, pose.world_position, contacts.moved_mm)
        contacts.moved_mm *= 1e3
        contacts.raw_mm = fence.raw_mm
