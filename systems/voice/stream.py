"""A voice that streams in, inside the tick: what has come of it, measured as `analyse` does, in little time a tick."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from ...components.arrays import F32, F64, frozen
from ...components.speech import RATE, Growing, Speech, Word
from ..kernels import gate
from . import loudness as level
from . import prominence

RENEWED = 32  # part by which a voice grows until its level is learnt anew: 3 %, 0.1 dB (choice)

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
    """Return what is known by now. Accents are found at the voice's end.

    Level, gate and phrases are those that `analyse` finds in what has come, as of the last time the voice had grown
    by 1 / RENEWED; until it has again, what is new is measured with them. Its frames are those that are complete: the
    last three of a whole voice see its last sample held on.
    """
    text = growing.text or " ".join(word.text for word in growing.words)
    seconds = growing.samples / RATE
    audio = _seen(growing.audio, growing.samples)
    if growing.frames == 0:
        blank = nothing(text)
        return replace(blank, audio=audio, words=growing.words, seconds=seconds, digest=growing.digest)
    first, frames = growing.done, growing.frames
    if frames >= growing.known + max(1, growing.known // RENEWED):
        first = 0
        renew(growing)
    else:
        _gate(growing, first)
    envelope = _go_on(growing, first)
    runs = prominence.phrases(growing.speaking[growing.open_from : frames], seconds, growing.open_from)
    phrase = np.concatenate([growing.phrase, runs])
    _close(growing, runs)
    return Speech(
        audio, _seen(growing.loudness, frames), envelope, _seen(growing.timbre, frames), _seen(growing.voiced, frames),
        phrase, _EMPTY, _EMPTY, growing.words, text, seconds, growing.digest,
    )  # fmt: skip


def renew(growing: Growing) -> None:
    """Learn the room and the speaker from all that has come, in new arrays: the old ones are being looked at."""
    frames, room = growing.frames, len(growing.loudness)
    # not the read-only views: a kernel is compiled for each kind of array, and a tick may not wait for that
    loudness = growing.loudness[:frames]
    growing.state = np.empty(gate.STATE)
    gate.begin(growing.state, float(np.percentile(loudness, 4)), float(np.percentile(loudness, 99)))
    growing.voiced, growing.speaking = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    growing.above, growing.timbre = np.zeros(room), np.zeros((room, 13), np.float32)
    growing.envelope = np.zeros(0, np.float32)
    _gate(growing, 0)
    voiced = growing.voiced[:frames]
    growing.level = level.level(loudness, voiced)
    growing.mean = growing.coefficient[:frames][voiced].mean(axis=0) if voiced.any() else np.full(13, np.nan)
    growing.least = prominence.threshold(growing.band[:frames], voiced)
    growing.phrase, growing.open_from = np.zeros((0, 2)), 0
    growing.known = frames


def _gate(growing: Growing, first: int) -> None:
    """Follow the voice gate from frame `first` on."""
    frames = growing.frames
    for name in ("voiced", "speaking", "above", "timbre"):
        setattr(growing, name, _roomy(getattr(growing, name), first, len(growing.loudness)))
    loudness = growing.loudness[first:frames]
    floor, voiced = np.empty(frames - first), np.empty(frames - first, np.bool_)
    gate.follow(loudness, growing.state, floor, voiced)
    growing.voiced[first:frames] = voiced
    growing.above[first:frames] = level.above_floor(loudness, floor)


def _go_on(growing: Growing, first: int) -> F32:
    """Measure the frames from `first` on with what is known, and return the envelope so far."""
    frames = growing.frames
    known = growing.coefficient[first:frames] - growing.mean
    growing.timbre[first:frames] = np.where(np.isfinite(known), known, 0.0)  # nothing is known of one who never spoke
    is_speech = prominence.lately(growing.band[:frames], growing.voiced[:frames], growing.least, first)
    growing.speaking[frames - len(is_speech) : frames] = is_speech
    count = level.count(growing.samples)
    since = max(level.finished(first) - 1, 0)  # the newest ones were held on and are known only now
    where = level.at(np.arange(since, count), frames)
    growing.envelope = _roomy(growing.envelope, since, count)
    growing.envelope[since:count] = level.relative(growing.above[:frames], *where, growing.level)
    growing.done = frames
    return growing.envelope[:count].copy()


def _close(growing: Growing, runs: F64) -> None:
    """Keep the runs that nothing can be bridged to any more, so that they are not looked for again."""
    edge = growing.frames / prominence.FRAMES - prominence.PARAMETERS["bridge_s"] - 0.1
    over = runs[runs[:, 1] < edge]
    if len(over):
        growing.phrase = np.concatenate([growing.phrase, over])
        growing.open_from = round((over[-1, 1] - prominence.CENTRE) * prominence.FRAMES)


def _roomy(held: Any, count: int, room: int) -> Any:
    """Return `held` with its first `count` and room for `room`."""
    if len(held) >= room:
        return held
    larger = np.zeros((max(room, 2 * len(held)), *held.shape[1:]), held.dtype)
    larger[:count] = held[:count]
    return larger


def _seen(array: Any, count: int) -> Any:
    """Return the filled part, for reading: what is there never changes, so nothing is copied."""
    part = array[:count]
    part.flags.writeable = False
    return part
