"""The least correction that keeps the arms out of the body, near a given one: projection onto linearised contacts.

Minimise |r - ref|^2 in a metric of displacement under gap >= aim of every near pair and the wrists' limits. It is
solved in the dual, one multiplier a row (Gauss-Seidel, each kept >= 0), and linearised again a few times. Rows that
let go pull no more, so nothing chatters and nothing has to be released.

Arrays that several functions share:
    caps, at: (7, N) f64 capsules before and under the correction; single: (7, N) f32; the columns as in gaps.py
    part: (N,) i32, 3 side + link of the arms' columns; links: (2, 3, 15) as in capsule.py; bound: as in gaps.py
    allow, gap: (A, N) f32; hull: room for gaps.near; pair: (M, 2) i32, columns of the pairs that are looked at
    state: (3,) how many pairs are listed, for how much travel of the arms (m) the list is good, and how much of that
        lies between `caps` and the pose it was made on
    seen: (2, 2, 4) of the wrists (wrist.py); number: settings
    rows: (ROWS, 40): row, row in the metric, then RHS..INVERSE; span: (ROWS, 2) i32, the part of it that is not 0
"""

from __future__ import annotations

import math

from . import capsule, gaps, wrist
from .arrays import F32, F64, I32
from .compiled import njit

ROWS = 256  # contacts in one linear problem; when there are more, those farther off are left to the next round
WIDTH = 40  # of a row
MARGIN, NEAR, SLACK, SOFT, BUCKETS, FLEXION = 0, 1, 2, 3, 4, 5  # places in `number`; four limits from FLEXION on
METRIC = (0.30, 0.20, 0.12)  # m that a radian of upper arm, forearm and hand moves
RHS, GIVE = 36, 37  # places in a row
_SCALED, _MU, _INVERSE = 18, 38, 39
_FIRM = 1e-5  # compliance of a contact, in the metric's units: a millimetre of depth is never traded for comfort
_BENT = 0.085  # m that a wrist's whole ellipse is worth: 0.12 m/rad times 40 degrees
_WRIST_FIRM, _WRIST_SOFT = 1e-3, 0.3  # compliance of a wrist at its limit, and before it: three times as dear as free
_WHOLE = 4  # rounds of whole steps
_SPARE, _HALVINGS = 4, 9  # rows kept for the wrists; tries to look at fewer pairs, down to a few tenths of a mm
_CAP = 0.3  # rad a round may change: beyond it the linear problem says little
_SWEEPS, _STILL = 20, 2e-5  # of the dual, and m of change after which it has settled


@njit(cache=True, allocates=False)
def survey(
    single: F32, allow: F32, bound: I32, travel: float, hull: F32, gap: F32, pair: I32, state: F64, number: F64
) -> None:
    """List every pair that can come nearer than `near` while no arm goes farther than `travel` m from the raw pose."""
    reach, across = number[NEAR] + travel, number[NEAR] + 2.0 * travel
    state[1] = travel
    if number[BUCKETS] > 0.0:
        state[0] = gaps.near(single, allow, bound, reach, across, hull, gap, pair)
    else:
        gaps.fill(single, allow, bound, gap)
        state[0] = gaps.among(gap, bound, reach, across, pair)


@njit(cache=True, allocates=False)
def least(caps: F64, allow: F32, pair: I32, state: F64, is_free: bool, way: F64) -> float:
    """Return the least gap of the listed pairs, m; with is_free of those that may not overlap at all. way: (6,)."""
    most = 1.0
    for c in range(int(state[0])):
        i, j = pair[c, 0], pair[c, 1]
        if not (is_free and allow[i, j] > 0.0):
            most = min(most, capsule.apart(caps, i, j, way) + float(allow[i, j]))
    return most


@njit(cache=True, allocates=False)
def contacts(caps: F64, allow: F32, pair: I32, state: F64, way: F64, out_pair: I32, point: F64, depth: F64) -> int:
    """Write who is inside whom, the deepest of them if there is no room for all, and return how many were written.

    out_pair: (M, 2) columns; point: (M, 3) m, middle of the overlap; depth: (M,) m beyond the allowance
    """
    found = 0
    for c in range(int(state[0])):
        i, j = pair[c, 0], pair[c, 1]
        gap = capsule.apart(caps, i, j, way)
        left = gap + allow[i, j]
        if left >= 0.0:
            continue
        at = found
        if found < depth.shape[0]:
            found += 1
        else:  # the deepest are kept
            at = 0
            for k in range(1, found):
                if depth[k] < depth[at]:
                    at = k
            if -left <= depth[at]:
                continue
        along = caps[6, i] + 0.5 * gap
        out_pair[at, 0], out_pair[at, 1], depth[at] = i, j, -left
        for k in range(3):
            point[at, k] = way[3 + k] - along * way[k]
    return found


