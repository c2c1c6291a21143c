"""Recorded or synthetic talkers: as stored (Corpus, neutral rig) and as she can show them (Repertoire). Frozen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import F32, F64, I32, Bool

FPS = 30  # Hz, rate at which corpora are stored


@dataclass(frozen=True, slots=True)
class Clip:
    """One uncut recording.

    `authored_gain`: group -> gain the motion was authored for; empty means 1 everywhere.
    `source`: hash of the recorded file's bytes, "" for what was made here
    `offset_s`: s by which the voice is late against the motion, as far as the two show it; None: they do not
    `check`: `hash_of` its arrays, "" where the corpus as a whole was checked when it was read
    """

    name: str
    performer: str
    voice: str
    text: str
    licence: str
    authored_gain: Mapping[str, float]
    source: str = ""
    offset_s: float | None = 0.0
    check: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Clips on the neutral rig: a T-pose of identity rests, +Y up, facing +Z, her left along +X.

    Fields:
        clips:       C clips
        start:       (C + 1,) i32, first frame of each clip, then the end
        rotation:    (F, 13, 3) f32 rad, local rotation vector of each of BODY_SLOTS
        hand:        (F, 2, 16) f32 rad, HAND_CHANNELS of the left and right hand
        envelope:    (2F,) f32 dB at 60 Hz, the clip's Speech.envelope (two samples a frame)
        coefficient: (F, 13) f32, c1..c13 without the speaker's mean, averaged over each frame's 1/30 s
        voiced:      (F,) bool
        feature_hash: of the parameters the features were made with
        digest:      hash of everything
        where:       folder whose files the arrays are mapped from, "" for arrays in memory
    """

    clips: tuple[Clip, ...]
    start: I32
    rotation: F32
    hand: F32
    envelope: F32
    coefficient: F32
    voiced: Bool
    feature_hash: str
    digest: str
    where: str = ""


# array -> frames it has per stored frame, its columns
ARRAYS: Mapping[str, tuple[int, tuple[int, ...]]] = {
    "rotation": (1, (13, 3)),
    "hand": (1, (2, 16)),
    "envelope": (2, ()),
    "coefficient": (1, (13,)),
    "voiced": (1, ()),
}


def clip_arrays(corpus: Corpus, number: int) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of one clip."""
    first, last = int(corpus.start[number]), int(corpus.start[number + 1])
    return {name: getattr(corpus, name)[each * first : each * last] for name, (each, _) in ARRAYS.items()}


def hash_of(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Return the hash of one clip's arrays, by name: what a changed file is found out by."""
    h = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        h.update(f"{name} {array.dtype.str} {array.shape}".encode())
        h.update(array.tobytes())
    return h.hexdigest()


@dataclass(frozen=True, slots=True)
class Repertoire:
    """A corpus on one avatar at one set of gains: what the matcher searches and plays.

    A row is one second that starts at `row_frame` (60 Hz frames of its clip, counted from the clip's start).

    Fields:
        start:       (C + 1,) i32, first stored frame of each clip, then the end
        delta:       (F, 43, 3) f32 rad at FPS, over her base pose, such that gain * delta is what shows
        gain:        (43,) f64, the gain of each slot
        row_clip:    (W,) i32
        row_frame:   (W,) i32, 60 Hz frame in its clip
        row_envelope:(W, 60) f32 dB, mean removed
        row_timbre:  (W, 13) f32; row_voiced: (W,) bool, False where under 0.2 s is voiced (no timbre rank)
        row_pose:    (W, 8, 4) f32 wxyz, ARM_SLOTS after the gains in the row's first frame
        row_speed:   (W,) f32 deg/s, fastest of the 8 joints after the gains within the row, 60 Hz difference
        row_busy:    (W,) f32 0..1, how much the arms move in the row
        digest:      hash of corpus, rig, gains and row hop
        arms:        (F, 8, 3) f32 rad, `delta` of ARM_SLOTS alone: what fades are tried on
    """

    start: I32
    delta: F32
    gain: F64
    row_clip: I32
    row_frame: I32
    row_envelope: F32
    row_timbre: F32
    row_voiced: Bool
    row_pose: F32
    row_speed: F32
    row_busy: F32
    digest: str
    arms: F32 = field(default_factory=lambda: np.zeros((0, 8, 3), np.float32))
