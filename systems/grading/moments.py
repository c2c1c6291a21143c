"""Which ticks of a sentence are shown: evenly timed ones, and some that the motion before any rule chooses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...components.arrays import F64, I32

EVEN, CHOSEN = 5, 3  # moments of each kind: as many as stand side by side and are still seen (choice)
SETTLE = 12  # ticks in which a swapped rule has let go or taken hold: of [rule] spring 40 /s, 0.3 % is left then
APART = 12  # times the distance of two chosen ones are the whole run, at least: no contact takes all three (choice)
BESIDE = 12  # ticks: an even one nearer to a chosen one shows the same, and another is chosen for it (choice)
ALIKE = 0.5  # mm, depths that count as the same: then the faster wrist is shown


def moments(depth_raw_mm: npt.ArrayLike, raw: F64) -> I32:
    """Return (EVEN + CHOSEN,) ticks in order, fewer where the run is too short to hold as many.

    They come of the motion before any rule alone, so they are the same whatever was drawn: where an arm would be
    deepest in her, and where none is, where a wrist is fastest.

    depth_raw_mm: (T,) before the rule; raw: (T, 2, 3) m, wrists before the rule
    """
    depth = np.asarray(depth_raw_mm, np.float64)
    count = len(depth)
    if count <= SETTLE:
        return np.arange(min(count, 1), dtype=np.int32)
    even = np.round(SETTLE + (np.arange(EVEN) + 0.5) / EVEN * (count - 1 - SETTLE))
    chosen: list[int] = []
    speed = np.zeros(count)
    with np.errstate(invalid="ignore"):
        speed[1:] = np.nan_to_num(np.linalg.norm(np.diff(raw, axis=0), axis=-1)).max(axis=1, initial=0.0)
    order = np.lexsort((np.arange(count), -speed, -np.round(depth / ALIKE)))
    for tick in order[order >= SETTLE].tolist():
        if len(even) + len(chosen) >= EVEN + CHOSEN:
            break
        if all(abs(tick - other) * APART >= count for other in chosen):
            chosen.append(tick)
            even = even[np.abs(even - tick) >= BESIDE]
    return np.unique(np.concatenate([even, chosen])).astype(np.int32)
