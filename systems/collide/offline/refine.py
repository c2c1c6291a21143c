"""Least-squares refinement of capsules to the skin they stand for, without sticking out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.arrays import F64, I32
from ...kernels import fitting
from .near import Near
from .samples import Samples

OUTSIDE = 3.0  # weight of a sample outside its capsule against one inside
TARGET = -0.0015  # m, where the skin shall be against a capsule's surface: a little inside
IGNORED = 0.03  # m inside: that sample is another capsule's
PULL = 0.003  # of the weights, toward where a capsule was first
STEP = 0.01  # m a round
THIN = 0.004  # m, least radius
PROBES = 48  # points on each capsule that look whether it sticks out
BULGE = 1.0  # their weight against the samples'
FREE = 0.003  # m that they may stick out
FARTHEST = 0.08  # m that a capsule is told to stand out


@dataclass(slots=True)
class Fitted:
    """Capsules while they are fitted, avatar frame in rest. row: (C,) of Parts, group: (C,) rising; rest m."""

    row: I32
    group: I32
    start: F64
    end: F64
    radius: F64


class Skin:
    """The samples, ready to be asked whether something stands out of them."""

    def __init__(self, samples: Samples) -> None:
        self._near = Near(samples.point)
        self._normal = samples.normal[self._near.order]

    def out_of(self, point: F64, near: int = 4) -> F64:
        """Return how far points stand out of the skin, (N,) m; 0 inside it. near: samples whose normals say which."""
        which, distance = self._near.distances(point, near)
        side = np.einsum("nkd,nkd->nk", point[:, None] - self._near.point[which], self._normal[which])
        is_out = (side * (which >= 0)).sum(axis=1) > 0.0
        return np.where(is_out, np.minimum(distance[:, 0], FARTHEST), 0.0)


def gaps(point: F64, fit: Fitted, first: I32 | None = None, last: I32 | None = None) -> tuple[I32, F64, F64]:
    """Return each point's nearest capsule, its distance to that surface (m, negative inside) and the place along it."""
    count = len(point)
    which, depth, share = np.empty(count, np.int32), np.empty(count), np.empty(count)
    first = np.zeros(count, np.int32) if first is None else first
    last = np.full(count, len(fit.row), np.int32) if last is None else last
    along = np.ascontiguousarray(fit.end - fit.start)
    fitting.reach(np.ascontiguousarray(point), first, last, fit.start, along, fit.radius, which, depth, share)
    return which, depth, share


def probes(fit: Fitted, count: int, seed: int) -> tuple[F64, I32]:
    """Return `count` points on each capsule, spread over ends and sides, and whose they are: those on the outside."""
    random = np.random.default_rng(seed)
    number = len(fit.row)
    along = fit.end - fit.start
    length = np.linalg.norm(along, axis=1)
    z = np.where(length[:, None] > 1e-6, along / np.maximum(length, 1e-9)[:, None], np.array([0.0, 1.0, 0.0]))
    u = random.normal(size=(number, count, 3))
    u /= np.linalg.norm(u, axis=2, keepdims=True)
    up = np.einsum("ckd,cd->ck", u, z)
    flat = u - up[..., None] * z[:, None]
    flat /= np.maximum(np.linalg.norm(flat, axis=2, keepdims=True), 1e-9)
    on_side = random.random((number, count)) < (length / (length + 2.0 * fit.radius))[:, None]
    share = np.where(on_side, random.random((number, count)), up > 0.0)
    way = np.where(on_side[..., None], flat, u)
    point = fit.start[:, None] + share[..., None] * along[:, None] + fit.radius[:, None, None] * way
    point = point.reshape(-1, 3)
    owner = np.repeat(np.arange(number, dtype=np.int32), count)
    outside = gaps(point, fit)[1] > -1e-4
    return point[outside], owner[outside]


def refine(fit: Fitted, samples: Samples, skin: Skin, group: I32, rounds: int) -> None:
    """Move the ends and radii of capsules, in place, until her samples lie on them.

    Each sample pulls the capsule of its group that it is least outside of; points on the capsules that stick out
    push back. One damped 7 x 7 least squares a capsule and round.

    skin: of these samples; group: (N,) i32, of each sample
    """
    first = np.searchsorted(fit.group, group, "left").astype(np.int32)
    last = np.searchsorted(fit.group, group, "right").astype(np.int32)
    has = last > first
    point, first, last = samples.point[has], first[has], last[has]
    origin = np.concatenate([fit.start, fit.end, fit.radius[:, None]], axis=1)
    for number in range(rounds):
        which, depth, share = gaps(point, fit, first, last)
        place = fit.start[which] + share[:, None] * (fit.end - fit.start)[which]
        way = _unit(point - place)
        miss = depth - TARGET
        weight = np.where(miss > 0.0, OUTSIDE, 1.0) * (miss > -IGNORED)
        row = np.concatenate([-way * (1.0 - share)[:, None], -way * share[:, None], -np.ones((len(way), 1))], axis=1)
        matrix, right, total, seen = _sums(which, row, weight, -miss, len(fit.row))
        out, owner = probes(fit, PROBES, number)
        far = skin.out_of(out)
        keep = far > FREE
        out, owner, far = out[keep], owner[keep], far[keep]
        line = (fit.end - fit.start)[owner]
        at = np.einsum("nd,nd->n", out - fit.start[owner], line) / np.maximum((line * line).sum(axis=1), 1e-12)
        at = np.clip(at, 0.0, 1.0)
        way = (out - fit.start[owner] - at[:, None] * line) / fit.radius[owner][:, None]
        row = np.concatenate([way * (1.0 - at)[:, None], way * at[:, None], np.ones((len(way), 1))], axis=1)
        push = BULGE * total[owner] / PROBES
        more, pushed, _, _ = _sums(owner, row, push, FREE - far, len(fit.row))
        matrix, right = matrix + more, right + pushed
        now = np.concatenate([fit.start, fit.end, fit.radius[:, None]], axis=1)
        pull = np.maximum(PULL * total, 1e-6)[:, None]
        matrix += pull[..., None] * np.eye(7)
        right += pull * (origin - now)
        step = np.linalg.solve(matrix, right[..., None])[..., 0]
        step *= np.minimum(1.0, STEP / np.maximum(np.abs(step).max(axis=1), 1e-9))[:, None]
        step[seen < 5] = 0.0
        fit.start, fit.end = np.ascontiguousarray(fit.start + step[:, :3]), np.ascontiguousarray(fit.end + step[:, 3:6])
        fit.radius = np.maximum(fit.radius + step[:, 6], THIN)


def _unit(v: F64) -> F64:
    return v / np.maximum(np.linalg.norm(v, axis=1), 1e-9)[:, None]


def _sums(owner: I32, row: F64, weight: F64, wanted: F64, count: int) -> tuple[F64, F64, Any, Any]:
    """Return each capsule's normal equations: (C, 7, 7), (C, 7), and the weight and number of its rows, (C,)."""
    order = np.argsort(owner, kind="stable")
    owner, row, weight, wanted = owner[order], row[order], weight[order], wanted[order]
    seen = np.bincount(owner, np.ones(len(owner)), count)
    total = np.bincount(owner, weight, count)
    matrix, right = np.zeros((count, 7, 7)), np.zeros((count, 7))
    if len(owner):
        begin = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
        heavy = row * weight[:, None]
        matrix[owner[begin]] = np.add.reduceat(heavy[:, :, None] * row[:, None], begin, axis=0)
        right[owner[begin]] = np.add.reduceat(heavy * wanted[:, None], begin, axis=0)
    return matrix, right, total, seen
