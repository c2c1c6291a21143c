"""A voice while it comes in, block by block: the numbers of `analyse` as far as they can be known by now."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.arrays import F32, F64
from ...components.ring import KEEP, RECENT, Ring
from ...components.speech import ENVELOPE_RATE, HOP, RATE
from ..kernels import gate, mfcc
from . import loudness as level

ROOM = -60.0  # dB, noise of a quiet room with a headset: what pauses are taken to be like until one was heard
VOICE = -20.0  # dB, loud syllables of a well set microphone
MEMORY = 1000.0  # frames: 10 s of speech hold every sound about as often as the language does
TRUST = 100.0  # frames that the mean a ring starts with counts for
# Mean c1..c13 of speech: flite slt, rms, awb, kal16, espeak-ng en-us+f3, en-gb+m3, and four LibriVox and LJ readers.
AVERAGE_SPEAKER = (61.0, 11.0, 31.0, -6.0, 5.0, -2.0, -2.0, -1.0, 0.0, -1.0, 1.0, -1.0, 2.0)

SECOND = RATE // HOP  # frames


def fresh(*, mean: Any = AVERAGE_SPEAKER, floor: float = ROOM, top: float = VOICE) -> Ring:
    """Return a ring that has heard nothing.

    mean: (13,), the speaker's c1..c13 if known from before (`Ring.mean` of an earlier session)
    floor, top: dB, loudness of the pauses and of the loudest syllables if known
    """
    state = np.empty(gate.STATE)
    gate.begin(state, floor, top)
    return Ring.of(state, mean, TRUST)


def push(ring: Ring, block: Any) -> int:
    """Take the next samples and return how many frames they finished. However the blocks are cut, the bits are equal.

    block: (n,) float mono at 16 kHz, -1..1; values that are not finite are taken as silence and counted
    """
    samples = np.ascontiguousarray(block, np.float32).reshape(-1)
    if len(samples) and not float(np.abs(samples).max()) <= 1.0:  # not finite is not <= 1 either
        is_bad = ~np.isfinite(samples)
        ring.refused += int(is_bad.sum())
        samples = np.clip(np.where(is_bad, np.float32(0.0), samples), np.float32(-1.0), np.float32(1.0))
    newest = samples[-RECENT:]
    ring.heard += len(samples)
    ring.recent[np.arange(ring.heard - len(newest), ring.heard) % RECENT] = newest
    room = mfcc.room(len(samples))
    coefficient, loud, band = np.empty((room, mfcc.COEFFICIENTS)), np.empty(room), np.empty(room)
    done = mfcc.push(samples, ring.held, ring.passed, ring.stream, coefficient, loud, band, np.empty(mfcc.WORK))
    floor, voiced = np.empty(done), np.empty(done, np.bool_)
    gate.follow(loud[:done], ring.gate, floor, voiced)
    for k in range(done):
        row = ring.count % KEEP
        ring.loudness[row], ring.floor[row], ring.voiced[row] = loud[k], floor[k], voiced[k]
        ring.coefficient[row] = coefficient[k, 1:]
        ring.count += 1
        if voiced[k]:
            _know(ring, coefficient[k, 1:], loud[k])
    return done


def _know(ring: Ring, coefficient: F64, loudness: float) -> None:
    """Move what is known of the speaker by one voiced frame: a plain mean first, then over the last 10 s of speech."""
    ring.weight = min(ring.weight + 1.0, MEMORY)
    ring.mean += (coefficient - ring.mean) / ring.weight
    ring.spoken += 1
    ring.power += (10.0 ** (loudness / 10.0) - ring.power) / min(float(ring.spoken), MEMORY)


def _rows(frame: np.ndarray, ring: Ring) -> np.ndarray:
    """Return where frames lie; one that is gone or did not come yet gives the nearest that is there."""
    return np.clip(frame, max(0, ring.count - KEEP), ring.count - 1) % KEEP


def active_level(ring: Ring) -> float:
    """Return the speaker's active level so far, dB."""
    return 10.0 * np.log10(ring.power) if ring.power > 0.0 else level.NOMINAL


def envelope(ring: Ring) -> F32:
    """Return the last second: (60,) f32 dB as Speech.envelope, relative to the level so far, oldest first.

    The last sample is the one that `loudness.finished(ring.count)` counts last; before the first, silence.
    """
    last = level.finished(ring.count)
    sample = np.arange(last - ENVELOPE_RATE, last)
    if ring.count == 0:
        return np.full(ENVELOPE_RATE, level.LEAST, np.float32)
    decibels = level.above_floor(ring.loudness, ring.floor)
    before, after, share = level.at(np.maximum(sample, 0), ring.count)
    out = level.relative(decibels, _rows(before, ring), _rows(after, ring), share, active_level(ring))
    return np.where(sample < 0, level.LEAST, out).astype(np.float32)


def timbre(ring: Ring) -> tuple[F32, float]:
    """Return the last second's mean c1..c13 over voiced frames without the speaker's mean, and how many s are voiced.

    (13,) f32, zeros where nothing is voiced
    """
    rows = _rows(np.arange(max(0, ring.count - SECOND), ring.count), ring)
    rows = rows[ring.voiced[rows]]
    if len(rows) == 0:
        return np.zeros(13, np.float32), 0.0
    return (ring.coefficient[rows].mean(axis=0) - ring.mean).astype(np.float32), len(rows) / SECOND


def is_voiced(ring: Ring) -> bool:
    """Return whether she speaks in the newest frame."""
    return ring.count > 0 and bool(ring.voiced[(ring.count - 1) % KEEP])


def heard(ring: Ring) -> float:
    """Return s of the voice that whole frames cover, from the first sample."""
    return 0.0 if ring.count == 0 else ((ring.count - 1) * HOP + mfcc.FRAME) / RATE
