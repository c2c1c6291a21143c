"""Rows of a large repertoire in half the room, whole numbers of 16 bit, and how far they are from several questions.

What is stored is what counts. Envelope and timbre are exact sums of whole numbers; a chord is a float32 of relative
precision, always in the same order: neither slices nor how many questions share a pass change a distance.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .arrays import F32, F64, I32, Bool
from .compiled import njit
from .rows import COEFFICIENTS, ENVELOPE, JOINTS, angle

I16: TypeAlias = "npt.NDArray[np.int16]"
Compact: TypeAlias = "tuple[I16, I16, I32, I32, Bool]"
Questions: TypeAlias = "tuple[I16, I16, I16, Bool, Bool, F32, I32]"
Scratch: TypeAlias = "tuple[F32, F32, F32, I32]"

BLOCK = 256  # rows whose features lie side by side: with their envelopes they fit the caches that every core has
ONE = 32700  # the length of a stored unit quaternion, rounding included within 16 bit
DECIBEL, MOST_DB = 64, 2900  # steps a dB and the most of them: 60 squares of twice that are a number of 32 bit
COEFFICIENT, MOST_COEFFICIENT = 16, 4000  # the same for timbre, which spreads further
SOUNDS = 64  # numbers of a stored envelope: its 60, two that are 0, its square sum as one of 32 bit
FAR = np.int32(2**31 - 1)  # the distance of what is no choice, and of a voiceless row's timbre
POSE_STEPS = 2.0**24  # of a rad^2: finer than a float32 of the sum, and 8 times pi^2 is still a number of 32 bit
ROUNDING = 2.5e-4  # rad, by which a stored angle may be off: twice the worst of four components rounded on both sides

_TIMBRE_AT = 4 * JOINTS
_FEATURES = _TIMBRE_AT + COEFFICIENTS
_SUM = SOUNDS // 2 - 1  # where the square sum stands among the pairs of an envelope
_SQUARE = float(ONE * ONE)
_NEAR = 0.3  # square of the chord up to which three terms of the series hold to 6e-5: angles up to 63 degrees
_C = tuple(np.float32(8.0 / (n * n * math.comb(2 * n, n)) / _SQUARE**n) for n in range(1, 4))  # see rows.py


def padded(voiced: Bool) -> Bool:
    """Return one value for each row of whole blocks."""
    out = np.zeros(-(-voiced.size // BLOCK) * BLOCK, bool)
    out[: voiced.size] = voiced
    return out


def quaternions(q: F32 | F64) -> I16:
    """Return unit quaternions as they are stored, any shape."""
    return np.rint(np.asarray(q) * ONE).astype(np.int16)


def envelopes(envelope: F32 | F64) -> I16:
    """Return (n, SOUNDS) i16 of (n, 60) dB; what is louder or softer than 45 dB is cut."""
    out = np.zeros((len(envelope), SOUNDS), np.int16)
    out[:, :ENVELOPE] = np.rint(np.clip(envelope * DECIBEL, -MOST_DB, MOST_DB))
    squares = (out.astype(np.int32) ** 2).sum(axis=1, dtype=np.int32)
    out.view(np.int32)[:, _SUM] = squares
    return out


def timbres(timbre: F32 | F64) -> I16:
    """Return coefficients as they are stored, any shape; what is beyond 250 is cut."""
    return np.rint(np.clip(timbre * COEFFICIENT, -MOST_COEFFICIENT, MOST_COEFFICIENT)).astype(np.int16)


def pack(pose: F32, envelope: F32, timbre: F32, voiced: Bool, keep: Bool) -> Compact:
    """Return (features, sound, its pairs, row, voiced) of the rows to keep; rows that are not finite are left out.

    The arrays may lie in a file: a few thousand rows are read at a time.

    pose: (W, 8, 4) wxyz unit; envelope: (W, 60); timbre: (W, 13), where voiced (W,); keep: (W,)
    features: (N, 45, BLOCK) i16, quaternions and timbre; sound: (N * BLOCK, SOUNDS) i16, of `envelopes`; pairs: the
    same memory, (N * BLOCK, SOUNDS / 2) i32
    row: (n,) i32 ascending, the row each packed one is; voiced: (N * BLOCK,)
    """
    row = np.flatnonzero(keep).astype(np.int32)
    step = 16 * BLOCK
    fine = np.ones(row.size, bool)
    for at in range(0, row.size, step):
        some = row[at : at + step]
        fine[at : at + step] = (
            np.isfinite(pose[some]).all(axis=(1, 2)) & np.isfinite(envelope[some]).all(axis=1)
            & (np.isfinite(timbre[some]).all(axis=1) | ~voiced[some])
        )  # fmt: skip
    row = row[fine]
    blocks = -(-row.size // BLOCK)
    features = np.zeros((blocks, _FEATURES, BLOCK), np.int16)
    sound = np.zeros((blocks * BLOCK, SOUNDS), np.int16)
    for at in range(0, row.size, step):
        some = row[at : at + step]
        n = some.size
        whole = np.zeros((-(-n // BLOCK) * BLOCK, _FEATURES), np.int16)
        whole[:n, :_TIMBRE_AT] = quaternions(pose[some]).reshape(n, _TIMBRE_AT)
        whole[:n, _TIMBRE_AT:] = timbres(np.where(voiced[some, None], timbre[some], np.float32(0.0)))
        first = at // BLOCK
        features[first : first + len(whole) // BLOCK] = whole.reshape(-1, BLOCK, _FEATURES).transpose(0, 2, 1)
        sound[at : at + n] = envelopes(envelope[some])
    return features, sound, sound.view(np.int32), row, padded(voiced[row])


def scratch() -> Scratch:
    """Return the arrays that `sweep` works in, of one block each."""
    return (
        np.zeros((_TIMBRE_AT, BLOCK), np.float32),  # quaternions
        np.zeros((JOINTS, BLOCK), np.float32),  # twice the square of a stored one and of the question's, about 4 ONE^2
        np.zeros((2, BLOCK), np.float32),  # pose, largest chord
        np.zeros((5, BLOCK), np.int32),  # three distances, whether in reach, whether a candidate
    )


def questions(here: F64, envelope: F64, timbre: F64, has_timbre: Bool, limit: F64, barred: list[I32]) -> Questions:
    """Return Q questions as the kernels read them; what is not finite counts for nothing or reaches nothing.

    here: (Q, 8, 4) wxyz unit; envelope: (Q, 60) dB; timbre: (Q, 13), where has_timbre (Q,); limit: (Q,) rad
    barred: of each, packed rows that may not be picked, ascending
    """
    here, count = here.reshape(len(here), _TIMBRE_AT), len(here)
    is_somewhere: Bool = np.asarray(np.isfinite(here).all(axis=1))
    hears: Bool = np.asarray(np.isfinite(envelope).all(axis=1))
    knows: Bool = np.asarray(np.isfinite(timbre).all(axis=1) & has_timbre)
    asked = envelopes(np.where(hears[:, None], envelope, 0.0))
    asked[:, ENVELOPE:] = 0
    bound = np.where(is_somewhere, [most(float(rad)) for rad in limit], -1.0).astype(np.float32)
    bars = np.full((count, 1 + max((len(b) for b in barred), default=0)), FAR, np.int32)
    for q, some in enumerate(barred):
        bars[q, : len(some)] = some
    tone = timbres(np.where(knows[:, None], timbre, 0.0))
    return quaternions(np.where(is_somewhere[:, None], here, 0.0)), asked, tone, hears, knows, bound, bars


def most(limit: float) -> float:
    """Return the largest square of a stored chord that is surely within a limit in rad; -1 for none."""
    limit -= ROUNDING
    if not limit >= 0.0:
        return -1.0
    return 4.0 * _SQUARE * (1.0 if limit >= math.pi else math.sin(0.25 * limit) ** 2)


@njit(cache=True, allocates=False, nogil=True)
def unpack(feature: I16, number: F32, own: F32) -> None:
    """Write the stored quaternions of a block as floats, and twice the square of each."""
    for j in range(JOINTS):
        for k in range(4 * j, 4 * j + 4):
            column, out = feature[k], number[k]
            for e in range(BLOCK):
                out[e] = np.float32(column[e])
        w, x, y, z, twice = number[4 * j], number[4 * j + 1], number[4 * j + 2], number[4 * j + 3], own[j]
        for e in range(BLOCK):
            twice[e] = np.float32(2.0) * ((w[e] * w[e] + x[e] * x[e]) + (y[e] * y[e] + z[e] * z[e]))


@njit(cache=True, allocates=False, nogil=True)
def chords(number: F32, own: F32, here: I16, total: F32, largest: F32) -> None:
    """Write the sum of the squared angles, rad^2, and the largest square of a chord of each row of a block.

    |a + b|^2 = 2 |a|^2 + 2 |b|^2 - |a - b|^2: the smaller one counts, both are one rotation. here: (32,) as stored
    """
    c1, c2, c3 = _C
    for e in range(BLOCK):
        total[e] = np.float32(0.0)
        largest[e] = np.float32(0.0)
    for j in range(JOINTS):
        w, x, y, z, twice = number[4 * j], number[4 * j + 1], number[4 * j + 2], number[4 * j + 3], own[j]
        hw, hx = np.float32(here[4 * j]), np.float32(here[4 * j + 1])
        hy, hz = np.float32(here[4 * j + 2]), np.float32(here[4 * j + 3])
        theirs = np.float32(2.0) * ((hw * hw + hx * hx) + (hy * hy + hz * hz))
        for e in range(BLOCK):
            a, b, c, d = w[e] - hw, x[e] - hx, y[e] - hy, z[e] - hz
            s = (a * a + b * b) + (c * c + d * d)
            s = min(s, (twice[e] + theirs) - s)
            largest[e] = max(largest[e], s)
            total[e] += s * (c1 + s * (c2 + s * c3))


@njit(cache=True, allocates=False, nogil=True)
def _wide(number: F32, own: F32, here: I16, e: int) -> float:
    """Return the sum of the squared angles of a row with one beyond _NEAR, rad^2."""
    total = 0.0
    for j in range(JOINTS):
        s, theirs = 0.0, 0.0
        for k in range(4 * j, 4 * j + 4):
            s += (float(number[k, e]) - here[k]) ** 2
            theirs += 2.0 * float(here[k]) ** 2
        total += angle(max(min(s, own[j, e] + theirs - s), 0.0) / _SQUARE) ** 2
    return total


@njit(cache=True, allocates=False, nogil=True)
def _timbres(feature: I16, asked: I16, total: I32) -> None:
    """Write the squared distance of each row's timbre. asked: (13,)."""
    for e in range(BLOCK):
        total[e] = 0
    for k in range(COEFFICIENTS):
        column, number = feature[_TIMBRE_AT + k], np.int32(asked[k])
        for e in range(BLOCK):
            d = np.int32(np.int32(column[e]) - number)
            total[e] = np.int32(total[e] + np.int32(d * d))


