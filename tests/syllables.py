"""A voice made of numbers: syllables with loudness and pitch, so that performers can be tested with no program."""

from __future__ import annotations

import numpy as np

from kinesics.components.speech import RATE, Speech
from kinesics.systems.voice.analyse import analyse


def talk(seconds: float = 12.0, seed: int = 0) -> Speech:
    """Return about `seconds` of phrases of 5 to 11 syllables, every third or so louder and higher, and short pauses."""
    rng = np.random.default_rng(seed)
    parts = [np.zeros(RATE)]
    while sum(map(len, parts)) < (seconds - 2.0) * RATE:
        for _ in range(rng.integers(5, 12)):
            stressed = rng.random() < 0.35
            time = np.arange(int(RATE * rng.uniform(0.14, 0.22) * (1.25 if stressed else 1.0))) / RATE
            pitch = 190.0 * (1.25 if stressed else 1.0) * (1.0 - 0.15 * time / time[-1])
            phase = 2.0 * np.pi * np.cumsum(pitch) / RATE
            tone = sum(np.sin(k * phase) / k for k in range(1, 16))
            parts.append(
                0.12 * (1.8 if stressed else 1.0) * tone * np.maximum(np.sin(np.pi * time / time[-1]), 0.0) ** 0.6
            )
        parts.append(np.zeros(int(RATE * rng.uniform(0.35, 0.8))))
    parts.append(np.zeros(RATE))
    pcm = np.concatenate(parts) + 1e-3 * rng.standard_normal(sum(map(len, parts)))
    return analyse(pcm.astype(np.float32), RATE)
