"""Where capsules are in a pose and how near an arm's are to the rest of her, in numpy: for measuring, not for ticks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64, I32
from ....components.capsules import FREE, CapsuleSet
from ....components.rig import Rig
from ...kernels import fk
from .samples import matrices


@dataclass(frozen=True, slots=True)
class Placed:
    """Joints and capsules of one pose, avatar frame. position: (J, 3), orientation: (J, 4); start, end: (C, 3) m."""

    position: F64
    orientation: F64
    start: F64
    end: F64


def place(rig: Rig, capsules: CapsuleSet, rotation: F64, root: F64 | None = None) -> Placed:
    """Return where everything is. rotation: (J, 4) wxyz local; root: (3,) m added to the root's rest offset."""
    position, orientation = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    shift = np.zeros(3) if root is None else root.copy()
    fk.world(rig.parent, rig.rest_offset, shift, rotation.copy(), position, orientation)
    turn, at = matrices(orientation)[capsules.joint], position[capsules.joint]
    start = at + np.einsum("cab,cb->ca", turn, capsules.start)
    end = at + np.einsum("cab,cb->ca", turn, capsules.end)
    return Placed(position, orientation, start, end)


def closest(a: F64, along_a: F64, b: F64, along_b: F64) -> tuple[F64, F64]:
    """Return where two sets of segments are nearest: the share along each, (A, B) twice, 0..1.

    a, b: (A, 3), (B, 3) m, starts; along_a, along_b: to the ends; a segment may be a point, a pair parallel
    """
    r = a[:, None] - b[None]
    aa = np.einsum("ad,ad->a", along_a, along_a)[:, None] + 1e-12
    bb = np.einsum("bd,bd->b", along_b, along_b)[None] + 1e-12
    ab = np.einsum("ad,bd->ab", along_a, along_b)
    ra, rb = np.einsum("abd,ad->ab", r, along_a), np.einsum("abd,bd->ab", r, along_b)
    room = np.maximum(aa * bb - ab * ab, 1e-9 * aa * bb)
    s = np.clip((ab * rb - ra * bb) / room, 0.0, 1.0)
    t = np.clip((ab * s + rb) / bb, 0.0, 1.0)
    s = np.clip((ab * t - ra) / aa, 0.0, 1.0)
    return s, t


@dataclass(frozen=True, slots=True)
class Near:
    """Tested pairs nearer than asked, deepest first.

    Fields:
        first, second: (K,) i32 capsules; first is of an arm, second of the body or of the other arm
        gap:    (K,) m between the surfaces beyond the allowance: negative is inside
        place:  (K, 2, 3) m, nearest places on the two segments; way: (K, 3) unit, from second to first
    """

    first: I32
    second: I32
    gap: F64
    place: F64
    way: F64


def near(capsules: CapsuleSet, placed: Placed, within: float = 0.0) -> Near:
    """Return the tested pairs whose gap beyond the allowance is under `within`, m."""
    arm, body, lefts = capsules.arm, capsules.body, capsules.lefts
    found = [
        _pairs(capsules, placed, arm, body, capsules.allow.astype(np.float64), within),
        _pairs(capsules, placed, arm[:lefts], arm[lefts:], capsules.allow_arms.astype(np.float64), within),
    ]
    first, second, gap, places, way = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(gap, kind="stable")
    return Near(first[order], second[order], gap[order], places[order], way[order])


def _pairs(
    capsules: CapsuleSet, placed: Placed, rows: I32, columns: I32, allow: F64, within: float
) -> tuple[I32, I32, F64, F64, F64]:
    a, b = placed.start[rows], placed.start[columns]
    da, db = placed.end[rows] - a, placed.end[columns] - b
    s, t = closest(a, da, b, db)
    p = a[:, None] + s[..., None] * da[:, None]
    q = b[None] + t[..., None] * db[None]
    apart = np.linalg.norm(p - q, axis=2)
    gap = apart - capsules.radius[rows][:, None] - capsules.radius[columns][None] + allow
    i, j = np.nonzero((gap < within) & (allow < 0.5 * float(FREE)))
    way = (p[i, j] - q[i, j]) / np.maximum(apart[i, j], 1e-9)[:, None]
    return rows[i], columns[j], gap[i, j], np.stack([p[i, j], q[i, j]], axis=1), way


def overlap(capsules: CapsuleSet, placed: Placed, rows: I32, columns: I32) -> F64:
    """Return how deep each of these capsules is inside each of those, (R, C) m, 0 when clear; no allowance counts."""
    nothing = np.zeros((len(rows), len(columns)))
    i, j, gap, _, _ = _pairs(capsules, placed, rows, columns, nothing, 0.0)
    out = nothing
    row_of = np.full(len(capsules.joint), -1)
    row_of[rows] = np.arange(len(rows))
    column_of = np.full(len(capsules.joint), -1)
    column_of[columns] = np.arange(len(columns))
    out[row_of[i], column_of[j]] = -gap
    return out
