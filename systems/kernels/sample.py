"""Stored motion between its frames: 30 Hz rotation vectors at any 60 Hz time. The one interpolation that is played."""

from __future__ import annotations

import math

from . import quat, rotvec
from .arrays import F32, F64
from .compiled import njit


@njit(cache=True, allocates=False)
def sample(delta: F32 | F64, first: int, last: int, frame60: float, out: F64) -> None:
    """Write a clip's motion at one time: Catmull-Rom over the 30 Hz frames, the clip's end frames held beyond it.

    The curve goes through every stored frame, so an even whole `frame60` inside the clip gives that frame exactly.

    delta: (F, S, 3) f32 or f64 rad, continuous along each clip
    first, last: the clip's frames are first .. last - 1; last > first
    frame60: 60 Hz frames since the clip's first; any value, fractions too
    out: (S, 3) f64 rad, written
    """
    at = 0.5 * frame60
    end = float(last - first - 1)
    if not at > 0.0:
        at = 0.0
    elif at > end:
        at = end
    whole = math.floor(at)
    t = at - whole
    b = first + int(whole)
    if t == 0.0:
        for s in range(out.shape[0]):
            for k in range(3):
                out[s, k] = delta[b, s, k]
        return
    a = max(b - 1, first)
    c = b + 1
    d = min(b + 2, last - 1)
    wa = ((-0.5 * t + 1.0) * t - 0.5) * t
    wb = (1.5 * t - 2.5) * t * t + 1.0
    wc = ((-1.5 * t + 2.0) * t + 0.5) * t
    wd = (0.5 * t - 0.5) * t * t
    for s in range(out.shape[0]):
        for k in range(3):
            out[s, k] = wa * delta[a, s, k] + wb * delta[b, s, k] + wc * delta[c, s, k] + wd * delta[d, s, k]


@njit(cache=True, allocates=False)
def shown_angles(
    delta: F32 | F64, gain: F64, first: int, last: int, moved: F64, before: F64, after: F64, out: F64
) -> None:
    """Write how far each slot turns from each 60 Hz frame of a clip to the next, as played and after the gains.

    The angle between two local rotations does not depend on the pose that the deltas are over.

    delta: (F, S, 3) rad; gain: (S,); first, last: as in `sample`
    moved: (S, 3), before, after: (S, 4): room to work in
    out: (2 (last - first), S) rad, written: row i is from frame i to frame i + 1, beyond the end she stands still
    """
    slots = gain.shape[0]
    for i in range(out.shape[0] + 1):
        sample(delta, first, last, float(i), moved)
        for s in range(slots):
            for k in range(3):
                moved[s, k] *= gain[s]
            rotvec.exp(moved[s], after[s])
            if i > 0:
                out[i - 1, s] = quat.angle(before[s], after[s])
            quat.copy(after[s], before[s])
