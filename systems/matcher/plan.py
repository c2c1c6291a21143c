"""Each second: the next row onto the plan, or her arms to rest."""

from __future__ import annotations

from dataclasses import replace

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
BRIDGED = 0.8  # s of pause that her hands talk through (choice)
LAST = 0.4  # s of speech left for which no new row is begun: its fade would go on after she has stopped (choice)
OVER = 0.2  # s that a fade may outlast her speech (choice)
EASE = 8  # 60 Hz frames in which a clip that is stopped comes to rest (kernels.blend: 7.5)


def plan(world: World) -> None:
    """Pick when a pick is due, never while a fade runs.

    Reads Voice, Motion, World.config; writes Plan.picks, recent, refused, forced.
    """
    for entity, plan, motion in world.each(Plan, Motion):
        if motion.repertoire is None or "corpus" not in motion.layers:
            continue
        voice = world.get(entity, Voice)
        _stop(world, plan, voice)
        if _due(world, plan, voice):
            _pick(world, plan, motion, world.get(entity, Index), voice)
            begun = sum(pick.tick <= world.tick for pick in plan.picks)
            del plan.picks[: max(begun - _KEEP, 0)]


def _due(world: World, plan: Plan, voice: Voice) -> bool:
    speaks = _speaks(world, plan, voice)
    if not plan.picks:
        return speaks
    last = plan.picks[-1]
    if world.tick < last.tick + last.fade:
        return False
    if last.row < 0:
        return speaks  # at rest she waits for the voice, not for the second
    if last.end >= 0:  # she has come to a stop: on with the voice, or after a while her arms sink
        stopped = last.tick + last.end - last.frame
        return (speaks and _left(voice) >= LAST) or world.tick >= stopped + round(world.config.matcher.quiet_s * 60.0)
    return world.tick >= last.tick + round(world.config.matcher.pick_s * 60.0)


def _speaks(world: World, plan: Plan, voice: Voice) -> bool:
    """Return whether she is in a phrase or so near the next one that she does not stop for the pause."""
    if voice.current is not None:
        phrase, now = voice.current.speech.phrase, voice.position
        return bool(((phrase[:, 0] - BRIDGED <= now) & (now < phrase[:, 1])).any())
    return voice.listening and plan.speaking_from <= world.tick < plan.speaking_to


def _left(voice: Voice) -> float:
    """Return how long she speaks on before she stops, s; pauses that are talked through count as speech."""
    if voice.current is None:
        return 1e9 if voice.listening else 0.0
    end = voice.position
    for start, stop in voice.current.speech.phrase:
        if start - BRIDGED <= end < stop:
            end = float(stop)
    return end - voice.position


def _stop(world: World, plan: Plan, voice: Voice) -> None:
    """Ease the running clip to a stop where she falls silent: hands that go on talking alone look possessed."""
    if not plan.picks:
        return
    last = plan.picks[-1]
    playing = last.row >= 0 and last.end < 0 and last.tick <= world.tick
    if playing and (not _speaks(world, plan, voice) or (_due(world, plan, voice) and _left(voice) < LAST)):
        plan.picks[-1] = replace(last, end=last.frame + world.tick - last.tick + EASE)
        plan.touch(world.tick)


def _pick(world: World, plan: Plan, motion: Motion, index: Index, voice: Voice) -> None:
    tick, config = world.tick, world.config
    old, new = running(plan, tick)
    here = np.empty_like(motion.quats[0])
    evaluate(motion, old, new, tick, here)
    if not _speaks(world, plan, voice):
        pick = choose.rest(motion, new, here, tick, config)
    else:
        heard = silence() if voice.current is None else second_to_come(voice.current.speech, voice.position)
        most = round(min(_left(voice) + OVER, 60.0) * 60.0)
        pick = choose.row(motion, index, plan, new, here, heard, tick, config, most)
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
