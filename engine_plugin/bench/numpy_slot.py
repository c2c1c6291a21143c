"""One slot of the preview in plain numpy: the same arithmetic as the kernels, written the way numpy likes it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...components.arrays import F64
from ...components.motion import Motion
from ...systems.reflex.table import turns_of


def mul(a: F64, b: F64) -> F64:
    """Return a b. a, b: (..., 4) wxyz."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conj(q: F64) -> F64:
    """Return the inverse of unit quaternions."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: F64, v: F64) -> F64:
    """Return v turned by q. q: (..., 4), v: (..., 3)."""
    t = 2.0 * np.cross(q[..., 1:], v)
    return v + q[..., :1] * t + np.cross(q[..., 1:], t)


def exp(r: F64) -> F64:
    """Return rotation vectors as quaternions. r: (..., 3)."""
    half = 0.5 * np.linalg.norm(r, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * r], axis=-1)


def log_near(q: F64, previous: F64) -> F64:
    """Return the rotation vectors of q nearest to `previous`. q: (N, 4), previous: (N, 3)."""
    q = np.where(q[:, :1] < 0.0, -q, q)
    n = np.linalg.norm(q[:, 1:], axis=1)
    theta = 2.0 * np.arctan2(n, q[:, 0])
    axis = q[:, 1:] / np.maximum(n, 1e-300)[:, None]
    turn = np.floor(((axis * previous).sum(axis=1) - theta) / (2 * np.pi) + 0.5)
    return axis * (theta + np.where(theta > 1e-9, turn, 0.0) * 2 * np.pi)[:, None]


def slerp(a: F64, b: F64, t: float) -> F64:
    """Return the short way's fraction t. a, b: (N, 4)."""
    dot = (a * b).sum(axis=1, keepdims=True)
    b = np.where(dot < 0.0, -b, b)
    omega = 2.0 * np.arctan2(np.linalg.norm(b - a, axis=1), np.linalg.norm(a + b, axis=1))[:, None]
    small = omega < 1e-6
    s = np.where(small, 1.0, np.sin(omega))
    u = np.where(small, 1.0 - t, np.sin((1.0 - t) * omega) / s)
    v = np.where(small, t, np.sin(t * omega) / s)
    out = u * a + v * b
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def row(motion: Motion, place: Any, pose: F64, elapsed: float) -> F64:
    """Return what a clip shows, (43, 4). place: (5,) as in kernels.blend.mix."""
    repertoire = motion.repertoire
    assert repertoire is not None
    first, end, frame, stop = int(place[0]), int(place[1]), int(place[2]), int(place[4])
    if first < 0:
        return pose.copy()
    last = 2.0 * (end - 1 - first)
    last = float(stop) if 0 <= stop < last else last
    x = frame + elapsed - (last - 7.5)
    time = frame + elapsed if x <= 0 else last if x >= 15.0 else last - 7.5 + x - x * x / 30.0
    at = min(max(0.5 * time, 0.0), float(end - first - 1))
    b = first + math.floor(at)
    t = at - math.floor(at)
    d = repertoire.delta
    p = [d[max(b - 1, first)], d[b], d[min(b + 1, end - 1)], d[min(b + 2, end - 1)]]
    w = [
        ((-0.5 * t + 1) * t - 0.5) * t,
        (1.5 * t - 2.5) * t * t + 1,
        ((-1.5 * t + 2) * t + 0.5) * t,
        (0.5 * t - 0.5) * t * t,
    ]
    moved = sum(float(wk) * pk.astype(np.float64) for wk, pk in zip(w, p, strict=True))
    return exp(moved * motion.gain[:, None])


@dataclass(slots=True)
class State:
    """What this reference remembers: the corpus spring. value, velocity: (43, 3)."""

    value: F64 = field(default_factory=lambda: np.zeros((43, 3)))
    velocity: F64 = field(default_factory=lambda: np.zeros((43, 3)))


def corpus(motion: Motion, state: State, old: Any, new: Any, times: tuple[float, float, float], dt: float) -> F64:
    """Return the corpus layer's rotation vectors (43, 3) after one tick.

    times: ticks since the pick, of its fade, of the slow one
    """
    since, fade, slow = times
    shown = row(motion, new, motion.poses[1], since)
    if since < max(fade, slow):
        outgoing = row(motion, old, motion.poses[0], since - float(old[3]))
        for slots, length in ((slice(0, 5), slow), (slice(5, None), fade)):
            if since < length:
                weight = 0.5 - 0.5 * math.cos(math.pi * since / length)
                shown[slots] = slerp(outgoing[slots], shown[slots], weight)
    target = log_near(shown, state.value)
    rate = motion.rate[:, None]
    decay = np.exp(-rate * dt)
    gap = state.value - target
    slope = state.velocity + rate * gap
    state.value = target + (gap + slope * dt) * decay
    state.velocity = (state.velocity - rate * slope * dt) * decay
    return state.value


