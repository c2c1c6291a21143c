"""What is drawn when a choice of the reflex comes due: which way, how far, how long, and when the next one is."""

from __future__ import annotations

import math

import numpy as np

from ...components.carry import Carry
from ...components.draw import draws
from ...components.motion import Motion
from ...components.plan import BREATHS, MOVES, NEVER, Plan
from ...components.reflex import Histogram, Standing, load
from ...components.world import World
from .histogram import near, opposite, quantile, rank

KINDS = ("shift", "talk shift", "lean", "side fidget", "front fidget", "side drift", "front drift")  # of Plan.due
_SHIFT, _TALK, _LEAN, _SIDE_FIDGET, _FRONT_FIDGET, _SIDE_DRIFT, _FRONT_DRIFT = range(len(KINDS))
_EVERY = {
    _SHIFT: "weight.dwell_s",
    _LEAN: "lean.dwell_s",
    _SIDE_FIDGET: "fidget.sideways_s",
    _FRONT_FIDGET: "fidget.forward_s",
    _SIDE_DRIFT: "drift.sideways_s",
    _FRONT_DRIFT: "drift.forward_s",
}
_LOAD, _SIDE, _FRONT, _SIDE_SLOW, _FRONT_SLOW = range(len(MOVES))
HIP_SPEED = 66e-3  # m/s a shift may take the pelvis at: 1.1 mm a tick, so that sway, breath and knees keep it below 2
_PEAK = 1.875  # of a minimum-jerk move's mean speed (Flash & Hogan 1985)
_OTHER_SIDE = 0.30  # share of the histogram that a shift may miss the opposite by: some land near the middle
_SCATTER = 0.25  # share of the histogram by which load and distance go apart
_MIDDLE = 0.2  # of load, up to which she stands on both feet
FPS = 60.0


def begin(world: World, entity: int) -> None:
    """Have a new avatar stand as people do: on one foot, somewhere in a breath, her next choices waiting.

    Reads World.config; writes Motion.standing, Standing, Carry, Plan. ConfigError for a bad file.
    """
    settings = world.config.reflex
    motion, plan, carry = world.get(entity, Motion), world.get(entity, Plan), world.get(entity, Carry)
    if settings.file:
        motion.standing = load(settings.file)
    standing = motion.standing
    world.put(entity, standing)
    draw = draws(world.seed, entity, "reflex", NEVER)  # two of them side by side must not breathe in step
    carry.view("breath_phase")[0] = draw.random()
    carry.view("sway_phase")[:] = draw.random(carry.view("sway_phase").shape)
    carry.view("amounts")[:, 0] = settings.sway, settings.shift
    for _ in range(BREATHS):
        breathe_next(plan, standing, draw)
    _shift(plan, standing, draw, world.tick, draw.random())
    for row, name, scale in (
        (_FRONT, "lean.mm", 1e-3),
        (_SIDE_SLOW, "drift.mm", 1e-3),
        (_FRONT_SLOW, "drift.mm", 1e-3),
    ):
        plan.moves[row] = (
            world.tick,
            1.0,
            0.0,
            _either(draw) * quantile(standing.histogram[name], draw.random()) * scale,
        )
    plan.moves[:, 0], plan.moves[:, 2] = world.tick - FPS, plan.moves[:, 3]  # she has stood there for a while
    # the first of each comes after a part of its wait, for she was made in the middle of it
    wait = {kind: quantile(standing.histogram[name], draw.random()) for kind, name in _EVERY.items()}
    plan.due = [NEVER] * len(KINDS)
    for kind, seconds in wait.items():
        plan.due[kind] = world.tick + 1 + round(seconds * draw.random() * FPS)
    plan.next_due = min(plan.due)


def breathe_next(plan: Plan, standing: Standing, draw: np.random.Generator) -> None:
    """Decide one more quiet breath."""
    histogram = standing.histogram
    per_min, out_per_in, depth = (
        quantile(histogram[f"breath.{name}"], draw.random()) for name in ("per_min", "out_per_in", "depth")
    )
    plan.breathing[plan.breaths % BREATHS] = 60.0 / per_min, 1.0 / (1.0 + out_per_in), depth
    plan.breaths += 1


def may_shift(plan: Plan, standing: Standing, draw: np.random.Generator, tick: int) -> None:
    """A sentence starts: perhaps she shifts now, and perhaps while she goes on speaking."""
    if draw.random() < standing.number["speech.at_start"]:
        plan.due[_SHIFT] = tick
    plan.due[_TALK] = _talk(standing, draw, tick)
    plan.next_due = min(plan.due)


