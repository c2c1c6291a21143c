"""The rule on one tick: the pose as the motion has it in, the pose with her arms out of her body out.

The target is projected, from where it was and a little relaxed, onto where the motion will be once what shows has got
there: it follows the target on a critically damped spring, late by 2 / rate s. Most of that is made up for by carrying
the motion on at its speed, so that a contact is met before it comes and starts softly; the rest by the target's own
speed. Nothing winds up, for the target always fits the pose of this very tick.
"""

from __future__ import annotations

import math

from . import capsule, gaps, project, quat, rotvec, spring, twist, wrist
from .arrays import F32, F64, I32
from .compiled import njit

# Places in `number` after those of project.py
RELAX, RATE, LEAD, CHASE, SMOOTH, PUSH, CAUGHT, CLEAR, RELEASE = 9, 10, 11, 12, 13, 14, 15, 16, 17
NUMBERS = 18
APPLIED, VELOCITY, TARGET, DRIFT = 0, 1, 2, 3  # rows of a memory
RAW, DEPTH, MOVED, FOUND, FAULT = 0, 1, 2, 4, 5  # places in `out`; moved: left and right, m
OUT = 6
NO_POSE, NO_TARGET = 1, 2  # what `out[FAULT]` says was not finite
_ROUNDS, _STILL = 3, 2e-3  # of a projection that begins near its end, and rad of change that ends it
_ROUNDS_COLD, _STILL_COLD = 20, 1e-4  # of one that does not: a spawn
_NOTHING = 1e-6  # rad of correction, below which there is none
_STEEP = 0.25  # rad, most that the growth rule adds at once
_LEAP = 0.06  # m in a tick, from which a motion is not carried on: no arm is that fast (3.6 m/s), a cut pose is


@njit(cache=True, allocates=False)
def tick(
    grows: bool, fresh: bool, dt: float, memory: F64, was: F64, was_at: F64, out: F64, out_pair: I32, point: F64,
    depth: F64,
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, soon: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    room: F64, quats: F64, parent: I32, offset: F64, rest: F64, twists: I32, twist_axis: F64, twist_share: F64,
    below: I32,
    rotation: F64, position: F64, world: F64,
) -> None:  # fmt: skip
    """Move the correction on by one tick and put it into the pose.

    grows: the growth rule instead; fresh: begin at the solved target, as without a good memory; dt: s
    memory: (4, 18), was: (6, N) and was_at: (2, 3, 3) as in Contacts; rotation, position, world: as in Pose; changed
    out: (OUT,), out_pair, point, depth: what was found, written
    chain: (2, 3) i32 joints of the links; below: the joints under the shoulders; the rest as in Guard
    """
    applied, velocity, target, drift = memory[APPLIED], memory[VELOCITY], memory[TARGET], memory[DRIFT]
    before, ref, dr, way, soon_at = room[0], room[1], room[2], room[3, :6], room[4]
    out[:] = 0.0
    if not see(joint, shape, chain, frame, position, world, caps, at, single, links, bound, seen):
        out[FAULT] = NO_POSE
        return
    if not is_finite(memory.reshape(72)):
        out[FAULT], fresh = NO_TARGET, True
    if fresh:
        memory[:] = 0.0
    lead = 0.0 if fresh or grows else 2.0 * number[LEAD] / (number[RATE] * dt)  # ticks
    state[2] = _expect(caps, was, links, was_at, bound, lead, soon, soon_at)
    travel = 0.0
    for which in (APPLIED, TARGET):
        if not is_none(memory[which]):
            travel = max(travel, capsule.bend(memory[which], caps, part, bound, links, at))
    project.survey(single, allow, bound, travel + state[2] + number[project.SLACK], hull, gap, pair, state, number)
    raw = -project.least(caps, allow, pair, state, False, way)
    out[RAW] = max(raw, 0.0)
    if raw > 0.0:
        out[FOUND] = project.contacts(caps, allow, pair, state, way, out_pair, point, depth)
    if state[0] == 0.0 and travel == 0.0:
        return  # nothing within reach of anything, and nothing to let go of
    _copy(target, before)
    rounds, still, kept = _ROUNDS, _STILL, math.exp(-number[RELAX] * dt)
    margin = number[project.MARGIN]
    if fresh:
        rounds, still = _ROUNDS_COLD, _STILL_COLD
    elif grows:
        rounds, still, kept = _growth(memory, caps, at, part, bound, links, allow, pair, state, number, dt, way)
        number[project.MARGIN] = number[PUSH]
    for k in range(18):
        ref[k] = kept * target[k]
    if rounds > 0:
        _swap(links, soon_at)
        _body(soon, bound, at)
        project.project(
            target, ref, rounds, still, soon, at, single, part, links, allow, bound, hull, gap, pair, state, seen,
            chain, number, rows, span, dr, way, quats,
        )  # fmt: skip
        _swap(links, soon_at)
        _body(caps, bound, at)
    elif kept < 1.0:
        _copy(ref, target)
    number[project.MARGIN] = margin
    if grows and not fresh:
        _no_more_than(_STEEP, before, target)
    if not is_finite(target):
        _copy(before, target)
        out[FAULT] = NO_TARGET
    if fresh:
        _copy(target, applied)
    else:
        chase = 0.0 if grows else 2.0 * number[CHASE] / number[RATE]
        for k in range(18):
            drift[k] += number[SMOOTH] * ((target[k] - before[k]) / dt - drift[k])
            ref[k] = target[k] + chase * drift[k]
        spring.follow_rate(applied, velocity, ref, number[RATE], dt)
    if not (is_finite(applied) and is_finite(velocity)):
        _copy(target, applied)
        velocity[:], drift[:] = 0.0, 0.0
        out[FAULT] = NO_TARGET
    if is_none(memory.reshape(72)):
        memory[:] = 0.0
    out[DEPTH] = out[RAW]
    if not is_none(applied):
        gone = capsule.bend(applied, caps, part, bound, links, at)
        if gone > state[1]:
            project.survey(single, allow, bound, gone, hull, gap, pair, state, number)
        out[DEPTH] = max(-project.least(at, allow, pair, state, False, way), 0.0)
        for side in range(2):
            out[MOVED + side] = moved(links, side)
        write(
            applied, chain, parent, offset, rest, twists, twist_axis, twist_share, below, quats, rotation, position,
            world,
        )  # fmt: skip


