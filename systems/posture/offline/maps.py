"""Her skin as tables to look places up in: the trunk by height and azimuth, upper arms by length and angle."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from ...kernels import quat
from ...retarget.rests import frame
from .arms import Arms
from .cover import PALMS, UPPERS, Cover

LOW, HIGH, ROW = -0.40, 0.13, 0.02  # m from the shoulders, scaled: the trunk's rows
AROUND = math.radians(10.0)  # between its columns
SMOOTH, SMOOTH_LIMB = 0.035, 0.030  # m over which normals are averaged: over less the search stuck at the table's knots
STATIONS, ANGLES, FIRST, LAST = 14, 24, 0.12, 0.95  # of an upper arm, as shares of its length
FEW = 6  # samples nearest in angle whose mean is a place
PALM, BACK = (0, 0.62), (1, 0.60)  # where a hand rests on, as a share of the way from wrist to middle knuckle


@dataclass(frozen=True, slots=True)
class Maps:
    """Places and normals, scaled m.

    Fields:
        torso:  (n, m, 6) by height and azimuth from behind round by her left; span: (3,) m lowest and highest row, z of
                the axis; limb: (2, n, m, 6) of the upper arms in their neutral axes
        anchor: (2, 2, 3) middle of each palm and back of a hand on the skin, from the wrist in neutral axes
    """

    torso: F64
    span: F64
    limb: F64
    anchor: F64


def maps_of(arms: Arms, cover: Cover, point: F64, normal: F64) -> Maps:
    """Return the tables of one body. point, normal: of `cover` in the base pose, real m."""
    scaled = arms.scale * point
    trunk = [arms.figure.rig.humanoid.get(n, -1) for n in ("hips", "spine", "chest", "upperChest")]
    on = np.isin(cover.joint, [j for j in trunk if j >= 0])
    torso, span = _torso(scaled[on], normal[on], float(arms.shoulder[:, 1].mean()))
    limb = np.array(
        [_limb(arms, s, scaled[cover.group == UPPERS[s]], normal[cover.group == UPPERS[s]]) for s in (0, 1)]
    )
    anchor = np.array([_anchors(arms, cover, scaled, normal, s) for s in (0, 1)])
    return Maps(torso, span, limb, anchor)


def tees() -> F64:
    """Return the transposed frames of a hand in the neutral T-pose, (2, 3, 3): fingers, then palm normal."""
    down = np.array([0.0, -1.0, 0.0])
    return np.array([frame(np.array([g, 0.0, 0.0]), down).T for g in (1.0, -1.0)])


def _torso(point: F64, normal: F64, shoulders: float) -> tuple[F64, F64]:
    rows = np.arange(shoulders + LOW, shoulders + HIGH, ROW)
    angles = np.arange(-math.pi, math.pi + 1e-6, AROUND)
    near = (point[:, 1] > rows[0]) & (point[:, 1] < shoulders)
    axis = float(np.median(point[near, 2])) if near.any() else 0.0
    out = np.zeros((len(rows), len(angles), 6))
    azimuth = np.arctan2(point[:, 0], point[:, 2] - axis)
    for i, y in enumerate(rows):
        row = np.flatnonzero(np.abs(point[:, 1] - y) < 0.6 * ROW)
        if len(row) < FEW:
            out[i] = out[i - 1] if i else 0.0
            out[i, :, 1] = y
            continue
        for j, a in enumerate(angles):
            off = np.abs((azimuth[row] - a + math.pi) % (2.0 * math.pi) - math.pi)
            middle = point[row[np.argsort(off)[:FEW]]].mean(axis=0)
            reach = float(np.hypot(middle[0], middle[2] - axis))
            out[i, j, :3] = reach * math.sin(a), y, axis + reach * math.cos(a)
            out[i, j, 3:] = _average(point, normal, middle, SMOOTH)
    return out, np.array([rows[0], rows[-1], axis])


def _limb(arms: Arms, s: int, point: F64, normal: F64) -> F64:
    """Return one upper arm's table: angle 0 is the way the elbow's hinge points, inward on an arm that hangs."""
    g = 1.0 if s == 0 else -1.0
    joint = int(arms.joint[s, 1])
    back = _matrix(arms, s, 1)
    local = (point - arms.scale * arms.place[joint]) @ back
    facing = normal @ back
    length = arms.length[s, 0]
    axis, inward = np.array([g, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])
    other = np.cross(axis, inward)
    along, angle = local @ axis / length, np.arctan2(local @ other, local @ inward)
    out = np.zeros((STATIONS, ANGLES + 1, 6))
    for i, t in enumerate(np.linspace(FIRST, LAST, STATIONS)):
        for wide in (0.05, 0.1, 0.3):
            row = np.flatnonzero(np.abs(along - t) < wide)
            if len(row) >= FEW:
                break
        for j in range(ANGLES + 1):
            a = -math.pi + 2.0 * math.pi * j / ANGLES
            off = np.abs((angle[row] - a + math.pi) % (2.0 * math.pi) - math.pi)
            middle = local[row[np.argsort(off)[:FEW]]].mean(axis=0)
            reach = math.hypot(float(middle @ inward), float(middle @ other))
            out[i, j, :3] = axis * (t * length) + reach * (math.cos(a) * inward + math.sin(a) * other)
            out[i, j, 3:] = _average(local, facing, middle, SMOOTH_LIMB)
    return out


def _matrix(arms: Arms, s: int, link: int) -> F64:
    """Return the (3, 3) turn of one link of the base pose against the neutral T-pose: v @ it goes back."""
    undo, turned, out = np.empty(4), np.empty(4), np.empty((3, 3))
    quat.conj(arms.neutral[s, link], undo)
    quat.mul(arms.turn[arms.joint[s, link]], undo, turned)
    quat.to_matrix(turned, out)
    return out


def _average(point: F64, normal: F64, middle: F64, reach: float) -> F64:
    square = ((point - middle) ** 2).sum(axis=1)
    near = square < reach * reach
    total = (normal[near] * (1.0 - square[near] / (reach * reach))[:, None]).sum(axis=0)
    return total / max(float(np.linalg.norm(total)), 1e-9)


def _anchors(arms: Arms, cover: Cover, point: F64, normal: F64, s: int) -> F64:
    """Return where palm and back of one hand are, (2, 3): the skin's median height near the hand's middle line."""
    rig, g = arms.figure.rig, 1.0 if s == 0 else -1.0
    hand = int(arms.joint[s, 3])
    back = _matrix(arms, s, 3)
    own = (cover.group == PALMS[s]) & (cover.joint == hand)
    local, facing = (point[own] - arms.scale * arms.place[hand]) @ back, normal[own] @ back
    name = ("left" if s == 0 else "right") + "MiddleProximal"
    knuckle = rig.humanoid.get(name, -1)
    reach = 0.09 if knuckle < 0 else arms.scale * float(np.linalg.norm(arms.place[knuckle] - arms.place[hand]))
    out = np.zeros((2, 3))
    for k, share in (PALM, BACK):
        sign = -1.0 if k == 0 else 1.0  # the palm looks down
        aside = np.hypot(local[:, 0] - g * share * reach, local[:, 2])
        near = (aside < 0.014) & (sign * facing[:, 1] > 0.3)
        height = float(np.median(local[near, 1])) if near.any() else sign * 0.012
        out[k] = g * share * reach, height, 0.0
    return out
