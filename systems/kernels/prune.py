"""The rows with the least sum of three ranks out of millions, exactly: what is far in one list is only counted.

Of n rows whose lists have nothing to do with one another the k-th least sum is about (6 k / n)^(1/3) n, so a row that
lies beyond that in any one list is no candidate. Some thousand rows say where that is; in the pass over all rows each
list keeps the distances up to there, and the rows that are near in all of them. What was kept proves the result, or
asks for another pass that keeps more. Ranks, order and ties are those of `ranks`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from .arrays import F64, I32
from .compact import BLOCK, FAR, SOUNDS, Compact, Questions, Scratch, distances, padded, unpack
from .compiled import njit
from .sorting import I64, below, keep_least, place, sort, unheap

AUDIO, TIMBRE, POSE = 0, 1, 2  # the lists
CANDIDATES, REACHED, TIMBRES = 3, 4, 5  # what is counted after what each list keeps
SAMPLE, SHARE = 8192, 16  # rows that say what is worth keeping, evenly spread, but no more than one of so many
MARGIN = 1.25  # times the share that is kept: bins are coarse, and of 800 sampled rows .14 is right within .012
FEW = 300  # sampled rows in reach below which nothing is left out: they would say too little
_BINS, _SUMS, _SAMPLE, _TAIL = 16384, 1024, 63, 0.9  # as in `ranks`
_COARSE = 1024  # bins in which a sampled quantile is looked up

Kept: TypeAlias = "tuple[I32, I32, I64, I32]"
Ranker: TypeAlias = "tuple[I32, I32, I32, F64, F64, I32, I64, I32]"


def kept(questions: int, rows: int) -> Kept:
    """Return room for what a pass keeps. The system gives memory only to what is written: a tenth as a rule."""
    return (
        np.empty((questions, 3, rows + 1), np.int32),  # distances of each list
        np.empty((questions, 4, rows), np.int32),  # candidates: packed row, its three distances
        np.zeros((questions, 6), np.int64),
        np.zeros((questions, 4), np.int32),  # largest distance kept of each list; whether rows without a timbre are
    )


def ranker(rows: int, k: int) -> Ranker:
    """Return the arrays that `limits` and `first_of` work in. rows: of the packed repertoire; k: results asked for."""
    return (
        np.empty(rows + 6 * SAMPLE, np.int32),  # distances of the sample; then sorted ones
        np.zeros((3, _BINS + 1), np.int32),  # how many of a list lie in lower bins
        np.zeros(_BINS, np.int32),  # up to where the sorted distances of a bin are filled; -1: nobody asked
        np.zeros((3, 3)),  # where the bins of a list begin, bins a distance, the last bin
        np.zeros(_SAMPLE),
        np.zeros(_SUMS, np.int32),
        np.zeros(k, np.int64),  # order of the results so far
        np.zeros(k, np.int32),  # and their candidates
    )


def sampled(packed: Compact) -> Compact:
    """Return every so many-th row, packed alike."""
    features, sound, _, row, voiced = packed
    at = np.arange(0, row.size, max(row.size // SAMPLE, SHARE))
    blocks = -(-at.size // BLOCK)
    some, heard = np.zeros((blocks * BLOCK, features.shape[1]), np.int16), np.zeros((blocks * BLOCK, SOUNDS), np.int16)
    some[: at.size], heard[: at.size] = features[at // BLOCK, :, at % BLOCK], sound[at]
    some = np.ascontiguousarray(some.reshape(blocks, BLOCK, -1).transpose(0, 2, 1))
    return some, heard, heard.view(np.int32), row[at], padded(voiced[at])


@njit(cache=True, allocates=False, nogil=True)
def limits(
    sample: Compact, rows: int, asked: Questions, q: int, k: int, widen: float, work: Scratch, ranked: Ranker,
    limit: I32,
) -> None:  # fmt: skip
    """Write what is worth keeping for one question.

    sample: from `sampled`, of so many rows; widen: times as much as is likely; limit: (4,), see `kept`
    """
    features, _, _, row, _ = sample
    found, tally = ranked[0], ranked[5]
    whole = work[3]
    room = found.shape[0] // 3
    near, heard = 0, 0
    for b in range(features.shape[0]):
        unpack(features[b], work[0], work[1])
        distances(sample, asked, q, b, work)
        for e in range(BLOCK):
            if whole[POSE, e] != FAR:
                for x in range(3):
                    found[x * room + near] = whole[x, e]
                near += 1
                heard += whole[TIMBRE, e] != FAR
    limit[:] = FAR - 1
    limit[3] = 1
    if near < FEW:
        return
    lists = 1 + asked[3][q] + (heard > 0)
    items = near * (rows / row.shape[0])
    many = (6.0 if lists == 3 else lists) * k
    share = MARGIN * widen * (many / items) ** (1.0 / lists)
    for x in range(3):
        limit[x] = _quantile(
            found[x * room : x * room + near], int(share * near), heard if x == TIMBRE else near, tally
        )
    limit[3] = 0.5 * heard <= share * near


@njit(cache=True, allocates=False, nogil=True)
def _quantile(values: I32, rank: int, count: int, tally: I32) -> int:
    """Return a distance that about `rank` of the count that are not FAR do not exceed; FAR - 1 if it is late."""
    if rank >= 0.7 * count:
        return int(FAR) - 1
    least, mean = FAR, 0.0
    for e in range(values.shape[0]):
        if values[e] != FAR:
            least = min(least, values[e])
            mean += values[e] / count
    step = max((2.0 * mean - least) / _COARSE, 1.0)
    tally[:] = 0
    for e in range(values.shape[0]):
        tally[int(min((values[e] - least) / step, _COARSE - 1.0))] += 1
    seen = tally[0]
    b = 0
    while seen <= rank and b < _COARSE - 1:
        b += 1
        seen += tally[b]
    return int(FAR) - 1 if b == _COARSE - 1 else int(least + (b + 1) * step)


@njit(cache=True, allocates=False, nogil=True)
def _keep(values: I32, most: int, out: I32, kept: int) -> int:
    """Append a block's distances up to the most; return how many are kept then.

    Without a branch: which ones are kept is as good as random. Unsigned: an index that may be negative takes twice as
    long. Both are read before one is written: else the second waits for it.
    """
    m = np.uint64(kept)
    for e in range(0, BLOCK, 2):
        one, other = values[e], values[e + 1]
        out[m] = one
        m += np.uint64(one <= most)
        out[m] = other
        m += np.uint64(other <= most)
    return int(m)


@njit(cache=True, allocates=False, nogil=True)
def sweep(packed: Compact, asked: Questions, first: int, stop: int, work: Scratch, held: Kept) -> None:
    """Keep what the limits ask for of some blocks, for all questions in one pass. Counts are added to."""
    for b in range(first, stop):
        unpack(packed[0][b], work[0], work[1])
        for q in range(held[2].shape[0]):
            reached, with_timbre = distances(packed, asked, q, b, work)
            if reached > 0:
                held[2][q, REACHED] += reached
                held[2][q, TIMBRES] += with_timbre
                _note(b, q, work[3], held)


@njit(cache=True, allocates=False, nogil=True)
def sift(distance: I32, reached: int, with_timbre: int, work: Scratch, held: Kept) -> None:
    """Keep what the limits ask for of distances that were measured before, for one question.

    distance: (3, N * BLOCK) from `compact.measure`, so many of them in reach and with a timbre
    """
    whole = work[3]
    held[2][0, REACHED], held[2][0, TIMBRES] = reached, with_timbre
    for b in range(distance.shape[1] // BLOCK):
        for x in range(3):
            values, out = distance[x, b * BLOCK : (b + 1) * BLOCK], whole[x]
            for e in range(BLOCK):
                out[e] = values[e]
        _note(b, 0, whole, held)


@njit(cache=True, allocates=False, nogil=True)
def _note(b: int, q: int, whole: I32, held: Kept) -> None:
    """Keep what the limits of a question ask for of one block's distances."""
    lists, candidate, count, limit = held
    audio, timbre, pose, flag = whole[AUDIO], whole[TIMBRE], whole[POSE], whole[4]
    most_audio, most_timbre, most_pose = limit[q, AUDIO], limit[q, TIMBRE], limit[q, POSE]
    count[q, AUDIO] = _keep(audio, most_audio, lists[q, AUDIO], count[q, AUDIO])
    count[q, TIMBRE] = _keep(timbre, most_timbre, lists[q, TIMBRE], count[q, TIMBRE])
    count[q, POSE] = _keep(pose, most_pose, lists[q, POSE], count[q, POSE])
    mute = FAR if limit[q, 3] else np.int32(-1)
    for e in range(BLOCK):
        fits = (timbre[e] <= most_timbre) | (timbre[e] == mute)
        flag[e] = (audio[e] <= most_audio) & (pose[e] <= most_pose) & fits
    m = count[q, CANDIDATES]
    for e in range(BLOCK):
        if flag[e]:
            candidate[q, 0, m], candidate[q, 1, m] = b * BLOCK + e, audio[e]
            candidate[q, 2, m], candidate[q, 3, m] = timbre[e], pose[e]
            m += 1
    count[q, CANDIDATES] = m


