"""How she was cut together: sizes of jumps, of the head's swings, and how often the same row came again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...components.arrays import F64
from .run import Run

JUMPS = (0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 55.0, 180.0)  # deg; the gate is at 55
SWINGS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 180.0)  # deg


def jumps(run: Run) -> dict[str, Any]:
    """Return a histogram of the jumps of her picks, deg: a natural continuation jumps nowhere and is left out."""
    picked = run.jump_deg[(run.jump_deg > 0.0) | run.forced]
    return _histogram(picked, JUMPS)


def swings(angles: tuple[F64, F64], least: float) -> dict[str, Any]:
    """Return a histogram of how far her head swings between two changes of direction, deg, yaw and pitch together.

    A cut that turns the head round shows as many small swings; `least`: deg/s on both sides of a change.
    """
    sizes: list[float] = []
    for angle in angles:
        rate = np.diff(angle) * 60.0
        fast = np.flatnonzero(np.abs(rate) > least)
        turned = np.flatnonzero(np.diff(np.sign(rate[fast])) != 0)
        # the extreme lies between the last fast tick one way and the first the other way
        ends = []
        for k in turned:
            between = angle[fast[k] : fast[k + 1] + 2]
            ends.append(float(between.max() if rate[fast[k]] > 0.0 else between.min()))
        sizes += np.abs(np.diff(ends)).tolist()
    return _histogram(np.array(sizes), SWINGS)


def reuse(run: Run) -> dict[str, Any] | None:
    """Return how often she showed again what she had shown; None where she showed nothing of a corpus.

    rows: shown one after the other, seconds that run on in their clip counted as rows; share: of them that had been
    shown before; most: how often the one that came most often did; least_s: s between two showings, None without any
    """
    shown = run.window
    begins = np.flatnonzero(np.diff(np.concatenate([[-1], shown])) != 0)
    begins = begins[shown[begins] >= 0]
    if not len(begins):
        return None
    rows = shown[begins]
    _, counts = np.unique(rows, return_counts=True)
    again = [
        float(np.diff(np.sort(begins[rows == row])).min()) / 60.0 for row in np.unique(rows) if (rows == row).sum() > 1
    ]
    return {
        "rows": len(rows),
        "share": float(1.0 - len(counts) / len(rows)),
        "most": int(counts.max()),
        "least_s": min(again) if again else None,
    }


def _histogram(values: Any, edges: tuple[float, ...]) -> dict[str, Any]:
    counts, _ = np.histogram(np.asarray(values, np.float64), bins=np.array(edges))
    return {"edges": list(edges), "counts": counts.tolist()}
