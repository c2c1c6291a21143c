"""The lips' network on a voice, sample stream in, one row of class scores every 10 ms out, and the path through them.

Log-mel frames of 25 ms, the speaker's and the room's running mean taken off, a causal gated convolution net, one head
of 15 classes for each delay. Frame k ends at sample 160 (k + 1), so that a head with delay D tells what sounded D
frames before. The order of all sums is fixed: the same samples give the same bits however they are cut.
"""

from __future__ import annotations

import math

import numpy as np

from . import spectrum
from .arrays import F32, F64
from .compiled import njit

RATE = 16_000  # Hz
HOP = 160  # samples, 10 ms
WINDOW = 400  # samples, 25 ms
MELS = 40
BAND = (60.0, 7600.0)  # Hz
FLOOR = 1e-5  # power under which a band is taken for silence: a 16 bit recording's own noise
FIRST, MEMORY = 5, 150  # frames: the mean starts as that of the first 50 ms and forgets over 1.5 s
SCALE = 0.3  # of a log-mel, so that the net's input is near 1
CLASSES = 15

STREAM = WINDOW + MELS + FIRST * MELS + 4  # floats of a stream's state: samples, mean, first frames, four counts
WORK = spectrum.WORK + spectrum.BINS + spectrum.N + MELS  # floats of scratch


def bank(warp: float = 1.0) -> F64:
    """Return (40, 257) triangles on the mel scale of O'Shaughnessy (2595 log10(1 + f / 700)), each of sum 1.

    warp: of their edges; above 1 a shorter throat is heard as this one
    """
    low, high = (2595.0 * math.log10(1.0 + hz / 700.0) for hz in BAND)
    mel = np.linspace(low, high, MELS + 2)
    edge = np.minimum(700.0 * (10.0 ** (mel / 2595.0) - 1.0) * warp, RATE / 2 - 10.0 - np.arange(MELS + 1, -1, -1.0))
    hz = np.arange(spectrum.BINS) * (RATE / spectrum.N)
    rise = (hz - edge[:-2, None]) / (edge[1:-1] - edge[:-2])[:, None]
    fall = (edge[2:, None] - hz) / (edge[2:] - edge[1:-1])[:, None]
    rows = np.maximum(0.0, np.minimum(rise, fall))
    for row, centre in zip(rows, edge[1:-1]):
        if row.sum() == 0.0:  # the lowest triangles fall between two bins
            row[round(centre * spectrum.N / RATE)] = 1.0
    return rows / rows.sum(axis=1, keepdims=True)


def window() -> F64:
    """Return (512,), a periodic Hann window of 400 samples and zeros."""
    out = np.zeros(spectrum.N)
    out[:WINDOW] = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(WINDOW) / WINDOW)
    return out


_HANN = window()
_BANK = bank()
_FROM = np.array([np.flatnonzero(row)[0] for row in _BANK])
_TO = np.array([np.flatnonzero(row)[-1] + 1 for row in _BANK])


def room(samples: int) -> int:
    """Return how many frames a block of this many samples can finish at most; the first five come together."""
    return samples // HOP + 1 + FIRST


def memory(channels: int, layers: int) -> int:
    """Return how many floats a net of this shape keeps of the frames before."""
    return 2 * MELS + layers * (2**layers + 1) * channels


@njit(cache=True)
def _log_mel(samples: F64, out: F64, work: F64) -> None:
    power = work[spectrum.WORK : spectrum.WORK + spectrum.BINS]
    frame = work[spectrum.WORK + spectrum.BINS : spectrum.WORK + spectrum.BINS + spectrum.N]
    frame[WINDOW:] = 0.0
    frame[:WINDOW] = samples
    spectrum.power(frame, _HANN, power, work[: spectrum.WORK])
    for m in range(MELS):
        total = 0.0
        for k in range(_FROM[m], _TO[m]):
            total += _BANK[m, k] * power[k]
        out[m] = math.log(total + FLOOR)


@njit(cache=True)
def _add(weight: F32, x: F32, out: F32) -> None:
    """Add x @ weight to out. weight: (inputs, outputs), inputs a multiple of 4; x: (inputs,)."""
    for j in range(0, weight.shape[0], 4):
        a, b, c, d = x[j], x[j + 1], x[j + 2], x[j + 3]
        for i in range(out.shape[0]):
            out[i] += (weight[j, i] * a + weight[j + 1, i] * b) + (weight[j + 2, i] * c + weight[j + 3, i] * d)


