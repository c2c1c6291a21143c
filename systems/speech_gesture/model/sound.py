"""What the model hears: two numbers a sample, as it was trained on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....components.arrays import F32

AHEAD = 1024  # samples that loudness looks ahead, 64 ms: a power of two


def condition(audio: F32, onsets: Sequence[int] = ()) -> F32:
    """Return (n, 2) f32 of each sample: the largest amplitude of it and the next 1023, and onset flags.

    audio:  (n,) f32 at 16 kHz
    onsets: where to flag. QUIRK: the model was trained with the *numbers of 32 ms frames* written as if they were
            samples, so that all onsets of a recording lie in its first hundredths of a second. Without any, flags
            stay 0, as they were in every window of the training but the first.
    """
    n = len(audio)
    out = np.zeros((n, 2), np.float32)
    if n == 0:
        return out
    loud = np.abs(audio, dtype=np.float32)
    # Windows of 1, 2, 4 .. 1024 samples, each the larger of two halves: ten passes for any length.
    step = 1
    while step < min(AHEAD, n):
        np.maximum(loud[:-step], loud[step:], out=loud[:-step])
        step *= 2
    whole = max(n - AHEAD + 1, 1)
    loud[whole:] = loud[whole - 1]  # no window reaches these: the last one's value goes on
    out[:, 0] = loud
    out[[k for k in onsets if 0 <= k < n], 1] = 1.0
    return out
