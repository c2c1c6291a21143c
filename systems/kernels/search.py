"""Which rows of a repertoire continue best from where she is: three distances each, then the least sum of ranks.

The features are copied once into blocks of rows, `pack`: [block, feature, row in the block], so that one instruction
works on several rows. A block's audio is read only if one of its rows is in reach. All sums are float64 of the stored
float32, always in the same order, so that equal rows are equally far.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from .arrays import F32, F64, I32, Bool
from .compiled import njit
from .ranks import AUDIO, POSE, TIMBRE, Ranking, least, ranking

JOINTS, ENVELOPE, COEFFICIENTS = 8, 60, 13  # gated joints, samples and coefficients of a row
BLOCK = 256  # rows; 128 to 1024 differ by less than a tenth, and small blocks are skipped more often

_AUDIO_AT, _TIMBRE_AT = 4 * JOINTS, 4 * JOINTS + ENVELOPE
_FEATURES = _TIMBRE_AT + COEFFICIENTS
_HUGE = 1e150  # beyond it a query's square is no number any more
_NEAR = 0.3  # square of the chord up to which the series holds to the last digit: angles up to 63 degrees

# angle^2 = 16 asin^2(chord / 2) = 8 sum of s^n / (n^2 binomial(2n, n)) with s = chord^2: the series of asin^2
_C = tuple(8.0 / (n * n * math.comb(2 * n, n)) for n in range(1, 14))

Packed: TypeAlias = "tuple[F32, I32, Bool]"
Workspace: TypeAlias = "tuple[I32, F64, F64, I32, Ranking]"


def pack(pose: F32, envelope: F32, timbre: F32, voiced: Bool, keep: Bool) -> Packed:
    """Return the features of the rows to keep, as the kernels read them; rows that are not finite are left out.

    pose: (W, 8, 4) wxyz unit; envelope: (W, 60); timbre: (W, 13), where voiced (W,); keep: (W,)
    """
    count = pose.shape[0]
    features = np.zeros((count, _FEATURES), np.float32)
    features[:, :_AUDIO_AT] = pose.reshape(count, _AUDIO_AT)
    features[:, _AUDIO_AT:_TIMBRE_AT] = envelope
    features[:, _TIMBRE_AT:] = np.where(voiced[:, None], timbre, np.float32(0.0))
    row = np.flatnonzero(keep & np.isfinite(features).all(axis=1)).astype(np.int32)
    blocks = -(-row.size // BLOCK)
    padded = np.zeros((blocks * BLOCK, _FEATURES), np.float32)
    padded[: row.size] = features[row]
    block = np.ascontiguousarray(padded.reshape(blocks, BLOCK, _FEATURES).transpose(0, 2, 1))
    return block, row, np.ascontiguousarray(voiced[row])


def workspace(rows: int, k: int) -> Workspace:
    """Return the arrays that one search at a time works in. rows: of the packed repertoire; k: results asked for."""
    return (
        np.zeros(rows, np.int32),  # eligible rows
        np.zeros(rows),  # square of the largest chord of each
        np.zeros((JOINTS + 4, BLOCK)),  # one block's: chords, largest, pose, envelope, timbre
        np.zeros(BLOCK, np.int32),  # its eligible rows
        ranking(max(rows, 1), max(k, 1)),
    )


@njit(cache=True)
def angle(square: float) -> float:
    """Return the rotation's angle, rad 0..pi, from the square of its chord (`chords`)."""
    return 4.0 * math.asin(min(0.5 * math.sqrt(square), math.sqrt(0.5)))


@njit(cache=True)
def _square_of(limit: float) -> float:
    """Return the largest square of a chord whose `angle` is within the limit, to the last digit."""
    if not limit >= 0.0:
        return -1.0
    if limit >= math.pi:
        return math.inf
    square = 4.0 * math.sin(0.25 * limit) ** 2 * (1.0 + 1e-15)
    while angle(square) > limit:
        square *= 1.0 - 1.2e-16
    return square


