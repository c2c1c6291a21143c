"""Capsules added where her skin is not covered: ears, hems, oval thighs, what no grid and no chain foresees."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64, I32
from .refine import Fitted, Skin, gaps, probes
from .samples import Samples

LACKS = 0.0035  # m outside every capsule: such a sample asks for one more
CELL = 0.035  # m, of one bone's skin that one capsule is added for
PROBES, COVERED = 60, 0.005  # points on each capsule; m that skin may be outside of one
FEWEST = 4  # samples
NEEDLESS = 0.0005  # share of the skin that a capsule may alone cover and still be taken away when it sticks out
STICKS, MOSTLY = 0.008, 0.4  # m out of the skin, and share of its points that are
RADIUS = 0.013  # m, of a new capsule, on a person of 1.65 m


def grow(fit: Fitted, samples: Samples, group: I32, most: int, scale: float) -> int:
    """Add up to `most` capsules, in place, where the skin lacks them worst, and return how many.

    group: (H,) i32, of each row of Parts; scale: her height over 1.65 m
    """
    depth = gaps(samples.point, fit)[1]
    lacking = np.flatnonzero(depth > LACKS)
    if not len(lacking):
        return 0
    cell = np.floor(samples.point[lacking] / (CELL * scale)).astype(np.int64)
    cell -= cell.min(axis=0)
    side = cell.max(axis=0) + 1
    key = ((samples.holder[lacking] * side[0] + cell[:, 0]) * side[1] + cell[:, 1]) * side[2] + cell[:, 2]
    _, which, count = np.unique(key, return_inverse=True, return_counts=True)
    worth = np.bincount(which, np.minimum(depth[lacking], 0.02))
    worth[count < FEWEST] = 0.0
    made: list[tuple[int, F64, F64]] = []
    radius = RADIUS * scale
    for k in np.argsort(-worth, kind="stable")[:most]:
        if worth[k] <= 0.0:
            break
        mine = lacking[which == k]
        point, middle = samples.point[mine], samples.point[mine].mean(axis=0)
        normal = samples.normal[mine].mean(axis=0)
        size = float(np.linalg.norm(normal))
        normal = normal / size if size > 0.2 else np.zeros(3)
        flat = point - middle
        flat = flat - (flat @ normal)[:, None] * normal
        axis = np.linalg.eigh(flat.T @ flat)[1][:, 2]
        low, high = np.percentile(flat @ axis, [15.0, 85.0])
        base = middle - normal * radius
        made.append((int(samples.holder[mine[0]]), base + axis * low, base + axis * high))
    if not made:
        return 0
    row = np.concatenate([fit.row, np.array([m[0] for m in made], np.int32)]).astype(np.int32)
    order = np.argsort(group[row], kind="stable")
    fit.start = np.ascontiguousarray(np.concatenate([fit.start, np.array([m[1] for m in made])])[order])
    fit.end = np.ascontiguousarray(np.concatenate([fit.end, np.array([m[2] for m in made])])[order])
    fit.radius = np.concatenate([fit.radius, np.full(len(made), radius)])[order]
    fit.row = row[order]
    fit.group = group[fit.row].astype(np.int32)
    return len(made)


def prune(fit: Fitted, samples: Samples, skin: Skin) -> None:
    """Take away capsules, in place, that mostly stick out of the skin and cover next to nothing alone."""
    point, owner = probes(fit, PROBES, 2)
    sticks = skin.out_of(point) > STICKS
    seen = np.bincount(owner, minlength=len(fit.row))
    share = np.bincount(owner, sticks, len(fit.row)) / np.maximum(seen, 1)
    which, depth, _ = gaps(samples.point, fit)
    for k in np.argsort(-share, kind="stable"):
        if share[k] < MOSTLY:
            break
        kept = fit.radius[k]
        fit.radius[k] = -1.0  # too thin to cover anything
        mine = np.flatnonzero(which == k)
        others, out, _ = gaps(samples.point[mine], fit)
        alone = int(((depth[mine] < COVERED) & (out >= COVERED)).sum())
        if alone > NEEDLESS * len(which):
            fit.radius[k] = kept
        else:
            which[mine], depth[mine] = others, out
    keep = fit.radius > 0.0
    fit.row, fit.group, fit.radius = fit.row[keep], fit.group[keep], fit.radius[keep]
    fit.start, fit.end = np.ascontiguousarray(fit.start[keep]), np.ascontiguousarray(fit.end[keep])
