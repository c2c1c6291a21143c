"""What the rule did to a motion, in the viewer's unit: how deep, how jerky, how far, and whether held hands are still.

Every figure is of joints and capsules of the poses themselves, before and after; nothing the rule says about itself
is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from .motions import RATE
from .optimum import depths
from .scene import Scene

OVER = 1e-3  # m, depth from which a frame is counted
STILL = 0.01  # mm a frame, slower than which a hand stands still: no viewer sees a third of a millimetre a second


@dataclass(frozen=True, slots=True)
class Figures:
    """One row of a table.

    Fields:
        depth:  p50, p95, p99, max of the deepest contact of each frame beyond its allowance, mm
        over:   share of frames deeper than 1 mm, %
        jerk:   p95, p99, max of the third difference of (wrist after - wrist before), mm/frame^3
        moved:  rms of the wrist's displacement over both arms and all frames, mm
    """

    depth: tuple[float, ...]
    over: float
    jerk: tuple[float, ...]
    moved: float


def figures(before: Scene, after: Scene) -> Figures:
    """Return what was done to a motion. before, after: the same frames without and with the rule."""
    deep = 1e3 * depths(after).max(axis=(1, 2))
    start, end = before.joint[:, :, 2], after.joint[:, :, 2]
    return Figures(
        depth=_of(deep, 50, 95, 99, 100),
        over=float(100.0 * (deep > 1e3 * OVER).mean()),
        jerk=_of(jerk(end - start), 95, 99, 100),
        moved=displaced(before, after),
    )


def displaced(before: Scene, after: Scene) -> float:
    """Return the rms of the wrists' displacement, mm."""
    away = after.joint[:, :, 2] - before.joint[:, :, 2]
    return float(1e3 * np.sqrt((away**2).sum(axis=-1).mean()))


def jerk(path: F64) -> F64:
    """Return the length of the third difference of paths (F, ..., 3) m, mm/frame^3."""
    return 1e3 * np.linalg.norm(np.diff(path, 3, axis=0), axis=-1)


def _of(values: F64, *percentiles: float) -> tuple[float, ...]:
    return tuple(float(p) for p in np.percentile(values, percentiles))


@dataclass(frozen=True, slots=True)
class Held:
    """What became of a hand that was pressed in, held and let go.

    Fields:
        inside_mm: deepest in the second half of the hold
        still_s:   s after the raw hand stopped until the shown one is slower than STILL for the rest of the hold
        reversals: times the shown hand turned back in the hold, later than 0.5 s after the raw hand stopped
        end_mm:    speed at the end of the hold, mm a frame
        back_s:    s after the raw hand is back until the shown one stays within 1 mm of it
        jump_mm:   largest step of (shown - raw) from one frame to the next while it is let go, mm
    """

    inside_mm: float
    still_s: float
    reversals: int
    end_mm: float
    back_s: float
    jump_mm: float


def held(before: Scene, after: Scene, side: int, hold: tuple[int, int], back: int) -> Held:
    """Return how still a held hand was and how it was let go.

    hold: first and last frame in which the raw hand stands still inside; back: frame at which it is back at rest
    """
    first, last = hold
    hand, raw = after.joint[:, side, 2], before.joint[:, side, 2]
    deep = 1e3 * depths(after).max(axis=(1, 2))
    step = 1e3 * np.diff(hand[first : last + 1], axis=0)
    speed = np.linalg.norm(step, axis=1)
    moving = np.flatnonzero(speed > STILL)
    away = 1e3 * np.linalg.norm(hand - raw, axis=1)
    far = np.flatnonzero(away[back:] > 1.0)
    return Held(
        inside_mm=float(deep[(first + last) // 2 : last + 1].max()),
        still_s=float((moving[-1] + 1) / RATE) if len(moving) else 0.0,
        reversals=_reversals(step[RATE // 2 :]),
        end_mm=float(speed[-1]),
        back_s=float((far[-1] + 1) / RATE) if len(far) else 0.0,
        jump_mm=float(1e3 * np.linalg.norm(np.diff(hand - raw, axis=0)[last:], axis=1).max()),
    )


def _reversals(step: F64) -> int:
    """Return how often steps (F, 3) mm along their main direction change their sign, those under STILL left out."""
    if np.abs(step).max() < STILL:
        return 0
    along = step @ np.linalg.svd(step, full_matrices=False)[2][0]
    signs = np.sign(along[np.abs(along) > STILL])
    return int((signs[1:] != signs[:-1]).sum())
