"""The network's inputs for whole recordings at once, and what the world does to a voice before it is heard."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ....components.arrays import F32
from ...kernels import net

WARPS = np.linspace(0.86, 1.16, 11)  # of the mel scale: throats from a child's to a tall man's


@cache
def _banks() -> list[Any]:
    return [net.bank(float(warp)).T.astype(np.float32) for warp in WARPS]


def log_mel(samples: F32, warp: int = -1) -> F32:
    """Return (N / 160, 40), the frames of `net`'s kernel to rounding. warp: of WARPS, -1 for none."""
    from scipy.fft import rfft

    frames = len(samples) // net.HOP
    padded = np.concatenate([np.zeros(net.WINDOW - net.HOP, np.float32), samples])
    rows = np.lib.stride_tricks.sliding_window_view(padded, net.WINDOW)[:: net.HOP][:frames]
    table = _banks()[warp] if warp >= 0 else net.bank().T.astype(np.float32)
    out = np.empty((frames, net.MELS), np.float32)
    hann = net.window()[: net.WINDOW].astype(np.float32)
    for k in range(0, frames, 4096):
        spectrum: Any = rfft(rows[k : k + 4096] * hann, net.spectrum.N, axis=1)
        out[k : k + 4096] = np.log((spectrum.real**2 + spectrum.imag**2) @ table + np.float32(net.FLOOR))
    return out


def without_mean(mel: F32) -> F32:
    """Return one stream's frames with the mean taken off, as the tick does. mel: (F, 40)."""
    state, out = np.zeros(net.LEVEL), mel.astype(np.float64)
    net.levels(out, state)
    return out.astype(np.float32)


def in_the_world(samples: F32, draw: np.random.Generator, babble: F32) -> F32:
    """Return a voice as a room, a microphone and other noises leave it, at another level.

    babble: other voices, longer than `samples`
    """
    from scipy.signal import butter, fftconvolve, lfilter, sosfilt

    x: Any = samples
    if draw.random() < 0.55:
        x = fftconvolve(x, _room(draw))[: len(x)]
    if draw.random() < 0.5:  # spectral tilt of another voice or microphone
        x = lfilter([1.0, draw.uniform(-0.6, 0.6)], [1.0], x)
    if draw.random() < 0.3:  # telephones and small loudspeakers
        low, high = draw.choice((80, 200, 300)), draw.choice((3400, 3700, 4000, 5500, 7000))
        x = sosfilt(butter(3, (low, high), "band", fs=net.RATE, output="sos"), x)
    if draw.random() < 0.15:  # overdriven
        most = np.sqrt(np.mean(x**2)) * draw.uniform(2.0, 5.0) + 1e-9
        x = np.tanh(x / most) * most
    if draw.random() < 0.8:
        noise = _noise(len(x), draw, babble)
        ratio = draw.uniform(3.0, 40.0)  # dB
        x = x + noise * np.sqrt(np.mean(x**2) / (np.mean(noise**2) + 1e-12)) * 10.0 ** (-ratio / 20.0)
    return (x * np.exp(draw.uniform(-1.6, 0.5))).astype(np.float32)


def _room(draw: np.random.Generator) -> Any:
    """Return a room's answer: noise that decays by 60 dB in 0.08-0.7 s, 3-18 dB under the direct sound."""
    decay = np.exp(draw.uniform(np.log(0.08), np.log(0.7)))
    count = int(net.RATE * min(decay, 0.6))
    tail = draw.standard_normal(count) * np.exp(-6.9 * np.arange(count) / (decay * net.RATE))
    tail[: int(draw.uniform(8, 60))] = 0.0
    tail *= 10.0 ** (-draw.uniform(3.0, 18.0) / 20.0) / np.sqrt((tail**2).sum() + 1e-9)
    tail[0] = 1.0
    return tail


def _noise(count: int, draw: np.random.Generator, babble: F32) -> Any:
    from scipy.signal import lfilter

    kind = draw.random()
    if kind < 0.3 and len(babble) > count + 1:
        starts = draw.integers(0, len(babble) - count, draw.integers(1, 6))
        return sum(babble[k : k + count] for k in starts)
    white: Any = draw.standard_normal(count)
    time = np.arange(count) / net.RATE
    if kind < 0.65:
        return lfilter([1.0], [1.0, -draw.uniform(0.0, 0.98)], white)
    if kind < 0.75:
        return white * (1.0 + 0.9 * np.sin(2.0 * np.pi * draw.uniform(0.5, 6.0) * time + draw.uniform(0.0, 6.0)))
    if kind < 0.85:  # mains hum
        hertz = draw.choice((50, 60, 100, 120))
        tones = [draw.random() * np.sin(2.0 * np.pi * hertz * k * time + draw.uniform(0.0, 6.0)) for k in range(1, 12)]
        return 0.3 * white + sum(tones)
    return white
