"""Plain mesh operations: normals, smoothing, subdivision, clipping on a scalar field. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....components.arrays import F64

Index = npt.NDArray[np.int64]

SNAP = 0.06  # share of an edge: a cut nearer to a corner goes through the corner, or slivers with wild normals appear
THIN = 1e-9  # m^2: triangles below are dropped


def triangles(quad: Index) -> Index:
    """Return (2F, 3) triangles of (F, 4) quads."""
    return np.concatenate([quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]])


def edges(face: Index) -> Index:
    """Return the (E, 2) unique undirected edges of triangles or quads."""
    return _unique_rows(_sides(face))[0]


def _sides(face: Index) -> Index:
    ring = np.stack([face, np.roll(face, -1, axis=1)], axis=2).reshape(-1, 2)
    return np.sort(ring, axis=1)


def _unique_rows(pair: Index) -> tuple[Index, Index, Index]:
    """Return unique (E, 2) rows, the row each pair became, and how often each occurs (sorting keys, not rows)."""
    span = np.int64(pair.max(initial=0)) + 1
    key, inverse, count = np.unique(pair[:, 0] * span + pair[:, 1], return_inverse=True, return_counts=True)
    return np.stack([key // span, key % span], axis=1), inverse, count


def border(face: Index) -> Index:
    """Return the vertices on edges that only one face has."""
    side, _, count = _unique_rows(_sides(face))
    return np.unique(side[count == 1])


def loops(face: Index) -> list[Index]:
    """Return the border as closed rings of vertices, each in the direction its faces run."""
    ring = np.stack([face, np.roll(face, -1, axis=1)], axis=2).reshape(-1, 2)
    _, inverse, count = _unique_rows(np.sort(ring, axis=1))
    after = {int(a): int(b) for a, b in ring[count[inverse] == 1]}
    rings = []
    while after:
        start = min(after)
        ring_of = [start]
        step = after.pop(start)
        while step != start and step in after:
            ring_of.append(step)
            step = after.pop(step)
        if step == start and len(ring_of) > 3:
            rings.append(np.array(ring_of))
    return rings


def normals(position: F64, triangle: Index) -> F64:
    """Return (V, 3) unit area-weighted vertex normals; +Y where no face touches a vertex."""
    corner = position[triangle]
    face = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    total = np.zeros_like(position)
    for k in range(3):
        np.add.at(total, triangle[:, k], face)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 1e-14, total / np.maximum(length, 1e-14), [0.0, 1.0, 0.0])


def neighbour_mean(values: F64, edge: Index) -> F64:
    """Return for each vertex the mean of `values` over its edge neighbours."""
    total, count = np.zeros_like(values), np.zeros(len(values))
    for a, b in ((0, 1), (1, 0)):
        np.add.at(total, edge[:, a], values[edge[:, b]])
        np.add.at(count, edge[:, a], 1.0)
    return total / np.maximum(count, 1.0)[:, None]


def smoothed(position: F64, face: Index, rounds: int, keep: Index) -> F64:
    """Return positions after `rounds` half steps to the neighbours' mean; `keep` vertices stay."""
    edge, free = edges(face), np.ones((len(position), 1))
    free[keep] = 0.0
    for _ in range(rounds):
        position = position + 0.5 * free * (neighbour_mean(position, edge) - position)
    return position


def subdivided(quad: Index, *values: F64) -> tuple[Index, list[F64]]:
    """Return each quad as four, and the vertex values with edge and face means appended."""
    side, inverse, _ = _unique_rows(_sides(quad))
    middle = inverse.reshape(-1, 4) + len(values[0])
    centre = len(values[0]) + len(side) + np.arange(len(quad))
    out = np.concatenate([np.stack([quad[:, k], middle[:, k], centre, middle[:, k - 1]], axis=1) for k in range(4)])
    return out, [np.concatenate([v, v[side].mean(axis=1), v[quad].mean(axis=1)]) for v in values]


def clipped(triangle: Index, field: F64, values: Sequence[F64]) -> tuple[Index, list[F64]]:
    """Return the part of a triangle mesh where `field` >= 0, with every vertex value cut along at the new border."""
    field = _snapped(triangle, field)
    inside = field >= 0.0
    count = inside[triangle].sum(axis=1)
    fresh: dict[tuple[int, int], int] = {}
    first, second, share, extra = [], [], [], []

    def cut(i: int, j: int) -> int:
        key = (min(i, j), max(i, j))
        if key not in fresh:
            a, b = key
            fresh[key] = len(field) + len(first)
            first.append(a)
            second.append(b)
            share.append(field[a] / (field[a] - field[b]))
        return fresh[key]

    for corner in triangle[(count > 0) & (count < 3)].tolist():
        polygon = []
        for k in range(3):
            i, j = corner[k], corner[(k + 1) % 3]
            if inside[i]:
                polygon.append(i)
            if inside[i] != inside[j] and 0.0 not in (field[i], field[j]):
                polygon.append(cut(i, j))
        extra += [[polygon[0], polygon[k], polygon[k + 1]] for k in range(1, len(polygon) - 1)]
    kept = np.concatenate([triangle[count == 3], np.array(extra, np.int64).reshape(-1, 3)])
    a, b, u = np.array(first, np.int64), np.array(second, np.int64), np.array(share)
    return packed(kept, [np.concatenate([v, v[a] + (v[b] - v[a]) * _column(u, v)]) for v in values])


def _column(u: F64, like: F64) -> F64:
    return u.reshape(-1, *([1] * (like.ndim - 1)))


def _snapped(triangle: Index, field: F64) -> F64:
    edge = edges(triangle)
    a, b = field[edge[:, 0]], field[edge[:, 1]]
    cross = (a < 0.0) != (b < 0.0)
    near = np.abs(a) / np.maximum(np.abs(a - b), 1e-30)
    out = field.copy()
    out[edge[cross & (near < SNAP), 0]] = 0.0
    out[edge[cross & (near > 1.0 - SNAP), 1]] = 0.0
    return out


def packed(face: Index, values: Sequence[F64]) -> tuple[Index, list[F64]]:
    """Return the faces and values with unused vertices removed."""
    used, inverse = np.unique(face, return_inverse=True)
    return inverse.reshape(face.shape).astype(np.int64), [v[used] for v in values]


def solid(position: F64, triangle: Index) -> Index:
    """Return the triangles that have an area."""
    corner = position[triangle]
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1) / 2.0
    return triangle[area > THIN]
