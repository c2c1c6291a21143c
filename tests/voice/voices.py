"""Voices made of nothing but numbers, with everything about them known: where syllables, accents and pauses are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RATE = 16_000


@dataclass(frozen=True)
class Planted:
    """A voice and what was put into it. accent: s; pause: (start s, end s) between runs of speech."""

    audio: npt.NDArray[np.float32]
    accent: list[float]
    pause: list[tuple[float, float]]


def talker(pauses: tuple[float, ...] = (0.6, 0.6), seed: int = 0, rate: int = RATE) -> Planted:
    """Return runs of 8 syllables (5 a second), every third one louder by 8 dB and higher by 5 semitones."""
    rng = np.random.default_rng(seed)
    beat, lead = 0.2, 0.5
    runs = len(pauses) + 1
    seconds = 2 * lead + runs * 8 * beat + sum(pauses)
    t = np.arange(round(seconds * rate)) / rate
    loud, pitch = np.zeros(len(t)), np.full(len(t), 120.0)
    accent, pause = [], []
    at = lead
    for run in range(runs):
        for k in range(8):
            middle = at + (k + 0.5) * beat
            is_strong = k % 3 == 1
            bump = np.exp(-0.5 * ((t - middle) / 0.05) ** 2)
            loud += (0.25 if is_strong else 0.1) * bump
            if is_strong:
                accent.append(middle)
                pitch *= 2.0 ** (5.0 / 12.0 * np.exp(-0.5 * ((t - middle) / 0.08) ** 2))
        at += 8 * beat
        if run < len(pauses):
            pause.append((at, at + pauses[run]))
            at += pauses[run]
    phase = 2.0 * np.pi * np.cumsum(pitch) / rate
    tone = sum(np.sin(k * phase) / k for k in range(1, int(3500 / 170)))
    audio = 0.5 * loud * tone + 3e-4 * rng.standard_normal(len(t))
    return Planted(audio.astype(np.float32), accent, pause)
