"""Peaks of a curve that stand out: high enough, far enough apart, with a valley on both sides."""

from __future__ import annotations

from .arrays import F64, I64, Bool
from .compiled import njit


@njit(cache=True, allocates=False)
def _rise(curve: F64, k: int, step: int) -> float:
    """Return how far the curve falls below curve[k] on one side before it gets higher than that, or ends."""
    least = curve[k]
    i = k + step
    while 0 <= i < curve.shape[0] and curve[i] <= curve[k]:
        least = min(least, curve[i])
        i += step
    return curve[k] - least


@njit(cache=True, allocates=False)
def mark(curve: F64, height: float, prominence: float, is_peak: Bool) -> None:
    """Mark every peak that is high enough and stands out.

    curve: (n,)
    height: value a peak must exceed; prominence: least depth of the shallower of the two valleys beside it
    is_peak: (n,), written
    """
    is_peak[:] = False
    for k in range(1, curve.shape[0] - 1):
        if curve[k] > height and curve[k] > curve[k - 1] and curve[k] >= curve[k + 1]:
            is_peak[k] = min(_rise(curve, k, -1), _rise(curve, k, 1)) >= prominence


@njit(cache=True, allocates=False)
def thin(order: I64, apart: int, is_peak: Bool) -> None:
    """Unmark every peak that is closer than `apart` samples to a better one that stays.

    order: (P,) i64, the marked samples, best first
    is_peak: (n,), changed
    """
    for k in order:
        if is_peak[k]:
            for i in range(max(0, k - apart + 1), min(is_peak.shape[0], k + apart)):
                if i != k:
                    is_peak[i] = False
