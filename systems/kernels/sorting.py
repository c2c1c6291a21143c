"""Small sorts in place, on slices of arrays the caller owns: values, and keys with the row they belong to."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .arrays import F64, I32
from .compiled import njit

I64: TypeAlias = "npt.NDArray[np.int64]"

_FEW = 32  # up to here insertion is the quicker one; a bin holds 4 to 8 values as a rule


@njit(cache=True, allocates=False)
def sort(values: F64 | I32, first: int, stop: int) -> None:
    """Sort values[first:stop] in place: by insertion where few, else as a heap, which no order can slow down."""
    n = stop - first
    if n > _FEW:
        for top in range(n // 2 - 1, -1, -1):
            _sift(values, first, top, n)
        for last in range(n - 1, 0, -1):
            values[first], values[first + last] = values[first + last], values[first]
            _sift(values, first, 0, last)
        return
    for i in range(first + 1, stop):
        v = values[i]
        j = i
        while j > first and values[j - 1] > v:
            values[j] = values[j - 1]
            j -= 1
        values[j] = v


@njit(cache=True, allocates=False)
def place(values: F64, n: int, rank: int) -> float:
    """Return what stands at `rank` when the first n values are sorted; their order is lost. Quick for a late rank."""
    for top in range(n // 2 - 1, -1, -1):
        _sift(values, 0, top, n)
    for last in range(n - 1, rank, -1):
        values[0], values[last] = values[last], values[0]
        _sift(values, 0, 0, last)
    return values[0]


@njit(cache=True, allocates=False)
def _sift(values: F64 | I32, first: int, top: int, n: int) -> None:
    v = values[first + top]
    while 2 * top + 1 < n:
        child = 2 * top + 1
        if child + 1 < n and values[first + child + 1] > values[first + child]:
            child += 1
        if not values[first + child] > v:
            break
        values[first + top] = values[first + child]
        top = child
    values[first + top] = v


@njit(cache=True, allocates=False)
def below(values: F64 | I32, first: int, stop: int, v: float) -> int:
    """Return how many of the sorted values[first:stop] are less than v."""
    low, high = first, stop
    while low < high:
        middle = (low + high) // 2
        if values[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low - first


@njit(cache=True, allocates=False)
def keep_least(key: I64, row: I32, held: int, new_key: int, new_row: int) -> int:
    """Offer one pair to the least ones held so far and return how many are held: at most the length of `key`.

    Pairs are ordered by key, then by row. key, row: (K,), K > 0, a heap with the last in order on top.
    """
    if held < key.shape[0]:
        at = held
        while at > 0:
            above = (at - 1) // 2
            if not _is_before(key[above], row[above], new_key, new_row):
                break
            key[at], row[at] = key[above], row[above]
            at = above
        key[at], row[at] = new_key, new_row
        return held + 1
    if _is_before(new_key, new_row, key[0], row[0]):
        key[0], row[0] = new_key, new_row
        _settle(key, row, held)
    return held


@njit(cache=True, allocates=False)
def unheap(key: I64, row: I32, held: int) -> None:
    """Put what `keep_least` holds into ascending order."""
    for last in range(held - 1, 0, -1):
        key[0], key[last] = key[last], key[0]
        row[0], row[last] = row[last], row[0]
        _settle(key, row, last)


@njit(cache=True, allocates=False)
def _is_before(key: int, row: int, other_key: int, other_row: int) -> bool:
    return key < other_key or (key == other_key and row < other_row)


@njit(cache=True, allocates=False)
def _settle(key: I64, row: I32, n: int) -> None:
    top, k, r = 0, key[0], row[0]
    while 2 * top + 1 < n:
        child = 2 * top + 1
        if child + 1 < n and _is_before(key[child], row[child], key[child + 1], row[child + 1]):
            child += 1
        if not _is_before(k, r, key[child], row[child]):
            break
        key[top], row[top] = key[child], row[child]
        top = child
    key[top], row[top] = k, r
