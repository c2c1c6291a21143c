"""The least displacement that keeps her arms out of her body, frame by frame: the reference of every table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....components.arrays import F64, I32
from ...kernels.compiled import njit
from .scene import Scene
from .solve import MOST, ROWS, gap_of, near, put, solve, workspace

# m a radian: what a turn of upper arm, forearm and hand displaces, as the rule weighs it too
METRES = np.array([0.30, 0.20, 0.12])
AIM = 2e-4  # m, gap that the reference keeps: what it finds is clear by less than the tables' last digit
ROUNDS = 30
COST = np.tile(np.repeat(METRES**2, 3), 2)  # (18,) m^2 per squared radian


def optimum(scene: Scene, starts: F64 | None = None, *, rounds: int = ROUNDS, along: bool = True) -> F64:
    """Return the correction of each frame that costs least and leaves nothing inside, (F, 18) rad.

    Cost: sum of METRES^2 |r|^2 over the six links. Each frame is solved from no correction, from `starts`, and, for
    frames that follow each other, from the result of the frame before and of the frame after; the best stays: least
    inside, then least cost. Neighbouring frames may go out on different sides, so this is no smooth motion.

    starts: (S, F, 18) rad, more places to start from
    along: the frames are successive ticks of one motion
    """
    given = np.zeros((0, len(scene), 18)) if starts is None else np.ascontiguousarray(starts, np.float64)
    out, cost, deep = np.zeros((len(scene), 18)), np.empty(len(scene)), np.empty(len(scene))
    _each(*_arrays(scene, 1.0 / COST, AIM, rounds, given, along, out, cost, deep))
    return out


def depths(scene: Scene, correction: F64 | None = None) -> F64:
    """Return how deep each link is inside the body or the other arm beyond the allowance, (F, 2, 3) m; 0 when clear.

    correction: (F, 18) rad, none by default
    """
    r = np.zeros((len(scene), 18)) if correction is None else np.ascontiguousarray(correction, np.float64)
    out = np.zeros((len(scene), 2, 3))
    _depths(*_arrays(scene, r.reshape(-1, 18), out))
    return out


def wrists(scene: Scene, correction: F64 | None = None) -> F64:
    """Return where the wrists are, (F, 2, 3) m, avatar frame."""
    r = np.zeros((len(scene), 18)) if correction is None else np.ascontiguousarray(correction, np.float64)
    out = np.empty((len(scene), 2, 3))
    _wrists(scene.joint, scene.side, scene.link, scene.arm_start, scene.arm_along, r.reshape(-1, 18), out)
    return out


def gaps(scene: Scene, correction: F64) -> F64:
    """Return one frame's gaps beyond their allowances, (A, B + A - L) m: body, then arm against arm.

    Where a row is of the right arm, what stands for arm against arm is inf.

    correction: (18,) rad; only the first frame is looked at. For checks against another implementation.
    """
    arms, bodies, lefts = len(scene.link), len(scene.body_radius), scene.lefts
    out = np.empty((arms, bodies + arms - lefts))
    _all_gaps(*_arrays(scene.part(slice(0, 1)), np.ascontiguousarray(correction, np.float64), out))
    return out


def loss(scene: Scene, correction: F64) -> F64:
    """Return (F,): 1e4 sum depth^2 + cost, the measure that a second implementation is held against, m^2."""
    out = np.empty(len(scene))
    for frame in range(len(scene)):
        every = gaps(scene.part(slice(frame, frame + 1)), correction[frame])
        out[frame] = 1e4 * (np.minimum(every, 0.0) ** 2).sum() + (COST * correction[frame] ** 2).sum()
    return out


def _arrays(s: Scene, *rest: Any) -> list[Any]:
    moving: list[Any] = [s.arm_start, s.arm_along, s.arm_radius, s.body_start, s.body_along, s.body_radius]
    return [s.joint, s.side, s.link, *moving, s.allow, s.allow_arms, *rest]


@njit(cache=True)
def _each(
    joint: F64, side: I32, link: I32, at: F64, way: F64, ra: F64, body: F64, body_along: F64, rb: F64, allow: F64,
    across: F64, ease: F64, aim: float, rounds: int, starts: F64, along: bool, out: F64, cost: F64, deep: F64,
) -> None:  # fmt: skip
    frames = joint.shape[0]
    room, pairs = workspace(at.shape[1]), np.empty((MOST, 2), np.int32)
    low, high, r = np.empty(ROWS, np.int32), np.empty(ROWS, np.int32), np.empty(18)
    clear = np.empty(frames, np.bool_)
    found = np.empty(5)
    for f in range(frames):
        clear[f] = near(aim, at[f], way[f], ra, body[f], body_along[f], rb, allow, across, found, pairs) == 0
        cost[f], deep[f] = (0.0, 0.0) if clear[f] else (1e9, 1e9)
        if clear[f]:
            continue
        for start in range(starts.shape[0] + 1):
            r[:] = 0.0
            if start:
                r[:] = starts[start - 1, f]
            c, d = solve(
                r, joint[f], side, link, at[f], way[f], ra, body[f], body_along[f], rb, allow, across, ease, aim,
                rounds, room, pairs, low, high,
            )  # fmt: skip
            _keep(f, r, c, d, out, cost, deep)
    if not along:
        return
    for back in range(2):
        for q in range(1, frames):
            f = frames - 1 - q if back else q
            if clear[f]:
                continue
            r[:] = out[f + 1] if back else out[f - 1]
            c, d = solve(
                r, joint[f], side, link, at[f], way[f], ra, body[f], body_along[f], rb, allow, across, ease, aim,
                rounds, room, pairs, low, high,
            )  # fmt: skip
            _keep(f, r, c, d, out, cost, deep)


@njit(cache=True)
def _keep(f: int, r: F64, c: float, d: float, out: F64, cost: F64, deep: F64) -> None:
    if d < deep[f] - 1e-6 or (d < deep[f] + 1e-6 and c < cost[f]):
        out[f], cost[f], deep[f] = r, c, d


@njit(cache=True)
def _depths(
    joint: F64, side: I32, link: I32, at: F64, way: F64, ra: F64, body: F64, body_along: F64, rb: F64, allow: F64,
    across: F64, r: F64, out: F64,
) -> None:  # fmt: skip
    turn, place, found = np.empty((2, 3, 3, 3)), np.empty((2, 3, 3)), np.empty(5)
    start, along = np.empty((at.shape[1], 3)), np.empty((at.shape[1], 3))
    pairs = np.empty((MOST, 2), np.int32)
    for f in range(joint.shape[0]):
        put(r[f], joint[f], side, link, at[f], way[f], turn, place, start, along)
        for p in range(near(0.0, start, along, ra, body[f], body_along[f], rb, allow, across, found, pairs)):
            i, j = pairs[p, 0], pairs[p, 1]
            deep = -gap_of(i, j, start, along, ra, body[f], body_along[f], rb, allow, across, found)
            out[f, side[i], link[i]] = max(out[f, side[i], link[i]], deep)
            if j >= body.shape[1]:
                k = j - body.shape[1]
                out[f, side[k], link[k]] = max(out[f, side[k], link[k]], deep)


@njit(cache=True)
def _wrists(joint: F64, side: I32, link: I32, at: F64, way: F64, r: F64, out: F64) -> None:
    turn, place = np.empty((2, 3, 3, 3)), np.empty((2, 3, 3))
    start, along = np.empty((at.shape[1], 3)), np.empty((at.shape[1], 3))
    for f in range(joint.shape[0]):
        put(r[f], joint[f], side, link, at[f], way[f], turn, place, start, along)
        out[f] = place[:, 2]


@njit(cache=True)
def _all_gaps(
    joint: F64, side: I32, link: I32, at: F64, way: F64, ra: F64, body: F64, body_along: F64, rb: F64, allow: F64,
    across: F64, r: F64, out: F64,
) -> None:  # fmt: skip
    turn, place, found = np.empty((2, 3, 3, 3)), np.empty((2, 3, 3)), np.empty(5)
    start, along = np.empty((at.shape[1], 3)), np.empty((at.shape[1], 3))
    put(r, joint[0], side, link, at[0], way[0], turn, place, start, along)
    bodies, lefts = body.shape[1], across.shape[0]
    for i in range(at.shape[1]):
        for j in range(out.shape[1]):
            if j < bodies:
                out[i, j] = gap_of(i, j, start, along, ra, body[0], body_along[0], rb, allow, across, found)
            elif i < lefts:
                k = lefts + j
                out[i, j] = gap_of(i, k, start, along, ra, body[0], body_along[0], rb, allow, across, found)
            else:
                out[i, j] = np.inf
