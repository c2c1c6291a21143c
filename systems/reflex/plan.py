"""When she breathes in to speak, and that her other choices are made as they come due."""

from __future__ import annotations

from bisect import bisect_left

from ...components.carry import Carry
from ...components.draw import draws
from ...components.motion import Motion
from ...components.plan import NEVER, Plan
from ...components.voice import Voice
from ...components.world import World
from .choose import breathe_next, decide, may_shift

_HANGOVER = 18  # ticks of silence inside a phrase that are still speech: 0.3 s, above the 0.22 s that phrases bridge
_PAUSE = 0.45  # s of pause before a phrase that leave time to breathe in
_AHEAD = 3  # quiet breaths decided in advance: two last longer than any preview, so none is changed inside one


def plan(world: World) -> None:
    """Decide weight shifts, fidgets and breaths as they come due.

    Reads Voice, Motion, Carry; writes Plan.speaking_from, speaking_to, moves, fidget, due, breathing, breaths, taken.
    """
    tick = world.tick
    for entity, plan, voice in world.each(Plan, Voice):
        starts = _speaking(world, entity, plan, voice)
        _breathe(world, plan, voice)
        needs_breath = plan.breaths < world.get(entity, Carry).view("breath_count")[0] + _AHEAD
        if tick < plan.next_due and not starts and not needs_breath:
            continue
        standing = world.get(entity, Motion).standing
        draw = draws(world.seed, entity, "reflex", tick)
        if needs_breath:
            breathe_next(plan, standing, draw)
        if starts:
            may_shift(plan, standing, draw, tick)
        if tick >= plan.next_due:
            decide(plan, standing, draw, tick)


def _speaking(world: World, entity: int, plan: Plan, voice: Voice) -> bool:
    """Open the run of speech with the voice, close it a moment after; return whether a sentence starts now."""
    tick = world.tick
    starts = False
    if voice.active:
        if plan.speaking_to <= tick:
            pause = (tick - plan.speaking_to + _HANGOVER) * world.dt
            starts = pause >= world.get(entity, Motion).standing.number["speech.pause_s"]
            plan.speaking_from = tick
            plan.touch(tick)
        elif plan.speaking_to != NEVER:
            plan.touch(plan.speaking_to)
        plan.speaking_to = NEVER
    elif plan.speaking_to == NEVER:
        is_stopped = voice.current is None and not voice.listening
        plan.speaking_to = tick if is_stopped else tick + _HANGOVER
        plan.touch(plan.speaking_to)
    return starts


def _breathe(world: World, plan: Plan, voice: Voice) -> None:
    """Before each phrase with room for it she breathes in, deeper for a longer one (Winkworth 1995)."""
    if voice.current is None:
        if plan.taken[0] != NEVER and plan.taken[0] + 600 > world.tick and plan.speaking_to <= world.tick:
            _cut(world, plan)
        return
    phrases = voice.current.speech.phrases
    now = voice.position
    for k in range(bisect_left(phrases, (now,)), len(phrases)):
        start = phrases[k][0]
        pause = start - (phrases[k - 1][1] if k else -1.0)
        if pause < _PAUSE:
            continue
        inhale = min(0.7, max(0.35, 0.8 * pause))  # s, in-breaths of speech last 0.4-0.7 s
        wait = start - inhale - now
        if wait > world.dt:
            return
        length = _length(phrases, k)
        depth = min(2.2, 0.9 + 0.28 * length)  # 1 = quiet; 2.2 for a five-second phrase and more
        if abs(plan.taken[0] - world.tick) * world.dt >= inhale + 0.2:
            plan.taken[:] = world.tick, depth, inhale, length
            plan.touch(world.tick)
        return


def _length(phrases: tuple[tuple[float, float], ...], k: int) -> float:
    """Return how long she speaks from phrase k on before the next pause in which she can breathe, s."""
    end = k
    while end + 1 < len(phrases) and phrases[end + 1][0] - phrases[end][1] < _PAUSE:
        end += 1
    return phrases[end][1] - phrases[k][0]


def _cut(world: World, plan: Plan) -> None:
    """A sentence was stopped: what air is left goes out as in quiet breathing."""
    spent = (world.tick - plan.taken[0]) * world.dt - plan.taken[2]
    if 0.0 <= spent < plan.taken[3]:
        plan.taken[0] = NEVER
        plan.touch(world.tick)
