"""What her own voice asks for: the loudness shape and timbre of one second of it."""

from __future__ import annotations

import numpy as np

from ...components.arrays import F64
from ...components.speech import ENVELOPE_RATE, Speech

FLOOR_DB = -30.0  # what the envelope is where there is no voice
LEAST_VOICED = 20  # frames of 10 ms: a second with less has no timbre


def second_to_come(speech: Speech, position: float) -> tuple[F64, F64, bool]:
    """Return what a known voice sounds like in the second from `position` s on.

    envelope: (60,) f64 dB, mean removed; timbre: (13,) f64; has_timbre: at least 0.2 s of it are voiced
    """
    envelope = np.full(ENVELOPE_RATE, FLOOR_DB)
    first = round(position * ENVELOPE_RATE)
    a, b = max(first, 0), min(first + ENVELOPE_RATE, speech.envelope.shape[0])
    if b > a:
        envelope[a - first : b - first] = speech.envelope[a:b]
    envelope -= envelope.mean()
    frames = slice(max(round(position * 100.0), 0), max(round(position * 100.0) + 100, 0))
    voiced = speech.voiced[frames]
    if int(voiced.sum()) < LEAST_VOICED:
        return envelope, np.zeros(13), False
    return envelope, speech.coefficient[frames][voiced].mean(axis=0).astype(np.float64), True


def silence() -> tuple[F64, F64, bool]:
    """Return what no voice sounds like."""
    return np.zeros(ENVELOPE_RATE), np.zeros(13), False