@njit(cache=True)
def chords(block: F32, count: int, here: F64, scratch: F64) -> None:
    """Write |a|^2 + |b|^2 - 2 |a.b|, the squares of the chords from `here` to each row's rotations, and the largest.

    For unit quaternions chord = 2 sin(angle / 4), exact near 0, where acos(|a.b|) of float32 rows is off by 0.05 deg.

    block: (features, BLOCK); count: rows in it; here: (8, 4); scratch: rows 0..7 the squares, row 8 the largest
    """
    largest = scratch[JOINTS, :count]
    for e in range(count):
        largest[e] = 0.0
    for j in range(JOINTS):
        hw, hx, hy, hz = here[j, 0], here[j, 1], here[j, 2], here[j, 3]
        own = (hw * hw + hx * hx) + (hy * hy + hz * hz)
        rw, rx, ry, rz = (
            block[4 * j, :count],
            block[4 * j + 1, :count],
            block[4 * j + 2, :count],
            block[4 * j + 3, :count],
        )
        square = scratch[j, :count]
        for e in range(count):
            w, x, y, z = np.float64(rw[e]), np.float64(rx[e]), np.float64(ry[e]), np.float64(rz[e])
            dot = abs((w * hw + x * hx) + (y * hy + z * hz))
            s = max(((w * w + x * x) + (y * y + z * z)) + own - 2.0 * dot, 0.0)
            square[e] = s
            largest[e] = max(largest[e], s)


@njit(cache=True)
def _series(s: float) -> float:
    """Return the square of the angle, rad^2, of a chord whose square s is at most _NEAR. Written out: a loop over the
    coefficients keeps the compiler from working on several rows at once (2.0 ms for 36 000 rows, 0.4 ms so).
    """
    v = _C[8] + s * (_C[9] + s * (_C[10] + s * (_C[11] + s * _C[12])))
    v = _C[3] + s * (_C[4] + s * (_C[5] + s * (_C[6] + s * (_C[7] + s * v))))
    return s * (_C[0] + s * (_C[1] + s * (_C[2] + s * v)))


@njit(cache=True)
def _pose(count: int, scratch: F64) -> None:
    """Write the sum of the 8 squared angles of each row, rad^2, into scratch row 9, from what `chords` wrote."""
    total, largest = scratch[JOINTS + 1, :count], scratch[JOINTS, :count]
    for e in range(count):
        total[e] = 0.0
    for j in range(JOINTS):
        square = scratch[j, :count]
        for e in range(count):
            total[e] += _series(square[e])
    for e in range(count):
        if largest[e] > _NEAR:  # only where the limit allows it; joint by joint, so that equal chords stay equal
            v = 0.0
            for j in range(JOINTS):
                s = scratch[j, e]
                v += _series(s) if s <= _NEAR else angle(s) ** 2
            total[e] = v


@njit(cache=True)
def _apart(column: F32, count: int, query: F64, total: F64) -> None:
    """Write the squared distance of each row. column: (n, BLOCK), query: (n,), n not a multiple of 4 or one."""
    n = query.shape[0]
    out = total[:count]
    for e in range(count):
        out[e] = 0.0
    for k in range(0, n - 3, 4):
        q0, q1, q2, q3 = query[k], query[k + 1], query[k + 2], query[k + 3]
        c0, c1, c2, c3 = column[k, :count], column[k + 1, :count], column[k + 2, :count], column[k + 3, :count]
        for e in range(count):
            d0, d1, d2, d3 = c0[e] - q0, c1[e] - q1, c2[e] - q2, c3[e] - q3
            out[e] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
    for k in range(n - n % 4, n):
        q0, c0 = query[k], column[k, :count]
        for e in range(count):
            d0 = c0[e] - q0
            out[e] += d0 * d0


@njit(cache=True)
def is_usable(query: F64) -> bool:
    """Return whether every number of a query is finite and its square too. query: (n,)."""
    usable = True
    for k in range(query.shape[0]):
        usable &= abs(query[k]) < _HUGE
    return usable


