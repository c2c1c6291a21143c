"""A hand as capsules: a fan over the palm, one along each finger bone. Mittens and single fingers too."""

from __future__ import annotations

import numpy as np

from ....components.anatomy import FINGERS
from ....components.arrays import F64
from ....components.skin import Body
from ...retarget.rests import across, knuckle_of, palm_of, rest_of, unit
from .chain import LEAST, Piece, chain
from .parts import FINGER_BONES, Parts

RAYS = 4  # of a palm
TIP = 0.95  # of its radius that the last capsule of a finger ends before the fingertip


def palm(body: Body, parts: Parts, side: str, point: F64) -> list[Piece]:
    """Return the capsules of a palm from its samples, (N, 3) m avatar frame: rays from the wrist to the knuckles."""
    if len(point) < LEAST or not parts.has(side + "Hand"):
        return []
    rest = rest_of(body.rig)
    wrist = rest.at(side + "Hand")
    assert wrist is not None
    axes = palm_of(rest, side)
    spread = np.linalg.svd(point - point.mean(axis=0), full_matrices=False)[2]
    forward = axes.forward if axes.forward is not None else unit(point.mean(axis=0) - wrist)
    if forward is None:
        forward = spread[0]
    normal = axes.normal if axes.normal is not None else across(spread[2], forward)
    if normal is None:
        normal = spread[2]
    lateral = np.cross(normal, forward)
    along, beside, off = ((point - wrist) @ axis for axis in (forward, lateral, normal))
    ends = [k for k in (knuckle_of(rest, side, finger) for finger in FINGERS) if k is not None]
    if len(ends) >= 2:
        first, last = ends[0], ends[-1]
        ends = [first + (last - first) * k / (RAYS - 1) for k in range(RAYS)] if len(ends) != RAYS else ends
    else:  # a mitten: as far as its samples go
        tip = float(np.percentile(along, 98.0))
        edge = np.percentile(beside, [12.0, 88.0])
        ends = [wrist + forward * tip + lateral * x for x in np.linspace(edge[0], edge[1], RAYS)]
    middle = float(np.mean([(e - wrist) @ lateral for e in ends]))
    out = []
    row = parts.row(side + "Hand")
    for end in ends:
        x, length = float((end - wrist) @ lateral), float((end - wrist) @ forward)
        start_x = middle + 0.55 * (x - middle)  # a hand is narrower at the wrist
        share = np.clip(along / max(length, 1e-3), 0.0, 1.0)
        near = (np.abs(beside - (start_x + (x - start_x) * share)) < 0.009) & (share > 0.1) & (share < 1.0)
        low, high = np.percentile(off[near], [8.0, 92.0]) if near.sum() > 8 else np.percentile(off, [20.0, 80.0])
        radius = max(0.5 * float(high - low), 0.003)
        height = 0.5 * float(low + high)
        start = wrist + lateral * start_x + normal * height + forward * min(0.6 * radius, 0.3 * length)
        stop = wrist + lateral * x + normal * height + forward * max(length - 0.3 * radius, 0.4 * length)
        out.append(Piece(row, start, stop, radius))
    return out


def fingers(body: Body, parts: Parts, side: str, point: F64, holder: np.ndarray) -> list[Piece]:
    """Return a capsule a finger bone, from all of her samples and their rows of Parts."""
    rest = rest_of(body.rig)
    out: list[Piece] = []
    for bones in FINGER_BONES:
        names = [side + bone for bone in bones if parts.has(side + bone)]
        for place, name in enumerate(names):
            row = parts.row(name)
            mine = point[holder == row]
            start = rest.at(name)
            if len(mine) < LEAST or start is None:
                continue
            is_tip = place + 1 == len(names)
            if is_tip:
                before = rest.at(names[place - 1]) if place else rest.at(side + "Hand")
                way = unit(start - before) if before is not None else None
                way = unit(mine.mean(axis=0) - start) if way is None else way
                if way is None:
                    continue
                end = start + way * float(((mine - start) @ way).max())
            else:
                end = rest.at(names[place + 1])
            assert end is not None
            for piece in chain(row, mine, start, end, 1):
                stop = piece.end
                if is_tip:
                    line = piece.end - piece.start
                    size = float(np.linalg.norm(line))
                    stop = piece.start + line * max(1.0 - TIP * piece.radius / max(size, 1e-4), 0.0)
                out.append(Piece(row, piece.start, stop, piece.radius))
    return out
