"""Vertex arrays of one part of a mesh, written straight into Panda's memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomTriangles,
    GeomVertexAnimationSpec,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
    SliderTable,
    SparseArray,
    Thread,
    TransformBlend,
    TransformBlendTable,
    UserVertexSlider,
    UserVertexTransform,
)

from ..components.arrays import F32
from ..components.skin import Mesh, Morph
from . import axes

_FULL_16_BIT = 65_535  # Panda keeps 65535 free as the strip-cut index


@dataclass(frozen=True, slots=True)
class Cut:
    """Some triangles of a mesh and the vertices they use. row: (V',) vertices of the mesh; triangle: (F', 3) into row."""

    row: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.int64]
    morphs: tuple[Morph, ...]


def cut_at_morphs(mesh: Mesh) -> list[Cut]:
    """Return the mesh as a moving part and a part no shape touches, or whole where that gains nothing.

    Panda adds shapes on the CPU and copies their columns with every vertex of the mesh: 15 000 vertices with 52 shapes
    cost 8.1 ms, without 2.5 ms, so a body that comes in one piece with its face is worth cutting.
    """
    triangle = np.asarray(mesh.triangle, dtype=np.int64)
    morphs = tuple(m for m in mesh.morphs if len(m.index))
    if not morphs:
        return [_cut(triangle, ())]
    touched = np.zeros(len(mesh.position), dtype=bool)
    for morph in morphs:
        touched[morph.index] = True
    moving = touched[triangle].any(axis=1)
    if moving.mean() > 0.75:  # the rest would be a draw call for a handful of vertices
        return [_cut(triangle, morphs)]
    return [_cut(triangle[moving], morphs), _cut(triangle[~moving], ())]


def _cut(triangle: npt.NDArray[np.int64], morphs: tuple[Morph, ...]) -> Cut:
    row, inverse = np.unique(triangle, return_inverse=True)
    return Cut(row, inverse.reshape(-1, 3), morphs)


def geom(
    mesh: Mesh, cut: Cut, transforms: Mapping[int, UserVertexTransform], sliders: Mapping[str, UserVertexSlider]
) -> Geom:
    """Return the drawable of one part, skinned by `transforms` (by joint) and shaped by `sliders` (by shape).

    Positions and normals lie in an array of their own, and so does each shape: Panda then copies nothing but positions
    and normals a frame, and colours and texture coordinates stay on the graphics card.
    """
    format_ = GeomVertexFormat()
    solid = GeomVertexArrayFormat()
    solid.addColumn(InternalName.getVertex(), 3, Geom.NT_float32, Geom.C_point)
    solid.addColumn(InternalName.getNormal(), 3, Geom.NT_float32, Geom.C_normal)
    paint = GeomVertexArrayFormat()
    paint.addColumn(InternalName.getTexcoord(), 2, Geom.NT_float32, Geom.C_texcoord)
    paint.addColumn(InternalName.getColor(), 4, Geom.NT_float32, Geom.C_color)
    blends, table = _blends(mesh, cut, transforms)
    bound = GeomVertexArrayFormat(InternalName.getTransformBlend(), 1, Geom.NT_uint32, Geom.C_index)  # rows pad to 4
    for array in (solid, paint, bound):
        format_.addArray(array)
    for morph in cut.morphs:
        shape = GeomVertexArrayFormat()
        for column in (InternalName.getVertex(), InternalName.getNormal()):
            name = InternalName.getMorph(column, sliders[morph.name].getName().getName())
            shape.addColumn(name, 3, Geom.NT_float32, Geom.C_morph_delta)
        format_.addArray(shape)
    animation = GeomVertexAnimationSpec()
    animation.setPanda()
    format_.setAnimation(animation)

    data = GeomVertexData(mesh.name, GeomVertexFormat.registerFormat(format_), Geom.UHStatic)
    count = len(cut.row)
    data.uncleanSetNumRows(count)
    position = axes.points_to_panda(mesh.position[cut.row])
    normal = axes.points_to_panda(mesh.normal[cut.row])
    uv = mesh.uv[cut.row] * (1, -1) + (0, 1)  # glTF counts v downwards, Panda upwards
    _fill(data, 0, np.concatenate([position, normal], axis=1))
    _fill(data, 1, np.concatenate([uv, mesh.color[cut.row]], axis=1))
    data.modifyArrayHandle(2).copyDataFrom(blends.astype(np.uint32))
    place = np.full(len(mesh.position), -1)
    place[cut.row] = np.arange(count)
    slides = SliderTable()
    for k, morph in enumerate(cut.morphs):
        here = place[morph.index] >= 0
        row = place[morph.index[here]]
        delta = np.zeros((count, 6), dtype=np.float32)
        delta[row, :3] = axes.points_to_panda(morph.position[here])
        delta[row, 3:] = axes.points_to_panda(morph.normal[here])
        _fill(data, 3 + k, delta)
        slides.addSlider(sliders[morph.name], _sparse(row))
    data.setTransformBlendTable(table)
    if cut.morphs:
        data.setSliderTable(SliderTable.registerTable(slides))
    out = Geom(data)
    out.addPrimitive(_triangles(cut.triangle))
    return out


def skinned(geom: Geom) -> F32:
    """Return where Panda's own animation puts the vertices now. -> (V', 3) f32 m, Panda's axes."""
    data = geom.getVertexData().animateVertices(True, Thread.getCurrentThread())
    k = data.getFormat().getArrayWith(InternalName.getVertex())
    array = data.getArray(k)
    column = array.getArrayFormat().getColumn(InternalName.getVertex())
    raw = np.frombuffer(memoryview(array).cast("B"), dtype=np.uint8).reshape(array.getNumRows(), -1)
    start = column.getStart()
    return np.ascontiguousarray(raw[:, start : start + 12]).view(np.float32)


