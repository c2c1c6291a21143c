"""A Body as a Panda node: skin, joints to hang things on. Built once, moved by write_back."""

from __future__ import annotations

from panda3d.core import GeomNode, ModelNode, NodePath, OmniBoundingVolume, PandaNode, Shader

from ..components.skin import Body
from . import materials, vertices
from .figure import TAG, Figure, Joints


def build(body: Body, shader: Shader | None = None, name: str = "") -> Figure:
    """Return a figure, not yet in any scene and not yet posed: `scene.show` does that.

    shader: what lights her, None for the host's; name: of the node, default the source's
    """
    node = NodePath(ModelNode(name or body.source))
    skin = node.attachNewNode(PandaNode("skin"))
    table = vertices.build(body)
    textures = [materials.texture(image, body.source) for image in body.skin.images]
    for mesh, first in zip(body.skin.meshes, table.start.tolist(), strict=False):
        drawable = GeomNode(mesh.name)
        drawable.addGeom(vertices.geom(table, mesh, first))
        # Boxes of 42 000 moving vertices cost more than they cull, and a stale one would cut off a raised arm.
        drawable.setBounds(OmniBoundingVolume())
        drawable.setFinal(True)
        materials.apply(skin.attachNewNode(drawable), body.skin.materials[mesh.material], textures, shader)
    figure = Figure(node, body.rig, table, Joints.of(len(body.rig.names), node.attachNewNode(PandaNode("joints"))))
    node.setPythonTag(TAG, figure)
    return figure
