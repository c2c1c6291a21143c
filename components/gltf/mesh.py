"""Meshes: every primitive of every shown node as triangles bound to the rig."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..arrays import F32, F64, frozen
from ..errors import AvatarError
from ..skin import Mesh, Morph, Skin
from .accessors import Accessors
from .document import Table, quoted
from .materials import Looks, placed_uv
from .morphs import Budget, begun, read_morphs, start_weights, target_count, target_names
from .nodes import Nodes
from .skeleton import Skeleton
from .unpack import DRACO, unpack_primitive
from .weights import read_weights

MAX_VERTICES = 1_000_000  # drawn; a heavy avatar has 150 thousand
MAX_TRIANGLES = 2_000_000
MAX_BINDS = 1 << 18  # matrices of 128 bytes


@dataclass(frozen=True, slots=True)
class _Shape:
    """A primitive before it is bound."""

    position: F32
    normal: F32
    uv: F32
    color: F32
    triangle: npt.NDArray[np.uint32]
    morphs: tuple[Morph, ...]


@dataclass(slots=True)
class _Work:
    """What is shared while the meshes of one file are read."""

    accessors: Accessors
    nodes: Nodes
    skeleton: Skeleton
    looks: Looks
    meshes: list[Table]
    skins: list[Table]
    notes: Counter[str] = field(default_factory=Counter)
    budget: Budget = field(default_factory=Budget)
    shapes: dict[tuple[int, int, tuple[float, ...]], _Shape | None] = field(default_factory=dict)
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    joints: dict[int, npt.NDArray[np.int64]] = field(default_factory=dict)
    mirrored: dict[int, bool] = field(default_factory=dict)
    binds: list[F64] = field(default_factory=list)
    bind_row: dict[tuple[str, int], int] = field(default_factory=dict)
    vertices: int = 0
    triangles: int = 0


def read_meshes(
    document: Table, accessors: Accessors, nodes: Nodes, skeleton: Skeleton, looks: Looks, warnings: list[str]
) -> tuple[Skin, dict[int, list[int]]]:
    """Return everything drawn, and which meshes each node became."""
    work = _Work(accessors, nodes, skeleton, looks, document.rows("meshes"), document.rows("skins"))
    meshes: list[Mesh] = []
    of_node: dict[int, list[int]] = {}
    for node in nodes.order:
        row = nodes.rows[node]
        if node not in nodes.shown or "mesh" not in row:
            continue
        mesh = row.integer("mesh", high=len(work.meshes) - 1)
        name = nodes.names[node] or work.meshes[mesh].label("name") or f"mesh{mesh}"
        primitives = work.meshes[mesh].rows("primitives")
        start = start_weights(row, work.meshes[mesh])
        _tell_start(start, _names(work, mesh), name, warnings)
        for index, primitive in enumerate(primitives):
            title = f"{name}/{index}" if len(primitives) > 1 else name
            bound = _bound(work, node, mesh, index, primitive, title, start)
            if bound is not None:
                of_node.setdefault(node, []).append(len(meshes))
                meshes.append(bound)
    warnings += [f"{count} {text}" for text, count in work.notes.items() if count]
    joints = len(skeleton.rig.names)
    bind = np.array(work.binds).reshape(-1, joints, 4, 4)
    return Skin(tuple(meshes), frozen(bind, np.float64), looks.materials, looks.images), of_node


def used_skins(document: Table, nodes: Nodes) -> list[int]:
    """Return the skins that shown meshes use, in order of first use."""
    count = len(document.rows("skins"))
    drawn = [nodes.rows[n] for n in nodes.order if n in nodes.shown and "mesh" in nodes.rows[n]]
    return list(dict.fromkeys(row.integer("skin", high=count - 1) for row in drawn if "skin" in row))


def _bound(
    work: _Work, node: int, mesh: int, index: int, primitive: Table, name: str, start: tuple[float, ...]
) -> Mesh | None:
    """Return one primitive on its node, or None where it draws no triangles."""
    key = (mesh, index, start)
    if key not in work.shapes:
        work.shapes[key] = _read_shape(work, _names(work, mesh), primitive, start)
    shape = work.shapes[key]
    if shape is None:
        return None
    count = len(shape.position)
    work.vertices += count
    work.triangles += len(shape.triangle)
    if work.vertices > MAX_VERTICES or work.triangles > MAX_TRIANGLES:
        raise AvatarError(
            f"it draws more than {MAX_VERTICES} vertices or {MAX_TRIANGLES} triangles; reduce it in the modelling tool"
        )
    row = work.nodes.rows[node]
    attributes = primitive.table("attributes")
    if "skin" in row and "JOINTS_0" in attributes and "WEIGHTS_0" in attributes:
        skin = row.integer("skin", high=len(work.skins) - 1)
        bind = _skin_row(work, skin)
        joint, weight = read_weights(attributes, work.accessors, count, work.joints[skin], work.notes)
        mirrored = work.mirrored[skin]
    else:
        bind, on = _rigid_row(work, node)
        joint = np.zeros((count, 4), np.uint16)
        joint[:, 0] = on
        weight = np.zeros((count, 4), np.float32)
        weight[:, 0] = 1.0
        mirrored = bool(np.linalg.det(work.skeleton.true[node, :3, :3]) < 0.0)
    # a mirrored frame turns triangles inside out; the format has the reader turn them back
    triangle = frozen(shape.triangle[:, ::-1], np.uint32) if mirrored else shape.triangle
    return Mesh(
        name=name,
        position=shape.position,
        normal=shape.normal,
        uv=shape.uv,
        color=shape.color,
        joint=frozen(joint, np.uint16),
        weight=frozen(weight, np.float32),
        triangle=triangle,
        skin=bind,
        material=work.looks.row(primitive),
        morphs=shape.morphs,
    )


def _skin_row(work: _Work, index: int) -> int:
    """Return the row of binds of a glTF skin: inv(rigid rest) @ true rest @ inverse bind, exact in rest."""
    if ("skin", index) in work.bind_row:
        return work.bind_row["skin", index]
    row, rig = work.skins[index], work.skeleton
    listed = row.indices("joints", len(work.nodes.rows))
    inverse = np.tile(np.eye(4), (len(listed), 1, 1))
    if "inverseBindMatrices" in row:
        where = row.path("inverseBindMatrices")
        given = work.accessors.matrices(row.integer("inverseBindMatrices"), where)
        if len(given) < len(listed):
            raise AvatarError(f"{where} has {len(given)} matrices for {len(listed)} joints")
        if not np.isfinite(given[: len(listed)]).all():
            raise AvatarError(f"{where} has values that are not finite")
        inverse[:, :3] = given[: len(listed), :3]
    bind = np.tile(np.eye(4), (len(rig.rigid), 1, 1))
    seen: dict[int, int] = {}
    for place, node in enumerate(listed):
        if node in seen and not np.allclose(inverse[seen[node]], inverse[place]):
            raise AvatarError(f"{row.where} lists nodes[{node}] twice with different binds")
        seen[node] = place
    joints = np.array([rig.on[node] for node in listed], np.int64)
    bind[joints] = _inverse(rig.frames(listed)) @ rig.true[listed] @ inverse
    work.joints[index] = joints
    work.mirrored[index] = bool((np.linalg.det(bind[joints, :3, :3]) < 0.0).all())
    return _add_row(work, ("skin", index), bind, row.where)


def _rigid_row(work: _Work, node: int) -> tuple[int, int]:
    """Return the row of binds of a mesh that hangs on a node without a skin, and the joint it follows."""
    rig = work.skeleton
    on = rig.on[node]
    if on < 0:
        on = rig.rig.humanoid["hips"]
        work.notes["meshes hang on no joint; they follow her hips"] += ("node", node) not in work.bind_row
    if ("node", node) in work.bind_row:
        return work.bind_row["node", node], on
    bind = np.tile(np.eye(4), (len(rig.rigid), 1, 1))
    bind[on] = _inverse(rig.rigid[on : on + 1])[0] @ rig.true[node]
    return _add_row(work, ("node", node), bind, work.nodes.rows[node].where), on


def _add_row(work: _Work, key: tuple[str, int], bind: F64, where: str) -> int:
    if not np.isfinite(bind).all() or np.abs(bind).max() > 1e12:
        raise AvatarError(f"{where} has transforms that multiply beyond what can be drawn")
    if (len(work.binds) + 1) * len(bind) > MAX_BINDS:
        raise AvatarError(f"{where}: more than {MAX_BINDS} binds; join the meshes in the modelling tool")
    work.bind_row[key] = len(work.binds)
    work.binds.append(bind)
    return work.bind_row[key]


def _inverse(rigid: F64) -> F64:
    back = np.tile(np.eye(4), (len(rigid), 1, 1))
    back[:, :3, :3] = rigid[:, :3, :3].transpose(0, 2, 1)
    back[:, :3, 3] = -np.einsum("nij,nj->ni", back[:, :3, :3], rigid[:, :3, 3])
    return back


def _names(work: _Work, mesh: int) -> tuple[str, ...]:
    """Return the names of a mesh's morphs."""
    if mesh not in work.names:
        row = work.meshes[mesh]
        work.names[mesh] = target_names(row, row.label("name") or row.where, target_count(row))
    return work.names[mesh]


