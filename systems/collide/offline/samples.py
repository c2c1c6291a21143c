"""Points on her visible skin and clothes in rest, spread by area, each with the bone that holds it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....components.anatomy import SIDES
from ....components.arrays import F32, F64, I32, Bool
from ....components.errors import AvatarError
from ....components.skin import Body, Material, Mesh
from ...retarget.rests import rest_of
from .loose import flaring, swinging
from .parts import Parts

COUNT = 30_000  # of the whole body: 2 a cm^2 of a woman; with 54 000 the same capsules came out (measured on her)
HANDS = 3.0  # samples of a hand for one of the trunk: a finger's capsule needs its 100 too

# Not skin that an arm could enter. `mouth` is the cavity: lips are on the face's own material.
_NOT_SKIN = re.compile(
    r"hair|eye|lash|brow|teeth|tooth|tongue|mouth|gums?\b|iris|pupil|cornea|sclera|highlight|catchlight|glasses",
    re.IGNORECASE,
)
_UNSEEN = 0.05  # alpha below which a blended material shows nothing
_FAR = 100.0  # m, where no avatar's skin is; what is not a number counts as farther
_NO_AREA = 1e-12  # m^2, twice the area of a triangle that is none


@dataclass(frozen=True, slots=True)
class Samples:
    """Where her skin is in rest, avatar frame.

    Fields:
        point:  (N, 3) m; normal: (N, 3) unit, outward
        holder: (N,) i32, row of Parts with the largest summed weight
        area:   m^2, of all the skin that was sampled
    """

    point: F64
    normal: F64
    holder: I32
    area: float


@dataclass(frozen=True, slots=True)
class Surface:
    """Her visible triangles in rest, avatar frame.

    Fields:
        point:  (V, 3) m; weight: (V, H + 1) f32, of each row of Parts, last what is left out
        face:   (F, 3) into the points; normal: (F, 3) unit, outward; area: (F,) m^2
        holder: (F,) i32, row of Parts that holds most of the triangle
    """

    point: F64
    weight: F32
    face: npt.NDArray[np.int64]
    normal: F64
    area: F64
    holder: I32


def surface_of(body: Body, parts: Parts) -> Surface:
    """Return her visible skin and clothes as triangles. AvatarError where there is none on her trunk and arms."""
    made = _join(body, parts, skin_meshes(body))
    if made is None or not _reaches(made, parts):  # one material for all of her, named after its hair
        made = _join(body, parts, drawn_meshes(body))
    if made is None or not _reaches(made, parts):
        raise AvatarError(
            f"{body.source}: no skin hangs on its trunk and upper arms, so there is nothing to keep the arms out of; "
            "weight the mesh to these bones"
        )
    return made


def sample(surface: Surface, parts: Parts, count: int = COUNT, hands: float = HANDS, seed: int = 0) -> Samples:
    """Return points spread by area; other seeds give other points of the same skin.

    count: of all of her if nothing were a hand; hands: how much denser hands are
    """
    random = np.random.default_rng(seed)
    wanted = surface.area * np.where(parts.part[surface.holder] >= 3, hands, 1.0)
    total = int(count * wanted.sum() / surface.area.sum())
    steps = (np.arange(total) + random.random(total)) / total * wanted.sum()
    chosen = np.minimum(np.searchsorted(np.cumsum(wanted), steps), len(wanted) - 1)
    u = random.random((total, 2))
    u = np.where(u.sum(axis=1, keepdims=True) > 1.0, 1.0 - u, u)
    share = np.stack([1.0 - u.sum(axis=1), u[:, 0], u[:, 1]], axis=1)
    face = surface.face[chosen]
    point = np.einsum("nk,nkd->nd", share, surface.point[face])
    weight = sum(share[:, k, None].astype(np.float32) * surface.weight[face[:, k]] for k in range(3))
    holder = np.asarray(weight).argmax(axis=1).astype(np.int32)
    keep = holder < len(parts.names)
    return Samples(point[keep], surface.normal[chosen][keep], holder[keep], float(surface.area.sum()))


def skin_meshes(body: Body) -> list[Mesh]:
    """Return the meshes that are skin or clothes by their names."""
    return [mesh for mesh in body.skin.meshes if _is_skin(mesh, body.skin.materials)]


def drawn_meshes(body: Body) -> list[Mesh]:
    """Return every mesh that can be seen."""
    return [mesh for mesh in body.skin.meshes if _is_drawn(mesh, body.skin.materials)]


def _is_drawn(mesh: Mesh, materials: tuple[Material, ...]) -> bool:
    material = materials[mesh.material]
    return not (material.alpha == "BLEND" and material.color[3] < _UNSEEN)


def _is_skin(mesh: Mesh, materials: tuple[Material, ...]) -> bool:
    named = _NOT_SKIN.search(mesh.name) or _NOT_SKIN.search(materials[mesh.material].name)
    return _is_drawn(mesh, materials) and named is None


def _reaches(surface: Surface, parts: Parts) -> bool:
    """Whether both the trunk and an upper arm have skin."""
    held = {parts.names[k] for k in np.unique(surface.holder)}
    return bool(held & {"hips", "spine", "chest", "upperChest"}) and bool(held & {"leftUpperArm", "rightUpperArm"})


def _join(body: Body, parts: Parts, meshes: list[Mesh]) -> Surface | None:
    """Return these meshes' triangles in rest, without those that hang on what is left out."""
    rest = rest_of(body.rig)
    turn = matrices(rest.orientation)
    count = len(parts.names)
    of = np.where(parts.holder < 0, count, parts.holder)
    points, weights, faces, normals, swung = [], [], [], [], []
    swings = np.zeros(len(body.rig.names), np.bool_)
    if body.springs is not None:
        swings[body.springs.below] = True
    first = 0
    for mesh in meshes:
        bind = body.skin.bind[mesh.skin]
        drawn = np.einsum("jab,jbc->jac", turn, bind[:, :3])
        drawn[:, :, 3] += rest.position
        position, flat = mesh.position.astype(np.float64), mesh.normal.astype(np.float64)
        point, normal = np.zeros_like(position), np.zeros_like(position)
        weight = np.zeros(len(position) * (count + 1))
        for k in range(4):
            w, joint = mesh.weight[:, k].astype(np.float64), mesh.joint[:, k].astype(np.int64)
            place = drawn[joint]
            point += w[:, None] * (np.einsum("vab,vb->va", place[:, :, :3], position) + place[:, :, 3])
            normal += w[:, None] * np.einsum("vab,vb->va", place[:, :, :3], flat)
            weight += np.bincount(np.arange(len(position)) * (count + 1) + of[joint], w, len(weight))
        swung.append((mesh.weight * swings[mesh.joint]).sum(axis=1))
        points.append(point)
        normals.append(normal)
        weights.append(weight.reshape(-1, count + 1).astype(np.float32))
        faces.append(mesh.triangle.astype(np.int64) + first)
        first += len(position)
    if not points:
        return None
    point, weight, face, normal = (np.concatenate(a) for a in (points, weights, faces, normals))
    is_bad = ~(np.maximum(np.maximum(np.abs(point[:, 0]), np.abs(point[:, 1])), np.abs(point[:, 2])) < _FAR)
    point[is_bad] = 0.0
    across = np.cross(point[face[:, 1]] - point[face[:, 0]], point[face[:, 2]] - point[face[:, 0]])
    size = np.linalg.norm(across, axis=1)
    held = np.asarray(sum(weight[face[:, k]] for k in range(3))).argmax(axis=1).astype(np.int32)
    left_out = _below_shoulders(body, parts, point, held, face) | flaring(body.rig, parts, point, face, held, size)
    if body.springs is not None:
        share: F64 = np.concatenate(swung)
        left_out |= swinging(parts, point, face, held, share[face].min(axis=1) > 0.5)
    keep = ~left_out & (size > _NO_AREA) & (held < count) & ~is_bad[face].any(axis=1)
    if not keep.any():
        return None
    # A file may wind its triangles either way (mirrored meshes): the vertex normals say which side is out.
    side = np.einsum("fd,fd->f", across, normal[face].sum(axis=1))
    out = across[keep] / size[keep, None] * np.where(side[keep] < 0.0, -1.0, 1.0)[:, None]
    return Surface(point, weight, face[keep], out, 0.5 * size[keep], held[keep])


def _below_shoulders(body: Body, parts: Parts, point: F64, held: I32, face: npt.NDArray[np.int64]) -> Bool:
    """Return the triangles of the head that hang lower than her shoulders: rigid hair or a beard, (F,) bool."""
    rest = rest_of(body.rig)
    heights = [at[1] for side in SIDES if (at := rest.at(side + "UpperArm")) is not None]
    if not heights or not parts.has("head"):
        return np.zeros(len(face), np.bool_)
    return (held == parts.row("head")) & (point[face][:, :, 1].max(axis=1) < min(heights))


def matrices(q: F64) -> F64:
    """Return (J, 3, 3) of (J, 4) wxyz."""
    w, x, y, z = q.T
    return np.stack(
        [
            1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
        ],
        axis=-1,
    ).reshape(-1, 3, 3)  # fmt: skip