@njit(cache=True, allocates=False, nogil=True)
def _envelopes(sound: I16, pairs: I32, asked: I16, near: I32, total: I32) -> None:
    """Write the squared distance of each near row's envelope.

    |a - b|^2 = |a|^2 + |b|^2 - 2 a.b: with the square sums stored, one multiplication a number is left.
    """
    mine = np.int32(0)
    for k in range(SOUNDS):
        mine = np.int32(mine + np.int32(np.int32(asked[k]) * np.int32(asked[k])))
    for e in range(BLOCK):
        if near[e]:
            dot = np.int32(0)
            for k in range(SOUNDS):
                dot = np.int32(dot + np.int32(np.int32(sound[e, k]) * np.int32(asked[k])))
            total[e] = np.int32(pairs[e, _SUM] + mine - 2 * dot)


@njit(cache=True, allocates=False, nogil=True)
def _bar(barred: I32, at: int, near: I32) -> None:
    """Take out what may not be picked of a block that begins at a packed row. barred: ascending, the last FAR."""
    low, high = 0, barred.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if barred[middle] < at:
            low = middle + 1
        else:
            high = middle
    while barred[low] < at + BLOCK:
        near[barred[low] - at] = 0
        low += 1


@njit(cache=True, allocates=False, nogil=True)
def distances(packed: Compact, asked: Questions, q: int, b: int, work: Scratch) -> tuple[int, int]:
    """Write three distances of each row of a block from a question; return how many count in pose and in timbre.

    Rows 0..2 of the whole-number scratch: audio, squares of 1/64 dB; timbre, squares of 1/16; pose, 2^-24 rad^2. FAR
    where a row is out of reach, barred or, in timbre, without one. `unpack` goes before, once for all questions.

    q: which question; b: block
    """
    features, sound, pairs, row, voiced = packed
    heres, envelope, timbre, hears, knows, bounds, bars = asked
    number, own, pose, whole = work
    at = b * BLOCK
    bound = bounds[q]
    total, largest = pose[0], pose[1]
    audio, tone, turned, near = whole[0], whole[1], whole[2], whole[3]
    chords(number, own, heres[q], total, largest)
    for e in range(BLOCK):
        near[e] = largest[e] <= bound
    for e in range(row.shape[0] - at, BLOCK):  # the last block ends with rows that are none
        near[e] = 0
    _bar(bars[q], at, near)
    reached, none = np.int32(0), np.int32(0)
    for e in range(BLOCK):
        reached = np.int32(reached + near[e])
        turned[e] = np.int32(total[e] * np.float32(POSE_STEPS)) if near[e] else FAR
        audio[e] = none if near[e] else FAR
    if reached == 0 or not knows[q]:
        for e in range(BLOCK):
            tone[e] = FAR
    if reached == 0:
        return 0, 0
    if bound > _NEAR * _SQUARE:  # never at the usual limit
        for e in range(BLOCK):
            if near[e] and largest[e] > _NEAR * _SQUARE:
                turned[e] = np.int32(_wide(number, own, heres[q], e) * POSE_STEPS)
    if hears[q]:
        _envelopes(sound[at : at + BLOCK], pairs[at : at + BLOCK], envelope[q], near, audio)
    with_timbre = np.int32(0)
    if knows[q]:
        _timbres(features[b], timbre[q], tone)
        heard = voiced[at : at + BLOCK]
        for e in range(BLOCK):
            is_heard = np.int32(np.int32(heard[e]) & near[e])
            tone[e] = tone[e] if is_heard else FAR
            with_timbre = np.int32(with_timbre + is_heard)
    return int(reached), int(with_timbre)