def _read_shape(work: _Work, names: tuple[str, ...], primitive: Table, start: tuple[float, ...]) -> _Shape | None:
    attributes, accessors = primitive.table("attributes"), work.accessors
    if "POSITION" not in attributes:
        work.notes["primitives without positions are not drawn"] += 1
        return None
    where = attributes.path("POSITION")
    count = accessors.count(attributes.integer("POSITION"), where)
    if count > MAX_VERTICES:
        raise AvatarError(f"{where} has {count} vertices, at most {MAX_VERTICES} are read")
    if DRACO in primitive.table("extensions") and not accessors.holds_bytes(attributes.integer("POSITION"), where):
        _unpack(accessors, primitive, attributes)
    triangle = _triangles(work, primitive, count)
    if len(triangle) > MAX_TRIANGLES:
        raise AvatarError(f"{primitive.where} has {len(triangle)} triangles, at most {MAX_TRIANGLES} are read")
    if not count or not len(triangle):
        work.notes["primitives without triangles are not drawn"] += 1
        return None
    position = accessors.floats(attributes.integer("POSITION"), (3,), where)
    if not np.isfinite(position).all() or float(np.abs(position).max()) > 1e9:
        raise AvatarError(f"{where} has positions that are not finite")
    normal = _normals(work, attributes, position, triangle)
    morphs = read_morphs(primitive, accessors, names, position, work.budget)
    if any(start):
        position, normal, morphs = begun(position, normal, morphs, start)
    return _Shape(
        frozen(position, np.float32),
        frozen(normal, np.float32),
        frozen(_uv(work, attributes, primitive, count), np.float32),
        frozen(_color(work, attributes, count), np.float32),
        frozen(triangle, np.uint32),
        morphs,
    )


