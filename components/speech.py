"""What is said: a Speech, audio and words with everything measured of them, frozen; Growing, one still coming in."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import F32, F64, I32, Bool

RATE = 16_000  # Hz, the one rate inside
HOP = 160  # samples between feature frames: 10 ms
ENVELOPE_RATE = 60  # Hz, loudness samples a second that rows are matched by


@dataclass(frozen=True, slots=True)
class Word:
    """One word and when it sounds. start, end: s from the first sample."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Speech:
    """A known voice.

    Fields:
        audio:       (N,) f32 mono at RATE, -1..1
        loudness:    (F,) f64 dB, RMS of each 10 ms hop over a 32 ms frame that starts at the hop
        envelope:    (E,) f32 dB at ENVELOPE_RATE, relative to the speaker's active level, clipped to -30..10
        coefficient: (F, 13) f32, c1..c13 with the speaker's own mean over voiced frames removed
        voiced:      (F,) bool, frames in which she speaks (energy gate with hysteresis)
        phrase:      (P, 2) f64 s, runs of speech, pauses under 0.22 s bridged
        accent:      (A,) f64 s, moments of prominence
        strength:    (A,) f64, how strong each is, about 0..3
        words:       as given with the voice
        text:        as given, or the words joined, or ""
        seconds:     length of the audio
        digest:      hash of audio, words, text and mouth
        mouth:       (M,) i32, index in face_map.VISEMES of each 10 ms, by its phones or read from the sound, or empty
        phrases:     `phrase` as plain numbers: a tick compares a handful of them, which numpy makes slow
    """

    audio: F32
    loudness: F64
    envelope: F32
    coefficient: F32
    voiced: Bool
    phrase: F64
    accent: F64
    strength: F64
    words: tuple[Word, ...]
    text: str
    seconds: float
    digest: str
    mouth: I32 = field(default_factory=lambda: np.zeros(0, np.int32))
    phrases: tuple[tuple[float, float], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "phrases", tuple((float(a), float(b)) for a, b in self.phrase))


@dataclass(slots=True)
class Growing:
    """A voice that is still being fed: its samples and their frames in arrays with room to grow. What is there stays.

    Fields:
        audio:       (>= samples,) f32 mono at RATE
        coefficient: (>= frames, 13) f64, c1..c13 as they are; loudness, band: (>= frames,) f64 dB
        words, text: as given so far
        since:       tick on which the first of it came in, -1 before
        is_fresh:    something came in that nobody has looked at
        digest:      of everything fed so far

    Measured, with what is known of the speaker from the first `known` frames:
        state:       of the voice gate after `done` frames
        level:       dB, active level; mean: (13,), of c1..c13; least: dB in the band from which on it is speech
        voiced, speaking: (>= done,) bool; above: (>= done,) f64 dB over the noise; timbre: (>= done, 13) f32
        envelope:    (>= samples' worth,) f32 dB
        phrase:      (P, 2) f64 s, runs of speech that are over; open_from: first frame after them
    """

    text: str
    audio: F32 = field(default_factory=lambda: np.zeros(RATE, np.float32))
    coefficient: F64 = field(default_factory=lambda: np.zeros((100, 13)))
    loudness: F64 = field(default_factory=lambda: np.zeros(100))
    band: F64 = field(default_factory=lambda: np.zeros(100))
    words: tuple[Word, ...] = ()
    samples: int = 0
    frames: int = 0
    since: int = -1
    is_fresh: bool = False
    digest: str = ""
    known: int = 0
    done: int = 0
    state: F64 = field(default_factory=lambda: np.zeros(0))
    level: float = 0.0
    mean: F64 = field(default_factory=lambda: np.zeros(13))
    least: float = np.inf
    voiced: Bool = field(default_factory=lambda: np.zeros(0, np.bool_))
    speaking: Bool = field(default_factory=lambda: np.zeros(0, np.bool_))
    above: F64 = field(default_factory=lambda: np.zeros(0))
    timbre: F32 = field(default_factory=lambda: np.zeros((0, 13), np.float32))
    envelope: F32 = field(default_factory=lambda: np.zeros(0, np.float32))
    phrase: F64 = field(default_factory=lambda: np.zeros((0, 2)))
    open_from: int = 0
