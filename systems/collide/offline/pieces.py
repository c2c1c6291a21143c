"""Her first capsules, before refinement: grids for the trunk, chains for the limbs, fans for the palms."""

from __future__ import annotations

import numpy as np

from ....components.anatomy import SIDES
from ....components.arrays import F64
from ....components.skin import Body
from ...retarget.rests import Rest, rest_of, unit
from .chain import LEAST, Piece, chain
from .grid import TALL, grid
from .hand import fingers, palm
from .parts import Parts
from .samples import Samples

SEGMENTS = 5  # of an upper arm, a forearm, a thigh, a calf
COLUMNS, NECK_COLUMNS, HEAD_COLUMNS = 4, 1, 3


def scale_of(samples: Samples) -> float:
    """Return her height over that of the person whose sizes the numbers here are."""
    low, high = np.percentile(samples.point[:, 1], [0.5, 99.5])
    return float(np.clip((high - low) / TALL, 0.35, 15.0))


def pieces_of(body: Body, parts: Parts, samples: Samples) -> list[Piece]:
    """Return capsules near her skin, in the order of their groups."""
    rest = rest_of(body.rig)
    scale = scale_of(samples)
    point, holder = samples.point, samples.holder
    trunk = parts.group[holder] == 0
    is_head, is_neck = (holder == (parts.row(n) if parts.has(n) else -1) for n in ("head", "neck"))
    out: list[Piece] = []
    for chosen, columns in (
        (trunk & ~is_head & ~is_neck, COLUMNS),
        (is_neck, NECK_COLUMNS),
        (is_head, HEAD_COLUMNS),
    ):
        out += grid(point[chosen], holder[chosen], scale, columns)
    for side in SIDES:
        for name, onward in (("UpperArm", "LowerArm"), ("LowerArm", "Hand")):
            out += _limb(rest, parts, samples, side + name, side + onward)
        if parts.has(side + "Hand"):
            out += palm(body, parts, side, point[holder == parts.row(side + "Hand")])
        out += fingers(body, parts, side, point, holder)
        for name, onward in (("UpperLeg", "LowerLeg"), ("LowerLeg", "Foot")):
            out += _limb(rest, parts, samples, side + name, side + onward)
        out += _foot(rest, parts, samples, side)
    return sorted(out, key=lambda piece: int(parts.group[piece.row]))


def _limb(rest: Rest, parts: Parts, samples: Samples, name: str, onward: str) -> list[Piece]:
    """Return a limb's chain; without the next joint it goes as far as its skin does."""
    start = rest.at(name)
    if start is None or not parts.has(name):
        return []
    mine = samples.point[samples.holder == parts.row(name)]
    end = rest.at(onward)
    if end is None and len(mine) >= LEAST:
        way = unit(mine.mean(axis=0) - start)
        end = start + way * float(np.percentile((mine - start) @ way, 98.0)) if way is not None else None
    return chain(parts.row(name), mine, start, end, SEGMENTS) if end is not None else []


def _foot(rest: Rest, parts: Parts, samples: Samples, side: str) -> list[Piece]:
    """Return two capsules a foot and two for its toes, along its sole."""
    out: list[Piece] = []
    for name in (side + "Foot", side + "Toes"):
        if not parts.has(name):
            continue
        mine = samples.point[samples.holder == parts.row(name)]
        if len(mine) < LEAST:
            continue
        flat = mine[:, [0, 2]] - mine[:, [0, 2]].mean(axis=0)
        way = np.linalg.svd(flat, full_matrices=False)[2][0]
        if name.endswith("Toes") or not parts.has(side + "Toes"):
            way = np.array([0.0, 1.0]) if abs(way[1]) < 0.5 else way
        forward = np.array([way[0], 0.0, way[1]])
        beside = np.array([way[1], 0.0, -way[0]])
        middle = np.percentile(mine, 50.0, axis=0)
        along, across, up = (mine - middle) @ forward, (mine - middle) @ beside, mine[:, 1] - middle[1]
        (a0, a1), (c0, c1), (u0, u1) = (np.percentile(v, [2.0, 98.0]) for v in (along, across, up))
        radius = max(0.25 * float(c1 - c0), 0.25 * float(min(u1 - u0, c1 - c0)), 0.005)
        for x in (c0 + radius, c1 - radius):
            place = middle + beside * x + np.array([0.0, u0 + radius, 0.0])
            reach = max(float(a1 - a0) - 2.0 * radius, 0.0)
            first: F64 = place + forward * (a0 + radius)
            out.append(Piece(parts.row(name), first, first + forward * reach, radius))
    return out