@njit(cache=True, allocates=False, nogil=True)
def measure(packed: Compact, asked: Questions, q: int, first: int, stop: int, work: Scratch, out: I32) -> None:
    """Write all distances of some blocks from one question. out: (3, N * BLOCK) i32, as `distances` has them."""
    for b in range(first, stop):
        unpack(packed[0][b], work[0], work[1])
        distances(packed, asked, q, b, work)
        for x in range(3):
            values, written = work[3][x], out[x, b * BLOCK : (b + 1) * BLOCK]
            for e in range(BLOCK):
                written[e] = values[e]


@njit(cache=True, allocates=False, nogil=True)
def nearest(packed: Compact, here: I16, work: Scratch) -> tuple[int, float]:
    """Return the row of the least jump, the first of equals, and the square of its stored chord; (-1, inf) for none.

    For a forced cut: no limit holds. here: (32,) as stored
    """
    features, _, _, row, _ = packed
    number, own, pose, _ = work
    total, largest = pose[0], pose[1]
    found, least = -1, math.inf
    for b in range(features.shape[0]):
        at = b * BLOCK
        unpack(features[b], number, own)
        chords(number, own, here, total, largest)
        for e in range(min(BLOCK, row.shape[0] - at)):
            if largest[e] < least:
                found, least = row[at + e], float(largest[e])
    return found, least
