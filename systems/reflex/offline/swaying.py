"""Sway without shifts and fidgets: how much of it there is at each of the reflex's periods."""

from __future__ import annotations

from functools import cache

import numpy as np

from ....components.arrays import F64
from ...kernels.oscillators import PELVIS_OF_HEAD, SWAY_DEEPENED, sway
from .stance import RATE

WINDOW = 40.0  # s of one spectrum; the slowest period of the shipped file is 26 s
FEWEST = 6  # windows
_SHIFT_CLEAR = 1.0  # s kept away from a shift
_ROUNDS = 200  # more follow the noise of the few windows
_BREATH = 60.0 / 14.0  # s, of the breath under which the oscillators are measured


def windows(rest: F64, shifts: list[tuple[float, float]]) -> list[int]:
    """Return the first samples of half-overlapping windows in which no shift happens. shifts: (start, end) s."""
    count = round(WINDOW * RATE)
    free = np.ones(len(rest), bool)
    for a, b in shifts:
        free[max(round((a - _SHIFT_CLEAR) * RATE), 0) : round((b + _SHIFT_CLEAR) * RATE)] = False
    out, first = [], 0
    while first + count <= len(rest):
        blocked = np.flatnonzero(~free[first : first + count])
        if len(blocked):
            first += int(blocked[-1]) + 1
        else:
            out.append(first)
            first += count // 2
    return out


def power(rest: F64, firsts: list[int], period: F64) -> F64:
    """Return the summed power of these windows around each period, (W, P) m^2. period: (P,) s, rising."""
    count = round(WINDOW * RATE)
    ramp, window = np.linspace(-1.0, 1.0, count), np.hanning(count)
    frequency = np.arange(count // 2 + 1) * RATE / count
    edge = np.sqrt(period[1:] * period[:-1])
    edge = 1.0 / np.concatenate([[period[0] * 0.7], edge, [period[-1] * 1.6]])
    out = np.zeros((len(firsts), len(period)))
    for row, first in enumerate(firsts):
        part = rest[first : first + count] - rest[first : first + count].mean()
        part = part - ramp * (part @ ramp) / (ramp @ ramp)
        spectrum = np.abs(np.fft.rfft(part * window)) ** 2 * (2.0 / (window @ window) / count)
        for k in range(len(period)):
            out[row, k] = spectrum[(frequency < edge[k]) & (frequency >= edge[k + 1])].sum()
    return out


def amplitudes(measured: F64, period: F64, side: int) -> F64:
    """Return m of the head that each oscillator must be given so that the pelvis sways as measured, (P,).

    Each oscillator is slowed and deepened by breath and wanders into its neighbours' bands: what one of 1 m makes of
    all bands is measured by running it, and the least squares over its own law are turned round (Lee and Seung 2001).

    measured: (P,) m^2, mean power of the pelvis; period: (P,) s; side: 0 sideways, 1 forward
    """
    made = _made(tuple(map(tuple, _both(period, side))), side)
    wanted = measured / PELVIS_OF_HEAD**2
    square = np.full(len(period), wanted.sum() / max(float(made.sum()) / len(period), 1e-12))
    for _ in range(_ROUNDS):
        square = square * (made.T @ wanted) / np.maximum(made.T @ (made @ square), 1e-30)
    return np.sqrt(square)


def _both(period: F64, side: int) -> F64:
    """Return (2, P): the other side's oscillators only drag the slowest of this one."""
    return np.stack([period * (1.0 if row == side else 1.07) for row in range(2)])


@cache
def _made(period: tuple[tuple[float, ...], ...], side: int) -> F64:
    """Return the power in band j that 1 m of oscillator k makes, (P, P), over 20 minutes of quiet breath."""
    periods = np.array(period)
    count = periods.shape[1]
    phase = (np.arange(2 * count).reshape(2, count) * 0.6180339887) % 1.0
    amplitude, out = np.ones_like(periods), np.empty(2)
    steps = 20 * 60 * RATE
    shown = np.empty((count, steps))
    fine = 3  # kernel steps a sample
    lift = 0.0
    for k in range(steps):
        for f in range(fine):
            lift = 0.5 - 0.5 * np.cos(2.0 * np.pi * (k + f / fine) / RATE / _BREATH)
            sway(phase, periods, amplitude, lift, 0.0, 1.0 / RATE / fine, out)
        shown[:, k] = (1.0 + SWAY_DEEPENED * lift) * np.sin(2.0 * np.pi * phase[side])
    firsts = list(range(0, steps - round(WINDOW * RATE) + 1, round(WINDOW * RATE) // 2))
    return np.stack([power(one, firsts, periods[side]).mean(axis=0) for one in shown], axis=1)
