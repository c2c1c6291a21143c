"""What she holds: as she was told, out of it while her arms are wanted, back when it is quiet."""

from __future__ import annotations

from copy import deepcopy

from ...components.carry import Carry
from ...components.draw import draws
from ...components.guard import Guard
from ...components.holds import Posture
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.voice import Voice
from ...components.world import World

AGAIN = 45.0  # s, at least, that a posture of her own choice lasts; a choice


def plan(world: World) -> None:
    """Put what she holds onto the plan.

    Reads Voice, Carry, Motion.holds, World.config; writes Plan.posture, Plan.changed, Guard (her own from then on).
    """
    settings = world.config.posture
    for entity, her, motion in world.each(Plan, Motion):
        if her.posture is None:
            if not (settings.by_herself and motion.holds):
                continue
            her.posture = Posture(since=world.tick)
        posture, voice = her.posture, world.get(entity, Voice)
        if voice.active or voice.current is not None:
            posture.since = world.tick
        _alone(world, entity, posture, motion)
        quiet = (world.tick - posture.since) * world.dt
        is_free = settings.stays or posture.since <= posture.held or quiet >= settings.back_s
        if voice.active and not settings.stays:
            is_free = False
        before = posture.shown, posture.into
        progress = float(world.get(entity, Carry).view("hold")[0])
        if progress <= 0.0 and not posture.into:
            posture.shown = ""
        if posture.shown == "" and is_free and posture.wanted in motion.holds:
            posture.shown = posture.wanted
            _own_guard(world, entity)
        posture.into = posture.shown != "" and posture.shown == posture.wanted and is_free
        if before != (posture.shown, posture.into):
            her.touch(world.tick)


def _alone(world: World, entity: int, posture: Posture, motion: Motion) -> None:
    """Choose one in a long silence, and another or none after a while."""
    settings = world.config.posture
    if not settings.by_herself or (posture.wanted and not posture.chosen):
        return
    quiet = (world.tick - posture.since) * world.dt
    if quiet < settings.alone_s:
        posture.wanted, posture.chosen = "", False
        return
    period = round(AGAIN / world.dt)
    if posture.wanted and (world.tick - posture.held) < period:
        return
    names = sorted(motion.holds)
    chosen = int(draws(world.seed, entity, "posture", world.tick).integers(len(names) + 1))
    posture.wanted = names[chosen] if chosen < len(names) else ""
    posture.chosen, posture.held = True, world.tick


def _own_guard(world: World, entity: int) -> None:
    """Give her tables of her own: what touches in her hold may not touch on her twin."""
    if not world.has(entity, Guard):
        return
    guard = world.get(entity, Guard)
    if any(other is guard for e, other in world.each(Guard) if e != entity):
        world.put(entity, deepcopy(guard))