@njit(cache=True, allocates=False, nogil=True)
def _bin(d: int, scale: F64) -> int:
    return int(min(max((d - scale[0]) * scale[1], 0.0), scale[2]))


@njit(cache=True, allocates=False, nogil=True)
def _fill(values: I32, count: int, most: int, scale: F64, sample: F64, lower: I32) -> None:
    """Choose the bins of a list and write how many distances lie in lower ones. most: largest kept, FAR - 1: all."""
    bins = 64
    while bins < _BINS and 8 * bins < count:
        bins *= 2
    have = 0
    for e in range(0, count, max(count // _SAMPLE, 1)):
        if have < _SAMPLE:
            sample[have] = values[e]
            have += 1
    start, end = 0.0, 0.0
    if have > 0:
        start = sample[0]
        for i in range(have):
            start = min(start, sample[i])
        end = place(sample, have, int(_TAIL * (have - 1))) if most == FAR - 1 else float(most)
    scale[0], scale[1], scale[2] = start, (bins - 1) / (end - start) if end > start else 0.0, bins - 1.0
    for b in range(bins + 1):
        lower[b] = 0
    for e in range(count):
        lower[_bin(values[e], scale) + 1] += 1
    for b in range(bins):
        lower[b + 1] += lower[b]


@njit(cache=True, allocates=False, nogil=True)
def _between(candidate: I32, c: int, median: int, scale: F64, lower: I32) -> tuple[int, int]:
    """Return the least and the largest sum of ranks that a candidate can have."""
    least, largest = 0, 0
    for x in range(3):
        d = candidate[1 + x, c]
        if d == FAR:
            least += median
            largest += median
        else:
            b = _bin(d, scale[x])
            least += lower[x, b]
            largest += lower[x, b + 1] - 1
    return least, largest


@njit(cache=True, allocates=False, nogil=True)
def _ranked(
    values: I32, count: int, scale: F64, lower: I32, candidate: I32, x: int, candidates: int, median: int,
    asked: I32, ordered: I32,
) -> None:  # fmt: skip
    """Put the rank of each candidate in one list in the place of its distance."""
    own = candidate[1 + x]
    bins = int(scale[2]) + 1
    for b in range(bins):
        asked[b] = -1
    for c in range(candidates):
        if own[c] != FAR:
            asked[_bin(own[c], scale)] = 0
    filled = 0
    for b in range(bins):
        if asked[b] >= 0:
            asked[b] = filled
            filled += lower[b + 1] - lower[b]
    for e in range(count):
        b = _bin(values[e], scale)
        if asked[b] >= 0:
            ordered[asked[b]] = values[e]
            asked[b] += 1
    for b in range(bins):
        if asked[b] >= 0:
            sort(ordered, asked[b] - (lower[b + 1] - lower[b]), asked[b])
    for c in range(candidates):
        if own[c] == FAR:
            own[c] = median
        else:
            b = _bin(own[c], scale)
            own[c] = lower[b] + below(ordered, asked[b] - (lower[b + 1] - lower[b]), asked[b], own[c])


@njit(cache=True, allocates=False, nogil=True)
def first_of(
    packed: Compact, lists: I32, candidate: I32, count: I64, limit: I32, ranked: Ranker, rows: I32, ranks: I32
) -> int:
    """Write the first K rows of one question in order, and their ranks; return how many, -1 if too little was kept.

    lists, candidate, count, limit: of this question, from `kept`; candidates are lost
    rows: (K,) i32 repertoire rows; ranks: (K, 3) i32 audio, timbre, pose
    """
    ordered, lower, asked, scale, sample, tally, key, held = ranked
    reached, heard = count[REACHED], count[TIMBRES]
    k = min(rows.shape[0], reached)
    if k <= 0:
        return 0
    candidates = count[CANDIDATES]
    if candidates < k:
        return -1
    median = max((heard - 1) // 2, 0)
    for x in range(3):
        _fill(lists[x], count[x], limit[x], scale[x], sample, lower[x])
    largest = 0
    for c in range(candidates):
        largest = max(largest, _between(candidate, c, median, scale, lower)[1])
    shift = 0
    while largest >> shift >= _SUMS:
        shift += 1
    tally[:] = 0
    for c in range(candidates):
        tally[_between(candidate, c, median, scale, lower)[1] >> shift] += 1
    s, sure = 0, tally[0]
    while sure < k:
        s += 1
        sure += tally[s]
    bound = ((s + 1) << shift) - 1  # at least k candidates are sure not to exceed it
    for x in range(3):  # a row that a list left out ranks behind all it kept
        if count[x] < (heard if x == TIMBRE else reached) and bound >= count[x]:
            return -1
    if heard < reached and not limit[3] and bound >= median:
        return -1
    some = 0
    for c in range(candidates):
        if _between(candidate, c, median, scale, lower)[0] <= bound:
            for x in range(4):
                candidate[x, some] = candidate[x, c]
            some += 1
    for x in range(3):
        _ranked(lists[x], count[x], scale[x], lower[x], candidate, x, some, median, asked, ordered)
    keys, chosen = key[:k], held[:k]
    have = 0
    for c in range(some):
        total = np.int64(candidate[1, c]) + candidate[2, c] + candidate[3, c]
        have = keep_least(keys, chosen, have, int((total << 30) | candidate[1 + POSE, c]), c)
    unheap(keys, chosen, have)
    for i in range(have):
        c = chosen[i]
        rows[i] = packed[3][candidate[0, c]]
        for x in range(3):
            ranks[i, x] = candidate[1 + x, c]
    return have
