"""Does a cut turn her head against what she does herself? The slow spring's figure for talkers who nod on their own.

By the definition of `cuts` a nod that two rows share in a fade is a reversal that neither has alone, and a talker who
nods twice a second hides every true one: both drown. Here the rows' own motion is taken out first. What a blend
(1 - w) a + w b shows moves at (1 - w) a' + w b', which is what the rows do, plus w' (b - a), what the cut does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....components.arrays import F64, Bool
from ....components.motion import Motion
from ....components.plan import Pick
from ...kernels.blend import fade_weight
from ..blend import evaluate
from .cuts import AFTER, angles, chain, followed, head_angles
from .performers.body import SPRING

SEEN = (
    9.0  # deg/s: nine tenths of the time the head of somebody who stands and listens is slower (measured, one person)
)
_RATE = 60.0


@dataclass(frozen=True, slots=True)
class Against:
    """Per second, yaw and pitch together: how often a cut drove the head visibly the other way than its rows go.

    Fields:
        turns_per_s: times within 0.5 s after a pick that the head goes one way and the rows the other, both over SEEN
        share:       p95 - p5 of the angle over that of the blend without a spring, the smaller of yaw and pitch
        authored:    the same over the blend as the spring that our performers' heads are led against shows it
    """

    turns_per_s: float
    share: float
    authored: float


def against(motion: Motion, picks: Sequence[Pick], ticks: int, torso_rate: float | None, seen: float = SEEN) -> Against:
    """Return how often the cuts of a run turn the head against its rows.

    picks: every pick of the run, by tick; ticks: its length
    torso_rate: 1/s, of the spring of torso, neck and head; None: without one
    """
    blended = head_angles(motion, picks, 0, ticks)
    own = _own(motion, picks, blended)
    shown = blended if torso_rate is None else followed(blended, torso_rate)
    rows = own if torso_rate is None else followed(own, torso_rate)
    fast, theirs = np.diff(shown) * _RATE, np.diff(rows) * _RATE
    opposed = ((fast > seen) & (theirs < -seen)) | ((fast < -seen) & (theirs > seen))
    opposed &= _after_cuts(picks, ticks - 1)
    begins = opposed & ~np.pad(opposed, ((0, 0), (1, 0)))[:, :-1]
    courses = (shown, blended, followed(blended, SPRING))
    size, bare, led = (np.maximum(np.ptp(np.percentile(a, (5, 95), axis=1), axis=0), 1e-9) for a in courses)
    return Against(float(begins.sum() / (ticks / _RATE)), float((size / bare).min()), float((size / led).min()))


def at_the_arms_fade(picks: Sequence[Pick]) -> list[Pick]:
    """Return the picks with torso and head fading as fast as the arms: the control."""
    return [replace(pick, slow=pick.fade) for pick in picks]


def _after_cuts(picks: Sequence[Pick], ticks: int) -> Bool:
    out = np.zeros(ticks, np.bool_)
    for pick in picks:
        if max(pick.fade, pick.slow):
            out[pick.tick : pick.tick + AFTER] = True
    return out


def _own(motion: Motion, picks: Sequence[Pick], blended: F64) -> F64:
    """Return (2, T) deg: the course that the rows' own speeds add up to, weighted as they show."""
    ticks = blended.shape[1]
    speed = np.diff(blended, prepend=blended[:, :1])
    for k, pick in enumerate(picks):
        fade = max(pick.fade, pick.slow)
        last = min(pick.tick + fade, picks[k + 1].tick if k + 1 < len(picks) else ticks, ticks)
        if fade == 0 or pick.tick == 0 or last <= pick.tick:
            continue
        old, new = (_alone(motion, p, pick.tick, last) for p in (picks[k - 1] if k else None, pick))
        elapsed = np.arange(pick.tick, last) - pick.tick
        weight = np.array([fade_weight(max(e - 0.5, 0.0), float(fade)) for e in elapsed.tolist()])
        speed[:, pick.tick : last] = (1.0 - weight) * old + weight * new
    return np.cumsum(speed, axis=1)


def _alone(motion: Motion, pick: Pick | None, first: int, last: int) -> F64:
    """Return (2, last - first) deg a tick: how yaw and pitch move where one pick plays uncut."""
    uncut = None if pick is None else replace(pick, fade=0, slow=0)
    turned, now = np.empty((last - first + 1, 4)), np.empty_like(motion.quats[0])
    for k in range(len(turned)):
        tick = first - 1 + k
        evaluate(motion, None, uncut, tick if uncut is None else max(tick, uncut.tick), now)
        turned[k] = chain(now)
    return np.diff(np.array(angles(turned)))
