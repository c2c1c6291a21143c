"""How deep proposals leave her arms, and the exact slope of that: what the head is trained on, compiled.

Only pairs that come near each other on a frame are looked at; which ones is found once for each frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....components.arrays import F32, F64, I32
from ...collide.offline.solve import LEVER, _bends, _slope, gap_of, near, put
from ...kernels.compiled import njit

KEEP = 0.06  # m, pairs farther apart than this before any correction are not looked at: no correction is as large
POWER = 4  # of the norm over an arm's contacts: near the deepest of them, and smooth where two take turns
MOST = 6000


@njit(cache=True)
def neighbours(
    arm_start: F32, arm_along: F32, ra: F64, body_start: F32, body_along: F32, rb: F64, allow: F64, across: F64,
    keep: float, begin: I32, pairs: I32, gap: F32,
) -> int:  # fmt: skip
    """Write each frame's pairs that are nearer than `keep` m, nearest first, and return how many there are in all.

    begin: (F + 1,) i32, where each frame's pairs begin; pairs: (M, 2) i32, arm and body capsule, the latter B + arm
        capsule for the other arm; gap: (M,) m; what does not fit is counted, not written
    """
    found, own = np.empty(5), np.empty((MOST, 2), np.int32)
    count = 0
    for f in range(arm_start.shape[0]):
        begin[f] = count
        start, along = arm_start[f].astype(np.float64), arm_along[f].astype(np.float64)
        body, way = body_start[f].astype(np.float64), body_along[f].astype(np.float64)
        here = near(keep, start, along, ra, body, way, rb, allow, across, found, own)
        if count + here <= pairs.shape[0]:
            wide = np.empty(here)
            for p in range(here):
                wide[p] = gap_of(own[p, 0], own[p, 1], start, along, ra, body, way, rb, allow, across, found)
            order = np.argsort(wide)
            for p in range(here):
                pairs[count + p], gap[count + p] = own[order[p]], wide[order[p]]
        count += here
    begin[arm_start.shape[0]] = count
    return count


@njit(cache=True)
def depths(
    frame: I32, r: F64, margin: float, joint: F64, side: I32, link: I32, arm_start: Any, arm_along: Any, ra: F64,
    body_start: Any, body_along: Any, rb: F64, allow: F64, across: F64, begin: I32, pairs: I32, apart: F32,
    depth: F64, slope: F64,
) -> None:  # fmt: skip
    """Write how deep each arm is under its correction and how that grows with it.

    Depth of an arm: (sum of (margin - gap)^POWER over its pairs that are nearer)^(1 / POWER), m. No margin is asked of
    a pair that touches at rest, as the rule asks none. A pair of two arms counts for both.

    frame: (N,) i32, which frame each correction is for; r: (N, 18) rad
    depth: (N, 2) m, left and right, slope: (N, 2, 18) m/rad, written
    """
    turn, place, found = np.empty((2, 3, 3, 3)), np.empty((2, 3, 3)), np.empty(5)
    start, along = np.empty((side.shape[0], 3)), np.empty((side.shape[0], 3))
    row, bend, point, n = np.empty((1, 18)), np.empty((6, 2)), np.empty(3), np.empty(3)
    bodies = rb.shape[0]
    for k in range(frame.shape[0]):
        f = frame[k]
        for s in range(2):
            depth[k, s] = 0.0
            for a in range(18):
                slope[k, s, a] = 0.0
        if begin[f + 1] == begin[f]:
            continue
        now, reach = r[k], margin
        for s in range(2):
            far = 0.0
            for q in range(3):
                a = 9 * s + 3 * q
                far += LEVER[q] * np.sqrt(now[a] ** 2 + now[a + 1] ** 2 + now[a + 2] ** 2)
            reach += far
        if apart[begin[f]] > reach:
            continue
        put(now, joint[f], side, link, arm_start[f], arm_along[f], turn, place, start, along)
        _bends(now, bend)
        for p in range(begin[f], begin[f + 1]):
            if apart[p] > reach:
                break
            i, j = pairs[p, 0], pairs[p, 1]
            gap = gap_of(i, j, start, along, ra, body_start[f], body_along[f], rb, allow, across, found)
            kept = allow[i, j] if j < bodies else across[i, j - bodies - across.shape[0]]
            deep = (margin if kept <= 0.0 else 0.0) - gap
            if deep <= 0.0:
                continue
            length = np.sqrt(found[0] ** 2 + found[1] ** 2 + found[2] ** 2)
            if length < 1e-7:
                continue
            for x in range(3):
                n[x] = found[x] / length
                point[x] = start[i, x] + found[3] * along[i, x]
            for a in range(18):
                row[0, a] = 0.0
            _slope(row, 0, 9 * side[i], link[i], point, n, 1.0, now, bend, turn, place)
            first, last = side[i], side[i]
            if j >= bodies:
                c = j - bodies
                for x in range(3):
                    point[x] = start[c, x] + found[4] * along[c, x]
                _slope(row, 0, 9 * side[c], link[c], point, n, -1.0, now, bend, turn, place)
                first, last = 0, 1
            weight = deep ** (POWER - 1)
            for s in range(first, last + 1):
                depth[k, s] += weight * deep
                for a in range(18):
                    slope[k, s, a] -= weight * row[0, a]
        for s in range(2):
            if depth[k, s] > 0.0:
                whole = depth[k, s] ** (1.0 / POWER)
                for a in range(18):
                    slope[k, s, a] *= whole / depth[k, s]
                depth[k, s] = whole
