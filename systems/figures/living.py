"""What of a run's face lives: how often and how long she blinks, and how much her brows move."""

from __future__ import annotations

from typing import Any

import numpy as np

from .run import Run

SEEN = 0.05  # of a shape: less of it nobody sees
SHUT = 0.5  # of a blink beyond how she holds her lids, which a mood may half close: what counts as one


def living(run: Run) -> dict[str, Any] | None:
    """Return figures of her lids and brows; None without ARKit's shapes, each None where she lacks its own.

    blinks_per_min, blink_s_max: of lids that close by more than half of what is left
    brows_share: 0..1 of the ticks, brows not at rest
    """
    lids = [c for c, name in enumerate(run.face_names) if name.lower().startswith("eyeblink")]
    brows = [c for c, name in enumerate(run.face_names) if name.lower().startswith("brow")]
    if not run.ticks or not (lids or brows):
        return None
    out: dict[str, Any] = {"blinks_per_min": None, "blink_s_max": None, "brows_share": None}
    if lids:
        shut = run.face[:, lids].max(axis=1)
        held = float(np.median(shut))
        edge = np.diff(np.concatenate([[False], shut > held + SEEN, [False]]).astype(np.int8))
        runs = zip(np.flatnonzero(edge > 0), np.flatnonzero(edge < 0))
        blinks = [stop - start for start, stop in runs if shut[start:stop].max() > held + SHUT * (1.0 - held)]
        out["blinks_per_min"] = len(blinks) / (run.ticks / 3600.0)
        out["blink_s_max"] = max(blinks, default=0) / 60.0
    if brows:
        out["brows_share"] = float((run.face[:, brows].max(axis=1) > SEEN).mean())
    return out
