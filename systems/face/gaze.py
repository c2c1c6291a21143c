"""What she looks at, beside it and away from it: a listener's eyes, a speaker's, a thinker's. Designed, not learned.

How long people look and look away is after Lee, Badler and Badler, "Eyes Alive" (SIGGRAPH 2002): a speaker looks for
3.1 s and away for 0.9, a listener for 7.9 s and away for 0.4. Where to, and that planning looks away, is after Andrist,
Mutlu and Gleicher, "Conversational gaze aversion for virtual agents" (IVA 2013).
"""

from __future__ import annotations

import math

import numpy as np

from ...components.arrays import F64
from ...components.carry import Carry
from ...components.draw import draws
from ...components.gaze import Gaze
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.pose import Pose
from ...components.voice import Voice
from ...components.world import World
from ..kernels import quat

LETS_GO, TAKES_UP = math.radians(80.0), math.radians(70.0)  # to a side: neck, head and eyes together reach no farther
STEEP = math.radians(50.0)  # up or down, the same
NEAR = 0.15  # m from her eyes: nobody looks at what is nearer
PLANS, PAUSES = 0.6, 0.5  # how often she looks away as she begins to speak, and in a pause (choice near Kendon 1967)
PAUSE = 21  # ticks (0.35 s): a shorter pause is no thinking
_CHECK = 15  # ticks at most between two looks at where things are
_TURNED = math.radians(1.0)  # that a target moves before the head is asked anew
_SPEAKER, _LISTENER = (3.1, 0.93), (7.9, 0.43)  # s of looking and of looking away
_AWAY = (  # share, deg to a side, deg up: up, down and aside, while thinking
    (0.39, (4.0, 9.0), (7.0, 11.0)),
    (0.29, (3.0, 10.0), (-13.0, -7.0)),
    (0.32, (10.0, 18.0), (-3.0, 3.0)),
)
_AT_HER = (0.9, 0.7)  # deg, of small jumps to a side and up: from eye to eye and mouth of a viewer at 1 m
_AWAY_JUMP, _NOWHERE = (1.6, 1.0), (2.4, 1.2)  # deg, of those while she looks away, and with nothing to look at
_GLANCE = (0.12, 9.0)  # how often a jump with nothing to look at is a glance, and deg of it
_JUMPS = (0.65, 0.5)  # s between small jumps and the spread of its logarithm: fixations on faces last 0.3 to 0.9 s


def look(world: World) -> None:
    """Decide where she looks on this tick.

    Reads Voice, Pose and Carry of the tick before, Motion, World.config; writes Gaze, Plan (look, looks, looked).
    """
    tick = world.tick
    for entity, gaze, voice in world.each(Gaze, Voice):
        if tick < gaze.due and voice.active is gaze.speaking:
            continue
        motion, plan = world.get(entity, Motion), world.get(entity, Plan)
        gaze.due = tick + _CHECK
        if motion.sight is not None and motion.sight.head >= 0 and "face" in motion.layers:
            _decide(world, entity, gaze, voice, motion, plan)
        elif plan.looks:  # the layer was turned off while she looked
            gaze.looks = plan.looks = False
            plan.touch(tick)
        if plan.looked and not plan.looks and not world.get(entity, Carry).view("look")[6]:
            plan.looked = False  # her head is back


def _decide(world: World, entity: int, gaze: Gaze, voice: Voice, motion: Motion, plan: Plan) -> None:
    tick = world.tick
    eyes = _eyes(motion, world.get(entity, Pose))
    target = gaze.asked or (gaze.viewer if world.config.face.look == "camera" else None)
    gaze.looks = target is not None and _is_in_reach(np.subtract(target, eyes), gaze.looks)
    if gaze.looks:
        gaze.point[:] = target
    is_silent = not voice.active and not gaze.speaking and voice.current is not None
    pauses = is_silent and not gaze.has_paused and tick - gaze.since >= PAUSE
    is_over = gaze.away <= tick if gaze.away >= 0 else tick >= gaze.next_away
    if pauses or is_over or tick >= gaze.next_jump or voice.active is not gaze.speaking:
        # keyed chance takes 20 us to make: a tick that only looks where things are goes without
        _choose(gaze, voice, tick, draws(world.seed, entity, "gaze", tick), pauses=pauses)
    _ask_head(plan, gaze, eyes, tick)
    times = [gaze.next_jump, gaze.next_away, tick + _CHECK]
    gaze.due = max(min([*times, gaze.away] if gaze.away >= 0 else times), tick + 1)


