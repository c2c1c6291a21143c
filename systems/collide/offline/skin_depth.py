"""How deep her hands are in her own skin, on posed triangles: what a viewer would see, without any capsule."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....components.anatomy import SIDES
from ....components.arrays import F64, I32
from ....components.rig import Rig
from ....components.skin import Body, Mesh
from ...kernels import fk, quat
from ...kernels.compiled import njit

SPACING = 0.008  # m, of the points that stand for a triangle until the nearest few are looked at exactly
NEAREST = 24  # points, whose triangles are looked at
FAR = 0.20  # m, farther in than this no hand comes
RUN = 48  # triangles that are one dipole from afar
EVERY = 3  # of these vertices is looked at: they lie 2 to 4 mm apart
OWN = 0.5  # share of a vertex's weight on an arm, from which it is this arm's
HAND = 0.9  # share on forearm and hand, from which it is one of the points that are looked at

# Meshes and materials that no hand is kept out of.
_NOT_SKIN = re.compile(r"hair|eye|lash|brow|teeth|tongue|mouth|catchlight|glasses", re.IGNORECASE)

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bound:
    """Vertices bound to a rig.

    Fields:
        point:  (V, 3) m, of each mesh's own frame; matrix: (V, 4) rows of `bind`; weight: (V, 4)
        bind:   (B, 4, 4) mesh frame to joint frame; joint: (B,) of each
    """

    rig: Rig
    point: F64
    matrix: Index
    weight: F64
    bind: F64
    joint: Index


@dataclass(frozen=True, slots=True)
class Arm:
    """What is measured of one arm.

    Fields:
        hand:   vertices of forearm and hand
        other:  (F, 3) triangles that are not this arm's, those that lie together in runs
        run:    (R + 1,) i32, where each run begins, then the end
        at, share: points on these triangles: (P,) which one, and (P, 3) where
    """

    hand: Index
    other: Index
    run: I32
    at: Index
    share: F64


@dataclass(frozen=True, slots=True)
class Skin:
    """Her visible skin and clothes, ready to be measured on. arms: left, right."""

    bound: Bound
    arms: tuple[Arm, Arm]


def skin_of(body: Body) -> Skin:
    """Return her visible skin and clothes, ready to be measured on."""
    rig, points, matrices, weights, faces = body.rig, [], [], [], []
    joints, base = len(rig.names), 0
    for mesh in _skins(body):
        points.append(np.asarray(mesh.position, np.float64))
        matrices.append(mesh.skin * joints + mesh.joint.astype(np.int64))
        weights.append(np.asarray(mesh.weight, np.float64))
        faces.append(mesh.triangle.astype(np.int64) + base)
        base += len(mesh.position)
    point, matrix, weight, face = (np.concatenate(part) for part in (points, matrices, weights, faces))
    bind = np.asarray(body.skin.bind, np.float64).reshape(-1, 4, 4)
    return skin_with(Bound(rig, point, matrix, weight, bind, np.arange(len(bind)) % joints), face)


def skin_with(bound: Bound, face: Index) -> Skin:
    """Return some of her skin, ready to be measured on. face: (F, 3) into the vertices of `bound`."""
    rig, point, matrix, weight = bound.rig, bound.point, bound.matrix, bound.weight
    joints = len(rig.names)
    rest = posed(bound, rig.rest_rotation, np.zeros(3))
    used = np.zeros(len(point), bool)
    used[face] = True
    arms = []
    for side in SIDES:
        own = (weight * _under(rig, rig.humanoid.get(side + "UpperArm", -1))[matrix % joints]).sum(axis=1)
        fore = (weight * _under(rig, rig.humanoid.get(side + "LowerArm", -1))[matrix % joints]).sum(axis=1)
        other = face[(own[face] < OWN).all(axis=1)]
        order, run = _runs(rest[other].mean(axis=1))
        other = other[order]
        arms.append(Arm(np.flatnonzero((fore > HAND) & used)[::EVERY], other, run, *_spots(rest[other])))
    return Skin(bound, (arms[0], arms[1]))


def posed(bound: Bound, rotation: F64, root: F64) -> F64:
    """Return every vertex where a pose puts it, (V, 3) m, avatar frame. rotation: (J, 4) wxyz local; root: (3,) m."""
    rig = bound.rig
    position, turn = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
    fk.world(rig.parent, rig.rest_offset, np.array(root), np.array(rotation), position, turn)
    world = np.zeros((len(rig.names), 4, 4))
    own = np.empty((len(rig.names), 3, 3))
    quat.to_matrix_each(turn, own)
    world[:, :3, :3], world[:, :3, 3], world[:, 3, 3] = own, position, 1.0
    whole = world[bound.joint] @ bound.bind
    out = np.zeros_like(bound.point)
    for k in range(bound.weight.shape[1]):
        m = whole[bound.matrix[:, k]]
        out += bound.weight[:, k, None] * (np.einsum("vij,vj->vi", m[:, :3, :3], bound.point) + m[:, :3, 3])
    return out


def inside(skin: Skin, rotation: F64, root: F64) -> tuple[F64, F64]:
    """Return how deep each vertex of left and right forearm and hand is inside other skin, m; 0 outside.

    Inside: the skin winds round the vertex (more than half of a turn of solid angle: her skin has openings). Deep: the
    way to the nearest point of the skin that has the vertex on its inner side, so that under two layers of cloth the
    outer one counts.
    """
    from scipy.spatial import KDTree

    vertex = posed(skin.bound, rotation, root)
    out = []
    for arm in skin.arms:
        corner = np.ascontiguousarray(vertex[arm.other])
        hand = np.ascontiguousarray(vertex[arm.hand])
        deep = np.zeros(len(hand))
        held = np.flatnonzero(_wound(hand, corner, arm.run) > 0.5)
        if len(held):  # on most frames none: what lies where is sorted only then
            spot = np.einsum("pk,pkd->pd", arm.share, corner[arm.at])
            tree: Any = KDTree(spot)
            _, found = tree.query(hand[held], k=min(NEAREST, len(spot)), distance_upper_bound=FAR)
            found = found.reshape(len(held), -1)
            triangle = np.where(found < len(spot), arm.at[np.minimum(found, len(spot) - 1)], -1).astype(np.int32)
            deep[held] = _depth(hand[held], corner, triangle)
        out.append(deep)
    return out[0], out[1]


def _skins(body: Body) -> list[Mesh]:
    materials = body.skin.materials
    return [
        m for m in body.skin.meshes if not (_NOT_SKIN.search(m.name) or _NOT_SKIN.search(materials[m.material].name))
    ]


def deepest(skin: Skin, rotation: F64, root: F64) -> F64:
    """Return the deepest vertex of each frame, (F,) mm. rotation: (F, J, 4) wxyz local; root: (3,) m."""
    return np.array([1e3 * max(float(d.max(initial=0.0)) for d in inside(skin, pose, root)) for pose in rotation])


def _under(rig: Rig, top: int) -> npt.NDArray[np.bool_]:
    out = np.zeros(len(rig.names), bool)
    for j, above in enumerate(rig.parent):
        out[j] = top >= 0 and (j == top or (above >= 0 and out[above]))
    return out


def _runs(middle: F64) -> tuple[Index, I32]:
    """Return an order of points (F, 3) in which runs of RUN or fewer lie together, and where each begins."""
    parts = [np.arange(len(middle))]
    done: list[Index] = []
    while parts:
        part = parts.pop()
        if len(part) <= RUN:
            done.append(part)
            continue
        axis = int(np.ptp(middle[part], axis=0).argmax())
        part = part[np.argsort(middle[part, axis], kind="stable")]
        parts += [part[: len(part) // 2], part[len(part) // 2 :]]
    return np.concatenate(done), np.cumsum([0, *(len(part) for part in done)]).astype(np.int32)


def _spots(corner: F64) -> tuple[Index, F64]:
    """Return points spread over triangles (F, 3, 3): which triangle, (P,), and shares of its corners, (P, 3)."""
    edge = np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=2).max(axis=1)
    count = np.maximum(1, np.ceil(edge / SPACING)).astype(int)
    which, share = [], []
    for n in np.unique(count):
        rows = np.array([(i + 1 / 3, j + 1 / 3) for i in range(n) for j in range(n - i)]) / n
        ours = np.flatnonzero(count == n)
        which.append(np.repeat(ours, len(rows)))
        share.append(np.tile(np.column_stack([1.0 - rows.sum(axis=1), rows]), (len(ours), 1)))
    return np.concatenate(which), np.concatenate(share)


@njit(cache=True)
def _wound(hand: F64, corner: F64, run: I32) -> F64:
    """Return how often triangles (F, 3, 3) wind round each point, (V,)."""
    ball, area, out = np.empty((run.shape[0] - 1, 4)), np.empty((run.shape[0] - 1, 3)), np.empty(hand.shape[0])
    _balls(corner, run, ball, area)
    for v in range(hand.shape[0]):
        out[v] = _winding(hand[v], corner, run, ball, area)
    return out


@njit(cache=True)
def _depth(hand: F64, corner: F64, triangle: I32) -> F64:
    """Return how far each point is from the nearest triangle that has it on its inner side, m, 0 where none has."""
    out = np.zeros(hand.shape[0])
    for v in range(hand.shape[0]):
        best = 1e9
        for c in range(triangle.shape[1]):
            t = triangle[v, c]
            if t < 0:
                continue
            distance, inner = _to_triangle(hand[v], corner[t])
            if inner and distance < best:
                best = distance
        if best < 1e9:
            out[v] = best
    return out


@njit(cache=True)
def _to_triangle(p: F64, t: F64) -> tuple[float, bool]:
    """Return the distance of a point to a triangle, m, and whether the point lies behind it."""
    ab, ac, ap = t[1] - t[0], t[2] - t[0], p - t[0]
    nx, ny, nz = ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0]
    square = nx * nx + ny * ny + nz * nz
    if square < 1e-24:
        return 1e9, False
    height = (nx * ap[0] + ny * ap[1] + nz * ap[2]) / math.sqrt(square)
    # shares of the corners of the point's foot on the plane
    d00, d01, d11 = ab[0] ** 2 + ab[1] ** 2 + ab[2] ** 2, 0.0, ac[0] ** 2 + ac[1] ** 2 + ac[2] ** 2
    d01 = ab[0] * ac[0] + ab[1] * ac[1] + ab[2] * ac[2]
    d20 = ap[0] * ab[0] + ap[1] * ab[1] + ap[2] * ab[2]
    d21 = ap[0] * ac[0] + ap[1] * ac[1] + ap[2] * ac[2]
    u, w = (d11 * d20 - d01 * d21) / square, (d00 * d21 - d01 * d20) / square
    if u >= 0.0 and w >= 0.0 and u + w <= 1.0:
        return abs(height), height < 0.0
    least = 1e18
    for k in range(3):
        a, b = t[k], t[(k + 1) % 3]
        ex, ey, ez = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        x, y, z = p[0] - a[0], p[1] - a[1], p[2] - a[2]
        s = min(max((ex * x + ey * y + ez * z) / max(ex * ex + ey * ey + ez * ez, 1e-24), 0.0), 1.0)
        least = min(least, (x - s * ex) ** 2 + (y - s * ey) ** 2 + (z - s * ez) ** 2)
    return math.sqrt(least), height < 0.0


@njit(cache=True)
def _balls(corner: F64, run: I32, ball: F64, area: F64) -> None:
    """Write middle and radius round each run, (R, 4) m, and its summed normals times area, (R, 3) m^2."""
    for k in range(run.shape[0] - 1):
        ball[k] = 0.0
        area[k] = 0.0
        count = 3.0 * (run[k + 1] - run[k])
        for t in range(run[k], run[k + 1]):
            for c in range(3):
                for x in range(3):
                    ball[k, x] += corner[t, c, x] / count
            for x in range(3):
                y, z = (x + 1) % 3, (x + 2) % 3
                b, c2 = corner[t, 1, y] - corner[t, 0, y], corner[t, 1, z] - corner[t, 0, z]
                d, e = corner[t, 2, y] - corner[t, 0, y], corner[t, 2, z] - corner[t, 0, z]
                area[k, x] += 0.5 * (b * e - c2 * d)
        far = 0.0
        for t in range(run[k], run[k + 1]):
            for c in range(3):
                square = 0.0
                for x in range(3):
                    square += (corner[t, c, x] - ball[k, x]) ** 2
                far = max(far, square)
        ball[k, 3] = math.sqrt(far)


@njit(cache=True)
def _winding(p: F64, corner: F64, run: I32, ball: F64, area: F64) -> float:
    """Return how often triangles (F, 3, 3) wind round a point: solid angles, of runs that are far off as dipoles.

    van Oosterom and Strackee 1983; Jacobson et al. 2013; Barill et al. 2018.
    """
    total = 0.0
    for k in range(run.shape[0] - 1):
        x, y, z = ball[k, 0] - p[0], ball[k, 1] - p[1], ball[k, 2] - p[2]
        square = x * x + y * y + z * z
        if square > 6.25 * ball[k, 3] ** 2:
            total += (area[k, 0] * x + area[k, 1] * y + area[k, 2] * z) / (square * math.sqrt(square))
            continue
        for t in range(run[k], run[k + 1]):
            ax, ay, az = corner[t, 0, 0] - p[0], corner[t, 0, 1] - p[1], corner[t, 0, 2] - p[2]
            bx, by, bz = corner[t, 1, 0] - p[0], corner[t, 1, 1] - p[1], corner[t, 1, 2] - p[2]
            cx, cy, cz = corner[t, 2, 0] - p[0], corner[t, 2, 1] - p[1], corner[t, 2, 2] - p[2]
            a = math.sqrt(ax * ax + ay * ay + az * az)
            b = math.sqrt(bx * bx + by * by + bz * bz)
            c = math.sqrt(cx * cx + cy * cy + cz * cz)
            volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
            flat = a * b * c + (ax * bx + ay * by + az * bz) * c
            flat += (bx * cx + by * cy + bz * cz) * a + (cx * ax + cy * ay + cz * az) * b
            total += 2.0 * math.atan2(volume, flat)
    return total / (4.0 * math.pi)
