"""Distances between points and capsules, and from points to the nearest of many others. Offline: nothing here ticks."""

from __future__ import annotations

import math

import numpy as np

from .arrays import F64, I32, I64
from .compiled import njit


@njit(cache=True)
def reach(
    point: F64, first: I32, last: I32, start: F64, along: F64, radius: F64, which: I32, depth: F64, share: F64
) -> None:
    """Write the capsule whose surface each point is least outside of.

    point: (N, 3) m; first, last: (N,) i32, the run of capsules that each is held against, never empty
    start, along: (C, 3) m, one end and the way to the other; radius: (C,) m
    which: (N,) i32, written; depth: (N,) m, written: distance to its surface, negative inside
    share: (N,) 0..1, written: where along the segment the nearest place is
    """
    low, high = np.empty(start.shape), np.empty(start.shape)  # boxes: a long capsule's is far tighter than its ball
    for j in range(start.shape[0]):
        for k in range(3):
            low[j, k] = start[j, k] + min(along[j, k], 0.0) - radius[j]
            high[j, k] = start[j, k] + max(along[j, k], 0.0) + radius[j]
    best = -1
    for i in range(point.shape[0]):
        x, y, z = point[i, 0], point[i, 1], point[i, 2]
        if best < first[i] or best >= last[i]:  # the one before lies nearby: its capsule rules most others out
            best = first[i]
        least, at = _out_of(x, y, z, start[best], along[best], radius[best])
        near = max(least, 0.0) ** 2
        for j in range(first[i], last[i]):
            rx = max(low[j, 0] - x, x - high[j, 0], 0.0)
            ry = max(low[j, 1] - y, y - high[j, 1], 0.0)
            rz = max(low[j, 2] - z, z - high[j, 2], 0.0)
            if rx * rx + ry * ry + rz * rz <= near and j != best:
                d, t = _out_of(x, y, z, start[j], along[j], radius[j])
                if d < least or (d == least and j < best):
                    least, best, at = d, j, t
                    near = max(least, 0.0) ** 2
        which[i], depth[i], share[i] = best, least, at


@njit(cache=True)
def _out_of(x: float, y: float, z: float, start: F64, along: F64, radius: float) -> tuple[float, float]:
    """Return how far a point is out of a capsule and where along it the nearest place is."""
    rx, ry, rz = x - start[0], y - start[1], z - start[2]
    dx, dy, dz = along[0], along[1], along[2]
    t = (rx * dx + ry * dy + rz * dz) / (dx * dx + dy * dy + dz * dz + 1e-12)
    t = min(max(t, 0.0), 1.0)
    rx, ry, rz = rx - t * dx, ry - t * dy, rz - t * dz
    return math.sqrt(rx * rx + ry * ry + rz * rz) - radius, t


@njit(cache=True)
def nearest(
    point: F64, low: F64, size: float, shape: I32, begin: I32, sample: F64, rings: int, which: I32, distance: F64
) -> None:
    """Write the K nearest samples of each point, -1 where fewer lie within `rings` cells.

    low: (3,) m, corner of the grid; size: m, of a cell; shape: (3,) i32, cells along each axis
    begin: (cells + 1,) i32, where each cell's run of `sample` begins; sample: (S, 3) m, sorted by cell
    which: (N, K) i32, nearest first, distance: (N, K) m, both written
    """
    most = which.shape[1]
    for i in range(point.shape[0]):
        for k in range(most):
            which[i, k], distance[i, k] = -1, 1e30
        cx = math.floor((point[i, 0] - low[0]) / size)
        cy = math.floor((point[i, 1] - low[1]) / size)
        cz = math.floor((point[i, 2] - low[2]) / size)
        for ring in range(rings + 1):
            if distance[i, most - 1] <= (ring - 1) * size:  # nothing of a farther ring is nearer
                break
            for gx in range(max(cx - ring, 0), min(cx + ring + 1, shape[0])):
                for gy in range(max(cy - ring, 0), min(cy + ring + 1, shape[1])):
                    edge = abs(gx - cx) == ring or abs(gy - cy) == ring
                    step = 1 if edge or ring == 0 else 2 * ring  # inner cells were seen before
                    for gz in range(cz - ring, cz + ring + 1, step):
                        if gz < 0 or gz >= shape[2]:
                            continue
                        cell = (gx * shape[1] + gy) * shape[2] + gz
                        for s in range(begin[cell], begin[cell + 1]):
                            dx = point[i, 0] - sample[s, 0]
                            dy = point[i, 1] - sample[s, 1]
                            dz = point[i, 2] - sample[s, 2]
                            d = math.sqrt(dx * dx + dy * dy + dz * dz)
                            if d < distance[i, most - 1]:
                                k = most - 1
                                while k > 0 and distance[i, k - 1] > d:
                                    distance[i, k], which[i, k] = distance[i, k - 1], which[i, k - 1]
                                    k -= 1
                                distance[i, k], which[i, k] = d, s


@njit(cache=True)
def raise_depth(x: F64, y: F64, z: F64, face: I64, depth: F64) -> None:
    """Raise a depth map to the triangles over it, at the middles of its cells.

    x, y: (V,) in cells, z: (V,), higher is nearer; face: (F, 3); depth: (rows along y, columns along x), in place
    """
    tall, wide = depth.shape
    for f in range(face.shape[0]):
        a, b, c = face[f, 0], face[f, 1], face[f, 2]
        bx, by, cx, cy = x[b] - x[a], y[b] - y[a], x[c] - x[a], y[c] - y[a]
        area = bx * cy - cx * by
        if abs(area) < 1e-12:
            continue
        j0 = max(math.ceil(min(x[a], x[b], x[c]) - 0.5), 0)
        j1 = min(math.floor(max(x[a], x[b], x[c]) - 0.5), wide - 1)
        i0 = max(math.ceil(min(y[a], y[b], y[c]) - 0.5), 0)
        i1 = min(math.floor(max(y[a], y[b], y[c]) - 0.5), tall - 1)
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                px, py = j + 0.5 - x[a], i + 0.5 - y[a]
                u, v = (px * cy - cx * py) / area, (bx * py - px * by) / area
                if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
                    depth[i, j] = max(depth[i, j], z[a] + u * (z[b] - z[a]) + v * (z[c] - z[a]))
