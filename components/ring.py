"""The last seconds of a voice that streams in: samples still needed, features, and what is known of the speaker."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import F32, F64, Bool

RECENT = 8_000  # samples kept, 0.5 s: what her lips look back on when they begin to listen
KEEP = 256  # frames kept, 2.56 s: the matcher looks back one second, the rest is room for a late reader


@dataclass(slots=True)
class Ring:
    """A voice heard so far. Frame k (10 ms hops, see Speech) lies in row k % KEEP.

    Fields:
        held:        (512,) f64, samples not yet in a whole frame, then stale ones
        passed:      (512,) f64, the same after the 80 Hz high-pass
        stream:      (4,) f64: samples held, the high-pass's two delays, 1 once a sample has come
        gate:        (14,) f64, state of the voice gate
        count:       frames so far
        loudness:    (KEEP,) f64 dB
        floor:       (KEEP,) f64 dB, noise floor the gate tracked
        coefficient: (KEEP, 13) f64, c1..c13 as they are, no mean removed
        voiced:      (KEEP,) bool
        mean:        (13,) f64, the speaker's running mean of c1..c13 over voiced frames
        weight:      frames that `mean` rests on, at most 10 s
        power:       running mean power of voiced frames, 1 = full scale
        spoken:      voiced frames so far
        refused:     samples that were not finite and were taken as silence
        recent:      (RECENT,) f32, the newest samples; sample k lies at k % RECENT
        heard:       samples so far

    Written each tick by voice.listen, for the systems that move her:
        second:      (60,) f64 dB, the loudness shape of the second just heard, its mean removed
        timbre:      (13,) f64, its mean c1..c13; has_timbre: whether enough of it is voiced
        opening:     dB of the newest 10 ms over the speaker's active level, -100 where it is not her voice
    """

    held: F64
    passed: F64
    stream: F64
    gate: F64
    loudness: F64
    floor: F64
    coefficient: F64
    voiced: Bool
    mean: F64
    weight: float
    power: float = 0.0
    count: int = 0
    spoken: int = 0
    refused: int = 0
    recent: F32 = field(default_factory=lambda: np.zeros(RECENT, np.float32))
    heard: int = 0
    second: F64 = field(default_factory=lambda: np.zeros(60))
    timbre: F64 = field(default_factory=lambda: np.zeros(13))
    has_timbre: bool = False
    opening: float = -100.0

    @classmethod
    def of(cls, gate: F64, mean: F64, weight: float) -> Ring:
        """Return an empty ring; gate: state to start from; mean, weight: what is known of the speaker."""
        return cls(
            held=np.zeros(512),
            passed=np.zeros(512),
            stream=np.zeros(4),
            gate=np.array(gate, np.float64),
            loudness=np.full(KEEP, -100.0),
            floor=np.full(KEEP, -100.0),
            coefficient=np.zeros((KEEP, 13)),
            voiced=np.zeros(KEEP, np.bool_),
            mean=np.array(mean, np.float64),
            weight=float(weight),
        )
