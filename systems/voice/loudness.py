"""Loudness as rows are matched by it: over the noise, under the speaker's own level, 60 times a second."""

from __future__ import annotations

import math

import numpy as np

from ...components.arrays import F64, Bool
from ...components.speech import ENVELOPE_RATE, RATE

OVER_FLOOR = 6.0  # dB over the tracked noise floor below which everything sounds alike
LEAST, MOST = -30.0, 10.0  # dB around the speaker's active level that are kept
NOMINAL = -26.0  # dB, level of a speaker nobody has heard yet: what ITU-T P.56 based telephone tests are set to

# Sample e is at e / 60 s, frame k is centred at (160 k + 256) / 16000 s: e = _UP / _DOWN k + _LATE / _DOWN exactly.
_UP, _DOWN, _LATE = 25, 15, 24


def count(samples: int) -> int:
    """Return how many envelope samples a voice of this many samples has."""
    return max(1, math.ceil(samples * ENVELOPE_RATE / RATE))


def finished(frames: int) -> int:
    """Return how many envelope samples are final once this many frames have been heard."""
    return 0 if frames < 1 else ((frames - 1) * _DOWN + _LATE) // _UP + 1


def above_floor(loudness: F64, floor: F64) -> F64:
    """Return loudness held up at the noise. loudness, floor: (F,) dB."""
    return np.maximum(loudness, floor + OVER_FLOOR)


def level(loudness: F64, voiced: Bool) -> float:
    """Return the speaker's active level, dB: mean power while she speaks (after ITU-T P.56), NOMINAL if never."""
    if not voiced.any():
        return NOMINAL
    return 10.0 * math.log10(float(np.mean(10.0 ** (loudness[voiced] / 10.0))))


def at(sample: np.ndarray, frames: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for envelope samples the frame before, the frame after, and the share of the latter; ends are held.

    sample: (n,) int; frames: how many there are, >= 1
    """
    fifteenth = _UP * sample - _LATE
    before = fifteenth // _DOWN
    share = (fifteenth - before * _DOWN) / _DOWN
    last = frames - 1
    return np.clip(before, 0, last), np.clip(before + 1, 0, last), share


def relative(decibels: F64, before: np.ndarray, after: np.ndarray, share: np.ndarray, active: float) -> F64:
    """Return the envelope between frames over the active level, clipped. decibels: (F,), of `above_floor`."""
    between = decibels[before] + share * (decibels[after] - decibels[before])
    return np.clip(between - active, LEAST, MOST)
