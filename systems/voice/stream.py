"""A voice that streams in, inside the tick: at every moment it is known as `analyse` knows what has come so far."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ...components.arrays import F32, F64, frozen
from ...components.speech import RATE, Growing, Speech, Word
from . import prominence
from .analyse import levelled

_EMPTY = frozen((), np.float64)


def grow(growing: Growing, samples: F32, coefficient: F64, loudness: F64, band: F64, words: Any) -> None:
    """Take what one chunk became.

    samples: (n,) at RATE; coefficient: (f, 13), loudness, band: (f,); words: (text, start s, end s)
    """
    growing.audio = _appended(growing.audio, growing.samples, samples)
    for name, values in (("coefficient", coefficient), ("loudness", loudness), ("band", band)):
        setattr(growing, name, _appended(getattr(growing, name), growing.frames, values))
    growing.samples += len(samples)
    growing.frames += len(loudness)
    growing.words += tuple(Word(str(text), float(start), float(end)) for text, start, end in words)
    h = hashlib.blake2b(growing.digest.encode(), digest_size=16)
    h.update(samples.tobytes())
    h.update(repr([list(word) for word in words]).encode())
    growing.digest = h.hexdigest()
    growing.is_fresh = True


def _appended(held: Any, count: int, values: Any) -> Any:
    """Return `held` with `values` after its first `count`, in a larger array where it is full."""
    if count + len(values) > len(held):
        held = np.concatenate([held[:count], np.zeros((max(len(held), len(values)), *held.shape[1:]), held.dtype)])
    held[count : count + len(values)] = values
    return held


def nothing(text: str) -> Speech:
    """Return what is known of a voice before its first sample."""
    none = frozen((), np.float32)
    pairs = frozen(np.zeros((0, 2)), np.float64)
    return Speech(
        none, _EMPTY, none, frozen(np.zeros((0, 13)), np.float32), frozen((), np.bool_), pairs, _EMPTY, _EMPTY, (),
        text, 0.0, "nothing",
    )  # fmt: skip


def so_far(growing: Growing) -> Speech:
    """Return what is known by now: level, gate and phrases as if the voice ended here. Accents are found at its end.

    Its frames are those that are complete: the last three of a whole voice see its last sample held on.
    """
    text = growing.text or " ".join(word.text for word in growing.words)
    seconds = growing.samples / RATE
    if growing.frames == 0:
        blank = nothing(text)
        audio = _seen(growing.audio, growing.samples)
        return Speech(
            audio, blank.loudness, blank.envelope, blank.coefficient, blank.voiced, blank.phrase, _EMPTY, _EMPTY,
            growing.words, text, seconds, growing.digest,
        )  # fmt: skip
    loudness, band = _seen(growing.loudness, growing.frames), _seen(growing.band, growing.frames)
    voiced, envelope, timbre = levelled(_seen(growing.coefficient, growing.frames), loudness, growing.samples)
    phrase = prominence.phrases(prominence.active(band, voiced), seconds)
    return Speech(
        _seen(growing.audio, growing.samples), loudness, envelope.astype(np.float32), timbre.astype(np.float32), voiced,
        phrase, _EMPTY, _EMPTY, growing.words, text, seconds, growing.digest,
    )  # fmt: skip


def _seen(array: Any, count: int) -> Any:
    """Return the filled part, for reading: what is there never changes, so nothing is copied."""
    part = array[:count]
    part.flags.writeable = False
    return part