@njit(cache=True)
def _frame(
    x: F64, enter: F32, entered: F32, gate: F32, gated: F32, leave: F32, left: F32, past: F32, count: int, out: F32
) -> None:
    """Run the net on one frame. x: (40,); past: what is kept of the frames before; count: of them; out: (H,) logits."""
    channels, layers = enter.shape[1], gate.shape[0]
    inputs = np.empty(3 * MELS, np.float32)
    for k in range(2 * MELS):
        inputs[k] = past[k]
    for k in range(MELS):
        inputs[2 * MELS + k] = x[k]
    for k in range(2 * MELS):
        past[k] = inputs[MELS + k]
    y = entered.copy()
    _add(enter, inputs, y)
    for i in range(channels):
        y[i] = max(y[i], np.float32(0.0))
    seen = np.empty(3 * channels, np.float32)
    rows = (1 << layers) + 1  # the last layer looks back twice its dilation
    kept = past[2 * MELS :].reshape(layers, rows, channels)
    for k in range(layers):
        row, middle, far = count % rows, (count - (1 << k)) % rows, (count - (2 << k)) % rows
        for i in range(channels):
            kept[k, row, i] = y[i]
            seen[i] = kept[k, far, i]
            seen[channels + i] = kept[k, middle, i]
            seen[2 * channels + i] = y[i]
        z = gated[k].copy()
        _add(gate[k], seen, z)
        for i in range(channels):
            if z[i] > 0.0:
                y[i] += z[i] / (np.float32(1.0) + np.float32(math.exp(-z[channels + i])))
    out[:] = left
    _add(leave, y, out)


@njit(cache=True)
def scores(
    block: F32, stream: F64, past: F32, enter: F32, entered: F32, gate: F32, gated: F32, leave: F32, left: F32,
    out: F32, work: F64,
) -> int:  # fmt: skip
    """Take the next samples of a stream and return for how many frames the heads have spoken.

    block: (n,) -1..1 at RATE, finite
    stream: (STREAM,), past: (memory(C, L),), zeros at a stream's start
    enter, entered: (120, C), (C,); gate, gated: (L, 3 C, 2 C), (L, 2 C); leave, left: (C, H), (H,)
    out: (>= room(n), H), written: a row of logits a frame, each head's 15 in turn
    work: (WORK,) scratch
    """
    held = stream[:WINDOW]
    mean = stream[WINDOW : WINDOW + MELS]
    first = stream[WINDOW + MELS : WINDOW + MELS + FIRST * MELS].reshape(FIRST, MELS)
    count = stream[WINDOW + MELS + FIRST * MELS :]  # samples held, frames seen, frames the mean rests on, frames spoken
    if count[1] == 0.0 and count[0] == 0.0:
        count[0] = WINDOW - HOP  # what lies before the first sample is silence
    filled, seen = int(count[0]), int(count[1])
    x = work[spectrum.WORK + spectrum.BINS + spectrum.N :]
    done = 0
    for i in range(block.shape[0]):
        held[filled] = block[i]
        filled += 1
        if filled < WINDOW:
            continue
        _log_mel(held, x, work)
        filled = WINDOW - HOP
        for k in range(filled):
            held[k] = held[k + HOP]
        seen += 1
        if seen <= FIRST:
            first[seen - 1] = x
        if seen < FIRST:
            continue
        if seen == FIRST:
            for m in range(MELS):
                total = 0.0
                for k in range(FIRST):
                    total += first[k, m]
                mean[m] = total / FIRST
            count[2] = FIRST
        for k in range(FIRST if seen == FIRST else 1):
            now = first[k] if seen == FIRST else x
            count[2] = min(count[2] + 1.0, float(MEMORY))
            for m in range(MELS):
                mean[m] += (now[m] - mean[m]) / count[2]
                now[m] = (now[m] - mean[m]) * SCALE
            _frame(now, enter, entered, gate, gated, leave, left, past, int(count[3]), out[done])
            count[3] += 1.0
            done += 1
    count[0], count[1] = filled, seen
    return done