@njit(cache=True, allocates=False)
def see(
    joint: I32, shape: F64, chain: I32, frame: F64, position: F64, world: F64, caps: F64, at: F64, single: F32,
    links: F64, bound: I32, seen: F64,
) -> bool:  # fmt: skip
    """Place capsules, joints and wrists on a pose, and tell whether all of it is somewhere."""
    lost = capsule.place(joint, shape, position, world, caps, single)
    _body(caps, bound, at)
    for side in range(2):
        for link in range(3):
            j = chain[side, link]
            for k in range(3):  # a link she has not stays where the one above it is
                links[side, link, k] = position[j, k] if j >= 0 else (links[side, link - 1, k] if link > 0 else 0.0)
        if chain[side, 2] >= 0:
            wrist.frames(world[chain[side, 1]], world[chain[side, 2]], frame[side], seen[side])
    return lost == 0.0


@njit(cache=True, allocates=False)
def moved(links: F64, side: int) -> float:
    """Return how far a correction holds a wrist from where the motion has it, m."""
    x, y, z = links[side, 2, 3], links[side, 2, 4], links[side, 2, 5]
    x, y, z = x - links[side, 2, 0], y - links[side, 2, 1], z - links[side, 2, 2]
    return math.sqrt(x * x + y * y + z * z)


@njit(cache=True, allocates=False)
def _body(caps: F64, bound: I32, at: F64) -> None:
    """Write the capsules that no correction moves."""
    for k in range(6):
        for j in range(bound[gaps.BODY], caps.shape[1]):
            at[k, j] = caps[k, j]


@njit(cache=True, allocates=False)
def _expect(caps: F64, was: F64, links: F64, was_at: F64, bound: I32, lead: float, soon: F64, soon_at: F64) -> float:
    """Write where all will be `lead` ticks on at the speed it has, and return how far an arm goes till then, m.

    was, was_at: where they were a tick ago, then where they are; soon: (7, N); soon_at: (18,), m
    """
    most, right = 0.0, bound[gaps.ARMS]
    for k in range(3):
        for j in range(right):
            step = caps[k, j] - was[k, j]
            most = max(most, abs(step), abs(step + caps[k + 3, j] - was[k + 3, j]))
    if most > _LEAP:
        lead = 0.0
    for k in range(6):
        for j in range(caps.shape[1]):
            soon[k, j] = caps[k, j] + lead * (caps[k, j] - was[k, j])
            was[k, j] = caps[k, j]
    for side in range(2):
        for link in range(3):
            for k in range(3):
                now = links[side, link, k]
                soon_at[9 * side + 3 * link + k] = now + lead * (now - was_at[side, link, k])
                was_at[side, link, k] = now
    return 1.75 * lead * most  # along all three axes at once


@njit(cache=True, allocates=False)
def _swap(links: F64, places: F64) -> None:
    """Exchange the joints before a correction for others. places: (18,) m."""
    for side in range(2):
        for link in range(3):
            for k in range(3):
                q = 9 * side + 3 * link + k
                links[side, link, k], places[q] = places[q], links[side, link, k]


