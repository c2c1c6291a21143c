"""Her brows: what a model hears of her voice, and what it has them do."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import F64

BROWS = ("browDownLeft", "browDownRight", "browInnerUp", "browOuterUpLeft", "browOuterUpRight")  # ARKit's five


@dataclass(slots=True)
class Heard:
    """What a brow model is told on every tick, the same for a designed one and a learned one.

    Fields:
        speaking: her voice sounds
        loudness: dB over her active level, -100 in silence
        accent:   s until the next accented word begins, or what stands out of a live voice; inf: none is told now
        strength: of that accent, about 0..3 (Speech.strength); each accent is told on one tick, the first it is due on
        begins:   it is the first since she fell silent
        question: 0..1, how far into the end of a question she is, 0 outside
    """

    speaking: bool = False
    loudness: float = -100.0
    accent: float = np.inf
    strength: float = 0.0
    begins: bool = False
    question: float = 0.0


@dataclass(slots=True)
class Brows:
    """One avatar's brows.

    Fields:
        heard:    see there
        target, value, velocity: (5,) f64, 0..1 and 1/s, in the order of BROWS: written by a model, and eased to
        slow:     the target is eased to as slowly as brows sink
        moving:   target or value is not at rest
        size:     (5,) f64, of the raise that runs; begins, ends: ticks of it; last: tick on which the last one began
        asks:     (3,) f64, inner, outer left and right of the question she is in; asked: it has been decided
        is_up:    the designed model has its target off rest
        effort:   s that she has been loud
        idle:     tick of the next raise that no accent asks for, 0: not drawn yet
        said:     utterance that is being followed, 0 the microphone, -1 nothing; next: its next accent
        questions: (s, s) of each of its questions' ends, None: not looked for yet
        loud, pitch: mean and variance of a live voice's loudness, dB, and pitch, semitones, over 3 s
        stands:   how far it stands out now, eased; armed: it has sunk since the last accent; read: tick last listened
    """

    heard: Heard = field(default_factory=Heard)
    target: F64 = field(default_factory=lambda: np.zeros(5))
    value: F64 = field(default_factory=lambda: np.zeros(5))
    velocity: F64 = field(default_factory=lambda: np.zeros(5))
    slow: bool = False
    moving: bool = False
    size: F64 = field(default_factory=lambda: np.zeros(5))
    begins: int = -1
    ends: int = -1
    last: int = -10_000
    asks: F64 = field(default_factory=lambda: np.zeros(3))
    asked: bool = False
    is_up: bool = False
    effort: float = 0.0
    idle: int = 0
    said: int = -1
    next: int = 0
    questions: tuple[tuple[float, float], ...] | None = None
    loud: F64 = field(default_factory=lambda: np.zeros(2))
    pitch: F64 = field(default_factory=lambda: np.zeros(2))
    stands: float = 0.0
    armed: bool = True
    read: int = -1
