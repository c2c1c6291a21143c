"""A tick's pose and face handed to Panda, and what Panda made of them read back."""

from __future__ import annotations

import numpy as np
from panda3d.core import NodePath

from ..components.arrays import F64
from ..components.face import Face
from ..components.pose import Pose
from ..systems.kernels import placement
from . import axes, vertices
from .figure import Figure, figure_of


def write(figure: Figure, position: F64, rotation: F64, weight: F64) -> None:
    """Show a pose and a face: float64 to the last product, one cast, no search, no allocation that grows.

    position: (J, 3) m, rotation: (J, 4) wxyz, both avatar frame
    weight: (M,) 0..1, one a channel of Body.morph_names
    """
    bones, joints = figure.bone_matrix, figure.joint_matrix
    placement.place(axes.TO_PANDA, position, rotation, figure.bone_joint, figure.bone_right, bones.array)
    for bone, matrix in zip(figure.bones, bones.each, strict=True):
        bone.setMatrix(matrix)
    placement.place(axes.TO_PANDA, position, rotation, figure.joint_index, figure.joint_right, joints.array)
    for joint, node in figure.exposed.items():
        node.setMat(joints.each[joint])
    for slider, value in zip(figure.sliders, weight.tolist(), strict=True):
        if slider is not None:
            slider.setSlider(value)


def write_back(figure: Figure, pose: Pose, face: Face) -> None:
    """Show a world's pose and face. Reads Pose.world_*, Face.weight; writes nothing of the world."""
    write(figure, pose.world_position, pose.world_rotation, face.weight)


def read_joints(node: NodePath) -> F64:
    """Return where Panda has her joints. -> (J, 3) f64 m, avatar frame; at most one float32 rounding from the pose."""
    figure = figure_of(node)
    out = np.empty((len(figure.rig.names), 3))
    for joint in range(len(out)):
        out[joint] = tuple(figure.expose(joint).getPos(figure.node))
    return axes.points_from_panda(out)


def read_vertices(node: NodePath) -> list[F64]:
    """Return her skin as Panda's own CPU animation leaves it, shapes and joints applied.

    -> one (V, 3) f64 m, avatar frame, a mesh of Skin.meshes; not a number where no triangle uses a vertex
    """
    figure = figure_of(node)
    out = [np.full((count, 3), np.nan) for count in figure.counts]
    for part in figure.parts:
        shown = vertices.skinned(part.node.getGeom(0)).astype(np.float64)
        out[part.mesh][part.row] = axes.points_from_panda(shown)
    return out
