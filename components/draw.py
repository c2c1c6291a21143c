"""Random numbers without a shared stream: the same (seed, avatar, system, tick) always gives the same numbers."""

from __future__ import annotations

import numpy as np

SYSTEMS = ("reflex", "matcher", "face", "grading", "gaze", "brows", "sentence", "posture")


def draws(seed: int, avatar: int, system: str, tick: int) -> np.random.Generator:
    """Return a generator keyed by who asks and when; asking again gives the same numbers.

    Philox is counter-based (Salmon et al., SC 2011), so no draw depends on how many came before it.
    """
    key = np.array([seed & 0xFFFFFFFFFFFFFFFF, ((avatar + 1) << 8) | SYSTEMS.index(system)], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, tick]))