def _choose(gaze: Gaze, voice: Voice, tick: int, draw: np.random.Generator, *, pauses: bool) -> None:
    """Look away, back, or at another spot, as her voice and the time have it. pauses: she has fallen silent inside."""
    if voice.active is not gaze.speaking:
        gaze.speaking, gaze.since, gaze.has_paused, gaze.away = voice.active, tick, False, -1
        if voice.active and (voice.current is None or voice.position < 0.5) and draw.random() < PLANS:
            _look_away(gaze, tick, _lasts(draw, _SPEAKER[1]), draw)
        gaze.next_away = max(tick, gaze.away) + _lasts(draw, _SPEAKER[0] if voice.active else _LISTENER[0])
        gaze.next_jump = tick
    if pauses:
        gaze.has_paused = True
        if draw.random() < PAUSES:
            _look_away(gaze, tick, _lasts(draw, _SPEAKER[1]), draw)
    look_s, away_s = _SPEAKER if voice.current is not None or voice.active else _LISTENER
    if 0 <= gaze.away <= tick:
        gaze.away, gaze.next_away, gaze.next_jump = -1, tick + _lasts(draw, look_s), tick
    elif gaze.away < 0 and tick >= gaze.next_away:
        _look_away(gaze, tick, _lasts(draw, away_s), draw)
        gaze.next_away = max(gaze.away, tick) + _lasts(draw, look_s)
    if tick >= gaze.next_jump:
        _jump(gaze, tick, draw)


def _look_away(gaze: Gaze, tick: int, ticks: int, draw: np.random.Generator) -> None:
    if not gaze.looks:
        return
    at, which = float(draw.random()), 0
    while at > _AWAY[which][0] and which < len(_AWAY) - 1:
        at -= _AWAY[which][0]
        which += 1
    _, side, up = _AWAY[which]
    gaze.aside[:] = np.radians((draw.uniform(*side) * draw.choice((-1.0, 1.0)), draw.uniform(*up)))
    gaze.away, gaze.next_jump = tick + ticks, tick


def _jump(gaze: Gaze, tick: int, draw: np.random.Generator) -> None:
    """Look at another spot near what she looks at."""
    is_away = gaze.away > tick and gaze.looks
    size = _AWAY_JUMP if is_away else _AT_HER if gaze.looks else _NOWHERE
    offset = np.clip(draw.standard_normal(2), -2.0, 2.0) * np.radians(size)
    if not gaze.looks and draw.random() < _GLANCE[0]:
        offset[0] += math.radians(_GLANCE[1]) * draw.choice((-1.0, 1.0))
    gaze.shift[:] = offset + gaze.aside if is_away else offset
    seconds = min(max(_JUMPS[0] * math.exp(_JUMPS[1] * draw.standard_normal()), 0.2), 2.5)
    gaze.next_jump = tick + round(60.0 * seconds)


def _lasts(draw: np.random.Generator, mean: float) -> int:
    """Return ticks around a mean of seconds, half to two and a half times it: memoryless ones are too short to see."""
    return round(60.0 * mean * min(0.5 + draw.exponential(0.5), 2.5))


def _ask_head(plan: Plan, gaze: Gaze, eyes: F64, tick: int) -> None:
    """Have the head follow what the eyes look at, small jumps left out."""
    if not gaze.looks:
        if plan.looks:
            plan.looks = False
            plan.touch(tick)
        return
    aim = gaze.point
    if gaze.away > tick:
        aim = eyes + _turned(gaze.point - eyes, gaze.aside)
    if not plan.looks or _angle(plan.look - eyes, aim - eyes) > _TURNED:
        plan.look[:] = aim
        plan.looks = plan.looked = True
        plan.touch(tick)


def _eyes(motion: Motion, pose: Pose) -> F64:
    """Return the middle between her eyes as last shown, (3,) m, avatar frame."""
    sight = motion.sight
    assert sight is not None
    out = np.empty(3)
    quat.rotate(pose.world_rotation[sight.head], sight.between, out)
    return out + pose.world_position[sight.head]


def _is_in_reach(way: F64, is_held: bool) -> bool:
    flat = math.hypot(way[0], way[2])
    far = math.hypot(flat, way[1])
    if far < NEAR:
        return False
    yaw, pitch = abs(math.atan2(way[0], way[2])), abs(math.atan2(way[1], flat))
    return yaw < (LETS_GO if is_held else TAKES_UP) and pitch < STEEP


def _turned(way: F64, shift: F64) -> F64:
    """Return a way turned to her left and up, (3,) m."""
    flat = math.hypot(way[0], way[2])
    far = math.hypot(flat, way[1])
    yaw, pitch = math.atan2(way[0], way[2]) + shift[0], math.atan2(way[1], flat) + shift[1]
    return far * np.array([math.sin(yaw) * math.cos(pitch), math.sin(pitch), math.cos(yaw) * math.cos(pitch)])


def _angle(a: F64, b: F64) -> float:
    return math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b))
