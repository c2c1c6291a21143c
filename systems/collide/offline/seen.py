"""Which skin is seen: a body under clothes and the inside of a robot are no surface that an arm could touch."""

from __future__ import annotations

import math

import numpy as np

from ....components.arrays import F64
from ...kernels import fitting
from .samples import Samples, Surface

DIRECTIONS = 24  # spread over the sphere: every outer place is seen well by some of them
CELL = 0.005  # m, of the depth maps, which are at most
MOST = 600  # cells wide: a giant's are coarser
LOWEST = -0.5  # height of the lowest: from below one sees under skirts and up sleeves, where no arm comes from
FACING = 0.35  # cosine to the viewer from which on a place can be judged
LAYER = 0.002  # m, two surfaces nearer than this are one


def visible(surface: Surface, *sets: Samples) -> list[Samples]:
    """Return, of each set of samples, those that are seen from any side: by depth maps of her triangles."""
    point, normal = np.concatenate([s.point for s in sets]), np.concatenate([s.normal for s in sets])
    out = np.zeros(len(point), np.bool_)
    cell = max(CELL, float(np.ptp(surface.point, axis=0).max()) / MOST)
    for way in _ways():
        right = np.cross(np.array([0.0, 1.0, 0.0]) if abs(way[1]) < 0.9 else np.array([1.0, 0.0, 0.0]), way)
        right /= np.linalg.norm(right)
        up = np.cross(way, right)
        x, y = surface.point @ (right / cell), surface.point @ (up / cell)
        x, y = x - x.min() + 1.0, y - y.min() + 1.0
        depth = np.full((int(y.max()) + 2, int(x.max()) + 2), -1e9)
        fitting.raise_depth(x, y, surface.point @ way, surface.face, depth)
        toward = normal @ way
        asked = np.flatnonzero((toward > FACING) & ~out)
        cosine = toward[asked]
        j = np.minimum((point[asked] - surface.point[0]) @ (right / cell) + x[0], depth.shape[1] - 1).astype(np.int64)
        i = np.minimum((point[asked] - surface.point[0]) @ (up / cell) + y[0], depth.shape[0] - 1).astype(np.int64)
        slope = np.sqrt(1.0 - np.minimum(cosine, 1.0) ** 2) / cosine
        out[asked] = point[asked] @ way >= depth[i, j] - LAYER - 0.71 * cell * slope
    ends = np.cumsum([len(s.point) for s in sets])
    return [
        Samples(s.point[keep], s.normal[keep], s.holder[keep], s.area)
        for s, keep in zip(sets, np.split(out, ends[:-1]), strict=True)
    ]


def _ways() -> F64:
    """Return unit directions spread evenly, (W, 3): points of a spiral from pole to pole, without the lowest."""
    k = np.arange(DIRECTIONS) + 0.5
    up = 1.0 - 2.0 * k / DIRECTIONS
    turn = math.pi * (1.0 + math.sqrt(5.0)) * k
    flat = np.sqrt(1.0 - up * up)
    ways = np.stack([flat * np.cos(turn), up, flat * np.sin(turn)], axis=1)
    return ways[up > LOWEST]
