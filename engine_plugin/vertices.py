"""Every vertex of an avatar in one block of Panda's memory, and the tables that move them.

Skinning runs in our own kernel and not in Panda's: 42 000 vertices with 52 shapes take 1.7 ms against 14 (measured in
one process), a vertex is rounded once, every skin of a file keeps its own bind matrices, and no host can break it:
Panda sees plain vertices, so hardware skinning, which drops shapes without a word and ends at 100 joints, never starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomTriangles,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
)

from ..components.arrays import F32, F64, I32
from ..components.skin import Body, Mesh
from ..systems.kernels import placement
from . import axes, memory

MOVING, PAINT = 0, 1  # arrays of the vertex data: what is written each frame, and what stays on the graphics card


@dataclass(slots=True)
class Vertices:
    """All meshes of an avatar, one after the other.

    Fields:
        data:   Panda's vertices: position and normal in Panda's axes, then texture coordinates and colour
        start:  (meshes + 1,), first vertex of each mesh
        rest:   (V, 6) f32, position m and normal, mesh frame
        bone:   (V, 4) i32 into `joint`; weight: (V, 4) f32, falling
        joint:  (P,) i32 into Rig, one a (skin, joint) pair that moves a vertex; bind: (P, 4, 4) f64
        matrix: (P, 3, 4) f64, where the bones are now, Panda's axes
        vertex: (U,) i32, vertices that a shape moves; moved: (V,) i32, row of `shaped` or -1; shaped: (U, 6) f64
        shape_start: (M + 1,), slot: (K,), delta: (K, 6): shape m of the face's channels, see kernels.placement.shape
        face: (M,) f64, weights of the shapes as taken; face_shown: those that `shaped` holds
    """

    data: GeomVertexData
    start: npt.NDArray[np.int64]
    rest: F32
    bone: I32
    weight: F32
    joint: I32
    bind: F64
    matrix: F64
    vertex: I32
    moved: I32
    shaped: F64
    shape_start: I32
    slot: I32
    delta: F32
    face: F64
    face_shown: F64

    def take(self, position: F64, rotation: F64, face: F64) -> None:
        """Take a pose and a face; `draw` shows them.

        position: (J, 3) m, rotation: (J, 4) wxyz, avatar frame; face: (M,) weights
        """
        placement.place(axes.TO_PANDA, position, rotation, self.joint, self.bind, self.matrix)
        self.face[:] = face

    def draw(self) -> None:
        """Move every vertex to where the taken pose and face put it."""
        if not np.array_equal(self.face, self.face_shown):
            placement.shape(self.rest, self.vertex, self.shape_start, self.slot, self.delta, self.face, self.shaped)
            self.face_shown[:] = self.face
        out = memory.view(self.data.modifyArray(MOVING), np.float32).reshape(-1, 6)
        placement.skin(self.rest, self.moved, self.shaped, self.bone, self.weight, self.matrix, out)

    def read(self) -> F32:
        """Return the positions that Panda holds now. -> (V, 3) f32 m, Panda's axes."""
        return memory.view(self.data.getArray(MOVING), np.float32).reshape(-1, 6)[:, :3].copy()


def build(body: Body) -> Vertices:
    """Return the vertices of a body, not yet moved anywhere."""
    meshes = body.skin.meshes
    start = np.cumsum([0, *(len(mesh.position) for mesh in meshes)])
    bone, joint, bind = _bones(body)
    vertex, moved, shape_start, slot, delta = _shapes(body, start)
    weight = _joined([mesh.weight for mesh in meshes], 4, np.float32)
    order = np.argsort(-weight, axis=1, kind="stable")
    rest = np.concatenate(
        [
            _joined([mesh.position for mesh in meshes], 3, np.float32),
            _joined([mesh.normal for mesh in meshes], 3, np.float32),
        ],
        axis=1,
    )
    return Vertices(
        data=_data(body, int(start[-1])),
        start=start,
        rest=np.ascontiguousarray(rest),
        bone=np.ascontiguousarray(np.take_along_axis(bone, order, axis=1)),
        weight=np.ascontiguousarray(np.take_along_axis(weight, order, axis=1)),
        joint=joint,
        bind=bind,
        matrix=np.zeros((len(joint), 3, 4)),
        vertex=vertex,
        moved=moved,
        shaped=rest[vertex].astype(np.float64),
        shape_start=shape_start,
        slot=slot,
        delta=delta,
        face=np.zeros(len(body.morph_names)),
        face_shown=np.zeros(len(body.morph_names)),
    )


