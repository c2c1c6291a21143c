"""Her skin as points with normals in any pose: what the search maps and the fingers close on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....components.arrays import F64, I32
from ....components.skin import Body
from ...collide.offline.parts import Parts, parts_of
from ...collide.offline.samples import Surface, surface_of
from ...collide.offline.skin_depth import Bound, posed
from ...kernels import nearest

DENSITY = 6.0e4  # points a m^2: 4 mm apart
HANDS = 2.0  # times as many on hands

Index = npt.NDArray[np.int64]
UPPERS, FORES, PALMS = (1, 2), (3, 4), (5, 6)  # left and right


@dataclass(frozen=True, slots=True)
class Cover:
    """Points on her skin.

    Fields:
        bound:  vertices tied to the rig; face: (F, 3) into them; outward: (F,) 1 or -1, which way a face is wound
        at, share: (N,) face and (N, 3) where on it; joint: (N,) i32, humanoid bone's joint that holds it
        group:  (N,) i32: 0 body, 1 2 upper arms, 3 4 forearms, 5 6 hands, left and right; 7 elsewhere
    """

    bound: Bound
    face: Index
    outward: F64
    at: Index
    share: F64
    joint: I32
    group: I32

    def pose(self, rotation: F64, root: F64) -> tuple[F64, F64]:
        """Return where the points are and which way their skin faces, (N, 3) m and (N, 3) unit, avatar frame."""
        vertex = posed(self.bound, rotation, root)
        corner = vertex[self.face]
        across = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        across *= (self.outward / np.maximum(np.linalg.norm(across, axis=1), 1e-12))[:, None]
        return np.einsum("nk,nkd->nd", self.share, corner[self.at]), across[self.at]

    def place(self, rotation: F64, root: F64) -> F64:
        """Return where the points are alone, (N, 3) m, avatar frame: half of the time of `pose`."""
        return np.einsum("nk,nkd->nd", self.share, posed(self.bound, rotation, root)[self.face][self.at])

    @property
    def wound(self) -> Index:
        """Return the triangles with their corners in the order that has her outside on the left, (F, 3)."""
        return np.where((self.outward < 0.0)[:, None], self.face[:, [0, 2, 1]], self.face)

    def ties(self, point: int) -> tuple[I32, F64]:
        """Return the four joints that move a point most and how much, (4,) i32 and (4,) that sum to 1."""
        total = np.zeros(len(self.bound.rig.names))
        for vertex, part in zip(self.face[self.at[point]], self.share[point], strict=True):
            np.add.at(total, self.bound.joint[self.bound.matrix[vertex]], part * self.bound.weight[vertex])
        most = np.argsort(-total, kind="stable")[:4]
        return most.astype(np.int32), total[most] / max(float(total[most].sum()), 1e-9)

    def part(self, chosen: npt.NDArray[np.bool_]) -> Cover:
        """Return some of the points, tied to no more vertices than they need."""
        faces, at = np.unique(self.at[chosen], return_inverse=True)
        used, face = np.unique(self.face[faces], return_inverse=True)
        b = self.bound
        bound = Bound(b.rig, b.point[used], b.matrix[used], b.weight[used], b.bind, b.joint)
        return Cover(
            bound, face.reshape(-1, 3), self.outward[faces], at, self.share[chosen], self.joint[chosen],
            self.group[chosen],
        )  # fmt: skip


def cover_of(body: Body, density: float = DENSITY, seed: int = 0) -> Cover:
    """Return points spread over her skin by area; AvatarError where she has none."""
    parts = parts_of(body)
    surface = surface_of(body, parts)
    bound = _bound(body, surface)
    rest = posed(bound, body.rig.rest_rotation.copy(), np.zeros(3))
    corner = rest[surface.face]
    across = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    outward = np.where((across * surface.normal).sum(axis=1) < 0.0, -1.0, 1.0)
    group = _groups(parts)
    wanted = surface.area * np.where(group[surface.holder] >= 5, HANDS, 1.0) * density
    random = np.random.default_rng(seed)
    total = int(wanted.sum())
    steps = (np.arange(total) + random.random(total)) / total * wanted.sum()
    at = np.minimum(np.searchsorted(np.cumsum(wanted), steps), len(wanted) - 1)
    u = random.random((total, 2))
    u = np.where(u.sum(axis=1, keepdims=True) > 1.0, 1.0 - u, u)
    share = np.stack([1.0 - u.sum(axis=1), u[:, 0], u[:, 1]], axis=1)
    weight = sum(share[:, k, None].astype(np.float32) * surface.weight[surface.face[at][:, k]] for k in range(3))
    row = np.minimum(np.asarray(weight).argmax(axis=1), len(parts.names) - 1)
    return Cover(bound, surface.face, outward, at, share, parts.joint[row], group[row])


class Target:
    """Some of a posed skin that gaps are measured to."""

    def __init__(self, point: F64, normal: F64) -> None:
        self.point, self.normal = np.ascontiguousarray(point), np.ascontiguousarray(normal)
        self.low = self.point.min(axis=0) - 1e-6
        self.size = (np.ceil((self.point.max(axis=0) - self.low) / nearest.CELL) + 1).astype(np.int32)
        self.start = np.zeros(int(self.size.prod()) + 1, np.int32)
        self.order = np.zeros(len(self.point), np.int32)
        nearest.cells(self.point, self.low, self.size, self.start, self.order)

    def gaps(self, query: F64) -> F64:
        """Return how far points are outside this skin, (K,) m, negative inside; nearest.CELL where it is far."""
        out = np.empty(len(query))
        nearest.gaps(
            np.ascontiguousarray(query), self.point, self.normal, self.low, self.size, self.start, self.order, out
        )
        return out

    def gap(self, query: F64) -> float:
        """Return the least of `gaps`, nearest.CELL where there is nothing to ask for."""
        return float(self.gaps(query).min()) if len(query) else nearest.CELL


def target(cover: Cover, point: F64, normal: F64, groups: Sequence[int]) -> Target:
    """Return the skin of some groups in a pose from `Cover.pose`."""
    chosen = np.isin(cover.group, groups)
    return Target(point[chosen], normal[chosen])


def _groups(parts: Parts) -> I32:
    """Return the group of each row of Parts."""
    out = np.full(len(parts.names), 7, np.int32)
    for k, name in enumerate(parts.names):
        side = 0 if name.startswith("left") else 1
        if name in ("hips", "spine", "chest", "upperChest", "neck", "head") or name.endswith(("Shoulder", "UpperLeg")):
            out[k] = 0
        elif name.endswith("UpperArm"):
            out[k] = UPPERS[side]
        elif name.endswith("LowerArm"):
            out[k] = FORES[side]
        elif parts.part[k] >= 3:
            out[k] = PALMS[side]
    return out


def _bound(body: Body, surface: Surface) -> Bound:
    """Return the vertices of `surface` tied to the rig."""
    from ...collide.offline.samples import drawn_meshes, skin_meshes

    for meshes in (skin_meshes(body), drawn_meshes(body)):
        if sum(len(m.position) for m in meshes) == len(surface.point):
            break
    joints = len(body.rig.names)
    bind = np.asarray(body.skin.bind, np.float64).reshape(-1, 4, 4)
    return Bound(
        body.rig,
        np.concatenate([np.asarray(m.position, np.float64) for m in meshes]),
        np.concatenate([m.skin * joints + m.joint.astype(np.int64) for m in meshes]),
        np.concatenate([np.asarray(m.weight, np.float64) for m in meshes]),
        bind,
        np.arange(len(bind)) % joints,
    )
