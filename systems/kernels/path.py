"""The smoothest way of a correction through the contacts of the next ticks.

Of all paths over the slots from this tick on: the one with the least sum of |correction - nearest|^2 + stiffness |its
third difference|^2, in the metric of project.py, that goes on from the three corrections shown last and leaves no
contact of any slot, each linearised at the slot's nearest correction. Behind the last slot the nearest one is taken to
stay; that part is eliminated beforehand (collide/response.py), so there are as many unknowns as slots. Solved in the
dual, one multiplier a row (Gauss-Seidel, each kept >= 0), which stays from tick to tick: a few sweeps are enough.

rows: (LENGTH, KEPT, WIDTH) f64 by tick modulo LENGTH, what a slot's correction must fulfil: row . r >= RHS
force: (LENGTH, KEPT) f64, their multipliers
"""

from __future__ import annotations

import math

from . import capsule, project
from .arrays import F32, F64, I32
from .compiled import njit

KEPT = 48  # rows of a slot; where there are more, those farther off are left out (stress: p95 30, max 48)
WIDTH = 24  # of a row: 18 slopes, then
_RHS, _GIVE, _SQUARE, _FIRST, _END = 18, 19, 20, 21, 22
_REACH = 0.012  # m, gap from which a contact may bind the path, and as much as the nearest correction goes in a tick
_EASE = tuple(1.0 / (project.METRIC[k % 9 // 3] ** 2) for k in range(18))
_STILL = 2e-5  # m of change after which the dual has settled, as in project.py
_SMALL, _LARGE = 0.03, 0.08  # m, corrections up to which a path is least stiff and from which it is most
_INNER = 2  # times the rows of a slot are gone through before the next slot


@njit(cache=True, allocates=False)
def keep(
    r: F64, before: F64, kept: F64, caps: F64, at: F64, single: F32, part: I32, links: F64, allow: F32, bound: I32,
    hull: F32, gap: F32, pair: I32, state: F64, seen: F64, chain: I32, number: F64, rows: F64, span: I32, way: F64,
    quats: F64,
) -> int:  # fmt: skip
    """Write a slot's contacts, linearised at a correction, and return how many there are.

    r: (18,) rad; before: (18,), that of the slot before it; kept: (KEPT, WIDTH), written
    the rest as in project.project, of the slot's pose
    """
    gone = capsule.bend(r, caps, part, bound, links, at)
    if gone > state[1]:
        project.survey(single, allow, bound, gone + number[project.SLACK], hull, gap, pair, state, number)
    count = project.linearise(
        r, _REACH + project.apart(r, before), KEPT, at, part, links, allow, bound, pair, state, seen, chain, number,
        rows, span, way, quats,
    )  # fmt: skip
    for c in range(count):
        row, out, first, end = rows[c], kept[c], span[c, 0], span[c, 1]
        out[:] = 0.0
        here = square = 0.0
        for k in range(first, end):
            out[k] = row[k]
            here += row[k] * r[k]
            square += row[k] * row[k] * _EASE[k]
        out[_RHS], out[_GIVE], out[_SQUARE] = row[project.RHS] + here, row[project.GIVE], square
        out[_FIRST], out[_END] = first, end
    return count


@njit(cache=True, allocates=False)
def settle(
    now: int, sweeps: int, shown: F64, nearest: F64, answers: F64, rows: F64, good: F64, count: int, force: F64,
    pull: F64, answer: F64, out: F64,
) -> None:  # fmt: skip
    """Write the correction of tick `now`.

    sweeps: at most; shown: (3, 18) rad, the last three, newest first
    nearest: (LENGTH, 18) rad
    answers: (2, S, 4 + S): how a path of S slots answers to these, to the last nearest and to a pull on each slot;
        where corrections are small, and where they are large (collide/response.py)
    good: (LENGTH, 3), its column `count` says how many rows a slot has
    pull: (LENGTH, 18), what pulls on each slot, and answer: (LENGTH, 4 + LENGTH): room; out: (18,) rad, written
    """
    slots, length = answers.shape[1], rows.shape[0]
    end_of = nearest[(now + slots - 1) % length]
    most = _size(shown[0])
    for s in range(slots):
        most = max(most, _size(nearest[(now + s) % length]))
    stiff = min(max((most - _SMALL) / (_LARGE - _SMALL), 0.0), 1.0)
    for s in range(slots):
        for k in range(slots + 4):
            answer[s, k] = answers[0, s, k] + stiff * (answers[1, s, k] - answers[0, s, k])
    for s in range(slots):
        m = (now + s) % length
        for k in range(18):
            pull[s, k] = nearest[m, k]
        for c in range(int(good[m, count])):
            _push(force[m, c], rows[m, c], pull[s])
    for _ in range(sweeps):
        most = 0.0
        for s in range(slots):
            m = (now + s) % length
            many = int(good[m, count])
            if many == 0:
                continue
            _at(s, slots, shown, end_of, answer, pull, out)
            own = answer[s, 4 + s]
            for _inner in range(_INNER):
                for c in range(many):
                    row = rows[m, c]
                    first, end = int(row[_FIRST]), int(row[_END])
                    a = b = d = 0.0  # of its own for each axis: a sum of one after the other takes three times as long
                    for k in range(first, end, 3):
                        a += row[k] * out[k]
                        b += row[k + 1] * out[k + 1]
                        d += row[k + 2] * out[k + 2]
                    short = row[_RHS] - row[_GIVE] * force[m, c] - (a + b + d)
                    hard = own * row[_SQUARE]
                    step = max(short / (hard + row[_GIVE]), -force[m, c])
                    if step != 0.0:
                        force[m, c] += step
                        most = max(most, abs(step) * hard)
                        _push(step, row, pull[s])
                        for k in range(first, end):
                            out[k] += own * step * _EASE[k] * row[k]
        if most < _STILL:
            break
    _at(0, slots, shown, end_of, answer, pull, out)


@njit(cache=True, allocates=False)
def _size(correction: F64) -> float:
    """Return how large a correction is, m."""
    square = 0.0
    for k in range(18):
        square += correction[k] * correction[k] / _EASE[k]
    return math.sqrt(square)


@njit(cache=True, allocates=False)
def _push(force: float, row: F64, pull: F64) -> None:
    if force != 0.0:
        for k in range(int(row[_FIRST]), int(row[_END])):
            pull[k] += force * _EASE[k] * row[k]


@njit(cache=True, allocates=False)
def _at(slot: int, slots: int, shown: F64, last: F64, answer: F64, pull: F64, out: F64) -> None:
    """Write the path on one slot."""
    a, b, c, d = answer[slot, 0], answer[slot, 1], answer[slot, 2], answer[slot, 3]
    for k in range(18):
        out[k] = a * shown[0, k] + b * shown[1, k] + c * shown[2, k] + d * last[k]
    for s in range(slots):
        w = answer[slot, 4 + s]
        for k in range(18):
            out[k] += w * pull[s, k]