@njit(cache=True, allocates=False)
def project(
    r: F64, ref: F64, rounds: int, still: float, caps: F64, at: F64, single: F32, part: I32, links: F64, allow: F32,
    bound: I32, hull: F32, gap: F32, pair: I32, state: F64, seen: F64, chain: I32, number: F64, rows: F64,
    span: I32, dr: F64, way: F64, quats: F64,
) -> int:  # fmt: skip
    """Change r into the least correction, seen from `ref`, that leaves nothing deeper than its aim; return the rounds.

    r: (18,) rad, where it starts; ref: (18,) rad; still: rad of change that ends it
    chain: (2, 3) i32, joints of the links, -1 where she has none
    dr: (18,), way: (6,), quats: (2, 4): room to work in
    """
    for done in range(rounds):
        gone = capsule.bend(r, caps, part, bound, links, at)
        if gone + state[2] > state[1]:
            survey(single, allow, bound, gone + state[2] + number[SLACK], hull, gap, pair, state, number)
        count = linearise(
            r, number[NEAR] + apart(r, ref), ROWS, at, part, links, allow, bound, pair, state, seen, chain, number,
            rows, span, way, quats,
        )  # fmt: skip
        for k in range(18):
            dr[k] = ref[k] - r[k]
        _settle(rows, span, count, dr)
        most = 0.0
        for k in range(18):
            most = max(most, abs(dr[k]))
        share = min(1.0 if done < _WHOLE else 0.5, _CAP / max(most, _CAP))  # two solutions may call each other
        for k in range(18):
            r[k] += share * dr[k]
        if most < still:
            return done + 1
    return rounds


@njit(cache=True, allocates=False)
def linearise(
    r: F64, near: float, most: int, at: F64, part: I32, links: F64, allow: F32, bound: I32, pair: I32, state: F64,
    seen: F64, chain: I32, number: F64, rows: F64, span: I32, way: F64, quats: F64,
) -> int:  # fmt: skip
    """Write the rows of a pose under r, contacts nearer than `near` m and wrists, and return how many, `most` or less.

    at: the capsules as they stand under r
    """
    count = most + 1
    for _ in range(_HALVINGS):
        count = _rows(
            r, at, part, links, allow, bound, pair, int(state[0]), near, number[MARGIN], most, rows, span, way
        )
        if count <= most:
            break
        near *= 0.5
    count = min(count, most - _SPARE)
    if count > 0:
        for side in range(2):
            if chain[side, 2] >= 0:
                count = _limit(r, side, seen[side], number, rows, span, count, way, quats)
    return count


