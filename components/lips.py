"""Her lips: the network that reads a voice, frozen, and what one avatar's reading of hers has come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .arrays import F32, F64, I32, I64
from .face_map import VISEMES, FaceMap


@dataclass(frozen=True, slots=True)
class LipsNet:
    """A trained network and the habits of the speech it was trained on. Classes are those of face_map.VISEMES.

    Fields:
        enter:  (120, C) f32, of three frames of 40 inputs, the oldest first; entered: (C,)
        gate:   (L, 3 C, 2 C) f32; gated: (L, 2 C)
        leave:  (C, 15 H) f32; left: (15 H,)
        delays: frames of 10 ms that each of the H heads waits
        prior:  (15,) f64 log, how often a class is right
        stay:   (15,) f64 log, that a class goes on for another 10 ms
        after:  (15, 15) f64 log, class (column) after class (row)
        digest: of all of it
    """

    enter: F32
    entered: F32
    gate: F32
    gated: F32
    leave: F32
    left: F32
    delays: tuple[int, ...]
    prior: F64
    stay: F64
    after: F64
    digest: str


@dataclass(frozen=True, slots=True)
class Visemes:
    """A table of mouth shapes, in the order of face_map.VISEMES.

    Fields:
        lead:   (15,) f64 s that a shape is begun ahead of its sound where it is known
        rate:   (15,) f64 1/s of its spring
        units:  for each shape ARKit unit -> 0..1; vowels: vowel of VRM -> 0..1
        digest: of all of it
    """

    lead: F64
    rate: F64
    units: tuple[Mapping[str, float], ...]
    vowels: tuple[Mapping[str, float], ...]
    digest: str


@dataclass(slots=True)
class Lips:
    """One avatar's reading of her voice, and the shapes it has come to.

    Fields:
        net:      None where there are no weights: her mouth then follows loudness
        face_map, visemes: what `table` was made of
        table:    (15, M) f64, weight of each of her channels in each shape
        jaw:      (15,) f64, how far each opens her mouth, 1 the widest
        yields:   (M,) f64, what a mood leaves of a channel to her speech
        lead:     (15,) i64 frames of 10 ms; whole: (W,) i32, channels that her file shows in full or not at all
        source:   utterance that is being read, 0 the microphone, -1 nothing
        head:     of the net, that is listened to; read: samples of it that were read
        at:       frame of a live voice that is shown
        since:    tick of the last block of a live voice; beat: ticks between them at most
        quiet:    (F,) f64, what word times give to silence in each frame of what is said
        stream, past: the network's state; path, back: the decoder's
        dull, dull_past: the state of its second reading, of a voice that is known whole; pending: of both together
        value:    (15,) f64 how much of each shape is shown, 0..1; velocity: 1/s
        width:    0..1, of vowels at this loudness, eased
        speaking: 0..1, eased: she speaks, and her moods leave the mouth alone
        ahead, target, work: scratch
    """

    net: LipsNet | None
    face_map: FaceMap
    visemes: Visemes
    table: F64
    jaw: F64
    yields: F64
    lead: I64 = field(default_factory=lambda: np.zeros(len(VISEMES), np.int64))
    whole: I32 = field(default_factory=lambda: np.zeros(0, np.int32))
    source: int = -1
    head: int = 0
    read: int = 0
    at: float = -1.0
    since: int = 0
    beat: float = 1.0
    quiet: F64 = field(default_factory=lambda: np.zeros(0))
    stream: F64 = field(default_factory=lambda: np.zeros(0))
    past: F32 = field(default_factory=lambda: np.zeros(0, np.float32))
    dull: F64 = field(default_factory=lambda: np.zeros(0))
    dull_past: F32 = field(default_factory=lambda: np.zeros(0, np.float32))
    pending: F64 = field(default_factory=lambda: np.zeros((0, 0)))
    path: F64 = field(default_factory=lambda: np.zeros(0))
    back: I32 = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    value: F64 = field(default_factory=lambda: np.eye(1, len(VISEMES))[0])
    velocity: F64 = field(default_factory=lambda: np.zeros(len(VISEMES)))
    width: float = 0.75
    speaking: float = 0.0
    ahead: I32 = field(default_factory=lambda: np.zeros(0, np.int32))
    target: F64 = field(default_factory=lambda: np.zeros(len(VISEMES)))
    work: F64 = field(default_factory=lambda: np.zeros(0))
