"""What of a corpus one avatar can show: it says what survives and refuses nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...components.anatomy import ARM_SLOTS
from ...components.arrays import F32, F64, Bool
from ...components.config import Config
from ...components.corpus import FPS, Corpus, Repertoire
from ..kernels import rotvec
from ..retarget.repertoire import ROW

_ARMS = np.array(ARM_SLOTS)
_BLOCK, _AT_ONCE = 256, 4_000  # rows compared at once with others: 256 x 4 000 x 8 angles stay below 70 MB
_FEW = 256


def survey(corpus: Corpus, repertoire: Repertoire, config: Config, dead: Bool | None = None) -> dict[str, Any]:
    """Return what CONTRACT's corpus report holds: rows in all, legal ones, those without a way out, clip by clip.

    dead: (W,) bool, what `dead_ends` returned, if it was asked before

    A row is legal if none of her 8 arm joints exceeds the speed gate in it. It is a dead end if its clip does not go
    on legally after it and no legal row starts within the jump gate of its last pose.
    """
    legal = repertoire.row_speed <= config.gates.speed_deg_s
    gains = config.gains
    if dead is None:
        dead = dead_ends(repertoire, legal, config.gates.jump)
    return {
        "windows": int(legal.size),
        "legal": int(legal.sum()),
        "seconds": round(float(corpus.start[-1]) / FPS, 3),
        "gains": {name: getattr(gains, name) for name in gains.__dataclass_fields__},
        "dead_ends": int(dead.sum()),
        "clips": [_clip(corpus, repertoire, legal, k) for k in range(len(corpus.clips))],
        "skipped": [],
    }


def dead_ends(repertoire: Repertoire, legal: Bool, jump: float) -> Bool:
    """Return (W,) bool: legal rows from whose last pose no legal row is within `jump` rad and nothing goes on."""
    out = np.zeros(legal.size, bool)
    stuck = np.flatnonzero(legal & ~_goes_on(repertoire, legal))
    starts = np.ascontiguousarray(repertoire.row_pose[legal])
    # nearly every pose has a way out among any few hundred rows; only what has none there is held against all of them
    few = starts[:: max(1, len(starts) // _FEW)]
    for block in np.array_split(stuck, max(1, math.ceil(stuck.size / _BLOCK))):
        ends = np.array([_last_pose(repertoire, int(row)) for row in block]).reshape(-1, len(ARM_SLOTS), 4)
        lost = ~_any_near(ends, few, jump)
        for first in range(0, len(starts), _AT_ONCE):
            if not lost.any():
                break
            lost[lost] = ~_any_near(ends[lost], starts[first : first + _AT_ONCE], jump)
        out[block] = lost
    return out


def _any_near(ends: F64, starts: F32, jump: float) -> Bool:
    """Return (A,) bool: whether the largest angle between each pose and any of `starts` is within `jump` rad."""
    least = math.cos(jump / 2.0)  # an angle within the gate has a dot product of at least this
    dots = np.abs(np.einsum("ajk,bjk->abj", ends, starts.astype(np.float64)))
    return (dots.min(axis=2) >= least).any(axis=1)


def _goes_on(repertoire: Repertoire, legal: Bool) -> Bool:
    """Return (W,) bool: a legal row of the same clip starts where this row ends."""
    key = repertoire.row_clip.astype(np.int64) * 2**32 + repertoire.row_frame
    at = np.searchsorted(key, key + ROW)
    found = np.minimum(at, key.size - 1)
    return (at < key.size) & (key[found] == key + ROW) & legal[found]


def _last_pose(repertoire: Repertoire, row: int) -> F64:
    """Return (8, 4) wxyz: the arm joints as shown at the end of a row."""
    clip = int(repertoire.row_clip[row])
    frame = int(repertoire.start[clip]) + (int(repertoire.row_frame[row]) + ROW) // 2
    frame = min(frame, int(repertoire.start[clip + 1]) - 1)
    shown = repertoire.arms[frame].astype(np.float64) * repertoire.gain[_ARMS, None]
    pose = np.zeros((len(ARM_SLOTS), 4))
    rotvec.exp_each(shown, pose)
    return pose


def _clip(corpus: Corpus, repertoire: Repertoire, legal: Bool, k: int) -> dict[str, Any]:
    clip = corpus.clips[k]
    mine = slice(*np.searchsorted(repertoire.row_clip, (k, k + 1)).tolist())
    frames = slice(int(corpus.start[k]), int(corpus.start[k + 1]))
    return {
        "source": clip.name,
        "performer": clip.performer,
        "seconds": round((frames.stop - frames.start) / FPS, 3),
        "windows": mine.stop - mine.start,
        "legal": int(legal[mine].sum()),
        "audio": clip.voice,
        "offset_s": clip.offset_s,
        "amplitude_deg": _amplitude(repertoire, slice(int(repertoire.start[k]), int(repertoire.start[k + 1]))),
        "licence": clip.licence,
    }


def _amplitude(repertoire: Repertoire, frames: slice) -> float:
    """Return deg: the p5..p95 range of the arm joints' shown angles over the base pose, mean of the 8."""
    shown = repertoire.arms[frames].astype(np.float64) * repertoire.gain[_ARMS, None]
    low, high = np.percentile(np.degrees(np.linalg.norm(shown, axis=2)), (5, 95), axis=0)
    return round(float((high - low).mean()), 2)
