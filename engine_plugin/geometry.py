"""A Body as a Panda node: skin, joints to hang things on, a shade under her feet. Built once, moved by write_back.

Skinning takes one float64 product a joint, cast once (UserVertexTransform), and not Panda's Character: measured for 60
joints it is 0.008 ms against 0.034, exact to one rounding instead of two, and it alone can give each skin of a file its
own bind matrices. Joints are plain nodes, all of them children of one: nested nodes would multiply in float32, and
2.2e-4 mm at depth 12 misses the 1e-4 mm that a joint is read back with.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import (
    GeomNode,
    ModelNode,
    NodePath,
    OmniBoundingVolume,
    PandaNode,
    Shader,
    UserVertexSlider,
    UserVertexTransform,
)

from ..components.skin import Body
from ..systems.kernels import fk
from . import axes, materials, vertices
from .figure import TAG, Figure, Matrices, Part
from .write_back import write


def build(body: Body, shader: Shader | None = None, name: str = "") -> Figure:
    """Return a figure standing as its file stores it, not yet in any scene.

    shader: what lights her, None for the host's; name: of the node, default the source's
    """
    node = NodePath(ModelNode(name or body.source))
    skin = node.attachNewNode(PandaNode("skin"))
    pairs = _pairs(body)
    bones = {pair: UserVertexTransform(f"{body.rig.names[pair[1]]}/{pair[0]}") for pair in pairs}
    channels = {morph.name for mesh in body.skin.meshes for morph in mesh.morphs}
    sliders = {name: UserVertexSlider(f"m{k}") for k, name in enumerate(body.morph_names) if name in channels}
    textures = [materials.texture(image, body.source) for image in body.skin.images]
    parts = []
    for m, mesh in enumerate(body.skin.meshes):
        of_skin = {joint: bones[mesh.skin, joint] for s, joint in pairs if s == mesh.skin}
        for cut in vertices.cut_at_morphs(mesh):
            drawable = GeomNode(mesh.name)
            drawable.addGeom(vertices.geom(mesh, cut, of_skin, sliders))
            # A raised arm leaves the box of the static vertices and would be culled with it.
            drawable.setBounds(OmniBoundingVolume())
            drawable.setFinal(True)
            materials.apply(skin.attachNewNode(drawable), body.skin.materials[mesh.material], textures, shader)
            parts.append(Part(drawable, m, cut.row))
    bind = np.stack([body.skin.bind[pair] for pair in pairs]) if pairs else np.zeros((0, 4, 4))
    joints = len(body.rig.names)
    figure = Figure(
        node=node,
        rig=body.rig,
        joints=node.attachNewNode(PandaNode("joints")),
        parts=parts,
        counts=[len(mesh.position) for mesh in body.skin.meshes],
        bones=tuple(bones.values()),
        bone_joint=np.array([joint for _, joint in pairs], dtype=np.int32),
        bone_right=bind @ axes.FROM_PANDA,
        bone_matrix=Matrices.of(len(pairs)),
        joint_index=np.arange(joints, dtype=np.int32),
        joint_right=np.tile(axes.FROM_PANDA, (joints, 1, 1)),
        joint_matrix=Matrices.of(joints),
        sliders=tuple(sliders.get(name) for name in body.morph_names),
    )
    node.setPythonTag(TAG, figure)
    rig = body.rig
    position, orientation = np.empty((joints, 3)), np.empty((joints, 4))
    fk.world(rig.parent, rig.rest_offset, np.zeros(3), rig.rest_rotation, position, orientation)
    write(figure, position, orientation, np.zeros(len(body.morph_names)))
    return figure


def _pairs(body: Body) -> list[tuple[int, int]]:
    """Return every (skin, joint) that moves a vertex."""
    found = set()
    for mesh in body.skin.meshes:
        found.update((mesh.skin, int(joint)) for joint in np.unique(mesh.joint[mesh.weight > 0]))
    return sorted(found)
