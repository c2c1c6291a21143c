"""Samples as people have them (any rate, integers, stereo, an offset) to the one form inside: f32 mono at 16 kHz."""

from __future__ import annotations

from typing import Any

import numpy as np
import soxr

from ...components.arrays import F32
from ...components.errors import AudioError
from ...components.speech import RATE

LONGEST = 2 * 3600.0  # s; everything is kept in memory, 0.5 GB at this length
RATES = (4_000, 384_000)  # Hz that make sense: telephone bands below, studio converters above
CHANNELS = 8
LOUDEST = 8.0  # largest float sample taken: decoders overshoot 1 a little, unscaled integers do by thousands
OFFSET = 1e-3  # mean above which it is an offset of the converter and not the voice: -60 dB


def mono(pcm: Any) -> F32:
    """Return the samples as one channel, -1..1.

    pcm: (N,), (N, C) or (C, N) with C <= 8 channels, which are averaged; floats, or integers by their full scale
    AudioError: empty, not numbers, not finite, not in -1..1
    """
    samples = np.asarray(pcm)
    if samples.dtype.kind not in "fiu" or samples.dtype.itemsize > (8 if samples.dtype.kind == "f" else 4):
        raise AudioError(f"audio: samples of type {samples.dtype}; give float32 in -1..1, int16 or int32")
    if samples.ndim not in (1, 2) or samples.size == 0:
        raise AudioError(
            f"audio: array of shape {samples.shape} holds no sound; give (samples,) or (samples, channels)"
        )
    if samples.ndim == 2:
        if samples.shape[0] < samples.shape[1]:
            samples = samples.T
        if samples.shape[1] > CHANNELS:
            raise AudioError(f"audio: {samples.shape[1]} channels, at most {CHANNELS}; give (samples, channels)")
    if samples.dtype.kind == "f":
        _check(samples)
        if samples.ndim == 2:
            samples = samples.mean(axis=1)
        return np.clip(samples, -1.0, 1.0).astype(np.float32)
    full = 2.0 ** (8 * samples.dtype.itemsize - 1)
    middle = full if samples.dtype.kind == "u" else 0.0
    wide = samples.astype(np.float64)
    if wide.ndim == 2:
        wide = wide.mean(axis=1)
    return ((wide - middle) / full).astype(np.float32)


def _check(samples: Any) -> None:
    finite = np.isfinite(samples)
    if not finite.all():
        first = int(np.flatnonzero(~finite.reshape(len(samples), -1).all(axis=1))[0])
        count = int(samples.size - finite.sum())
        raise AudioError(
            f"audio: {count} of {samples.size} values are not finite, first at sample {first}; repair the file"
        )
    peak = float(np.abs(samples).max())
    if peak > LOUDEST:
        raise AudioError(f"audio: floats reach {peak:.6g}, want -1..1; divide 16-bit samples by 32768 or give int16")


def check_rate(rate: Any) -> int:
    """Return the rate in Hz as an integer. AudioError: not a whole number in RATES."""
    try:
        whole = int(rate)
        is_whole = whole == rate and not isinstance(rate, bool)
    except (TypeError, ValueError, OverflowError):
        is_whole, whole = False, 0
    if not is_whole or not RATES[0] <= whole <= RATES[1]:
        raise AudioError(f"audio: rate {rate!r}, want whole Hz from {RATES[0]} to {RATES[1]}")
    return whole


def inside(pcm: Any, rate: Any) -> F32:
    """Return a whole voice as (N,) f32 mono at 16 kHz, N >= 1, offset removed.

    pcm, rate: as `mono` and `check_rate` take them
    AudioError: as they raise, or longer than 2 h
    """
    hertz = check_rate(rate)
    samples = mono(pcm)
    if len(samples) > LONGEST * hertz:
        raise AudioError(f"audio: {len(samples) / hertz / 3600:.1f} h, at most 2 h; cut it into parts")
    offset = float(np.mean(samples, dtype=np.float64))
    if abs(offset) > OFFSET:
        samples = samples - np.float32(offset)
    if hertz != RATE:
        samples = soxr.resample(samples, hertz, RATE, quality="HQ")
    if len(samples) == 0:
        samples = np.zeros(1, np.float32)  # one sample at 48 kHz is a third of one here
    return np.ascontiguousarray(np.clip(samples, -1.0, 1.0), np.float32)