def reflex(motion: Motion, cause: F64, weight: float) -> tuple[F64, F64]:
    """Return the reflex's rotation vectors (43, 3) and the pelvis' (3,)."""
    turned = np.einsum("cnk,c->nk", turns_of(motion.anatomy), cause) * weight
    stance = motion.stance
    return rotate(conj(stance.frame), turned[:-1]), rotate(conj(stance.hips_frame), turned[-1])


def pose(motion: Motion, reflexes: F64, hips: F64, corpora: F64, sink: F64) -> tuple[F64, F64, F64]:
    """Return local rotations (J, 4), positions (J, 3) and orientations (J, 4) with both feet planted."""
    rig, anatomy, stance = motion.rig, motion.anatomy, motion.stance
    local = anatomy.base.copy()
    local[stance.hips] = mul(local[stance.hips], exp(hips))
    has = anatomy.slot_joint >= 0
    at = anatomy.slot_joint[has]
    local[at] = mul(mul(local[at], exp(reflexes[has])), exp(corpora[has]))
    local[at] /= np.linalg.norm(local[at], axis=1, keepdims=True)
    rest = rig.rest_rotation
    for (joint, child, _), axis, share in zip(anatomy.twist, anatomy.twist_axis, anatomy.twist_share, strict=True):
        turn = mul(local[child], conj(rest[child]))  # leaves beside their child, as the default avatar has them
        part = float(turn[1:] @ rotate(rest[joint], axis))
        roll = 2.0 * math.atan2(-part if turn[0] < 0 else part, abs(float(turn[0])))
        local[joint] = mul(rest[joint], exp(axis * share * roll))
    root = anatomy.base_root + sink
    position, world = forward(rig, root, local)
    total = 0.0
    for side in range(2):
        upper, lower, foot = anatomy.leg[side]
        length = np.linalg.norm(position[upper] - position[lower]) + np.linalg.norm(position[lower] - position[foot])
        x, _, z = anatomy.foot[side] - position[upper]
        need = position[upper, 1] - anatomy.foot[side, 1] - math.sqrt(max((0.9985 * length) ** 2 - x * x - z * z, 0.0))
        total += math.exp(min(need, 0.5) / 0.0015)
    root[1] -= 0.0015 * math.log(1.0 + total)
    position, world = forward(rig, root, local)
    for side in range(2):
        _plant(motion, side, local, position, world)
    return local, *forward(rig, root, local)


def forward(rig: Any, root: F64, local: F64) -> tuple[F64, F64]:
    """Return positions (J, 3) and orientations (J, 4), avatar frame."""
    position, world = np.empty((len(local), 3)), np.empty_like(local)
    for j, parent in enumerate(rig.parent):
        if parent < 0:
            position[j], world[j] = rig.rest_offset[j] + root, local[j]
        else:
            position[j] = position[parent] + rotate(world[parent], rig.rest_offset[j])
            world[j] = mul(world[parent], local[j])
    return position, world


def _arc(u: F64, v: F64) -> F64:
    q = np.concatenate([[np.linalg.norm(u) * np.linalg.norm(v) + u @ v], np.cross(u, v)])
    return q / np.linalg.norm(q)


def _plant(motion: Motion, side: int, local: F64, position: F64, world: F64) -> None:
    rig, anatomy = motion.rig, motion.anatomy
    upper, lower, foot = (int(j) for j in anatomy.leg[side])
    hip, ankle = position[upper], anatomy.foot[side]
    thigh, shank = np.linalg.norm(rig.rest_offset[lower]), np.linalg.norm(rig.rest_offset[foot])
    line = ankle - hip
    wanted = np.linalg.norm(line)
    line = line / wanted
    margin = 0.0015 * (thigh + shank)
    high = thigh + shank - margin
    distance = wanted if wanted <= high else thigh + shank - margin * math.exp((high - wanted) / margin)
    along = 0.5 * (distance + (thigh * thigh - shank * shank) / distance)
    pole = anatomy.pole[side] - line * (anatomy.pole[side] @ line)
    knee = hip + along * line + math.sqrt(thigh * thigh - along * along) * pole / np.linalg.norm(pole)
    above = world[rig.parent[upper]]
    for joint, child, way in ((upper, lower, knee - hip), (lower, foot, hip + distance * line - knee)):
        want = rotate(conj(mul(above, anatomy.base[joint])), way)
        local[joint] = mul(anatomy.base[joint], _arc(rig.rest_offset[child], want))
        above = mul(above, local[joint])
    local[foot] = mul(conj(above), motion.stance.foot_frame[side])
