"""Smooth random processes and a zero-phase low-pass, at the corpus rate. numpy alone, so that bytes do not drift."""

from __future__ import annotations

import math

import numpy as np

from .....components.arrays import F64
from .....components.corpus import FPS


def wander(rng: np.random.Generator, frames: int, tau: float, columns: int = 1) -> F64:
    """Return (frames, columns) smooth noise of unit standard deviation: white noise through two one-pole stages.

    tau: s, time constant of each stage; its spectrum falls with the fourth power of frequency above 1 / (2 pi tau)
    """
    decay = math.exp(-1.0 / (tau * FPS))
    settle = math.ceil(12.0 * tau * FPS)  # frames until the start is forgotten (e^-12)
    white = rng.standard_normal((frames + settle, columns))
    out = np.empty_like(white)
    first, second = np.zeros(columns), np.zeros(columns)
    for k in range(frames + settle):
        first = decay * first + (1.0 - decay) * white[k]
        second = decay * second + (1.0 - decay) * first
        out[k] = second
    # variance of the cascade for unit white input, in closed form: no sample enters its own scale
    variance = (1.0 - decay) ** 4 * (1.0 + decay**2) / (1.0 - decay**2) ** 3
    return out[settle:] / math.sqrt(variance)


def lowpass(values: F64, corner: float, order: int = 3, rate: float = FPS) -> F64:
    """Return `values` (T, ...) without what is faster than `corner` Hz, nothing delayed, ends kept in place.

    The gain is 1 / (1 + (f / corner)^(2 order)): a Butterworth filter run forward and backward.
    """
    count = len(values)
    pad = min(count - 1, math.ceil(3.0 * rate / corner))
    head, tail = 2.0 * values[:1] - values[pad:0:-1], 2.0 * values[-1:] - values[-2 : -pad - 2 : -1]
    padded = np.concatenate([head, values, tail])
    frequency = np.fft.rfftfreq(len(padded), 1.0 / rate)
    gain = 1.0 / (1.0 + (frequency / corner) ** (2 * order))
    spectrum = np.fft.rfft(padded, axis=0) * gain.reshape(-1, *([1] * (values.ndim - 1)))
    return np.fft.irfft(spectrum, len(padded), axis=0)[pad : pad + count]


def swing(progress: F64) -> F64:
    """Return the minimum-jerk course, 0 at progress <= 0 and 1 at progress >= 1 (Flash and Hogan 1985)."""
    x = np.clip(progress, 0.0, 1.0)
    return x**3 * (10.0 + x * (6.0 * x - 15.0))


def delayed(values: F64, seconds: float) -> F64:
    """Return `values` (T, ...) as they were `seconds` ago; the first frame before that."""
    shift = seconds * FPS
    whole, part = int(shift), shift - int(shift)
    early = np.concatenate([np.repeat(values[:1], whole + 1, axis=0), values])[: len(values) + 1]
    return (1.0 - part) * early[1:] + part * early[:-1]
