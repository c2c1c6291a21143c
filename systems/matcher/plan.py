"""Each second: the next row onto the plan, looked for some ticks before it begins, or her arms to rest."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...components.index import Index
from ...components.motion import Motion
from ...components.outbox import Outbox
from ...components.plan import Asked, Pick, Plan
from ...components.voice import Voice
from ...components.world import World
from . import choose
from .blend import evaluate
from .query import Heard, heard, left, speaks
from .timing import on_accent

LEAD = 40  # ticks before a pick begins that the search for it starts: no tick has more of it than it takes itself
LIVE = 26  # the same for a microphone: what is matched is the second that was heard by then
SOON = 7  # ticks to a pick that nobody could foresee, the first of a sentence: what is left is done on the last
QUICK = 1  # the same on a microphone, whose every tick is late already: 67 ms after she is heard, and 167 were
LAST = 0.4  # s of speech left for which no new row is begun: its fade would go on after she has stopped (choice)
WIDE = 6e-6  # ticks a row that a search off the tick is given besides: 0.1 us, four times what it takes (bench search)
LATE, MOST_LATE = 2, 30  # ticks that she looks further ahead after each search that was late, and at the most
TOO_LATE = (
    "search: a row was not found in time, so her clip went on; a larger matcher.hop_s or a smaller corpus is quicker"
)
OVER = 0.2  # s that a fade may outlast her speech (choice)


def plan(world: World) -> None:
    """Look for the next pick and make it when it is due, never while a fade runs.

    The pick goes onto the plan as many ticks before it is due as are looked ahead.

    Reads Voice, Motion, World.config; writes Plan.picks, asked, recent, refused, forced, lates, Outbox, and Index, a
    cache.
    """
    for entity, plan, motion in world.each(Plan, Motion):
        if motion.repertoire is None or "corpus" not in motion.layers:
            continue
        voice, index = world.get(entity, Voice), world.get(entity, Index)
        is_speaking = speaks(world, plan, voice)
        soon = _soon(plan, voice, index)
        due = _due(world, plan, voice, motion, is_speaking, soon)
        if _stop(world, plan, voice, is_speaking, due) or _hold(world, plan, motion, is_speaking):
            due = _due(world, plan, voice, motion, is_speaking, soon)
        if plan.asked is not None and _is_over(plan.asked, plan, voice, is_speaking):
            plan.asked = None
        asked = plan.asked
        if asked is None and due is not None and world.tick >= due - _lead(world, voice, due, soon):
            _ask(world, plan, voice, is_speaking, max(due, world.tick + (1 if index.wide is None else soon)), soon)
        elif asked is not None and world.tick < asked.ready and asked.known < _known(world, voice, asked.due):
            _ask(world, plan, voice, is_speaking, asked.due, soon)  # more has come in since
        if plan.asked is not None:
            _work(world, entity, plan, motion, index)


def _soon(plan: Plan, voice: Voice, index: Index) -> int:
    """Return in how many ticks a pick can be that nobody could foresee."""
    if index.wide is None:
        return QUICK if voice.is_live else SOON
    return SOON + math.ceil(WIDE * index.wide.rows) + min(LATE * plan.lates, MOST_LATE)


def _due(world: World, plan: Plan, voice: Voice, motion: Motion, is_speaking: bool, in_ticks: int) -> int | None:
    """Return the tick on which the next pick begins as things stand, None while none does."""
    soon = world.tick + in_ticks
    if not plan.picks:
        return soon if is_speaking else None
    last = plan.picks[-1]
    free = last.free
    if last.row < 0:  # at rest she waits for the voice, not for the second
        if is_speaking:
            return max(soon, free)
        return None if last.pose is None else max(last.tick + round(world.config.matcher.quiet_s * 60.0), free)
    if last.end >= 0:  # she has come to a stop: on with the voice, or after a while her arms sink
        if is_speaking:
            return max(soon, free)
        return max(last.tick + last.end - last.frame + round(world.config.matcher.quiet_s * 60.0), free)
    if plan.asked is not None and plan.asked.playing is last:
        return plan.asked.due
    earliest = max(last.tick + round(world.config.matcher.pick_s * 60.0), free)
    if world.tick < earliest - LEAD - world.config.run.ahead(voice.is_live):  # nothing depends on it yet
        return earliest
    return on_accent(world, voice, motion, last, earliest)


def _stop(world: World, plan: Plan, voice: Voice, is_speaking: bool, due: int | None) -> bool:
    """Ease the running clip to a stop where she falls silent: hands that go on talking alone look possessed."""
    is_less = not is_speaking and bool(plan.picks) and plan.picks[-1].row >= 0 and plan.forget(world.tick + 1)
    if not plan.picks:
        return is_less
    last = plan.picks[-1]
    if last.row < 0 or last.end >= 0:
        return is_less
    is_ending = due is not None and world.tick >= due and left(voice) < LAST
    if is_speaking and not is_ending:
        return False
    plan.picks[-1] = replace(last, end=last.frame + world.tick - last.tick + choose.EASE)
    plan.touch(world.tick)
    return True


def _hold(world: World, plan: Plan, motion: Motion, is_speaking: bool) -> bool:
    """Keep sinking arms where they are when the voice begins: waiting until they hang, she spoke 3 s like a doll.

    They sink between two poses that stand still, so what shows is a pose too, and the next row can fade in from it.
    """
    if not is_speaking or not plan.picks:
        return False
    if plan.picks[-1].row < 0 and plan.forget(world.tick + 1):
        return True  # they were about to sink
    last = plan.picks[-1]
    if last.row >= 0 or not last.tick < world.tick < last.free:
        return False
    pose = np.empty_like(motion.quats[0])
    evaluate(motion, plan.picks[-2] if len(plan.picks) > 1 else None, last, world.tick, pose)
    plan.put(Pick(world.tick, -1, -1, 0, 0, 0.0, pose=pose), world.tick)
    return True


def _is_over(asked: Asked, plan: Plan, voice: Voice, is_speaking: bool) -> bool:
    """Return whether what a question was asked for is over."""
    playing = plan.picks[-1] if plan.picks else None
    return asked.playing is not playing or asked.voice != _number(voice) or asked.rest == is_speaking


def _known(world: World, voice: Voice, due: int) -> int:
    """Return what has come in of the second that a pick is made for."""
    return voice.known((due - world.tick) * world.dt + 2.0 / world.config.springs.arms + 1.0)


def _lead(world: World, voice: Voice, due: int, soon: int) -> int:
    """Return how many ticks before a pick the search for it starts: fewer while its second is still being fed."""
    ahead = world.config.run.ahead(voice.is_live)
    if voice.is_live:
        return max(LIVE, soon) + ahead
    return max(LEAD, soon) + ahead if _known(world, voice, due) else soon


def _number(voice: Voice) -> int:
    return voice.current.id if voice.current is not None else 0


def _ask(world: World, plan: Plan, voice: Voice, is_speaking: bool, due: int, soon: int) -> None:
    """Put the question for the pick that begins on `due`. soon: ticks that the answer takes at least."""
    playing = plan.picks[-1] if plan.picks else None
    wait = (due - world.tick) * world.dt
    if is_speaking and playing is not None and left(voice) - wait < LAST:
        return
    # the springs show a row 2 / rate late (facts: lag of a critically damped spring), so it is asked for that later
    sound: Heard = heard(voice, wait + 2.0 / world.config.springs.arms)
    most = round(min(left(voice) - wait + OVER, 60.0) * 60.0)
    ready = min(due, max(due - world.config.run.ahead(voice.is_live), world.tick + soon))
    plan.asked = Asked(
        world.tick, due, playing, _number(voice), not is_speaking, *sound, most, _known(world, voice, due), ready
    )


def _work(world: World, entity: int, plan: Plan, motion: Motion, index: Index) -> None:
    """Do a slice of the search, on the due tick all that is left of it."""
    asked = plan.asked
    assert asked is not None
    if index.asked is not asked or index.job is None:  # new, or lost with a copy of the world
        index.asked, index.job = asked, choose.answer(motion, index, asked, list(plan.recent), world.config)
        index.answer = None
        if index.waits is not None:
            index.waits.cancel()
        index.waits = None
    index.is_due = world.tick >= asked.ready
    if index.is_due and plan.late == world.tick:
        _go_on(plan, motion, index, asked, world.tick)
        world.get(entity, Outbox).degrade(world.tick, TOO_LATE)
        return
    while index.answer is None:
        try:
            next(index.job)
        except StopIteration as end:
            index.answer = end.value
        if world.tick < asked.ready:
            return
    if world.tick < asked.ready:
        return
    made = index.answer
    plan.asked, index.asked, index.job, index.waits = None, None, None, None
    plan.refused["jump"] += made.refused_jump
    plan.refused["fade"] += made.refused_fade
    if made.pick is not None:
        _begin(world, plan, made.pick)


def _go_on(plan: Plan, motion: Motion, index: Index, asked: Asked, now: int) -> None:
    """Let the running clip go on for another second where the host could not wait for the search; it is asked anew."""
    plan.asked, index.asked, index.job, index.waits = None, None, None, None
    plan.lates += 1
    row = choose.continuation(motion, index, asked.playing, asked.due)
    if row >= 0 and asked.playing is not None and not asked.rest:
        frame = asked.playing.frame + asked.due - asked.playing.tick
        plan.put(Pick(asked.due, row, asked.playing.clip, frame, 0, 0.0), now)


def _begin(world: World, plan: Plan, pick: Pick) -> None:
    last = plan.picks[-1] if plan.picks else None
    plan.interrupted += last is not None and pick.tick < last.free
    plan.put(pick, world.tick)
    plan.forced += pick.forced
    if pick.row >= 0:
        plan.recent.append(pick.row)
        del plan.recent[: -world.config.matcher.history or None]