def _unpack(accessors: Accessors, primitive: Table, attributes: Table) -> None:
    """Give the accessors of a primitive packed with Draco their values."""
    packed = primitive.table("extensions").table(DRACO)
    corners, found = unpack_primitive(packed, accessors.packed(packed.integer("bufferView"), packed.where))
    for name, values in found.items():
        if name in attributes:
            accessors.fill(attributes.integer(name), values, attributes.path(name))
    if "indices" in primitive:
        accessors.fill(primitive.integer("indices"), corners[:, None], primitive.path("indices"))


def _triangles(work: _Work, primitive: Table, count: int) -> npt.NDArray[np.uint32]:
    mode = primitive.integer("mode", 4, high=6)
    if mode < 4:
        return np.zeros((0, 3), np.uint32)  # points and lines
    if "indices" in primitive:
        where = primitive.path("indices")
        corner = work.accessors.unsigned(primitive.integer("indices"), (1,), where)[:, 0]
        if corner.size and int(corner.max()) >= count:
            raise AvatarError(f"{where} names vertex {int(corner.max())}, the primitive has {count}")
    else:
        corner = np.arange(count, dtype=np.uint32)
    if mode == 4:
        if len(corner) % 3:
            work.notes["primitives end in half a triangle; it is dropped"] += 1
        return corner[: len(corner) // 3 * 3].reshape(-1, 3)
    if len(corner) < 3:
        return np.zeros((0, 3), np.uint32)
    if mode == 6:  # fan
        return np.stack([np.full(len(corner) - 2, corner[0]), corner[1:-1], corner[2:]], axis=1)
    strip = np.stack([corner[:-2], corner[1:-1], corner[2:]], axis=1)
    strip[1::2] = strip[1::2, [1, 0, 2]]
    return strip


def _same_count(work: _Work, attributes: Table, key: str, count: int) -> int:
    index = attributes.integer(key)
    if work.accessors.count(index, attributes.path(key)) != count:
        raise AvatarError(f"{attributes.path(key)} does not have {count} elements, as its POSITION has")
    return index


def _normals(
    work: _Work, attributes: Table, position: F32, triangle: npt.NDArray[np.uint32]
) -> npt.NDArray[np.floating]:
    count = len(position)
    if "NORMAL" not in attributes:
        return smooth_normals(position, triangle)
    index = _same_count(work, attributes, "NORMAL", count)
    normal = work.accessors.floats(index, (3,), attributes.path("NORMAL"))
    length = np.linalg.norm(normal.astype(np.float64), axis=1)
    good = np.isfinite(length) & (length > 1e-6)
    unit = normal / np.where(good, length, 1.0)[:, None]
    if not good.all():
        work.notes["vertices have no usable normal; it is computed"] += int((~good).sum())
        unit[~good] = smooth_normals(position, triangle)[~good]
    return unit


def smooth_normals(position: F32, triangle: npt.NDArray[np.uint32]) -> F64:
    """Return (V, 3) unit normals, each the mean of its triangles' by area; +Y where a vertex has no area around it."""
    corners = position.astype(np.float64)[triangle]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.stack(
        [np.bincount(triangle.ravel(), np.repeat(face[:, axis], 3), len(position)) for axis in range(3)], axis=1
    )
    length = np.linalg.norm(total, axis=1)
    flat = length < 1e-300
    return np.where(flat[:, None], (0.0, 1.0, 0.0), total / np.where(flat, 1.0, length)[:, None])


def _uv(work: _Work, attributes: Table, primitive: Table, count: int) -> npt.NDArray[np.floating]:
    place = work.looks.place(primitive)
    key = f"TEXCOORD_{place.uv_set}"
    if key not in attributes:
        return np.zeros((count, 2), np.float32)
    uv = work.accessors.floats(_same_count(work, attributes, key, count), (2,), attributes.path(key))
    if not np.isfinite(uv).all():
        work.notes["vertices have texture coordinates that are not finite; they are read as 0"] += int(
            (~np.isfinite(uv)).any(axis=1).sum()
        )
        uv = np.nan_to_num(uv, nan=0.0, posinf=0.0, neginf=0.0)
    return placed_uv(place, uv)


def _color(work: _Work, attributes: Table, count: int) -> F32:
    color = np.ones((count, 4), np.float32)
    if "COLOR_0" in attributes:
        index = _same_count(work, attributes, "COLOR_0", count)
        given = work.accessors.floats(index, (3, 4), attributes.path("COLOR_0"))
        color[:, : given.shape[1]] = np.clip(np.nan_to_num(given, nan=1.0), 0.0, 1.0)
    return color


def _tell_start(start: tuple[float, ...], names: tuple[str, ...], name: str, warnings: list[str]) -> None:
    begun_with = [f"{morph} {weight:g}" for morph, weight in zip(names, start, strict=False) if weight]
    if begun_with:
        more = ", .." if len(begun_with) > 4 else ""
        warnings.append(f"{name[:40]!r} starts with morphs as the file asks: {quoted(', '.join(begun_with[:4]))}{more}")
