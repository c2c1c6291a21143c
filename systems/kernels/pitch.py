"""Fundamental frequency by normalised autocorrelation, every 10 ms of a 16 kHz voice."""

from __future__ import annotations

import math

import numpy as np

from .arrays import F32, F64
from .compiled import njit

LOWEST, HIGHEST = 70.0, 400.0  # Hz, range of speaking voices
OCTAVE = 0.88  # a half to a fifth of the best period wins from this share of its correlation on: else octave errors
CUTOFF = 1000.0  # Hz, above it formants compete with the fundamental

_RATE = 8000  # Hz, half of the voice's rate: enough for 400 Hz, a quarter of the work
_HOP = 80
_CENTRE = 128  # samples from a frame's first sample to its middle
_SPAN = 256  # samples (32 ms) correlated: two periods of 70 Hz and a little
_SHORT = int(_RATE / HIGHEST)
_LONG = math.ceil(_RATE / LOWEST)
_TAPS = 41
_QUIET = 1e-4  # of the voice's mean power: 40 dB below it nothing is periodic but hum

WORK = 2 * (_LONG + 2)  # floats of scratch


def _lowpass() -> F64:
    """Return a Hann-windowed sinc at CUTOFF for 16 kHz samples, sum 1."""
    n = np.arange(_TAPS) - _TAPS // 2
    taps = np.sinc(2.0 * CUTOFF / (2 * _RATE) * n) * np.hanning(_TAPS + 2)[1:-1]
    return taps / taps.sum()


_LOWPASS = _lowpass()


@njit(cache=True, allocates=False)
def halve(audio: F32, out: F64) -> float:
    """Write the low-passed voice at half the rate and return its mean power.

    audio: (n,) at 16 kHz
    out: (n // 2 + 1,), sample j is centred on audio[2 j]
    """
    total = 0.0
    for j in range(out.shape[0]):
        first = 2 * j - _TAPS // 2
        low, high = max(0, -first), min(_TAPS, audio.shape[0] - first)  # outside it there is silence
        a, b, c, d = 0.0, 0.0, 0.0, 0.0  # four sums: one alone waits for each addition before the next
        k = low
        while k + 4 <= high:
            a += _LOWPASS[k] * audio[first + k]
            b += _LOWPASS[k + 1] * audio[first + k + 1]
            c += _LOWPASS[k + 2] * audio[first + k + 2]
            d += _LOWPASS[k + 3] * audio[first + k + 3]
            k += 4
        while k < high:
            a += _LOWPASS[k] * audio[first + k]
            k += 1
        x = (a + b) + (c + d)
        out[j] = x
        total += x * x
    return total / out.shape[0]


@njit(cache=True, allocates=False)
def _peak(r: F64, lag: int) -> int:
    """Return the lag next to `lag` (one either way) with the best correlation."""
    best = min(max(lag, _SHORT), _LONG)
    for k in (best - 1, best + 1):
        if _SHORT <= k <= _LONG and r[k] > r[best]:
            best = k
    return best


@njit(cache=True, allocates=False)
def track(half: F64, power: float, hertz: F64, strength: F64, work: F64) -> None:
    """Write the pitch of each frame.

    half: (m,), from `halve`
    power: its mean power
    hertz: (F,) Hz, written: the most likely fundamental, whether voiced or not; frame k is centred at 10 k + 16 ms
    strength: (F,) 0..1, written: correlation one period apart, above about 0.5 in voiced speech
    work: (WORK,) scratch
    """
    r, energy = work[: _LONG + 2], work[_LONG + 2 :]
    hush = _QUIET * power * _SPAN + 1e-20
    for frame in range(hertz.shape[0]):
        start = frame * _HOP + _CENTRE - (_SPAN + _LONG) // 2
        hertz[frame] = 0.0
        strength[frame] = 0.0
        if start < 0 or start + _SPAN + _LONG + 2 > half.shape[0]:
            continue  # within 23 ms of either end
        r[:] = 0.0
        for n in range(start, start + _SPAN, 4):  # four samples a sweep: 5 times as fast as one
            x0, x1, x2, x3 = half[n], half[n + 1], half[n + 2], half[n + 3]
            later = half[n : n + _LONG + 5]
            for lag in range(_SHORT - 1, _LONG + 2):
                r[lag] += x0 * later[lag] + x1 * later[lag + 1] + x2 * later[lag + 2] + x3 * later[lag + 3]
        energy[0] = 0.0
        for n in range(start, start + _SPAN):
            energy[0] += half[n] * half[n]
        for lag in range(1, _LONG + 2):
            gone, come = half[start + lag - 1], half[start + lag - 1 + _SPAN]
            energy[lag] = max(0.0, energy[lag - 1] - gone * gone + come * come)
        for lag in range(_SHORT - 1, _LONG + 2):
            r[lag] /= math.sqrt((energy[0] + hush) * (energy[lag] + hush))
        best = _SHORT
        for lag in range(_SHORT, _LONG + 1):
            if r[lag] > r[best]:
                best = lag
        top = r[best]
        for part in (5, 4, 3, 2):  # five periods of 351 Hz are one of 70 Hz
            shorter = _peak(r, (2 * best + part) // (2 * part))
            if best >= part * _SHORT and r[shorter] >= OCTAVE * top:
                best = shorter
                break
        a, b, c = r[best - 1], r[best], r[best + 1]
        bend = a - 2.0 * b + c
        shift = 0.5 * (a - c) / bend if bend < 0.0 else 0.0
        hertz[frame] = _RATE / (best + min(max(shift, -0.5), 0.5))
        strength[frame] = max(0.0, b)
