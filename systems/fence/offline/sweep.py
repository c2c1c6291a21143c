"""Whole motions projected out of contact, compiled: the rule's own projection with the frames before or beside known.

The same kernels as the rule's tick, so a label has its margin, its wrists' limits and its idea of what touches.
"""

from __future__ import annotations

from ....components.arrays import F32, F64, I32
from ...kernels import capsule, project, rule
from ...kernels.compiled import njit


@njit(cache=True)
def carried(
    kept: float, rounds: int, still: float, forward: bool, out: F64, deep: F64, position: F64, world: F64,
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, soon: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    room: F64, quats: F64,
) -> int:  # fmt: skip
    """Project each frame from what the frame before was corrected by; return how many rounds that took.

    kept: share of the last correction that the next one is the nearest to; forward: from the first frame on
    out: (F, 18) rad, the correction of each frame, written; deep: (F,) m, how deep the motion itself is, written
    position: (F, J, 3), world: (F, J, 4); the rest as in Guard.tables
    """
    r, ref, dr, way, done = room[0], room[1], room[2], room[3, :6], 0
    r[:] = 0.0
    for q in range(position.shape[0]):
        f = q if forward else position.shape[0] - 1 - q
        rule.see(joint, shape, chain, frame, position[f], world[f], caps, at, single, links, bound, seen)
        far = capsule.bend(r, caps, part, bound, links, at) if not rule.is_none(r) else 0.0
        state[2] = 0.0
        project.survey(single, allow, bound, far + number[project.SLACK], hull, gap, pair, state, number)
        deep[f] = max(-project.least(caps, allow, pair, state, False, way), 0.0)
        for k in range(18):
            ref[k] = kept * r[k]
        if state[0] > 0.0:
            done += project.project(
                r, ref, rounds, still, caps, at, single, part, links, allow, bound, hull, gap, pair, state, seen,
                chain, number, rows, span, dr, way, quats,
            )  # fmt: skip
        else:
            r[:] = ref
        if rule.is_none(r):
            r[:] = 0.0
        out[f] = r
    return done


@njit(cache=True)
def mended(
    rounds: int, still: float, given: F64, out: F64, position: F64, world: F64,
    joint: I32, shape: F64, chain: I32, frame: F64, caps: F64, at: F64, soon: F64, single: F32, part: I32, links: F64,
    allow: F32, bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, number: F64, rows: F64, span: I32,
    room: F64, quats: F64,
) -> int:  # fmt: skip
    """Project each frame's correction, by the least change of it, to where nothing is inside; return the rounds.

    given: (F, 18) rad; out: (F, 18) rad, written; the rest as in `carried`
    """
    r, ref, dr, way, done = room[0], room[1], room[2], room[3, :6], 0
    for f in range(position.shape[0]):
        out[f] = given[f]
        if rule.is_none(given[f]):
            continue
        r[:], ref[:] = given[f], given[f]
        rule.see(joint, shape, chain, frame, position[f], world[f], caps, at, single, links, bound, seen)
        far = capsule.bend(r, caps, part, bound, links, at)
        state[2] = 0.0
        project.survey(single, allow, bound, far + number[project.SLACK], hull, gap, pair, state, number)
        if state[0] > 0.0:
            done += project.project(
                r, ref, rounds, still, caps, at, single, part, links, allow, bound, hull, gap, pair, state, seen,
                chain, number, rows, span, dr, way, quats,
            )  # fmt: skip
            out[f] = r
    return done
