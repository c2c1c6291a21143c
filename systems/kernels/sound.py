"""One second of a voice in the terms that rows are matched by. The sums run as numpy's do, to the last bit."""

from __future__ import annotations

import numpy as np

from .arrays import F32, F64, Bool
from .compiled import njit


@njit(cache=True, allocates=False)
def second(
    envelope: F32, coefficient: F32, voiced: Bool, first: int, frame: int, is_open: bool, floor: float,
    shape: F64, timbre: F64,
) -> int:  # fmt: skip
    """Write a second's envelope without its mean and its mean coefficients; return how many of its frames are voiced.

    envelope: (E,) f32 dB; coefficient: (F, C) f32 and voiced: (F,), a hundred a second, all of the whole voice
    first, frame: where the second begins in them; it may begin before the voice and end after it
    is_open: what comes after the voice's end is not known yet and counts as its mean; otherwise, and before, as `floor`
    shape: (n,) f64 dB and timbre: (C,) f64, written; timbre 0 where nothing is voiced
    """
    n = shape.shape[0]
    a, b = max(first, 0), min(first + n, envelope.shape[0])
    for k in range(n):
        inside = a <= first + k < b
        shape[k] = envelope[first + k] if inside else floor
    if is_open and b > a:
        mean = total(shape, a - first, b - a) / (b - a)
        for k in range(b - first, n):
            shape[k] = mean
    mean = total(shape, 0, n) / n
    for k in range(n):
        shape[k] -= mean
    for c in range(timbre.shape[0]):
        timbre[c] = 0.0
    count = 0
    for f in range(max(frame, 0), min(max(frame + 100, 0), voiced.shape[0])):
        if voiced[f]:
            for c in range(timbre.shape[0]):
                timbre[c] = np.float32(timbre[c]) + coefficient[f, c]
            count += 1
    for c in range(timbre.shape[0]):
        timbre[c] = np.float32(timbre[c]) / np.float32(max(count, 1))
    return count


@njit(cache=True, allocates=False)
def total(values: F64, first: int, n: int) -> float:
    """Return the sum of up to 128 values in numpy's order: eight running sums, added in pairs."""
    end = first + n
    if n < 8:
        out = 0.0
        for i in range(first, end):
            out += values[i]
        return out
    r0, r1, r2, r3 = values[first], values[first + 1], values[first + 2], values[first + 3]
    r4, r5, r6, r7 = values[first + 4], values[first + 5], values[first + 6], values[first + 7]
    whole = end - n % 8
    for i in range(first + 8, whole, 8):
        r0, r1, r2, r3 = r0 + values[i], r1 + values[i + 1], r2 + values[i + 2], r3 + values[i + 3]
        r4, r5, r6, r7 = r4 + values[i + 4], r5 + values[i + 5], r6 + values[i + 6], r7 + values[i + 7]
    out = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for i in range(whole, end):
        out += values[i]
    return out
