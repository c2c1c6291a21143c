"""Pairs that no turn of the shoulder can part: the lever is too short."""

from __future__ import annotations

import math

import numpy as np

from ....components.anatomy import SIDES
from ....components.arrays import F64, I32
from .parts import Parts

# A body capsule nearer to the shoulder joint than this is joined with that fifth of the upper arm. With overlap in
# rest as the rule instead, a recorded talker's arms were held 208 mm off; with this, 7 mm (measured on her).
# The first fifth has no lever wherever it touches (7 to 15 mm): tested against the far side of the chest it still
# asked for 100 mm of a take at gain 1, without it 8 mm. The second at 75 mm held a muscular man off by 63, at 100 by 7.
LEVER = (math.inf, 0.100, 0.030)  # m, on an upper arm of LENGTH
LENGTH = 0.26  # m
NEIGHBOURS = ("spine", "chest", "upperChest", "neck", "leftShoulder", "rightShoulder")


def joined_of(
    parts: Parts, row: I32, start: F64, end: F64, radius: F64, shoulder: dict[str, F64], elbow: dict[str, F64]
) -> I32:
    """Return pairs (upper arm capsule, trunk capsule) that are never tested, (N, 2) i32.

    row: (C,) i32 of Parts; start, end, radius: m, avatar frame in rest
    shoulder, elbow: side -> (3,) m, joints in rest, of the arms she has
    """
    out: list[tuple[int, int]] = []
    near = [k for k in range(len(row)) if parts.names[row[k]] in NEIGHBOURS]
    for side in SIDES:
        if side not in shoulder:
            continue
        joint = shoulder[side]
        mine = np.flatnonzero(row == parts.row(side + "UpperArm"))
        way = elbow[side] - joint if side in elbow else end[mine].mean(axis=0) - joint
        length = max(float(np.linalg.norm(way)), 1e-3)
        off = {k: _distance(joint, start[k], end[k]) - float(radius[k]) for k in near}
        for arm in mine:
            share = float((0.5 * (start[arm] + end[arm]) - joint) @ way) / length**2
            fifth = max(int(share * 5.0), 0)
            if fifth < len(LEVER):
                reach = LEVER[fifth] * length / LENGTH
                out += [(int(arm), k) for k in near if off[k] < reach]
    return np.array(out, np.int32).reshape(-1, 2)


def _distance(point: F64, start: F64, end: F64) -> float:
    """Return how far a point is from a segment, m."""
    along = end - start
    t = min(max(float((point - start) @ along) / (float(along @ along) + 1e-12), 0.0), 1.0)
    return float(np.linalg.norm(point - start - t * along))
