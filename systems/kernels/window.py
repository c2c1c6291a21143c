"""The rule where the next ticks of her motion are known: her arms' correction projected, smoothed, projected again.

The nearest correction of each slot follows the one before it, as it comes into sight. It is averaged over some ticks
before and after it, which rounds off where it begins and ends; what that leaves inside is projected once more, and this
difference averaged over fewer ticks, and the same again. So each slot is projected three times: as it comes into
sight, one window later, and one more before it is shown.

A path is (3, LENGTH, 18) f64 rad, rows by tick modulo LENGTH: the nearest correction, then what the second and the
third projection change. Halves are the windows' half lengths in ticks; all three together are the ticks looked ahead.
"""

from __future__ import annotations

import math

from . import capsule, project, rule
from .arrays import F32, F64, I32
from .compiled import njit

LENGTH = 64  # slots of a path: 31 ahead, and behind them the windows of the last three shown ticks
STAGES = 3
BOOST = 1.2  # of what a later projection changes, for averaging takes some of it away (prototype, 1.0 to 1.4 tried)
DECAY = 30  # ticks over which a change of plan fades into the new correction
_ROUNDS, _STILL = 3, 2e-3  # of a projection that begins near its end, and rad of change that ends it
_ROUNDS_COLD, _STILL_COLD = 20, 1e-4  # of the first one


@njit(cache=True, allocates=False)
def tick(
    now: int, first: int, fresh: bool, dt: float, path: F64, past: F64, left: F64, since: int, weight: F64, half: I32,
    memory: F64, out: F64, out_pair: I32, point: F64, depth: F64, slot_position: F64, slot_world: F64, listed: I32,
    good: F64,
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, soon: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    room: F64, quats: F64, parent: I32, offset: F64, rest: F64, twists: I32, twist_axis: F64, twist_share: F64,
    below: I32,
    rotation: F64, position: F64, world: F64,
) -> int:  # fmt: skip
    """Correct the pose of tick `now` and return the new `since`.

    first: first slot that is not as it was on the tick before; fresh: begin at the solved pose of this tick
    past: (2, 18) rad, what was shown before memory's `applied`; left: (3, 18), how far that was from the new
        correction when the plan last changed: rad, rad a tick, rad a tick^2; since: ticks since then, -1 when over
    weight: (STAGES, LENGTH), half: (STAGES,); memory, out..: as in rule.tick
    slot_position: (LENGTH, J, 3), slot_world: (LENGTH, J, 4), the motion's poses by tick; listed: (LENGTH, K, 2) i32,
        the pairs that are looked at in each; good: (LENGTH, 2), how many these are and for how much travel, m; written
    the rest as in rule.tick
    """
    applied, way = memory[rule.APPLIED], room[3, :6]
    ref, dr, own = room[1], room[2], room[0]
    last = now + half[0] + half[1] + half[2]
    out[:] = 0.0
    if not (_is_whole(path) and rule.is_finite(applied)):
        out[rule.FAULT], fresh = rule.NO_TARGET, True
    if fresh:
        path[:], left[:] = 0.0, 0.0
        first, since = now, -1
    begin, end = max(first, now), last
    for stage in range(STAGES):
        made = path[stage]
        for k in range(begin, end + 1):
            cold = fresh and stage == 0 and k == now
            if stage == 0:
                before = made[(k - 1) % LENGTH]
                kept = math.exp(-number[rule.RELAX] * dt)
                for a in range(18):
                    own[a], ref[a] = before[a], kept * before[a]
            else:
                _smooth(path, stage, k, weight, half, own)
                for a in range(18):
                    ref[a] = own[a]
            m = k % LENGTH
            rounds, still, is_new = _ROUNDS, _STILL, stage == 0
            if cold:
                rounds, still = _ROUNDS_COLD, _STILL_COLD
            is_seen = _nearest(
                own, ref, rounds, still, slot_position[m], slot_world[m], dr, way, is_new, listed[m], good[m],
                joint, shape, chain, frame, caps, at, single, part, links, allow, bound, hull, gap, pair, state, seen,
                number, rows, span, quats,
            )  # fmt: skip
            if not (is_seen and rule.is_finite(own)):
                for a in range(18):
                    own[a] = ref[a]
            for a in range(18):
                made[m, a] = own[a] if stage == 0 else own[a] - ref[a]
            if fresh and k == now:
                for q in range(LENGTH):
                    for a in range(18):
                        made[q, a] = made[m, a]
        begin, end = max(begin - half[stage], now), end - half[stage]
    wanted = room[4]
    if first < last and not fresh:
        since = _bridge(path, now, weight, half, applied, past, left, own)
    _smooth(path, STAGES, now, weight, half, wanted)
    if since >= 0:
        since += 1
        _fade(left, since, wanted)
        if since >= DECAY:
            since = -1
    is_there = rule.see(joint, shape, chain, frame, position, world, caps, at, single, links, bound, seen)
    if not is_there:
        out[rule.FAULT] = rule.NO_POSE
        return since
    for a in range(18):
        own[a] = wanted[a]
    _recall(listed[now % LENGTH], good[now % LENGTH], pair, state)
    if since >= 0:
        _project(
            own, wanted, _ROUNDS, _STILL, dr, way, chain, caps, at, single, part, links, allow, bound, hull, gap, pair,
            state, seen, number, rows, span, quats,
        )  # fmt: skip
        if not rule.is_finite(own):
            for a in range(18):
                own[a] = wanted[a]
    for a in range(18):
        past[1, a] = past[0, a]
        past[0, a] = applied[a]
        memory[rule.VELOCITY, a] = 0.0 if fresh else (own[a] - applied[a]) / dt
        applied[a], memory[rule.TARGET, a], memory[rule.DRIFT, a] = own[a], own[a], 0.0
        if fresh:
            past[0, a] = past[1, a] = applied[a]
    _tell(
        applied, out, out_pair, point, depth, caps, at, single, part, links, allow, bound, hull, gap, pair, state,
        number, way,
    )  # fmt: skip
    if not rule.is_none(applied):
        rule.write(
            applied, chain, parent, offset, rest, twists, twist_axis, twist_share, below, quats, rotation, position,
            world,
        )  # fmt: skip
    return since


