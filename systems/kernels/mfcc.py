"""Mel cepstrum and loudness of a 16 kHz voice, sample stream in, one frame every 10 ms out.

Frame k covers the samples [160 k, 160 k + 512): nothing before the first sample, nothing after the last. However the
stream is cut into blocks, the same samples give the same bits.
"""

from __future__ import annotations

import math

import numpy as np

from . import spectrum
from .arrays import F32, F64
from .compiled import njit

RATE = 16_000  # Hz
HOP = 160  # samples, 10 ms
FRAME = spectrum.N
MELS = 40
COEFFICIENTS = 14  # c0..c13
AMIN = 1e-10  # least power before the logarithm, -100 dB
HIGHPASS = 80.0  # Hz, keeps rumble of microphones and rooms out of the loudness
BAND = (200.0, 4000.0)  # Hz, where the syllables are: facts of prominence are measured there

STREAM = 4  # floats of a stream's state: samples held, the high-pass's two delays, 1 once a sample has come
WORK = spectrum.WORK + spectrum.BINS + MELS


def _mel_to_hz(mel: F64) -> F64:
    """Slaney's scale (Auditory Toolbox, 1998): 200/3 Hz a mel up to 1 kHz, then 27 mels for a factor of 6.4."""
    return np.where(mel < 15.0, mel * (200.0 / 3.0), 1000.0 * np.exp((mel - 15.0) * math.log(6.4) / 27.0))


def _mel_bank() -> F64:
    """Return (40, 257) triangles of equal area between 0 Hz and Nyquist."""
    top = 15.0 + 27.0 * math.log(RATE / 2 / 1000.0) / math.log(6.4)
    edge = _mel_to_hz(np.linspace(0.0, top, MELS + 2))
    hz = np.arange(spectrum.BINS) * (RATE / FRAME)
    rise = (hz - edge[:-2, None]) / (edge[1:-1] - edge[:-2])[:, None]
    fall = (edge[2:, None] - hz) / (edge[2:] - edge[1:-1])[:, None]
    return np.maximum(0.0, np.minimum(rise, fall)) * (2.0 / (edge[2:] - edge[:-2]))[:, None]


def _cosines() -> F64:
    """Return (40, 14), the orthonormal DCT-II transposed: row m is what mel band m adds to each coefficient."""
    m, c = np.arange(MELS)[:, None], np.arange(COEFFICIENTS)
    scale = np.where(c == 0, math.sqrt(1.0 / MELS), math.sqrt(2.0 / MELS))
    return scale * np.cos(math.pi * c * (2 * m + 1) / (2 * MELS))


_WINDOW = spectrum.hann()
_BANK = _mel_bank()
_FIRST = np.array([np.flatnonzero(row)[0] for row in _BANK])
_LAST = np.array([np.flatnonzero(row)[-1] + 1 for row in _BANK])
_DCT = _cosines()
_LOW = math.ceil(BAND[0] * FRAME / RATE)
_HIGH = math.floor(BAND[1] * FRAME / RATE) + 1
_BAND_SCALE = 2.0 / (FRAME * float(np.sum(_WINDOW**2)))  # so that a full-band signal's band power is its mean square

# High-pass biquad, Butterworth (Q = 1/sqrt 2), Bristow-Johnson's cookbook form.
_OMEGA = 2.0 * math.pi * HIGHPASS / RATE
_ALPHA = math.sin(_OMEGA) / math.sqrt(2.0)
_B0 = (1.0 + math.cos(_OMEGA)) / (2.0 * (1.0 + _ALPHA))
_A1 = -2.0 * math.cos(_OMEGA) / (1.0 + _ALPHA)
_A2 = (1.0 - _ALPHA) / (1.0 + _ALPHA)


def room(samples: int) -> int:
    """Return how many frames a block of this many samples can finish at most."""
    return samples // HOP + 1


@njit(cache=True, allocates=False)
def _cepstrum(frame: F64, coefficient: F64, work: F64) -> float:
    """Write c0..c13 of one frame, return its power in BAND in dB. frame: (512,), coefficient: (14,)."""
    scratch = work[: spectrum.WORK]
    power = work[spectrum.WORK : spectrum.WORK + spectrum.BINS]
    spectrum.power(frame, _WINDOW, power, scratch)
    coefficient[:] = 0.0
    for m in range(MELS):
        total = 0.0
        for k in range(_FIRST[m], _LAST[m]):
            total += _BANK[m, k] * power[k]
        decibel = 10.0 * math.log10(max(total, AMIN))
        for c in range(COEFFICIENTS):
            coefficient[c] += _DCT[m, c] * decibel
    band = 0.0
    for k in range(_LOW, _HIGH):
        band += power[k]
    return 10.0 * math.log10(max(band * _BAND_SCALE, AMIN))


@njit(cache=True, allocates=False)
def _decibels(frame: F64) -> float:
    """Return the mean square of (512,) samples in dB, full scale = 0."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0  # four sums: one alone waits for each addition before the next
    for k in range(0, FRAME, 4):
        a += frame[k] * frame[k]
        b += frame[k + 1] * frame[k + 1]
        c += frame[k + 2] * frame[k + 2]
        d += frame[k + 3] * frame[k + 3]
    return 10.0 * math.log10(max(((a + b) + (c + d)) / FRAME, AMIN))


@njit(cache=True, allocates=False)
def push(block: F32, held: F64, passed: F64, stream: F64, coefficient: F64, loudness: F64, band: F64, work: F64) -> int:
    """Take the next samples of a stream and return how many frames they finished.

    block: (n,) any length, -1..1 at RATE, finite
    held, passed: (512,) and stream: (STREAM,), the stream's state, zeros at its start
    coefficient: (>= room(n), 14), written: c0..c13 of each finished frame
    loudness: (>= room(n),) dB, written: RMS after the high-pass
    band: (>= room(n),) dB, written: power in BAND
    work: (WORK,) scratch
    """
    filled = int(stream[0])
    s1, s2 = stream[1], stream[2]
    if stream[3] == 0.0 and block.shape[0] > 0:
        # As if the first sample had always been there: a constant offset then never sounds like an onset.
        s1, s2 = -_B0 * block[0], _B0 * block[0]
        stream[3] = 1.0
    done = 0
    for i in range(block.shape[0]):
        x = float(block[i])
        y = _B0 * x + s1
        s1 = -2.0 * _B0 * x - _A1 * y + s2
        s2 = _B0 * x - _A2 * y
        if abs(s1) + abs(s2) < 1e-30:  # after speech the delays decay into denormals, which cost 100 times as much
            s1, s2 = 0.0, 0.0
        held[filled] = x
        passed[filled] = y
        filled += 1
        if filled == FRAME:
            band[done] = _cepstrum(held, coefficient[done], work)
            loudness[done] = _decibels(passed)
            done += 1
            filled = FRAME - HOP
            for k in range(filled):
                held[k] = held[k + HOP]
                passed[k] = passed[k + HOP]
    stream[0] = filled
    stream[1], stream[2] = s1, s2
    return done
