"""Do her hands come to rest on the voice's accents? Beat alignment, and by how much it beats the same voice shifted.

A score alone says nothing: hands that stop often are always near some accent. So the voice is shifted in time, round
and round within speaking time, and the real score is told in standard deviations of the shifted ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.arrays import F64, I64
from .run import Run

SIGMA = 0.1  # s, of the alignment (Li et al. 2021, AIST++; Liu et al. 2022, BEAT)
SMOOTH = 0.08  # s, standard deviation of what the hands' speed is smoothed with
STOP = 0.02  # m/s that a hand must be faster on both sides of a beat
SHIFTS = 500
NEAR = 0.5  # s, a shift nearer to none than this is not another time
FEWEST = 20  # accents, below which chance decides
_FPS = 60


def beats(run: Run) -> dict[str, Any] | None:
    """Return how her hands' beats lie on accents; None without hands or with less than 20 accents.

    score: 0..1, mean over accents of exp(-d^2 / 2 SIGMA^2), d to the nearest beat; shifted: the mean of the shifted
    z: by how many standard deviations of the shifted scores it lies above their mean; accents, beats: how many
    """
    spoken = np.flatnonzero(run.speaking)
    wrists = [j for j in (run.joint("leftHand"), run.joint("rightHand")) if j >= 0]
    if not wrists or not len(spoken) or len(run.accent_s) < FEWEST:
        return None
    place = np.cumsum(run.speaking) - 1  # of each tick in speaking time, pauses cut out
    at = np.round(run.accent_s * _FPS).astype(np.int64)
    at = at[(at >= 0) & (at < run.ticks)]
    at = place[at[run.speaking[at]]]
    found = _beats(run, wrists)
    found = np.unique(place[found[run.speaking[found]]])
    if len(at) < FEWEST or len(found) < 2:
        return None
    count = len(spoken)
    near = _near(found, count)
    shifts = np.round(np.arange(1, SHIFTS + 1) * count / (SHIFTS + 1)).astype(int)
    shifts = shifts[(shifts > NEAR * _FPS) & (shifts < count - NEAR * _FPS)]
    chance = near[(at[None] + shifts[:, None]) % count].mean(axis=1)
    score = float(near[at].mean())
    return {
        "score": score,
        "shifted": float(chance.mean()),
        "z": float((score - chance.mean()) / max(float(chance.std()), 1e-9)),
        "accents": len(at),
        "beats": len(found),
    }


def _beats(run: Run, wrists: list[int]) -> I64:
    """Return the ticks on which a hand comes to rest, as the chest sees it, before it goes on."""
    chest = next(j for j in (*map(run.joint, ("upperChest", "chest", "spine", "hips")), 0) if j >= 0)
    bell = np.exp(-0.5 * (np.arange(-3 * SMOOTH * _FPS, 3 * SMOOTH * _FPS + 1) / (SMOOTH * _FPS)) ** 2)
    out = []
    for wrist in wrists:
        moved = np.diff(run.position[:, wrist] - run.position[:, chest], axis=0)
        speed = np.convolve(np.linalg.norm(moved, axis=1) * _FPS, bell / bell.sum(), "same")
        out.append(_minima(speed, STOP))
    return np.unique(np.concatenate(out))


def _minima(speed: F64, least: float) -> I64:
    """Return where speed has a minimum that is `least` below the maxima on both sides."""
    found: list[int] = []
    low, high, falling = 0, 0, False
    for k in range(len(speed)):
        if falling:
            if speed[k] < speed[low]:
                low = k
            elif speed[k] - speed[low] > least:
                found.append(low)
                high, falling = k, False
        elif speed[k] > speed[high]:
            high = k
        elif speed[high] - speed[k] > least:
            low, falling = k, True
    return np.array(found, np.int64)


def _near(found: I64, count: int) -> F64:
    """Return for each tick of speaking time how near a beat is, 0..1, round the end to the start."""
    tick = np.arange(count)
    after = np.searchsorted(found, tick)
    one = found[after % len(found)] - tick
    other = tick - found[after - 1]
    distance = np.minimum(one % count, other % count) / _FPS
    return np.exp(-0.5 * (distance / SIGMA) ** 2)
