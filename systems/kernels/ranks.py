"""The items with the least sum of three ranks, exactly and without sorting them all: counted bins bound every rank.

A rank is how many of the list are nearer, so equal distances share the lower one. Order: sum of the ranks, then the
rank in list 2 (pose), then the item. List 1 (timbre) leaves out items with a negative distance: they take its median
rank, (n - 1) // 2 of its n items, or 0 where it has none.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from .arrays import F64, I32
from .compiled import njit
from .sorting import I64, below, keep_least, place, sort, unheap

AUDIO, TIMBRE, POSE = 0, 1, 2  # the lists

_BINS = 16384  # of a list at the most: enough up to 2.7 million items (measured in a prototype)
_SUMS = 1024  # bins of the sums' upper bounds
_SAMPLE = 63  # distances from which the range of the bins is read
_TAIL = 0.9  # quantile of the sample beyond which all share the last bin: one far item must not squeeze the others

PARTS = 8  # of the work: the bins of each list, a bound, the sorted distances near it of each, the order
_MEDIAN, _BOUND, _CANDIDATES = range(3)  # what one part leaves for the next

Ranking: TypeAlias = "tuple[F64, I32, I32, I32, I32, F64, F64, I32, I64, I32, I64]"


def ranking(items: int, k: int) -> Ranking:
    """Return the arrays that `least` works in, for up to `items` items and k results, both at least 1."""
    bins = _bins(items)
    return (
        np.zeros((3, items)),  # distances, written by the caller
        np.zeros((3, items), np.int32),  # bin of each distance
        np.zeros((3, bins + 1), np.int32),  # how many of the list lie in lower bins
        np.zeros((3, bins), np.int32),  # up to where the sorted distances of a bin are filled; -1: nobody asked
        np.zeros((2, items), np.int32),  # least possible sums; candidates
        np.zeros((3, items)),  # sorted distances of the bins asked for
        np.zeros(_SAMPLE),
        np.zeros(_SUMS, np.int32),
        np.zeros(k, np.int64),  # order of the results so far
        np.zeros(k, np.int32),  # and their items
        np.zeros(3, np.int64),  # left by one part for the next
    )


@njit(cache=True, allocates=False)
def _bins(items: int) -> int:
    """Return how many bins a list of so many gets: a power of two, for 4 to 8 items a bin."""
    bins = 64
    while bins < _BINS and 8 * bins < items:
        bins *= 2
    return bins


@njit(cache=True, allocates=False)
def _fill(distance: F64, count: int, bins: int, sample: F64, bin_of: I32, lower: I32) -> int:
    """Write each distance's bin (-1: not in the list) and how many lie in lower bins; return how many are listed."""
    have = 0
    for e in range(0, count, max(count // _SAMPLE, 1)):
        if distance[e] >= 0.0 and have < _SAMPLE:
            sample[have] = distance[e]
            have += 1
    start, scale = 0.0, 0.0
    if have > 0:
        start = sample[0]
        for i in range(have):
            start = min(start, sample[i])
        width = place(sample, have, int(_TAIL * (have - 1))) - start
        if width > 1e-290:  # less would overflow the scale; then all share one bin, which is sorted
            scale = (bins - 1) / width
    for b in range(bins + 1):
        lower[b] = 0
    top = bins - 1.0
    for e in range(count):
        d = distance[e]
        b = np.int32(min(max((d - start) * scale, 0.0), top))
        bin_of[e] = b if d >= 0.0 else -1
    for e in range(count):
        b = bin_of[e]
        if b >= 0:
            lower[b + 1] += 1
    for b in range(bins):
        lower[b + 1] += lower[b]
    return lower[bins]


@njit(cache=True, allocates=False)
def _bound(bin_of: I32, lower: I32, count: int, median: int, k: int, low: I32, tally: I32) -> int:
    """Write each item's least possible sum and return a sum that at least k items are sure not to exceed."""
    shift = 0
    while (3 * count) >> shift >= _SUMS:
        shift += 1
    for s in range(_SUMS):
        tally[s] = 0
    for e in range(count):
        a, t, p = bin_of[0, e], bin_of[1, e], bin_of[2, e]
        least = lower[0, a] + lower[2, p]
        most = lower[0, a + 1] + lower[2, p + 1] - 2
        if t >= 0:
            least += lower[1, t]
            most += lower[1, t + 1] - 1
        else:
            least += median
            most += median
        low[e] = least
        tally[most >> shift] += 1
    s, sure = 0, tally[0]
    while sure < k:
        s += 1
        sure += tally[s]
    return ((s + 1) << shift) - 1


@njit(cache=True, allocates=False)
def _gather(distance: F64, bin_of: I32, lower: I32, count: int, bins: int, asked: I32, ordered: F64) -> None:
    """Write the sorted distances of the bins asked for (asked[b] = 0), one bin after the other."""
    filled = 0
    for b in range(bins):
        if asked[b] >= 0:
            asked[b] = filled
            filled += lower[b + 1] - lower[b]
    for e in range(count):
        b = bin_of[e]
        if b >= 0 and asked[b] >= 0:
            ordered[asked[b]] = distance[e]
            asked[b] += 1
    for b in range(bins):
        if asked[b] >= 0:
            sort(ordered, asked[b] - (lower[b + 1] - lower[b]), asked[b])


@njit(cache=True, allocates=False)
def _rank(distance: float, b: int, lower: I32, asked: I32, ordered: F64) -> int:
    size = lower[b + 1] - lower[b]
    return lower[b] + below(ordered, asked[b] - size, asked[b], distance)


@njit(cache=True, allocates=False)
def least(work: Ranking, count: int, items: I32, ranks: I32) -> int:
    """Write the first K items in order and their ranks; return how many that are: K, or all if there are fewer.

    work: from `ranking`, whose first array holds three distances of each item, [list, item], finite and >= 0
    count: items, below 2^29; items: (K,) i32; ranks: (K, 3) i32, both written, K at most the k of `ranking`
    """
    have = 0
    for part in range(PARTS):
        have = least_part(part, work, count, items, ranks)
    return have


@njit(cache=True, allocates=False)
def least_part(part: int, work: Ranking, count: int, items: I32, ranks: I32) -> int:
    """Do one of the PARTS of `least`, in order: about a PARTS-th of its time. The last returns what `least` does."""
    distance, bin_of, lower, asked, found, ordered, sample, tally, _, _, state = work
    k = min(items.shape[0], count)
    if k <= 0:
        return 0
    bins = min(_bins(count), lower.shape[1] - 1)
    if part <= POSE:
        listed = _fill(distance[part], count, bins, sample, bin_of[part], lower[part])
        for b in range(bins):
            asked[part, b] = -1
        if part == TIMBRE:
            state[_MEDIAN] = max((listed - 1) // 2, 0)
    elif part == POSE + 1:
        state[_BOUND] = _bound(bin_of, lower, count, state[_MEDIAN], k, found[0], tally)
    elif part < PARTS - 1:
        if part == POSE + 2:
            state[_CANDIDATES] = _candidates(bin_of, count, state[_BOUND], asked, found)
        x = part - POSE - 2
        _gather(distance[x], bin_of[x], lower[x], count, bins, asked[x], ordered[x])
    else:
        return _first(work, state[_CANDIDATES], state[_MEDIAN], k, items, ranks)
    return 0


@njit(cache=True, allocates=False)
def _candidates(bin_of: I32, count: int, bound: int, asked: I32, found: I32) -> int:
    """Write the items that may be among the first, ask for their bins, and return how many they are."""
    low, candidate = found[0], found[1]
    candidates = 0
    for e in range(count):
        if low[e] <= bound:
            candidate[candidates] = e
            candidates += 1
            for x in range(3):
                if bin_of[x, e] >= 0:
                    asked[x, bin_of[x, e]] = 0
    return candidates


@njit(cache=True, allocates=False)
def _first(work: Ranking, candidates: int, median: int, k: int, items: I32, ranks: I32) -> int:
    """Write the k first of the candidates and their ranks; return how many that are."""
    distance, bin_of, lower, asked, found, ordered, _, _, key, held, _ = work
    candidate, keys, rows = found[1], key[:k], held[:k]
    have = 0
    for c in range(candidates):
        e = candidate[c]
        total = median
        if bin_of[TIMBRE, e] >= 0:
            total = _rank(distance[TIMBRE, e], bin_of[TIMBRE, e], lower[TIMBRE], asked[TIMBRE], ordered[TIMBRE])
        total += _rank(distance[AUDIO, e], bin_of[AUDIO, e], lower[AUDIO], asked[AUDIO], ordered[AUDIO])
        pose = _rank(distance[POSE, e], bin_of[POSE, e], lower[POSE], asked[POSE], ordered[POSE])
        have = keep_least(keys, rows, have, int((np.int64(total + pose) << 30) | pose), e)
    unheap(keys, rows, have)
    for i in range(have):
        e = rows[i]
        items[i] = e
        for x in range(3):
            ranks[i, x] = median
            if bin_of[x, e] >= 0:
                ranks[i, x] = _rank(distance[x, e], bin_of[x, e], lower[x], asked[x], ordered[x])
    return have
