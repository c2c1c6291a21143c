"""Power spectrum of 512 real samples: a 256-point complex FFT (radix 4, self-sorting) and the step back to real."""

from __future__ import annotations

import math

import numpy as np

from .arrays import F64
from .compiled import njit

N = 512  # samples of a frame
BINS = N // 2 + 1
WORK = 2 * N  # floats of scratch: real and imaginary parts, twice

_HALF = N // 2
_TURN = 2.0 * np.pi * np.arange(N) / N
_COS = np.cos(_TURN)  # _COS[k], _SIN[k]: exp(-2 pi i k / 512); even entries are the roots of the 256-point transform
_SIN = -np.sin(_TURN)


@njit(cache=True, allocates=False)
def _pass(stride: int, xr: F64, xi: F64, yr: F64, yi: F64) -> None:
    """One radix-4 pass over 256 points, decimation in frequency, output in order (Stockham).

    stride: 1, 4, 16, 64 for the four passes in turn.
    """
    span = 64 // stride
    for p in range(span):
        a0 = stride * p
        a1 = a0 + 64
        a2 = a0 + 128
        a3 = a0 + 192
        b0 = 4 * a0
        b1 = b0 + stride
        b2 = b1 + stride
        b3 = b2 + stride
        w1r, w1i = _COS[2 * a0], _SIN[2 * a0]
        w2r, w2i = _COS[4 * a0], _SIN[4 * a0]
        w3r, w3i = _COS[6 * a0], _SIN[6 * a0]
        for q in range(stride):
            sr, si = xr[a0 + q] + xr[a2 + q], xi[a0 + q] + xi[a2 + q]
            dr, di = xr[a0 + q] - xr[a2 + q], xi[a0 + q] - xi[a2 + q]
            tr, ti = xr[a1 + q] + xr[a3 + q], xi[a1 + q] + xi[a3 + q]
            er, ei = xr[a1 + q] - xr[a3 + q], xi[a1 + q] - xi[a3 + q]
            yr[b0 + q] = sr + tr
            yi[b0 + q] = si + ti
            ur, ui = dr + ei, di - er
            yr[b1 + q] = ur * w1r - ui * w1i
            yi[b1 + q] = ur * w1i + ui * w1r
            ur, ui = sr - tr, si - ti
            yr[b2 + q] = ur * w2r - ui * w2i
            yi[b2 + q] = ur * w2i + ui * w2r
            ur, ui = dr - ei, di + er
            yr[b3 + q] = ur * w3r - ui * w3i
            yi[b3 + q] = ur * w3i + ui * w3r


@njit(cache=True, allocates=False)
def power(frame: F64, window: F64, out: F64, work: F64) -> None:
    """Write |FFT(frame * window)|^2.

    frame, window: (512,)
    out: (257,), bins 0 .. Nyquist
    work: (WORK,) scratch
    """
    xr, xi = work[0:_HALF], work[_HALF : 2 * _HALF]
    yr, yi = work[2 * _HALF : 3 * _HALF], work[3 * _HALF : 4 * _HALF]
    for k in range(_HALF):
        xr[k] = frame[2 * k] * window[2 * k]
        xi[k] = frame[2 * k + 1] * window[2 * k + 1]
    stride = 1
    for _ in range(2):  # four calls with four constants would be compiled four times, and run no faster
        _pass(stride, xr, xi, yr, yi)
        _pass(4 * stride, yr, yi, xr, xi)
        stride *= 16
    # Even samples were the real part and odd ones the imaginary part: their spectra are the two symmetric halves.
    out[0] = (xr[0] + xi[0]) * (xr[0] + xi[0])
    out[_HALF] = (xr[0] - xi[0]) * (xr[0] - xi[0])
    for k in range(1, _HALF):
        j = _HALF - k
        er, ei = 0.5 * (xr[k] + xr[j]), 0.5 * (xi[k] - xi[j])
        gr, gi = 0.5 * (xi[k] + xi[j]), 0.5 * (xr[j] - xr[k])
        re = er + gr * _COS[k] - gi * _SIN[k]
        im = ei + gr * _SIN[k] + gi * _COS[k]
        out[k] = re * re + im * im


def hann() -> F64:
    """Return the (512,) periodic Hann window."""
    return np.array([0.5 - 0.5 * math.cos(2.0 * math.pi * k / N) for k in range(N)])
