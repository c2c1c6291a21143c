"""The reference: the same body the way Panda3D itself animates one, a flat Character with blends and sliders."""

from __future__ import annotations

from typing import Any

import numpy as np
from panda3d.core import (
    Character,
    CharacterJoint,
    CharacterSlider,
    CharacterVertexSlider,
    Geom,
    GeomVertexAnimationSpec,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
    JointVertexTransform,
    LMatrix4,
    ModelNode,
    NodePath,
    PartGroup,
    SliderTable,
    SparseArray,
    Thread,
    TransformBlend,
    TransformBlendTable,
)

from ...components.arrays import F64
from ...components.skin import Body, Mesh
from ...systems.kernels import placement
from .. import axes


class PandaCharacter:
    """A body as a Character of Panda's, driven joint by joint. Skins after the first take the first one's bind."""

    def __init__(self, body: Body) -> None:
        self._character = Character(body.source)
        self._bundle = self._character.getBundle(0)
        self.node = NodePath(self._character)
        count = len(body.rig.names)
        right = np.tile(axes.FROM_PANDA, (count, 1, 1))
        rest = axes.matrices_to_panda(np.linalg.inv(body.skin.bind[0]))
        group = PartGroup(self._bundle, "<skeleton>")
        joints = [
            CharacterJoint(self._character, self._bundle, group, f"j{j}", LMatrix4(*rest[j].ravel().tolist()))
            for j in range(count)
        ]
        self._controls = []
        for joint in joints:
            control = self.node.attachNewNode(ModelNode(joint.getName()))
            self._bundle.controlJoint(joint.getName(), control.node())
            self._controls.append(control)
        morphs = PartGroup(self._bundle, "morph")
        self._sliders = [CharacterSlider(morphs, f"m{m}") for m in range(len(body.morph_names))]
        transforms = [JointVertexTransform(joint) for joint in joints]
        slides = [CharacterVertexSlider(slider) for slider in self._sliders]
        self._meshes = [_mesh(mesh, body.morph_names, transforms, slides) for mesh in body.skin.meshes]
        self._index, self._right = np.arange(count, dtype=np.int32), right
        self._affine = np.zeros((count, 3, 4))

    def drive(self, position: F64, rotation: F64, face: F64) -> None:
        """Set every joint and slider, one call each. Arguments as write_back.hand_over."""
        placement.place(axes.TO_PANDA, position, rotation, self._index, self._right, self._affine)
        for control, affine in zip(self._controls, self._affine.tolist(), strict=True):
            (a, b, c, x), (d, e, f, y), (g, h, i, z) = affine
            control.setMat(LMatrix4(a, d, g, 0, b, e, h, 0, c, f, i, 0, x, y, z, 1))
        for slider, weight in zip(self._sliders, face.tolist(), strict=True):
            slider.applyFreezeScalar(weight)
        self._character.forceUpdate()

    def animate(self) -> None:
        """Have Panda move every vertex, as it does before it draws."""
        for data in self._meshes:
            data.animateVertices(True, Thread.getCurrentThread())


def _mesh(mesh: Mesh, names: tuple[str, ...], transforms: list[Any], slides: list[Any]) -> GeomVertexData:
    """Return vertices with a blend each and, for each shape, a column in an array of its own."""
    solid, bound, both = GeomVertexArrayFormat(), GeomVertexArrayFormat(), GeomVertexFormat()
    solid.addColumn(InternalName.getVertex(), 3, Geom.NT_float32, Geom.C_point)
    solid.addColumn(InternalName.getNormal(), 3, Geom.NT_float32, Geom.C_normal)
    bound.addColumn(InternalName.getTransformBlend(), 1, Geom.NT_uint32, Geom.C_index)
    both.addArray(solid)
    both.addArray(bound)
    for morph in mesh.morphs:
        shape = GeomVertexArrayFormat()
        for column in (InternalName.getVertex(), InternalName.getNormal()):
            name = InternalName.getMorph(column, f"m{names.index(morph.name)}")
            shape.addColumn(name, 3, Geom.NT_float32, Geom.C_morph_delta)
        both.addArray(shape)
    animation = GeomVertexAnimationSpec()
    animation.setPanda()
    both.setAnimation(animation)
    data = GeomVertexData(mesh.name, GeomVertexFormat.registerFormat(both), Geom.UHStatic)
    count = len(mesh.position)
    data.uncleanSetNumRows(count)
    table, rows = TransformBlendTable(), np.empty(count, dtype=np.uint32)
    for v, (joints, weights) in enumerate(zip(mesh.joint.tolist(), mesh.weight.tolist(), strict=True)):
        blend = TransformBlend()
        for joint, weight in zip(joints, weights, strict=True):
            if weight > 0:
                blend.addTransform(transforms[joint], weight)
        rows[v] = table.addBlend(blend)
    table.setRows(SparseArray.lowerOn(count))
    data.setTransformBlendTable(table)
    position, normal = axes.points_to_panda(mesh.position), axes.points_to_panda(mesh.normal)
    _fill(data, 0, np.concatenate([position, normal], axis=1))
    data.modifyArrayHandle(1).copyDataFrom(rows)
    moving = SliderTable()
    for m, morph in enumerate(mesh.morphs):
        delta = np.zeros((count, 6), dtype=np.float32)
        delta[morph.index, :3] = axes.points_to_panda(morph.position)
        delta[morph.index, 3:] = axes.points_to_panda(morph.normal)
        _fill(data, 2 + m, delta)
        touched = SparseArray()
        for row in morph.index.tolist():
            touched.setBit(row)
        moving.addSlider(slides[names.index(morph.name)], touched)
    if mesh.morphs:
        data.setSliderTable(SliderTable.registerTable(moving))
    return data


def _fill(data: GeomVertexData, array: int, values: np.ndarray) -> None:
    data.modifyArrayHandle(array).copyDataFrom(np.ascontiguousarray(values, dtype=np.float32))
