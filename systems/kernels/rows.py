"""Rows of a repertoire packed in blocks, and how far each row of a block is from a query.

A block is [feature, row in the block], so that one instruction works on several rows. All sums are float64 of the
stored float32, always in the same order: equal rows are equally far.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from .arrays import F32, F64, I32, Bool
from .compiled import njit

JOINTS, ENVELOPE, COEFFICIENTS = 8, 60, 13  # gated joints, samples and coefficients of a row
BLOCK = 1024  # rows: a feature of so many fills a page, and memory is fetched ahead by the page; 256 took 1.3 x cold
AUDIO_AT, TIMBRE_AT = 4 * JOINTS, 4 * JOINTS + ENVELOPE  # where a block's envelope and timbre begin
LARGEST, POSE = JOINTS, JOINTS + 1  # rows of the scratch after the 8 chords

_FEATURES = TIMBRE_AT + COEFFICIENTS
_HUGE = 1e150  # beyond it a query's square is no number any more
_NEAR = 0.3  # square of the chord up to which the series holds to the last digit: angles up to 63 degrees

# angle^2 = 16 asin^2(chord / 2) = 8 sum of s^n / (n^2 binomial(2n, n)) with s = chord^2: the series of asin^2
_C = tuple(8.0 / (n * n * math.comb(2 * n, n)) for n in range(1, 14))

Packed: TypeAlias = "tuple[F32, I32, Bool]"


def pack(pose: F32, envelope: F32, timbre: F32, voiced: Bool, keep: Bool) -> Packed:
    """Return (blocks, row, voiced) of the rows to keep, as the kernels read them; rows not finite are left out.

    Keep the rows that can be legal at all (row_speed within the limit): what is not packed costs nothing in a search.

    pose: (W, 8, 4) wxyz unit; envelope: (W, 60); timbre: (W, 13), where voiced (W,); keep: (W,)
    blocks: (N, 105, BLOCK) f32; row: (n,) i32 ascending, the row each packed one is; voiced: (n,)
    """
    count = pose.shape[0]
    features = np.zeros((count, _FEATURES), np.float32)
    features[:, :AUDIO_AT] = pose.reshape(count, AUDIO_AT)
    features[:, AUDIO_AT:TIMBRE_AT] = envelope
    features[:, TIMBRE_AT:] = np.where(voiced[:, None], timbre, np.float32(0.0))
    row = np.flatnonzero(keep & np.isfinite(features).all(axis=1)).astype(np.int32)
    blocks = -(-row.size // BLOCK)
    padded = np.zeros((blocks * BLOCK, _FEATURES), np.float32)
    padded[: row.size] = features[row]
    block = np.ascontiguousarray(padded.reshape(blocks, BLOCK, _FEATURES).transpose(0, 2, 1))
    return block, row, np.ascontiguousarray(voiced[row])


@njit(cache=True, allocates=False)
def angle(square: float) -> float:
    """Return the rotation's angle, rad 0..pi, from the square of its chord (`chords`)."""
    return 4.0 * math.asin(min(0.5 * math.sqrt(square), math.sqrt(0.5)))


@njit(cache=True, allocates=False)
def chords(block: F32, first: int, count: int, here: F64, scratch: F64) -> None:
    """Write |a|^2 + |b|^2 - 2 |a.b|, the squares of the chords from `here` to each row's rotations, and the largest.

    For unit quaternions chord = 2 sin(angle / 4), exact near 0, where acos(|a.b|) of float32 rows is off by 0.05 deg.

    block: (features, BLOCK); first, count: which of its rows; here: (8, 4)
    scratch: rows 0..7 the squares, row 8 the largest
    """
    largest = scratch[LARGEST, :count]
    for e in range(count):
        largest[e] = 0.0
    for j in range(JOINTS):
        hw, hx, hy, hz = here[j, 0], here[j, 1], here[j, 2], here[j, 3]
        own = (hw * hw + hx * hx) + (hy * hy + hz * hz)
        stop = first + count
        rw, rx, ry, rz = (
            block[4 * j, first:stop],
            block[4 * j + 1, first:stop],
            block[4 * j + 2, first:stop],
            block[4 * j + 3, first:stop],
        )
        square = scratch[j, :count]
        for e in range(count):
            w, x, y, z = np.float64(rw[e]), np.float64(rx[e]), np.float64(ry[e]), np.float64(rz[e])
            dot = abs((w * hw + x * hx) + (y * hy + z * hz))
            s = max(((w * w + x * x) + (y * y + z * z)) + own - 2.0 * dot, 0.0)
            square[e] = s
            largest[e] = max(largest[e], s)


@njit(cache=True, allocates=False)
def _series(s: float) -> float:
    """Return the square of the angle, rad^2, of a chord whose square s is at most _NEAR."""
    v = _C[12]
    for n in range(11, -1, -1):
        v = _C[n] + s * v
    return s * v


@njit(cache=True, allocates=False)
def pose(count: int, bound: float, scratch: F64) -> None:
    """Write the sum of the 8 squared angles of each row, rad^2, into scratch row 9, from what `chords` wrote.

    Rows with a chord whose square is beyond the bound get some number.
    """
    total, largest = scratch[POSE, :count], scratch[LARGEST, :count]
    for e in range(count):
        total[e] = 0.0
    for j in range(JOINTS):
        square = scratch[j, :count]
        for e in range(count):
            total[e] += _series(square[e])
    for e in range(count):
        if _NEAR < largest[e] <= bound:  # never at the usual limit; joint by joint, so that equal chords stay equal
            v = 0.0
            for j in range(JOINTS):
                s = scratch[j, e]
                v += _series(s) if s <= _NEAR else angle(s) ** 2
            total[e] = v


@njit(cache=True, allocates=False)
def apart(column: F32, first: int, count: int, query: F64, total: F64) -> None:
    """Write the squared distance of each row. column: (n, BLOCK), first, count: which of its rows; query: (n,)."""
    n = query.shape[0]
    stop = first + count
    out = total[:count]
    for e in range(count):
        out[e] = 0.0
    for k in range(0, n - 3, 4):
        q0, q1, q2, q3 = query[k], query[k + 1], query[k + 2], query[k + 3]
        c0, c1 = column[k, first:stop], column[k + 1, first:stop]
        c2, c3 = column[k + 2, first:stop], column[k + 3, first:stop]
        for e in range(count):
            d0, d1, d2, d3 = c0[e] - q0, c1[e] - q1, c2[e] - q2, c3[e] - q3
            out[e] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
    for k in range(n - n % 4, n):
        q0, c0 = query[k], column[k, first:stop]
        for e in range(count):
            d0 = c0[e] - q0
            out[e] += d0 * d0


@njit(cache=True, allocates=False)
def is_usable(query: F64) -> bool:
    """Return whether every number of a query is finite and its square too. query: (n,)."""
    usable = True
    for k in range(query.shape[0]):
        usable &= abs(query[k]) < _HUGE
    return usable