@njit(cache=True, allocates=False)
def _growth(
    memory: F64, caps: F64, at: F64, part: I32, bound: I32, links: F64, allow: F32, pair: I32, state: F64,
    number: F64, dt: float, way: F64,
) -> tuple[int, float, float]:  # fmt: skip
    """Return rounds, stillness and what is kept of the target: the growth rule's decision on this tick.

    A contact grows the target by one step once what shows has caught up; it is let go of when clear by less than the
    push; else it stays.
    """
    capsule.bend(memory[APPLIED], caps, part, bound, links, at)
    lag = 0.0
    for k in range(18):
        lag = max(lag, abs(memory[TARGET, k] - memory[APPLIED, k]))
    if project.least(at, allow, pair, state, False, way) < 0.0:
        if lag < number[CAUGHT]:
            _copy(memory[APPLIED], memory[TARGET])
            return 1, 1.0, 1.0
        return 0, 1.0, 1.0
    if project.least(at, allow, pair, state, True, way) > number[CLEAR]:
        return 0, 1.0, math.exp(-number[RELEASE] * dt)
    return 0, 1.0, 1.0


@njit(cache=True, allocates=False)
def _no_more_than(most: float, before: F64, target: F64) -> None:
    """Shorten a step so that none of its parts is larger. before, target: (18,) rad, the latter changed."""
    step = 0.0
    for k in range(18):
        step = max(step, abs(target[k] - before[k]))
    if step > most:
        for k in range(18):
            target[k] = before[k] + (target[k] - before[k]) * most / step


@njit(cache=True, allocates=False)
def clear(
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, soon: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    room: F64, quats: F64, parent: I32, offset: F64, rest: F64, twists: I32, twist_axis: F64, twist_share: F64,
    below: I32,
    rotation: F64, position: F64, world: F64,
) -> float:  # fmt: skip
    """Take one pose out of contact at once, remembering nothing; return how deep it still is, m, NaN without a pose.

    room: its row 0 is the correction, written; the rest as in `tick`
    """
    correction, ref, dr, way = room[0], room[1], room[2], room[3, :6]
    correction[:], ref[:], state[2] = 0.0, 0.0, 0.0
    if not see(joint, shape, chain, frame, position, world, caps, at, single, links, bound, seen):
        return math.nan
    project.survey(single, allow, bound, number[project.SLACK], hull, gap, pair, state, number)
    project.project(
        correction, ref, _ROUNDS_COLD, _STILL_COLD, caps, at, single, part, links, allow, bound, hull, gap, pair,
        state, seen, chain, number, rows, span, dr, way, quats,
    )  # fmt: skip
    if not is_finite(correction):
        correction[:] = 0.0
    gone = capsule.bend(correction, caps, part, bound, links, at)
    project.survey(single, allow, bound, gone, hull, gap, pair, state, number)
    depth = -project.least(at, allow, pair, state, False, way)
    if not is_none(correction):
        write(
            correction, chain, parent, offset, rest, twists, twist_axis, twist_share, below, quats, rotation,
            position, world,
        )  # fmt: skip
    return max(depth, 0.0)


@njit(cache=True, allocates=False)
def _copy(values: F64, out: F64) -> None:
    for k in range(values.shape[0]):
        out[k] = values[k]


@njit(cache=True, allocates=False)
def is_none(values: F64) -> bool:
    """Tell whether a correction is too small to be one: then the pose is the motion's own, to the bit."""
    most = 0.0
    for k in range(values.shape[0]):
        most = max(most, abs(values[k]))
    return bool(most < _NOTHING)


@njit(cache=True, allocates=False)
def is_finite(values: F64) -> bool:
    total = 0.0
    for k in range(values.shape[0]):
        total += 0.0 * values[k]
    return bool(total == 0.0)


@njit(cache=True, allocates=False)
def write(
    correction: F64, chain: I32, parent: I32, offset: F64, rest: F64, twists: I32, twist_axis: F64, twist_share: F64,
    below: I32, quats: F64, rotation: F64, position: F64, world: F64,
) -> None:  # fmt: skip
    """Put a correction into a pose: three joints an arm turned, twist shared anew, everything below carried along.

    correction: (18,) rad; quats: (12, 4): room; rotation, position, world: as in Pose, changed
    """
    up, q, above, own = quats[6], quats[7], quats[8], quats[9]
    for side in range(2):
        quat.identity(up)
        for link in range(3):
            k, j = 9 * side + 3 * link, chain[side, link]
            rotvec.exp(correction[k : k + 3], q)
            quat.mul(up, q, q)
            if j >= 0:
                quat.mul(up, world[parent[j]], above)
                quat.mul(q, world[j], own)
                quat.between(above, own, quats[3 * side + link])
            quat.copy(q, up)
    for side in range(2):
        for link in range(3):
            if chain[side, link] >= 0:
                quat.normalise(quats[3 * side + link], rotation[chain[side, link]])
    if twists.shape[0] > 0:
        twist.share(parent, rest, twists, twist_axis, twist_share, quats[6:11], rotation)
    for k in range(below.shape[0]):
        j = below[k]
        p = parent[j]
        quat.rotate(world[p], offset[j], position[j])
        for axis in range(3):
            position[j, axis] += position[p, axis]
        quat.mul(world[p], rotation[j], world[j])
