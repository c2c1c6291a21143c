"""Breaths of somebody who stands and is silent: how many a minute, how long out and in, how deep."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ....components.arrays import F64, Bool
from ...kernels.oscillators import breathe
from .stance import RATE

BUMP = 3.0  # by how much breathing must stand above the noise of its neighbours, see `clear`
_BAND, _BELOW, _ABOVE = (0.13, 0.42), (0.04, 0.1), (0.6, 1.2)  # Hz: 8 to 25 breaths a minute, and beside them
_WINDOW = 40.0  # s of a spectrum
_SLOW, _SMOOTH = 12.0, 0.3  # s: what is slower is no breath, and how much is smoothed away
_TURN = 0.4  # of a usual breath's size, under which a turn is none
_RANGE = (60.0 / 40.0, 60.0 / 4.0)  # s a breath may take


@dataclass(frozen=True, slots=True)
class Breaths:
    """B of them. seconds: (B,) s in and out; out_per_in: (B,); depth: (B,) of the usual one; bump: how clear."""

    seconds: F64
    out_per_in: F64
    depth: F64
    bump: float


NONE = Breaths(np.zeros(0), np.zeros(0), np.zeros(0), 0.0)


def breaths(signals: F64, speaking: Bool) -> Breaths:
    """Return the silent breaths of a span, from the signal in which they are clearest.

    signals: (B, N) m at RATE, larger when air goes in; speaking: (N,)
    """
    best = max((clear(one), -k) for k, one in enumerate(signals))
    if best[0] < BUMP:
        return replace(NONE, bump=best[0])
    wave = _wave(signals[-best[1]])
    low, high = _turns(wave)
    seconds, ratio, depth = [], [], []
    for a, b in pairwise(low):
        top = [k for k in high if a < k < b]
        whole = (_exact(wave, b) - _exact(wave, a)) / RATE
        if len(top) != 1 or speaking[a:b].any() or not _RANGE[0] <= whole <= _RANGE[1]:
            continue
        seconds.append(whole)
        ratio.append(_share(wave, a, top[0], b))
        depth.append(wave[top[0]] - 0.5 * (wave[a] + wave[b]))
    if not seconds:
        return replace(NONE, bump=best[0])
    sizes = np.array(depth)
    return Breaths(np.array(seconds), np.array(ratio), sizes / np.median(sizes), best[0])


def told(ratio: F64, seconds: float) -> F64:
    """Return the out_per_in that her reflex must be told to show these, (B,): its chest follows a spring.

    What it shows of known ones is measured by running it, and turned round. seconds: of a usual breath
    """
    given = np.linspace(0.7, 2.5, 10)
    seen = np.maximum.accumulate([_seen(float(one), seconds) for one in given])
    return np.interp(ratio, seen + 1e-9 * np.arange(len(seen)), given)


def _seen(ratio: float, seconds: float) -> float:
    """Return the out_per_in that is measured on a chest which breathes by the reflex's own oscillator."""
    phase, count, lift, never = np.zeros(1), np.zeros(1), np.zeros(2), np.array([0.0, 1.0, 1.0, 1.0])
    row, fine = np.array([[seconds, 1.0 / (1.0 + ratio), 1.0]]), 6
    chest = np.zeros(round(12 * seconds * RATE))
    for k in range(len(chest)):
        for _ in range(fine):
            breathe(phase, count, lift, 0.0, row, never, -1.0, 0.0, 1.0, 1.0 / RATE / fine)
            chest[k] += lift[0] / fine
    wave = _wave(chest)
    low, high = _turns(wave)
    return float(np.median([_share(wave, a, top, b) for a, b in pairwise(low) for top in high if a < top < b]))


def clear(signal: F64) -> float:
    """Return the power of the breathing band over what a noise without any bump would have there, 1 = no breath to see.

    Sway and mocap noise fall by some power of the frequency: between a lower and a higher band lies their geometric
    mean, whatever that power is.
    """
    count = round(_WINDOW * RATE)
    if len(signal) < count:
        return 0.0
    ramp, window = np.linspace(-1.0, 1.0, count), np.hanning(count)
    power = np.zeros(count // 2 + 1)
    for first in range(0, len(signal) - count + 1, count // 2):
        part = signal[first : first + count] - signal[first : first + count].mean()
        part = part - ramp * (part @ ramp) / (ramp @ ramp)
        power += np.abs(np.fft.rfft(part * window)) ** 2
    frequency = np.arange(len(power)) * RATE / count
    inside, below, above = (
        float(power[(frequency >= low) & (frequency <= high)].mean()) for low, high in (_BAND, _BELOW, _ABOVE)
    )
    return inside / max(np.sqrt(below * above), 1e-30)


def _wave(signal: F64) -> F64:
    """Return the signal without what is slower than a breath, smoothed."""
    slow = np.ones(round(_SLOW * RATE))
    base = np.convolve(signal, slow, "same") / np.convolve(np.ones_like(signal), slow, "same")
    at = np.arange(-2 * RATE, 2 * RATE + 1) / RATE
    bell = np.exp(-0.5 * (at / _SMOOTH) ** 2)
    return np.convolve(signal - base, bell / bell.sum(), "same").real


def _turns(wave: F64) -> tuple[list[int], list[int]]:
    """Return the samples of its troughs and tops, by turns; those of less than _TURN of the usual size are none."""
    least = _TURN * 2.8 * float(np.median(np.abs(wave - np.median(wave))))
    low, high = [], []
    extreme, rising = 0, True
    for k in range(len(wave)):
        if rising:
            if wave[k] > wave[extreme]:
                extreme = k
            elif wave[extreme] - wave[k] > least:
                high.append(extreme)
                extreme, rising = k, False
        elif wave[k] < wave[extreme]:
            extreme = k
        elif wave[k] - wave[extreme] > least:
            low.append(extreme)
            extreme, rising = k, True
    return low, high


def _exact(wave: F64, k: int) -> float:
    """Return where between samples a turning point lies, by the parabola through three of them."""
    before, here, after = wave[k - 1], wave[k], wave[min(k + 1, len(wave) - 1)]
    bend = before - 2.0 * here + after
    return k + (0.5 * float(before - after) / float(bend) if k > 0 and bend > 0.0 else 0.0)


def _share(wave: F64, a: int, top: int, b: int) -> float:
    """Return how much longer out than in: from where the wave crosses its halves, for flat turning points say little.

    A raised cosine is at its half in the middle of its way: in = 2 (top - up), out = 2 (down - top).
    """
    rise, fall = wave[a : top + 1], wave[top : b + 1]
    up = a + float(np.interp(0.5 * (rise[0] + rise[-1]), rise, np.arange(len(rise))))
    down = top + float(np.interp(-0.5 * (fall[0] + fall[-1]), -fall, np.arange(len(fall))))
    middle = _exact(-wave, top)
    return max(down - middle, 0.5) / max(middle - up, 0.5)
