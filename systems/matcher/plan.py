"""Each second: the next row onto the plan, or her arms to rest."""

from __future__ import annotations

import numpy as np

from ...components.index import Index
from ...components.motion import Motion
from ...components.plan import Pick, Plan
from ...components.voice import Voice
from ...components.world import World
from . import choose
from .blend import evaluate, running
from .query import second_to_come, silence

_KEEP = 2  # picks that have begun and still play


def plan(world: World) -> None:
    """Pick when a pick is due, never while a fade runs.

    Reads Voice, Motion, World.config; writes Plan.picks, recent, refused, forced.
    """
    for entity, plan, motion in world.each(Plan, Motion):
        if motion.repertoire is None or "corpus" not in motion.layers:
            continue
        voice = world.get(entity, Voice)
        if _due(world, plan, voice):
            _pick(world, plan, motion, world.get(entity, Index), voice)
            begun = sum(pick.tick <= world.tick for pick in plan.picks)
            del plan.picks[: max(begun - _KEEP, 0)]


def _due(world: World, plan: Plan, voice: Voice) -> bool:
    if not plan.picks:
        return _speaks(world, plan, voice)
    last = plan.picks[-1]
    if world.tick < last.tick + last.fade:
        return False
    if last.row < 0:
        return _speaks(world, plan, voice)  # at rest she waits for the voice, not for the second
    return world.tick >= last.tick + round(world.config.matcher.pick_s * 60.0)


def _speaks(world: World, plan: Plan, voice: Voice) -> bool:
    """She speaks, is about to within a fade's length, or stopped so lately that her arms have not come to rest."""
    tick = world.tick
    if plan.speaking_from <= tick < plan.speaking_to + round(world.config.matcher.quiet_s * 60.0):
        return True
    if voice.current is None:
        return False
    soon = voice.position + 0.5
    return bool(((voice.current.speech.phrase[:, 0] <= soon) & (voice.current.speech.phrase[:, 1] > soon)).any())


def _pick(world: World, plan: Plan, motion: Motion, index: Index, voice: Voice) -> None:
    tick, config = world.tick, world.config
    old, new = running(plan, tick)
    here = np.empty_like(motion.quats[0])
    evaluate(motion, old, new, tick, here)
    if not _speaks(world, plan, voice):
        pick = choose.rest(motion, new, here, tick, config)
    else:
        heard = silence() if voice.current is None else second_to_come(voice.current.speech, voice.position)
        pick = choose.row(motion, index, plan, new, here, heard, tick, config)
    if pick is None:
        return
    if plan.picks and tick < plan.picks[-1].tick + plan.picks[-1].fade:
        plan.interrupted += 1
    plan.picks.append(pick)
    plan.touch(tick)
    if pick.row >= 0:
        plan.recent.append(pick.row)
        del plan.recent[: -config.matcher.history or None]
    if pick.forced:
        plan.forced += 1
