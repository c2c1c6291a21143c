"""Trunk, neck and head as rows of capsules that lie front to back."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64, I32
from .chain import Piece

ROW = 0.03  # m, height of a row on a person of TALL
TALL = 1.65  # m
WIDE = 0.05  # m, largest radius
APART = 0.075  # m, between two columns of a wide row at most; 4 of them carry a trunk
NARROW = 0.045  # m of width that a column is worth
END = 0.6  # quantile of the places where an end may be: the ball goes through most of the skin before it
INSIDE = 0.8  # of its radius that a row lies from the first and last skin
FEW = 6  # samples that say where a capsule ends


def grid(point: F64, holder: I32, scale: float, columns: int) -> list[Piece]:
    """Return front-to-back capsules in rows over these samples.

    point: (N, 3) m, avatar frame: +Z is front; holder: (N,) i32, row of Parts
    scale: her height over TALL; columns: most of a row up to 0.35 m wide
    """
    out: list[Piece] = []
    if len(point) < 20:
        return out
    low, high = np.percentile(point[:, 1], [0.2, 99.8])
    rows = max(1, round((high - low) / (ROW * scale)))
    edge = np.linspace(low, high, rows + 1)
    for k in range(rows):
        inside = (point[:, 1] >= edge[k] - 0.003) & (point[:, 1] < edge[k + 1] + 0.003)
        if inside.sum() >= 20:
            height = 0.5 * float(edge[k] + edge[k + 1])
            last = out[-1].start[1] if out else -1e9
            out += _row(point[inside], holder[inside], height, (low, high), last + 0.5 * ROW * scale, scale, columns)
    return out


def _row(
    point: F64, holder: I32, height: float, limits: tuple[float, float], after: float, scale: float, columns: int
) -> list[Piece]:
    """Return the capsules of one row, none where it would not come to lie higher than `after`.

    limits: m, of all rows: its balls would stand out over a hem or a crown if they were centred there
    """
    left, right = np.percentile(point[:, 0], [1.0, 99.0])
    back, front = np.percentile(point[:, 2], [5.0, 95.0])
    width = right - left
    radius = min(WIDE * scale, 0.5 * width, 0.475 * (front - back))
    if radius < 0.002:
        return []
    height = min(max(height, limits[0] + INSIDE * radius), max(limits[1] - INSIDE * radius, limits[0]))
    if height < after:
        return []
    count = max(1, min(round(width / (NARROW * scale)), columns))
    count = max(count, int(np.ceil((width - 2.0 * radius) / (APART * scale))) + 1 if width > 0.35 * scale else 1)
    places = np.linspace(left + radius, right - radius, count) if count > 1 else np.array([0.5 * (left + right)])
    apart = places[1] - places[0] if count > 1 else width
    out = []
    for x in places:
        near = np.abs(point[:, 0] - x) < max(0.6 * apart, 0.02 * scale)
        off = (point[:, 0] - x) ** 2 + (point[:, 1] - height) ** 2
        near &= off < 0.98 * radius**2
        if near.sum() < FEW:
            continue
        z, reach = point[near, 2], np.sqrt(radius**2 - off[near])
        low, high = np.percentile(z, [3.0, 97.0])
        is_front = z > 0.5 * (low + high)
        if is_front.sum() < 3 or (~is_front).sum() < 3:
            continue
        # Where the end has to be for its ball to pass through each sample: far better than the farthest one less r.
        ahead = float(np.quantile(z[is_front] - reach[is_front], END))
        behind = float(np.quantile(z[~is_front] + reach[~is_front], 1.0 - END))
        if ahead < behind:
            ahead = behind = 0.5 * (ahead + behind)
        row = int(np.bincount(holder[near]).argmax())
        out.append(Piece(row, np.array([x, height, behind]), np.array([x, height, ahead]), float(radius)))
    return out
