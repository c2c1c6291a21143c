"""Cloth that hangs instead of clinging: hollows of the body below it are bridged."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64

HEIGHTS, ANGLES = 24, 72  # slices of the hanging part, directions of each slice


def bridged(position: F64, amount: F64) -> F64:
    """Return positions moved out towards the convex outline of the body at their height.

    position: (V, 3) m
    amount:   (V,) 0 stays .. 1 on the outline; below 0: no part of the outline either (arms)
    """
    heights = np.linspace(position[amount > 0, 1].min(), position[amount > 0, 1].max(), HEIGHTS)
    angle = np.arange(ANGLES) * (2.0 * np.pi / ANGLES)
    ray = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    flat = position[:, [0, 2]]
    centre = np.array([0.0, float(flat[amount > 0, 1].mean())])
    support = np.empty((len(heights), len(ray)))
    step = heights[1] - heights[0]
    for k, height in enumerate(heights):
        slab = (np.abs(position[:, 1] - height) <= 1.2 * step) & (amount >= 0)
        support[k] = ((flat[slab] - centre) @ ray.T).max(axis=0)
    facing = ray @ ray.T
    outline = np.where(facing > 0.1, support[:, None] / np.maximum(facing, 0.1), np.inf).min(axis=2)
    rel = flat - centre
    radius = np.maximum(np.linalg.norm(rel, axis=1), 1e-9)
    column = (np.arctan2(rel[:, 1], rel[:, 0]) % (2.0 * np.pi)) / (2.0 * np.pi) * ANGLES
    row = np.clip((position[:, 1] - heights[0]) / step, 0.0, len(heights) - 1.001)
    i, j = row.astype(np.int64), column.astype(np.int64) % ANGLES
    u, w = row - i, column - np.floor(column)
    n = (j + 1) % ANGLES
    wide = (outline[i, j] * (1 - w) + outline[i, n] * w) * (1 - u)
    wide += (outline[i + 1, j] * (1 - w) + outline[i + 1, n] * w) * u
    grown = 1.0 + np.clip(amount, 0.0, 1.0) * (np.maximum(wide / radius, 1.0) - 1.0)
    out = position.copy()
    out[:, [0, 2]] = centre + rel * grown[:, None]
    return out
