"""How far points are from a skin that is given as points with normals: the nearest few, looked up in cells."""

from __future__ import annotations

import math

import numpy as np

from .arrays import F64, I32
from .compiled import njit

CELL = 0.02  # m, and the farthest that is told from "far"
NEAR = 0.012  # m, up to which the plane through the nearest point counts, beyond it the way to the point
ASIDE = 0.006  # m beside its nearest point, from which a place is beyond an edge: points lie 4 mm apart


@njit(cache=True)
def cells(point: F64, low: F64, size: I32, start: I32, order: I32) -> None:
    """Sort points into cells. low: (3,) m; size: (3,) cells; start: (cells + 1,); order: (N,), both written."""
    start[:] = 0
    for k in range(point.shape[0]):
        start[_cell(point[k], low, size) + 1] += 1
    for k in range(start.shape[0] - 1):
        start[k + 1] += start[k]
    fill = start.copy()
    for k in range(point.shape[0]):
        c = _cell(point[k], low, size)
        order[fill[c]] = k
        fill[c] += 1


@njit(cache=True)
def _cell(p: F64, low: F64, size: I32) -> int:
    at = 0
    for i in range(3):
        at = at * size[i] + min(max(int((p[i] - low[i]) / CELL), 0), size[i] - 1)
    return at


@njit(cache=True)
def _off(place: float, cell: int) -> float:
    """Return how far a place is from a cell along one axis, m."""
    return max(cell * CELL - place, place - (cell + 1) * CELL, 0.0)


@njit(cache=True)
def gaps(query: F64, point: F64, normal: F64, low: F64, size: I32, start: I32, order: I32, out: F64) -> None:
    """Write how far each query point is outside the skin, m, negative inside; CELL where nothing is near.

    Of the four nearest points the median height over their planes says which side it is on: one normal of a seam may
    point anywhere. A height counts as inside only where it agrees with the distance: the hem of a tunic and the end of
    a sleeve face away from what is under them, and told 20 mm of depth where nothing was entered.
    """
    best, which = np.empty(4), np.empty(4, np.int64)
    height, base = np.empty(4), np.empty(3, np.int64)
    for k in range(query.shape[0]):
        best[:] = CELL * CELL
        which[:] = -1
        for i in range(3):
            base[i] = math.floor((query[k, i] - low[i]) / CELL)
        for more in range(2):  # its own cell first: what is found there leaves few of the 26 around it
            for a in range(max(base[0] - more, 0), min(base[0] + more + 1, size[0])):
                off_a = _off(query[k, 0] - low[0], a) ** 2
                for b in range(max(base[1] - more, 0), min(base[1] + more + 1, size[1])):
                    off_b = off_a + _off(query[k, 1] - low[1], b) ** 2
                    for c in range(max(base[2] - more, 0), min(base[2] + more + 1, size[2])):
                        is_own = a == base[0] and b == base[1] and c == base[2]
                        if (more and is_own) or off_b + _off(query[k, 2] - low[2], c) ** 2 > best[3]:
                            continue
                        cell = (a * size[1] + b) * size[2] + c
                        for n in range(start[cell], start[cell + 1]):
                            p = order[n]
                            d = 0.0
                            for i in range(3):
                                d += (query[k, i] - point[p, i]) ** 2
                            if d < best[3]:
                                at = 3
                                while at > 0 and d < best[at - 1]:
                                    best[at], which[at] = best[at - 1], which[at - 1]
                                    at -= 1
                                best[at], which[at] = d, p
        if which[0] < 0:
            out[k] = CELL
            continue
        count = 0
        for n in range(4):
            p = which[n]
            if p < 0:
                continue
            h = 0.0
            for i in range(3):
                h += (query[k, i] - point[p, i]) * normal[p, i]
            at = count
            while at > 0 and height[at - 1] > h:
                height[at] = height[at - 1]
                at -= 1
            height[at] = h
            count += 1
        middle = height[count // 2] if count % 2 else 0.5 * (height[count // 2] + height[count // 2 - 1])
        far = math.sqrt(best[0])
        if middle < 0.0 and far * far - middle * middle > ASIDE * ASIDE:
            out[k] = far
        elif far > NEAR:
            out[k] = far if middle > -0.6 * far else -far
        else:
            out[k] = middle if abs(middle) < far else math.copysign(far, middle)
