"""The lips' network on a voice, sample stream in, one row of class scores every 10 ms out, and the path through them.

Log-mel frames of 25 ms, the mean of speaker and room taken off, a causal gated convolution net, one head of 15
classes for each delay. The mean is at first that of any speaker at the loudness heard so far, and comes to be theirs.
Frame k ends at sample 160 (k + 1), so that a head with delay D tells what sounded D frames before. The order of all
sums is fixed: the same samples give the same bits however they are cut.
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
MEMORY = 300  # frames over which the mean forgets
TRUST = 100.0  # frames that USUAL counts for: with 50 or none 1 point fewer frames are right, with 200 as many
LOUD, FADE = 5.0, 0.0005  # log power of loud syllables before any was heard, and what it falls by in each frame
# Log power of speech in each band on the average, under that of its loud syllables in all bands (the 97th percentile):
# eight voices of espeak-ng, flite, Festival and Kokoro, which differ by 0.3 to 1.5.
USUAL = np.array(
    (
        -9.7, -9.1, -9.1, -9.7, -10.1, -10.4, -10.8, -11.2, -11.8, -12.4, -13.0, -13.3, -13.6, -13.7, -13.9, -14.1,
        -14.2, -14.3, -14.5, -14.6, -14.6, -14.6, -14.5, -14.4, -14.3, -14.4, -14.5, -14.6, -14.8, -15.0, -15.3, -15.5,
        -15.8, -16.1, -16.3, -16.4, -16.5, -16.6, -16.8, -17.1,
    )
)  # fmt: skip
_EMPTY = math.log(FLOOR) + 0.3  # of a band's mean: it has never had any power
SCALE = 0.3  # of a log-mel, so that the net's input is near 1
CLASSES = 15
TREBLE = 29  # first band of which a recording at 8 kHz lacks a part: 3.4-3.9 kHz

LEVEL = MELS + 2  # floats of a mean's state: of each band, frames it rests on, log power of the loud syllables
DULL = WINDOW + LEVEL  # of a stream's state: 1 where the net shall hear no treble, 0 as a stream begins
STREAM = DULL + 3  # floats of it: samples held, the mean's, whether it is dull, how many are held, frames so far
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
WIDTH = 1.0 / (_BANK**2).sum(axis=1)  # bins that each band rests on


def room(samples: int) -> int:
    """Return how many frames a block of this many samples can finish at most."""
    return samples // HOP + 1


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
def level(x: F64, state: F64) -> None:
    """Take the mean off a frame.

    x: (40,) log power, written: what the network hears
    state: (LEVEL,), zeros at the start of a voice
    """
    mean = state[:MELS]
    if state[MELS] == 0.0 and state[MELS + 1] == 0.0:
        state[MELS + 1] = LOUD
    power = 0.0
    for m in range(MELS):
        power += WIDTH[m] * math.exp(x[m])
    state[MELS + 1] = max(state[MELS + 1] - FADE, math.log(power))
    state[MELS] = min(state[MELS] + 1.0, float(MEMORY))
    usual = TRUST / (TRUST + state[MELS])
    total = 0.0
    for m in range(MELS):
        mean[m] += (x[m] - mean[m]) / state[MELS]
        total += mean[m]
    for m in range(MELS):
        if mean[m] < _EMPTY and total > MELS * _EMPTY:
            x[m] = 0.0  # above what a telephone lets through: that is no quiet sound
        else:
            x[m] = (x[m] - usual * (USUAL[m] + state[MELS + 1]) - (1.0 - usual) * mean[m]) * SCALE


@njit(cache=True)
def levels(rows: F64, state: F64) -> None:
    """Take the mean off frame after frame. rows: (F, 40), written; state: as of `level`."""
    for k in range(rows.shape[0]):
        level(rows[k], state)


@njit(cache=True)
def know(samples: F32, stream: F64, work: F64) -> None:
    """Let a stream begin with the mean of a recording that is at hand, as if it had been heard before.

    samples: (n,) of the recording's beginning, MEMORY frames at most are used; stream: (STREAM,), zeros
    work: (WORK,) scratch
    """
    state = stream[WINDOW : WINDOW + LEVEL]
    x = work[spectrum.WORK + spectrum.BINS + spectrum.N :]
    frames = min((samples.shape[0] - WINDOW) // HOP + 1, MEMORY)
    held = np.empty(WINDOW)
    for k in range(frames):
        for i in range(WINDOW):
            held[i] = samples[k * HOP + i]
        _log_mel(held, x, work)
        level(x, state)
    if frames > 0:
        state[MELS] = float(MEMORY)


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
    stream: (STREAM,), past: (memory(C, L),), zeros at a stream's start, but for stream[DULL]
    enter, entered: (120, C), (C,); gate, gated: (L, 3 C, 2 C), (L, 2 C); leave, left: (C, H), (H,)
    out: (>= room(n), H), written: a row of logits a frame, each head's 15 in turn
    work: (WORK,) scratch
    """
    held, state = stream[:WINDOW], stream[WINDOW : WINDOW + LEVEL]
    count = stream[DULL + 1 :]  # samples held, frames so far
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
        level(x, state)
        if stream[DULL] > 0.0:
            x[TREBLE:] = 0.0
        _frame(x, enter, entered, gate, gated, leave, left, past, seen, out[done])
        seen += 1
        done += 1
    count[0], count[1] = filled, seen
    return done