@njit(cache=True, allocates=False)
def _nearest(
    r: F64, ref: F64, rounds: int, still: float, position: F64, world: F64, dr: F64, way: F64, is_new: bool,
    listed: I32, good: F64,
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    quats: F64,
) -> bool:  # fmt: skip
    """Project r on the pose of one slot; return whether there is a pose."""
    if not rule.see(joint, shape, chain, frame, position, world, caps, at, single, links, bound, seen):
        return False
    if is_new:
        good[0], good[1] = 0.0, -1.0
    _recall(listed, good, pair, state)
    _project(
        r, ref, rounds, still, dr, way, chain, caps, at, single, part, links, allow, bound, hull, gap, pair, state,
        seen, number, rows, span, quats,
    )  # fmt: skip
    if is_new and state[0] <= listed.shape[0]:
        good[0], good[1] = state[0], state[1]
        for c in range(int(state[0])):
            listed[c, 0], listed[c, 1] = pair[c, 0], pair[c, 1]
    return True


@njit(cache=True, allocates=False)
def _recall(listed: I32, good: F64, pair: I32, state: F64) -> None:
    """Take the pairs of a slot as they were listed when it came into sight: listing them is most of a projection."""
    state[0], state[1], state[2] = good[0], good[1], 0.0
    for c in range(int(good[0])):
        pair[c, 0], pair[c, 1] = listed[c, 0], listed[c, 1]


@njit(cache=True, allocates=False)
def _is_whole(path: F64) -> bool:
    """Tell whether a path holds numbers, four of them at a time: it is looked at on every tick."""
    a = b = 0.0
    for stage in range(STAGES):
        for m in range(LENGTH):
            row = path[stage, m]
            for k in range(9):
                a += row[k]
                b += row[k + 9]
    return bool(0.0 * (a + b) == 0.0)


