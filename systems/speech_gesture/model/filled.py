"""Weights made of numbers, not of training: the same on every machine, so that the network can be held to figures.

Each tensor is drawn from its own name (SHA-256, then splitmix64 as a counter). What such a model makes is noise; every
length, seam and message around it is real.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np

from ....components.arrays import F32
from . import layout

VOCABULARY = 11195  # words the published generators are thought to know
_CHUNK = 1 << 16  # numbers drawn at a time: what a core keeps near
_GOLDEN, _FIRST, _SECOND = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_TOP = np.float64(2.0**-23)


def generator(vocabulary: int = VOCABULARY) -> dict[str, F32]:
    """Return the tensors of a generator."""
    return {key: value(key, shape) for key, shape in layout.generator(vocabulary).items()}


def body(part: str) -> dict[str, F32]:
    """Return the tensors of one part's encoder, quantisers and decoder."""
    return {key: value(key, shape, f"{part}:{key}") for key, shape in layout.body(part).items()}


def value(key: str, shape: tuple[int, ...], name: str = "") -> F32:
    """Return one tensor, f32. name: what it is drawn from, without one its key."""
    if key.endswith("inv_freq"):
        count = shape[0]
        return (1.0 / 10000.0 ** (np.arange(count) / count)).astype(np.float32)
    if key.endswith(("num_batches_tracked", ".pe")):  # never read
        return np.zeros(shape, np.float32)
    offset, gain = _range(key, shape)
    out = np.empty(shape, np.float32)
    _draw(name or key, offset, gain, out.reshape(-1))
    return out


def _range(key: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Return the middle and half the width of what a tensor's numbers are drawn from; the first rule that fits."""
    fan = math.prod(shape[1:])
    if key.endswith("running_mean"):
        return 0.0, 0.1
    if key.endswith("running_var"):
        return 1.0, 0.5
    if key.endswith("codebook"):
        return 0.0, 1.0
    if key.endswith(("null_cond_embed", "text_pre_encoder_body.weight")):
        return 0.0, 0.5
    if key.endswith("bias"):
        return 0.0, 0.1
    if key.endswith("weight") and len(shape) == 1:
        return 1.0, 0.1
    if key.endswith("poseFinal.weight"):
        return 0.0, 0.1 * math.sqrt(3.0 / fan)
    return 0.0, math.sqrt(3.0 / fan)


def _draw(name: str, offset: float, gain: float, out: F32) -> None:
    """Fill `out` with offset + gain * u, u uniform in [-1, 1) on a grid of 2^-23; in f64, rounded once."""
    start = np.uint64(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little"))
    with np.errstate(over="ignore"):
        for at in range(0, len(out), _CHUNK):
            z = np.arange(at + 1, min(at + _CHUNK, len(out)) + 1, dtype=np.uint64)
            z *= _GOLDEN
            z += start
            z ^= z >> np.uint64(30)
            z *= _FIRST
            z ^= z >> np.uint64(27)
            z *= _SECOND
            z ^= z >> np.uint64(31)
            z >>= np.uint64(40)
            u = z.astype(np.float64)
            u *= _TOP
            u -= 1.0
            u *= gain
            u += offset
            out[at : at + len(u)] = u