@njit(cache=True, nogil=True)
def distances(
    packed: Packed,
    legal: Bool,
    here: F64,
    envelope: F64,
    timbre: F64,
    has_timbre: bool,
    limit: float,
    first: int,
    stop: int,
    count: int,
    work: Workspace,
) -> tuple[int, int]:
    """Add the eligible rows of some blocks to `work` and return (eligible rows so far, legal rows refused for jump).

    Eligible = legal and the largest of the 8 angles within the limit. Blocks may be done in slices, in order.

    packed: from `pack`; legal: (W,) of all rows; here: (8, 4) wxyz unit, where she is; envelope: (60,) dB, mean
    removed; timbre: (13,); limit: rad; first, stop: blocks; count: eligible rows of the blocks before, 0 at first

    An envelope or a timbre that is not finite counts for nothing, all rows are equally far; a `here` that is not
    finite reaches nothing.
    """
    block, row, voiced = packed
    eligible, square, scratch, chosen, lists = work
    distance = lists[0]
    bound = _square_of(limit)
    if not is_usable(here.reshape(4 * JOINTS)):
        bound = -1.0
    hears, knows = is_usable(envelope), has_timbre and is_usable(timbre)
    refused = 0
    largest, pose, audio, colour = scratch[JOINTS], scratch[JOINTS + 1], scratch[JOINTS + 2], scratch[JOINTS + 3]
    for b in range(first, stop):
        start = b * BLOCK
        n = min(BLOCK, row.shape[0] - start)
        chords(block[b], n, here, scratch)
        reached, banned = 0, 0
        for e in range(n):  # without a branch: which rows pass is as good as random
            allowed = legal[row[start + e]]
            chosen[reached] = e
            reached += allowed & (largest[e] <= bound)
            banned += not allowed
        refused += n - banned - reached
        if reached == 0:
            continue
        _pose(n, scratch)
        if hears:
            _apart(block[b, _AUDIO_AT:_TIMBRE_AT], n, envelope, audio)
        if knows:
            _apart(block[b, _TIMBRE_AT:], n, timbre, colour)
        for i in range(reached):
            e = chosen[i]
            eligible[count + i] = row[start + e]
            square[count + i] = largest[e]
            distance[POSE, count + i] = pose[e]
            distance[AUDIO, count + i] = audio[e] if hears else 0.0
            distance[TIMBRE, count + i] = colour[e] if knows and voiced[start + e] else -1.0
        count += reached
    return count, refused


@njit(cache=True, nogil=True)
def rank(count: int, work: Workspace, rows: I32, ranks: I32, jump: F64) -> int:
    """Write the first K eligible rows by rank sum and return how many there are (`ranks.least`).

    count: from `distances`; rows: (K,) i32 repertoire rows; ranks: (K, 3) i32 audio, timbre, pose; jump: (K,) rad
    """
    eligible, square, _, _, lists = work
    listed = least(lists, count, rows, ranks)
    for i in range(listed):
        e = rows[i]
        rows[i] = eligible[e]
        jump[i] = angle(square[e])
    return listed


@njit(cache=True, nogil=True)
def nearest(packed: Packed, legal: Bool, here: F64, work: Workspace) -> tuple[int, float]:
    """Return the legal row of the least jump, the first of equals, and that jump in rad; (-1, inf) if there is none.

    For a forced cut: no limit holds. packed, legal, here, work as in `distances`.
    """
    block, row, _ = packed
    scratch = work[2]
    found, least_square = -1, math.inf
    if is_usable(here.reshape(4 * JOINTS)):
        for b in range(block.shape[0]):
            start = b * BLOCK
            n = min(BLOCK, row.shape[0] - start)
            chords(block[b], n, here, scratch)
            for e in range(n):
                if scratch[JOINTS, e] < least_square and legal[row[start + e]]:
                    found, least_square = row[start + e], scratch[JOINTS, e]
    return found, angle(least_square) if found >= 0 else math.inf


def best(
    packed: Packed,
    legal: Bool,
    here: F64,
    envelope: F64,
    timbre: F64,
    has_timbre: bool,
    limit: float,
    work: Workspace,
    rows: I32,
    ranks: I32,
    jump: F64,
) -> tuple[int, int, int]:
    """Write the K best rows in order and return (how many, how many were eligible, how many refused for jump).

    Order: sum of the three ranks, then pose rank, then row; ranks among the eligible only. Arguments as in
    `distances` and `rank`.
    """
    count, refused = distances(packed, legal, here, envelope, timbre, has_timbre, limit, 0, packed[0].shape[0], 0, work)
    return rank(count, work, rows, ranks, jump), count, refused