def _blends(
    mesh: Mesh, cut: Cut, transforms: Mapping[int, UserVertexTransform]
) -> tuple[npt.NDArray[np.int64], TransformBlendTable]:
    """Return each vertex's row of the table of distinct joint blends, and the table."""
    weight = mesh.weight[cut.row]
    joint = np.where(weight > 0, mesh.joint[cut.row], 0)
    key = np.concatenate([joint.astype(np.float32), weight], axis=1)  # a joint's index is exact in float32
    _, first, inverse = np.unique(
        np.ascontiguousarray(key).view(np.dtype((np.void, key.strides[0]))).ravel(),
        return_index=True,
        return_inverse=True,
    )
    table = TransformBlendTable()
    index = np.empty(len(first), dtype=np.int64)
    for k, (joints, weights) in enumerate(zip(joint[first].tolist(), weight[first].tolist(), strict=True)):
        blend = TransformBlend()
        for j, w in zip(joints, weights, strict=True):
            if w > 0:
                blend.addTransform(transforms[j], w)
        index[k] = table.addBlend(blend)
    table.setRows(SparseArray.lowerOn(len(cut.row)))
    return index[inverse.ravel()], table


def _fill(data: GeomVertexData, array: int, values: npt.NDArray[np.floating]) -> None:
    data.modifyArrayHandle(array).copyDataFrom(np.ascontiguousarray(values, dtype=np.float32))


def _sparse(rows: npt.NDArray[np.int64]) -> SparseArray:
    out = SparseArray()
    rows = np.unique(rows)
    if len(rows):
        for run in np.split(rows, np.nonzero(np.diff(rows) > 1)[0] + 1):
            out.setRange(int(run[0]), len(run))
    return out


def _triangles(triangle: npt.NDArray[np.int64]) -> GeomTriangles:
    wide = triangle.size and int(triangle.max()) >= _FULL_16_BIT
    out = GeomTriangles(Geom.UHStatic)
    out.setIndexType(GeomEnums.NT_uint32 if wide else GeomEnums.NT_uint16)
    array = out.modifyVertices()
    array.uncleanSetNumRows(triangle.size)
    array.modifyHandle().copyDataFrom(np.ascontiguousarray(triangle, dtype=np.uint32 if wide else np.uint16))
    return out
