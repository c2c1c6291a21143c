"""A proposal of the fence's head on one tick: how deep she is with and without it, and how it hands over to the rule.

A proposal is six rotation vectors, as in Contacts. Proposal, then rule: what shows is the rule's correction of the
proposed pose, so the two are one correction of the motion, and one part of it may be given to the other.
"""

from __future__ import annotations

import math

from . import capsule, project, quat, rotvec, rule
from .arrays import F32, F64, I32
from .compiled import njit

RAW, DEPTH, MOVED, RATE, FAULT = 0, 1, 2, 4, 5  # places in `out`; moved: left and right
OUT = 6
NOT_FINITE, NO_POSE = 1, 2  # what `out[FAULT]` says
_FAR = 1e3  # m: a capsule that was there goes too fast to be carried on, see rule.py


@njit(cache=True, allocates=False)
def measure(
    proposal: F64, before: F64, dt: float, out: F64,
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, soon: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    room: F64, quats: F64, parent: I32, offset: F64, rest: F64, twists: I32, twist_axis: F64, twist_share: F64,
    below: I32,
    position: F64, world: F64,
) -> None:  # fmt: skip
    """Write what a proposal would do to a pose, and leave the pose as it is.

    proposal, before: (18,) rad, of this tick and the last; dt: s
    out: (OUT,): deepest contact beyond its allowance without and with it, m; how far it holds each wrist, m; how fast
        its fastest vector changes, rad/s; what is not finite. FAULT alone is written where anything is not
    position, world: of the pose before any correction; the rest as in Guard
    """
    out[:] = 0.0
    if not rule.see(joint, shape, chain, frame, position, world, caps, at, single, links, bound, seen):
        out[FAULT] = NO_POSE
        return
    if not rule.is_finite(proposal):
        out[FAULT] = NOT_FINITE
        return
    for link in range(6):
        total = 0.0
        for k in range(3 * link, 3 * link + 3):
            total += (proposal[k] - before[k]) ** 2
        out[RATE] = max(out[RATE], math.sqrt(total) / dt)
    way = room[3, :6]
    gone = capsule.bend(proposal, caps, part, bound, links, at)
    project.survey(single, allow, bound, gone, hull, gap, pair, state, number)
    out[RAW] = max(-project.least(caps, allow, pair, state, False, way), 0.0)
    out[DEPTH] = max(-project.least(at, allow, pair, state, False, way), 0.0)
    for side in range(2):
        out[MOVED + side] = rule.moved(links, side)


@njit(cache=True, allocates=False)
def put(
    proposal: F64,
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, soon: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    room: F64, quats: F64, parent: I32, offset: F64, rest: F64, twists: I32, twist_axis: F64, twist_share: F64,
    below: I32,
    rotation: F64, position: F64, world: F64,
) -> None:  # fmt: skip
    """Put a proposal into a pose. proposal: (18,) rad; rotation, position, world: as in Pose, changed."""
    if not rule.is_none(proposal):
        rule.write(
            proposal, chain, parent, offset, rest, twists, twist_axis, twist_share, below, quats, rotation, position,
            world,
        )  # fmt: skip


@njit(cache=True, allocates=False)
def apart(chain: I32, motion: F64, shown: F64, out: F64) -> None:
    """Write how far each wrist is shown from where the motion has it, m. motion, shown: (J, 3) m; out: (2,)."""
    for side in range(2):
        out[side] = 0.0
        for link in range(3):
            j = chain[side, link]
            if j >= 0:  # the last link she has
                x, y, z = shown[j, 0] - motion[j, 0], shown[j, 1] - motion[j, 1], shown[j, 2] - motion[j, 2]
                out[side] = math.sqrt(x * x + y * y + z * z)


@njit(cache=True, allocates=False)
def hand_over(memory: F64, was: F64, old: F64, old_rate: F64, new: F64, new_rate: F64, dt: float, quats: F64) -> None:
    """Let the rule hold what it holds together with the old proposal, over the new one: what shows does not change.

    Shown is rule after proposal. Over another proposal the same pose, with the same speed, is another correction of
    the rule's, which it then lets go of in its own time.

    memory: (4, 18) and was: (6, N) as in Contacts, changed: the motion that the rule sees jumps, and is not carried on
    old, new: (18,) rad, zeros for none; their rates: rad/s; quats: (12, 4), room
    """
    for row in (rule.APPLIED, rule.TARGET):
        value, rate = memory[row], memory[row + 1]
        for side in range(2):
            a = 9 * side
            for k in range(a, a + 9):
                rate[k] = value[k] + rate[k] * dt
            _over(rate, old, old_rate, new, new_rate, dt, a, quats)
            _over(value, old, old_rate, new, new_rate, 0.0, a, quats)
            for k in range(a, a + 9):
                rate[k] = (rate[k] - value[k]) / dt
    was[0, 0] = _FAR


@njit(cache=True, allocates=False)
def _over(value: F64, old: F64, old_rate: F64, new: F64, new_rate: F64, dt: float, first: int, quats: F64) -> None:
    """Change one arm's correction over a proposal into the one over another. value: (18,) rad; first: 0 or 9."""
    q, ours, theirs, others, above, made = quats[0], quats[1], quats[2], quats[3], quats[4], quats[5]
    for up in (ours, theirs, others, above):
        quat.identity(up)
    v = quats[6, :3]
    for link in range(3):
        a = first + 3 * link
        rotvec.exp(value[a : a + 3], q)
        quat.mul(ours, q, ours)
        for k in range(3):
            v[k] = old[a + k] + dt * old_rate[a + k]
        rotvec.exp(v, q)
        quat.mul(theirs, q, theirs)
        for k in range(3):
            v[k] = new[a + k] + dt * new_rate[a + k]
        rotvec.exp(v, q)
        quat.mul(others, q, others)
        # ours theirs = made others
        quat.mul(ours, theirs, made)
        quat.conj(others, q)
        quat.mul(made, q, made)
        quat.between(above, made, q)
        rotvec.log(q, value[a : a + 3])
        quat.copy(made, above)