@njit(cache=True, allocates=False)
def _project(
    r: F64, ref: F64, rounds: int, still: float, dr: F64, way: F64,
    chain: I32, caps: F64, at: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    quats: F64,
) -> None:  # fmt: skip
    """Project r on the pose that `caps` and `links` are of, whose pairs may be listed."""
    is_none = rule.is_none(r) and rule.is_none(ref)
    if state[1] < 0.0:
        gone = 0.0 if is_none else capsule.bend(r, caps, part, bound, links, at)
        project.survey(single, allow, bound, gone + number[project.SLACK], hull, gap, pair, state, number)
    if is_none and state[0] == 0.0:
        r[:] = 0.0
        return
    project.project(
        r, ref, rounds, still, caps, at, single, part, links, allow, bound, hull, gap, pair, state, seen, chain, number,
        rows, span, dr, way, quats,
    )  # fmt: skip


@njit(cache=True, allocates=False)
def _smooth(path: F64, stages: int, tick: int, weight: F64, half: I32, out: F64) -> None:
    """Write the correction of a tick after so many stages, (18,) rad."""
    out[:] = 0.0
    for stage in range(stages):
        h = half[stage]
        share = 1.0 if stage == 0 else BOOST
        for q in range(2 * h + 1):
            w = share * weight[stage, q]
            m = (tick + q - h) % LENGTH
            for a in range(18):
                out[a] += w * path[stage, m, a]


@njit(cache=True, allocates=False)
def _bridge(path: F64, now: int, weight: F64, half: I32, applied: F64, past: F64, left: F64, room: F64) -> int:
    """Write how far what was shown is from what would have been under the new plan; return 0, or -1 if nowhere."""
    most = 0.0
    for back in range(3):
        _smooth(path, STAGES, now - 1 - back, weight, half, room)
        for a in range(18):
            shown = applied[a] if back == 0 else past[back - 1, a]
            left[back, a] = shown - room[a]
            most = max(most, abs(left[back, a]))
    if most < 1e-6:
        return -1
    for a in range(18):
        here, one, two = left[0, a], left[1, a], left[2, a]
        left[1, a] = 1.5 * here - 2.0 * one + 0.5 * two
        left[2, a] = here - 2.0 * one + two
    return 0


@njit(cache=True, allocates=False)
def _fade(left: F64, since: int, out: F64) -> None:
    """Add what is left of a difference after so many ticks: it begins with its value, speed and bend, ends in rest."""
    x = min(float(since) / DECAY, 1.0)
    y = 1.0 - x
    cube = y * y * y
    value, speed, bend = cube * (1.0 + x * (3.0 + 6.0 * x)), cube * x * (1.0 + 3.0 * x), 0.5 * cube * x * x
    for a in range(18):
        out[a] += value * left[0, a] + DECAY * speed * left[1, a] + DECAY * DECAY * bend * left[2, a]


@njit(cache=True, allocates=False)
def _tell(
    applied: F64, out: F64, out_pair: I32, point: F64, depth: F64, caps: F64, at: F64, single: F32, part: I32,
    links: F64, allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, number: F64, way: F64,
) -> None:  # fmt: skip
    """Write how deep the pose is before and after its correction, and its contacts."""
    is_none = rule.is_none(applied)
    gone = 0.0 if is_none else capsule.bend(applied, caps, part, bound, links, at)
    if gone > state[1]:
        project.survey(single, allow, bound, gone, hull, gap, pair, state, number)
    raw = -project.least(caps, allow, pair, state, False, way)
    out[rule.RAW] = max(raw, 0.0)
    out[rule.DEPTH] = out[rule.RAW]
    if raw > 0.0:
        out[rule.FOUND] = project.contacts(caps, allow, pair, state, way, out_pair, point, depth)
    if not is_none:
        out[rule.DEPTH] = max(-project.least(at, allow, pair, state, False, way), 0.0)
        for side in range(2):
            out[rule.MOVED + side] = rule.moved(links, side)
