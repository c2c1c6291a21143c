"""Do her arms know the voice's accents? Their speed just before strong ones against the same voice shifted in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....components.arrays import F64
from ....components.speech import Speech
from ...figures.run import Run

LAG = -0.23  # s, where the performers' own arms are fastest before an accent (fixed before anything was measured)
STRONG = 0.4  # share of a voice's accents that count: the strongest
SHIFTS = 500
TICK = 60  # Hz
_NEAR = 0.5  # s, a shift nearer to none than this is not another time


@dataclass(frozen=True, slots=True)
class Spoken:
    """One recording and how fast her hands were while she said it.

    Fields:
        speed:  (T,) m/s on the voice's own clock at 60 Hz, NaN where nothing was recorded
        phrase: (P, 2) s; accent: (A,) s, the strong ones
    """

    speed: F64
    phrase: F64
    accent: F64


@dataclass(frozen=True, slots=True)
class Transfer:
    """What accents do to her arms. ratio: speed at the lag to the mean while speaking, 1 = nothing.

    Fields:
        z:       by how many standard deviations of the shifted ratios it lies above their mean
        share:   of the shifts that gave as much or more
        accents: strong accents that were counted
        curve:   (61,) the ratio at lags -0.5 .. 0.5 s
    """

    ratio: float
    z: float
    share: float
    accents: int
    curve: F64


LAGS = np.arange(-30, 31) / TICK  # s, of Transfer.curve


def hand_speed(run: Run) -> F64:
    """Return (T,) m/s: the mean speed of both wrists as the chest sees them; the first tick repeats the second."""
    chest = next(j for j in map(run.joint, ("upperChest", "chest", "spine", "hips")) if j >= 0)
    wrists = [j for j in (run.joint("leftHand"), run.joint("rightHand")) if j >= 0]
    place = run.position[:, wrists] - run.position[:, [chest]]
    moved = np.linalg.norm(np.diff(place, axis=0), axis=2).mean(axis=1) * TICK
    return np.concatenate([moved[:1], moved])


def spoken(speech: Speech, runs: Sequence[tuple[float, Run]]) -> Spoken:
    """Return the mean over several runs of one recording, each entered at another moment of it.

    runs: (s of the recording at which the run's voice began, the run)
    """
    count = int(speech.seconds * TICK)
    total, seen = np.zeros(count), np.zeros(count)
    for entered, run in runs:
        speed = hand_speed(run)
        first = round((entered - run.audio_start_s) * TICK)
        a, b = max(first, 0), min(first + len(speed), count)
        total[a:b] += speed[a - first : b - first]
        seen[a:b] += 1
    strong = np.sort(np.argsort(-speech.strength, kind="stable")[: round(STRONG * len(speech.accent))])
    mean = np.where(seen == len(runs), total / np.maximum(seen, 1), np.nan)
    return Spoken(mean, speech.phrase, speech.accent[strong])


def transfer(recordings: Sequence[Spoken], *, lag: float = LAG, shifts: int = SHIFTS, seed: int = 0) -> Transfer:
    """Return how much faster her hands are `lag` s from strong accents, and whether chance does the same.

    Shifts are circular and in speaking time alone, pauses cut out: hands rest in pauses, and accents that were shifted
    into them would make any motion look timed.
    """
    parts = [_laid_out(one) for one in recordings]
    draw = np.random.default_rng(seed)
    real = _curve(parts, None)
    chance = np.array([_curve(parts, draw)[_index(lag)] for _ in range(shifts)])
    here = float(real[_index(lag)])
    return Transfer(
        here,
        float((here - chance.mean()) / max(chance.std(), 1e-12)),
        float((chance >= here).mean()),
        sum(len(at) for _, at in parts),
        real,
    )


def _index(lag: float) -> int:
    return int(np.clip(round(lag * TICK) + 30, 0, 60))


def _laid_out(one: Spoken) -> tuple[F64, NDArray[np.intp]]:
    """Return (S, 61) speeds at all lags of every speaking tick, over their mean, and the accents' places in S."""
    tick = np.arange(len(one.speed))
    speaks = np.zeros(len(tick), bool)
    for start, stop in one.phrase:
        speaks[round(start * TICK) : round(stop * TICK)] = True
    around = np.clip(tick[:, None] + np.arange(-30, 31), 0, len(tick) - 1)
    speeds = one.speed[around]
    speaks &= np.isfinite(speeds).all(axis=1)
    at = np.minimum(np.round(one.accent * TICK).astype(int), len(tick) - 1)
    rank = np.cumsum(speaks) - 1
    return speeds[speaks] / speeds[speaks][:, 30].mean(), rank[at[speaks[at]]]


def _curve(parts: Sequence[tuple[F64, NDArray[np.intp]]], draw: np.random.Generator | None) -> F64:
    total, count = np.zeros(61), 0
    for speeds, at in parts:
        shift = 0
        if draw is not None:
            near = round(_NEAR * TICK)
            shift = int(draw.integers(near, max(len(speeds) - near, near + 1)))
        total += speeds[(at + shift) % len(speeds)].sum(axis=0)
        count += len(at)
    return total / max(count, 1)