def geom(vertices: Vertices, mesh: Mesh, first: int) -> Geom:
    """Return the drawable of one mesh whose vertices begin at `first`."""
    out = Geom(vertices.data)
    triangles = GeomTriangles(Geom.UHStatic)
    triangles.setIndexType(GeomEnums.NT_uint32)
    array = triangles.modifyVertices()
    array.uncleanSetNumRows(mesh.triangle.size)
    array.modifyHandle().copyDataFrom(np.ascontiguousarray(mesh.triangle + first, dtype=np.uint32))
    out.addPrimitive(triangles)
    return out


def _data(body: Body, count: int) -> GeomVertexData:
    moving, paint, both = GeomVertexArrayFormat(), GeomVertexArrayFormat(), GeomVertexFormat()
    moving.addColumn(InternalName.getVertex(), 3, Geom.NT_float32, Geom.C_point)
    moving.addColumn(InternalName.getNormal(), 3, Geom.NT_float32, Geom.C_normal)
    paint.addColumn(InternalName.getTexcoord(), 2, Geom.NT_float32, Geom.C_texcoord)
    paint.addColumn(InternalName.getColor(), 4, Geom.NT_float32, Geom.C_color)
    both.addArray(moving)
    both.addArray(paint)
    data = GeomVertexData(body.source, GeomVertexFormat.registerFormat(both), Geom.UHDynamic)
    data.uncleanSetNumRows(count)
    meshes = body.skin.meshes
    uv = _joined([mesh.uv for mesh in meshes], 2, np.float32) * (1, -1) + (
        0,
        1,
    )  # glTF counts v downwards, Panda upwards
    color = _joined([mesh.color for mesh in meshes], 4, np.float32)
    painted = np.ascontiguousarray(np.concatenate([uv, color], axis=1), dtype=np.float32)
    data.modifyArray(PAINT).setUsageHint(Geom.UHStatic)
    data.modifyArrayHandle(PAINT).copyDataFrom(painted)
    return data


def _bones(body: Body) -> tuple[I32, I32, F64]:
    """Return each vertex's bones (V, 4), and for each bone its joint and bind matrix: one a (skin, joint) in use."""
    joints = len(body.rig.names)
    meshes = body.skin.meshes
    pair = _joined(
        [np.where(m.weight > 0, m.skin * joints + m.joint.astype(np.int64), -1) for m in meshes], 4, np.int64
    )
    used, bone = np.unique(pair, return_inverse=True)
    bone = bone.reshape(pair.shape)
    if len(used) and used[0] < 0:  # an influence without weight: any bone will do
        used, bone = used[1:], np.maximum(bone - 1, 0)
    skin, joint = np.divmod(used, joints)
    return bone.astype(np.int32), joint.astype(np.int32), np.ascontiguousarray(body.skin.bind[skin, joint])


def _shapes(body: Body, start: npt.NDArray[np.int64]) -> tuple[I32, I32, I32, I32, F32]:
    """Return the shapes by face channel: one name moves every mesh that has it."""
    row: list[list[npt.NDArray[np.int64]]] = [[] for _ in body.morph_names]
    delta: list[list[F32]] = [[] for _ in body.morph_names]
    channel = {name: k for k, name in enumerate(body.morph_names)}
    for mesh, first in zip(body.skin.meshes, start.tolist(), strict=False):
        for morph in mesh.morphs:
            row[channel[morph.name]].append(morph.index.astype(np.int64) + first)
            delta[channel[morph.name]].append(np.concatenate([morph.position, morph.normal], axis=1))
    rows = [_joined(part, 0, np.int64) for part in row]
    every = _joined(rows, 0, np.int64)
    vertex, slot = np.unique(every, return_inverse=True)
    moved = np.full(int(start[-1]), -1, dtype=np.int32)
    moved[vertex] = np.arange(len(vertex))
    shape_start = np.cumsum([0, *(len(part) for part in rows)]).astype(np.int32)
    deltas = _joined([part for parts in delta for part in parts], 6, np.float32)
    return vertex.astype(np.int32), moved, shape_start, slot.ravel().astype(np.int32), deltas


def _joined(parts: Sequence[npt.NDArray], width: int, dtype: npt.DTypeLike) -> npt.NDArray:
    """Return arrays one below the other, also where there are none. width: columns, 0 for a flat array."""
    if parts:
        return np.ascontiguousarray(np.concatenate(parts), dtype=dtype)
    return np.zeros((0, width) if width else 0, dtype=dtype)
