"""How much sky each point of her sees, painted into the colours: contact shade under chin, hair and collar.

Every part is scattered with points, and from each of many directions only the foremost of them are in the light.
"""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64
from . import mesh
from .part import Part, noise

DIRECTIONS = 56
CELL = 0.0040  # m, of the grid a direction looks through
SPACING = 0.0034  # m between scattered points
BEHIND = 0.010  # m a point may lie behind the foremost of its cell and still be in the light
# material -> how much of the shade it takes; those of the mouth are only seen when it is open, the eyes have their own
TAKES = {"skin": 0.75, "fabric": 0.80, "trousers": 0.75, "shoe": 0.70, "hair": 0.42}
WARM = np.array([0.55, 1.0, 1.15])  # exponents: light that bounces between skin and skin is red
FLOOR = 0.30  # the darkest shade


def shade(meshes: dict[str, list[Part]], inside: F64) -> None:
    """Darken the colours of all parts. inside: (V,) 0..1 of the first part, how much of it is the mouth's inside."""
    parts = [part for group in meshes.values() for part in group if TAKES.get(part.material, 0.0) > 0.0]
    for part, seen in zip(parts, _seen(parts, np.concatenate([_scattered(part) for part in parts]))):
        if part.material != "hair":
            seen = 0.5 * seen + 0.5 * mesh.neighbour_mean(seen[:, None], mesh.edges(part.triangle))[:, 0]
        amount = TAKES[part.material] * (1.0 - inside if part is parts[0] else np.ones(len(seen)))
        open_ = np.clip(seen / 0.62, FLOOR, 1.0)[:, None]  # a flat open surface sees about this share
        tint = open_ ** (WARM if part.material == "skin" else np.ones(3))
        part.color = part.color * (1.0 - amount[:, None] * (1.0 - tint))


def _scattered(part: Part) -> F64:
    """Return (N, 3) m, points about SPACING apart on all triangles."""
    corner = part.position[part.triangle]
    side = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    area = np.linalg.norm(np.cross(*side), axis=1) / 2.0
    count = np.maximum(np.ceil(area / SPACING**2).astype(np.int64), 1)
    of = np.repeat(np.arange(len(area)), count)
    number = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count)
    u, v = (0.5 + 0.5 * noise(31, axis, of, number) for axis in (0, 1))
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u), np.where(over, 1.0 - v, v)
    return corner[of, 0] + u[:, None] * side[0][of] + v[:, None] * side[1][of]


def _directions() -> F64:
    """Return (N, 3) unit, evenly over the sphere (a Fibonacci spiral), more sky than floor."""
    k = np.arange(DIRECTIONS) + 0.5
    up = 1.0 - 1.7 * k / DIRECTIONS
    turn = np.pi * (1.0 + 5.0**0.5) * k
    level = np.sqrt(1.0 - up**2)
    return np.stack([level * np.cos(turn), up, level * np.sin(turn)], axis=1)


def _seen(parts: list[Part], blocking: F64) -> list[F64]:
    """Return (V,) 0..1 of each part: the cosine-weighted share of the directions that reach each vertex."""
    start = np.concatenate([part.position + 0.002 * part.normal for part in parts])
    normal = np.concatenate([part.normal for part in parts])
    total, light = np.zeros(len(start)), np.zeros(len(start))
    for way in _directions():
        right = np.cross(way, [0.0, 0.0, 1.0] if abs(way[2]) < 0.8 else [1.0, 0.0, 0.0])
        right /= np.linalg.norm(right)
        up = np.cross(right, way)
        x, y = _along(blocking, right), _along(blocking, up)
        left, low = x.min() - CELL, y.min() - CELL
        column, row = ((x - left) / CELL).astype(np.int64), ((y - low) / CELL).astype(np.int64)
        wide = int(row.max()) + 3
        front = np.full((int(column.max()) + 3) * wide, -np.inf)
        np.maximum.at(front, column * wide + row, _along(blocking, way))
        column = np.clip(((_along(start, right) - left) / CELL).astype(np.int64), 0, None)
        row = np.clip(((_along(start, up) - low) / CELL).astype(np.int64), 0, wide - 1)
        depth = front[np.minimum(column * wide + row, len(front) - 1)]
        cosine = np.clip(_along(normal, way) + 0.15, 0.0, None)
        total += cosine
        light += cosine * (_along(start, way) + BEHIND >= depth)
    return np.split(light / np.maximum(total, 1e-9), np.cumsum([len(part.position) for part in parts])[:-1])


def _along(point: F64, way: F64) -> F64:
    """Return (N,): a matrix product of three columns takes twenty times as long where BLAS starts threads for it."""
    return point[:, 0] * way[0] + point[:, 1] * way[1] + point[:, 2] * way[2]