@njit(cache=True, allocates=False)
def apart(r: F64, ref: F64) -> float:
    """Return how far a hand may be on the way from one correction to another, m.

    A pair that keeps the arm off where it is going has to be in the list even if it is far off where the arm is now:
    without it the arm goes back in, and out again in the next round.
    """
    total = 0.0
    for k in range(18):
        total += METRIC[k % 9 // 3] * abs(r[k] - ref[k])
    return total


@njit(cache=True, allocates=False)
def _rows(
    r: F64, at: F64, part: I32, links: F64, allow: F32, bound: I32, pair: I32, listed: int, near: float,
    margin: float, most: int, rows: F64, span: I32, way: F64,
) -> int:  # fmt: skip
    """Write one row a pair that is nearer than `near`: row . dr >= rhs; return how many, most + 1 if too many."""
    count, body = 0, bound[gaps.BODY]
    for c in range(listed):
        i, j = pair[c, 0], pair[c, 1]
        kept = float(allow[i, j])
        surface = capsule.apart(at, i, j, way)
        if not surface + kept < near:  # also when it is not a number
            continue
        if count >= most - _SPARE:
            return most + 1
        row = rows[count]
        span[count, 0] = 9 * (part[i] // 3)
        span[count, 1] = _slopes(r, int(part[i]), links, way, 1.0, row)
        if j < body:  # the other arm gives way too
            for k in range(span[count, 1], 9):
                row[k] = 0.0
            between = surface + at[6, i] + at[6, j]
            for k in range(3):
                way[3 + k] -= between * way[k]
            span[count, 1] = _slopes(r, int(part[j]), links, way, -1.0, row)
        row[RHS] = (margin if kept <= 0.0 else 0.0) - surface - kept  # no margin on top of what touches naturally
        row[GIVE] = _FIRM
        count += 1
    return count


@njit(cache=True, allocates=False)
def _slopes(r: F64, last: int, links: F64, way: F64, sign: float, row: F64) -> int:
    """Write how a gap grows with one arm's correction and return where its part of the row ends.

    d gap = n . (w x (p - joint)) for a turn w of each link up to `last`, 3 side + link; a change of its rotation vector
    turns a link by the left Jacobian of the rotation times that change.
    """
    side = last // 3
    for link in range(last % 3 + 1):
        me, k = links[side, link], 9 * side + 3 * link
        qx, qy, qz = way[3] - me[3], way[4] - me[4], way[5] - me[5]
        nx, ny, nz = sign * way[0], sign * way[1], sign * way[2]
        wx, wy, wz = qy * nz - qz * ny, qz * nx - qx * nz, qx * ny - qy * nx
        if link > 0:
            up = links[side, link - 1]
            wx, wy, wz = (
                up[6] * wx + up[9] * wy + up[12] * wz,
                up[7] * wx + up[10] * wy + up[13] * wz,
                up[8] * wx + up[11] * wy + up[14] * wz,
            )
        x, y, z = r[k], r[k + 1], r[k + 2]
        square = x * x + y * y + z * z
        if square > 1e-6:
            angle = math.sqrt(square)
            b, c = (1.0 - math.cos(angle)) / square, (1.0 - math.sin(angle) / angle) / square
            ux, uy, uz = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
            wx, wy, wz = (
                wx - b * ux + c * (y * uz - z * uy),
                wy - b * uy + c * (z * ux - x * uz),
                wz - b * uz + c * (x * uy - y * ux),
            )
        row[k], row[k + 1], row[k + 2] = wx, wy, wz
    return 9 * side + 3 * (last % 3 + 1)


@njit(cache=True, allocates=False)
def _limit(r: F64, side: int, seen: F64, number: F64, rows: F64, span: I32, count: int, slope: F64, quats: F64) -> int:
    """Append a wrist's rows: no farther than the ellipse, or than the motion itself has it, and not gladly near it."""
    limit, first = number[FLEXION : FLEXION + 4], 9 * side + 6
    here = wrist.slope(seen, r[first : first + 3], side, limit, quats, slope)
    raw = wrist.share(seen, 0.0, 0.0, 0.0, side, limit, quats)
    for turn in range(2):
        most = max(number[SOFT] if turn == 0 else 1.0, raw)
        if here < most - 0.4:
            continue
        for k in range(3):
            rows[count, first + k] = -_BENT * slope[k]
        span[count, 0], span[count, 1] = first, first + 3
        rows[count, RHS] = _BENT * (here - most)
        rows[count, GIVE] = _WRIST_SOFT if turn == 0 else _WRIST_FIRM
        count += 1
    return count


@njit(cache=True, allocates=False)
def _settle(rows: F64, span: I32, count: int, dr: F64) -> None:
    """Change dr into the nearest step, in the metric, with row . dr + give mu >= rhs of every row."""
    for c in range(count):
        row, total = rows[c], rows[c, GIVE]
        for k in range(span[c, 0], span[c, 1]):
            metres = METRIC[k % 9 // 3]
            row[_SCALED + k] = row[k] / (metres * metres)
            total += row[k] * row[_SCALED + k]
        row[_MU], row[_INVERSE] = 0.0, 1.0 / total
    for _ in range(_SWEEPS):
        most = 0.0
        for c in range(count):
            row, first, end = rows[c], span[c, 0], span[c, 1]
            short = row[RHS] - row[GIVE] * row[_MU]
            for k in range(first, end):
                short -= row[k] * dr[k]
            step = max(short * row[_INVERSE], -row[_MU])
            if step != 0.0:
                row[_MU] += step
                for k in range(first, end):
                    dr[k] += row[_SCALED + k] * step
                most = max(most, abs(step) / row[_INVERSE])
        if most < _STILL:
            return
