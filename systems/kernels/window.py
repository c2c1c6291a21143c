"""The rule where the next ticks of her motion are known: her arms give way before a contact and let go before its end.

The nearest correction of each slot follows the one before it, as it comes into sight; the contacts there are kept, and
what shows is the smoothest way through them that goes on from what was shown (path.py). So nothing lags, and a new plan
needs no care of its own: its slots' contacts take the place of the old ones.

Arrays by tick modulo LENGTH, for the slots from the tick before on:
    path: (LENGTH, 18) f64 rad, the nearest corrections; rows, force: as in path.py
    listed: (LENGTH, K, 2) i32, pairs that are looked at; good: (LENGTH, 3), how many these are, for how much travel of
        the arms (m), and how many rows are kept, -1 where they are not
"""

from __future__ import annotations

import math

from . import capsule, path, project, rule
from .arrays import F32, F64, I32
from .compiled import njit

_MARGIN = 0.4  # of [rule] margin: nothing lags (take: as deep, moved x 1.16 to 1.13; less shows on her skin at idle)
_SWEEPS, _SWEEPS_NEW = 6, 20  # of the dual, and where the plan changed (stress: more than 6 change nothing)
_ROUNDS, _STILL = 3, 2e-3  # of a projection that begins near its end, and rad of change that ends it
_ROUNDS_COLD, _STILL_COLD = 20, 1e-4  # of the first one
_COUNT = 2  # place in `good` of how many rows are kept


@njit(cache=True, allocates=False)
def tick(
    now: int, first: int, fresh: bool, dt: float, nearest: F64, force: F64, past: F64, answers: F64,
    memory: F64, out: F64, out_pair: I32, point: F64, depth: F64, slot_position: F64, slot_world: F64, listed: I32,
    good: F64, kept: F64, pull: F64, answer: F64,
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, soon: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    room: F64, quats: F64, parent: I32, offset: F64, rest: F64, twists: I32, twist_axis: F64, twist_share: F64,
    below: I32,
    rotation: F64, position: F64, world: F64,
) -> None:  # fmt: skip
    """Correct the pose of tick `now`.

    first: first slot that is not as it was on the tick before; fresh: begin at the solved pose of this tick
    nearest, force: (LENGTH, ..), the rule's memory beside memory's `applied`; past: (2, 18) rad, shown before that
    answers: (2, S, 4 + S): as in path.settle, S - 1 ticks looked ahead; memory, out..: as in rule.tick
    slot_position: (LENGTH, J, 3), slot_world: (LENGTH, J, 4), the motion's poses; listed, good, kept: caches
    pull, answer: room; the rest as in rule.tick
    """
    applied, way = memory[rule.APPLIED], room[3, :6]
    ref, dr, own, shown = room[1], room[2], room[0], room[1:4]
    last, length = now + answers.shape[1] - 1, nearest.shape[0]
    out[:] = 0.0
    if not (_is_whole(nearest) and _is_whole(force) and rule.is_finite(applied)):
        out[rule.FAULT], fresh = rule.NO_TARGET, True
    if fresh:
        nearest[:], force[:] = 0.0, 0.0
        first = now
    margin = number[project.MARGIN]
    number[project.MARGIN] = _MARGIN * margin
    relaxed = math.exp(-number[rule.RELAX] * dt)
    for k in range(now, last + 1):
        m = k % length
        if k < first and good[m, _COUNT] >= 0.0:
            continue
        is_there = rule.see(
            joint, shape, chain, frame, slot_position[m], slot_world[m], caps, at, single, links, bound, seen
        )
        if k >= first:
            good[m, 0], good[m, 1] = 0.0, -1.0
            before = nearest[(k - 1) % length]
            for a in range(18):
                own[a], ref[a] = before[a], relaxed * before[a]
            rounds, still = _ROUNDS, _STILL
            if fresh and k == now:
                rounds, still = _ROUNDS_COLD, _STILL_COLD
            if is_there:
                _recall(listed[m], good[m], pair, state)
                _project(
                    own, ref, rounds, still, dr, way, chain, caps, at, single, part, links, allow, bound, hull, gap,
                    pair, state, seen, number, rows, span, quats,
                )  # fmt: skip
            if not (is_there and rule.is_finite(own)):
                for a in range(18):
                    own[a] = ref[a]
            for a in range(18):
                nearest[m, a] = own[a]
            force[m] = 0.0
        good[m, _COUNT] = 0.0
        if is_there:
            if k < first:
                _recall(listed[m], good[m], pair, state)
            good[m, _COUNT] = path.keep(
                nearest[m], nearest[(k - 1) % length], kept[m], caps, at, single, part, links, allow, bound, hull, gap,
                pair, state, seen, chain, number, rows, span, way, quats,
            )  # fmt: skip
            if state[0] <= listed.shape[1]:
                good[m, 0], good[m, 1] = state[0], state[1]
                for c in range(int(state[0])):
                    listed[m, c, 0], listed[m, c, 1] = pair[c, 0], pair[c, 1]
    number[project.MARGIN] = margin
    for a in range(18):
        if fresh:
            applied[a] = past[0, a] = past[1, a] = nearest[now % length, a]
        shown[0, a], shown[1, a], shown[2, a] = applied[a], past[0, a], past[1, a]
    sweeps = _SWEEPS if first >= last and not fresh else _SWEEPS_NEW
    path.settle(now, sweeps, shown, nearest, answers, kept, good, _COUNT, force, pull, answer, own)
    if not rule.is_finite(own):
        out[rule.FAULT] = rule.NO_TARGET
        force[:] = 0.0
        for a in range(18):
            own[a] = nearest[now % length, a]
    if rule.is_none(own):
        own[:] = 0.0
    for a in range(18):
        past[1, a] = past[0, a]
        past[0, a] = applied[a]
        memory[rule.VELOCITY, a] = 0.0 if fresh else (own[a] - applied[a]) / dt
        applied[a], memory[rule.TARGET, a], memory[rule.DRIFT, a] = own[a], own[a], 0.0
    if not rule.see(joint, shape, chain, frame, position, world, caps, at, single, links, bound, seen):
        out[rule.FAULT] = rule.NO_POSE
        return
    _recall(listed[now % length], good[now % length], pair, state)
    if state[1] < 0.0:
        project.survey(single, allow, bound, number[project.SLACK], hull, gap, pair, state, number)
    _tell(
        applied, out, out_pair, point, depth, caps, at, single, part, links, allow, bound, hull, gap, pair, state,
        number, way,
    )  # fmt: skip
    if not rule.is_none(applied):
        rule.write(
            applied, chain, parent, offset, rest, twists, twist_axis, twist_share, below, quats, rotation, position,
            world,
        )  # fmt: skip


@njit(cache=True, allocates=False)
def _recall(listed: I32, good: F64, pair: I32, state: F64) -> None:
    """Take the pairs of a slot as they were listed when it came into sight: listing them is most of a projection."""
    state[0], state[1], state[2] = good[0], good[1], 0.0
    for c in range(int(good[0])):
        pair[c, 0], pair[c, 1] = listed[c, 0], listed[c, 1]


@njit(cache=True, allocates=False)
def _is_whole(values: F64) -> bool:
    """Tell whether a path holds numbers, four of them at a time: it is looked at on every tick."""
    flat = values.reshape(values.size)
    a = b = c = d = 0.0
    for k in range(0, flat.shape[0] - 3, 4):
        a += flat[k]
        b += flat[k + 1]
        c += flat[k + 2]
        d += flat[k + 3]
    return bool(0.0 * ((a + b) + (c + d)) == 0.0)


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