def decide(plan: Plan, standing: Standing, draw: np.random.Generator, tick: int) -> None:
    """Make every choice that is due; one that would run into a shift or a fidget waits for its end."""
    speaks = plan.speaking_from <= tick < plan.speaking_to
    for kind, due in enumerate(plan.due):
        if due > tick:
            continue
        if kind == _TALK and not speaks:
            plan.due[kind] = NEVER
            continue
        busy = 0 if kind in (_SIDE_DRIFT, _FRONT_DRIFT) else _busy_until(plan)
        if busy > tick:
            plan.due[kind] = busy
            continue
        if kind in (_SHIFT, _TALK):
            _shift(plan, standing, draw, tick, rank(standing.histogram["weight.load"], plan.moves[_LOAD, 3]))
            plan.due[_SHIFT] = _next(_SHIFT, standing, draw, tick)
            if kind == _TALK or speaks:
                plan.due[_TALK] = _talk(standing, draw, tick)
        else:
            if kind in (_SIDE_FIDGET, _FRONT_FIDGET):
                _fidget(plan, standing, draw, tick, kind == _SIDE_FIDGET)
            elif kind == _LEAN:
                _move(plan, _FRONT, standing, draw, tick, "lean")
            else:
                _move(plan, _SIDE_SLOW if kind == _SIDE_DRIFT else _FRONT_SLOW, standing, draw, tick, "drift")
            plan.due[kind] = _next(kind, standing, draw, tick)
        plan.touch(tick)
    plan.next_due = min(plan.due)


def _shift(plan: Plan, standing: Standing, draw: np.random.Generator, tick: int, where: float) -> None:
    """Move her weight to the other side. where: 0..1, how far through the histogram of load she stands."""
    histogram = standing.histogram
    loads = histogram["weight.load"]
    load = quantile(loads, opposite(where, draw.uniform(-_OTHER_SIDE, _OTHER_SIDE)))
    size = abs(load)
    # more load goes farther: how much of the one-sided loads are more even than this one
    even = _within(loads, _MIDDLE)
    far = max(0.0, _within(loads, size) - even) / max(1.0 - even, 1e-9)
    side = quantile(histogram["weight.sideways_mm"], near(far, draw.uniform(-_SCATTER, _SCATTER))) * 1e-3
    # the pelvis must not lie to her left while her weight is on the right: near the middle it comes back with the load
    side *= math.copysign(min(1.0, size / _MIDDLE), load)
    seconds = quantile(histogram["weight.seconds"], draw.random())
    seconds = max(seconds, _PEAK * abs(side - plan.moves[_SIDE, 3]) / HIP_SPEED)
    for row, to in ((_LOAD, load), (_SIDE, side)):
        plan.moves[row] = tick, seconds, plan.moves[row, 3], to


def _fidget(plan: Plan, standing: Standing, draw: np.random.Generator, tick: int, is_side: bool) -> None:
    size = _either(draw) * quantile(standing.histogram["fidget.mm"], draw.random()) * 1e-3
    seconds = quantile(standing.histogram["fidget.seconds"], draw.random())
    seconds = max(seconds, math.pi * abs(size) / HIP_SPEED)  # out and back on a raised cosine
    plan.fidget[:] = tick, seconds, size if is_side else 0.0, 0.0 if is_side else size


def _move(plan: Plan, row: int, standing: Standing, draw: np.random.Generator, tick: int, section: str) -> None:
    to = _either(draw) * quantile(standing.histogram[f"{section}.mm"], draw.random()) * 1e-3
    seconds = quantile(standing.histogram[f"{section}.seconds"], draw.random())
    seconds = max(seconds, _PEAK * abs(to - plan.moves[row, 3]) / HIP_SPEED)
    plan.moves[row] = tick, seconds, plan.moves[row, 3], to


def _within(loads: Histogram, size: float) -> float:
    """Return the share of loads between -size and size."""
    return rank(loads, size) - rank(loads, -size)


def _busy_until(plan: Plan) -> int:
    """Return the first tick on which no shift, lean or fidget runs. Two at once looked like losing her balance."""
    ends = [plan.moves[row, 0] + plan.moves[row, 1] * FPS for row in (_LOAD, _FRONT)]
    if plan.fidget[0] != NEVER:
        ends.append(plan.fidget[0] + plan.fidget[1] * FPS)
    return math.ceil(max(ends))


def _next(kind: int, standing: Standing, draw: np.random.Generator, tick: int) -> int:
    return tick + max(1, round(quantile(standing.histogram[_EVERY[kind]], draw.random()) * FPS))


def _talk(standing: Standing, draw: np.random.Generator, tick: int) -> int:
    """Return when she next shifts if she still speaks then: shifts inside speech know no past (exponential waits)."""
    rate = standing.number["speech.inside_per_s"]
    return tick + max(1, round(draw.exponential(1.0 / rate) * FPS)) if rate > 0.0 else NEVER


def _either(draw: np.random.Generator) -> float:
    return 1.0 if draw.random() < 0.5 else -1.0
