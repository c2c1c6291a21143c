"""When she shifts her weight and when she takes a breath to speak."""

from __future__ import annotations

import numpy as np

from ...components.config import Config
from ...components.draw import draws
from ...components.plan import NEVER, Breath, Plan, Shift
from ...components.voice import Voice
from ...components.world import World

START_CHANCE = 0.30  # of a shift when she starts a sentence: about 8 times the rate inside one (Cassell et al. 2001)
_HANGOVER = 18  # ticks of silence inside a phrase that are still speech: 0.3 s, above the 0.22 s that phrases bridge
_PAUSE = 0.45  # s of pause before a phrase that leave time to breathe in
_KEEP = 3  # choices that have begun and are still looked at


def plan(world: World) -> None:
    """Decide weight shifts and breaths as they come due.

    Reads Voice, World.config; writes Plan.speaking_from, speaking_to, shifts, next_shift, breaths.
    """
    for entity, plan, voice in world.each(Plan, Voice):
        _speaking(world, plan, voice)
        _breathe(world, plan, voice)
        _shift(world, entity, plan)
        for choices in (plan.shifts, plan.breaths):
            begun = sum(choice.tick <= world.tick for choice in choices)
            if begun > _KEEP:
                del choices[: begun - _KEEP]


def _speaking(world: World, plan: Plan, voice: Voice) -> None:
    """Open the run of speech with the voice, close it a moment after."""
    tick = world.tick
    if voice.active:
        if plan.speaking_to <= tick:
            plan.speaking_from = tick
            plan.touch(tick)
        elif plan.speaking_to != NEVER:
            plan.touch(plan.speaking_to)
        plan.speaking_to = NEVER
    elif plan.speaking_to == NEVER:
        is_stopped = voice.current is None and not voice.listening
        plan.speaking_to = tick if is_stopped else tick + _HANGOVER
        plan.touch(plan.speaking_to)


def _breathe(world: World, plan: Plan, voice: Voice) -> None:
    """Before each phrase with room for it she breathes in, deeper for a longer one (Winkworth 1995)."""
    if voice.current is None:
        if plan.breaths and plan.breaths[-1].tick + 600 > world.tick and plan.speaking_to <= world.tick:
            _cut(world, plan)
        return
    phrases = voice.current.speech.phrase
    now = voice.position
    for k in range(phrases.shape[0]):
        start = float(phrases[k, 0])
        pause = start - (float(phrases[k - 1, 1]) if k else -1.0)
        if start < now or pause < _PAUSE:
            continue
        inhale = min(0.7, max(0.35, 0.8 * pause))  # s, in-breaths of speech last 0.4-0.7 s
        wait = start - inhale - now
        if wait > world.dt:
            return
        length = _length(phrases, k)
        depth = min(2.2, 0.9 + 0.28 * length)  # 1 = quiet; 2.2 for a five-second phrase and more
        due = plan.breaths and abs(plan.breaths[-1].tick - world.tick) * world.dt < inhale + 0.2
        if not due:
            plan.breaths.append(Breath(world.tick, depth, inhale, length))
            plan.touch(world.tick)
        return


def _length(phrases: np.ndarray, k: int) -> float:
    """Return how long she speaks from phrase k on before the next pause in which she can breathe, s."""
    end = k
    while end + 1 < phrases.shape[0] and phrases[end + 1, 0] - phrases[end, 1] < _PAUSE:
        end += 1
    return float(phrases[end, 1] - phrases[k, 0])


def _cut(world: World, plan: Plan) -> None:
    """A sentence was stopped: what air is left goes out as in quiet breathing."""
    last = plan.breaths[-1]
    spent = (world.tick - last.tick) * world.dt - last.inhale
    if 0.0 <= spent < last.hold:
        plan.breaths.clear()
        plan.touch(world.tick)


def _shift(world: World, entity: int, plan: Plan) -> None:
    tick, config = world.tick, world.config
    if plan.next_shift == 0:
        plan.next_shift = tick + _dwell(config, draws(world.seed, entity, "reflex", tick))
    starts = plan.speaking_from == tick
    if tick < plan.next_shift and not starts:
        return
    draw = draws(world.seed, entity, "reflex", tick)
    dwell = _dwell(config, draw)
    if starts and tick < plan.next_shift and draw.random() > START_CHANCE:
        return
    side = plan.shifts[-1].share if plan.shifts else 0.0
    leads = side if abs(side) > 0.2 else (1.0 if draw.random() < 0.5 else -1.0)
    # relaxed standing is bimodal in load (Prado-Rico & Duarte 2019): mostly over one foot, seldom in the middle
    size = draw.uniform(0.55, 1.0) if draw.random() < 0.85 else draw.uniform(0.0, 0.2)
    share = float(-np.sign(leads) * size)
    plan.shifts.append(Shift(tick, share, 1.6))
    plan.next_shift = tick + dwell
    plan.touch(tick)


def _dwell(config: Config, draw: np.random.Generator) -> int:
    """Return ticks on one foot, from the histogram: never a fixed period."""
    edges = np.array(config.reflex.dwell_edges_s)
    weight = np.array(config.reflex.dwell_weight[: len(edges) - 1])
    if weight.sum() <= 0.0 or len(edges) < 2:
        return NEVER
    total = np.cumsum(weight) / weight.sum()
    k = int(np.searchsorted(total, draw.random(), side="right").clip(0, len(weight) - 1))
    return round(float(draw.uniform(edges[k], edges[k + 1])) * 60.0)
