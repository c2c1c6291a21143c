"""A tick's pose and face handed to Panda, and what Panda holds read back."""

from __future__ import annotations

import numpy as np
from panda3d.core import NodePath

from ..components.arrays import F64
from ..components.pose import Pose
from . import axes
from .figure import Figure, figure_of


def hand_over(figure: Figure, position: F64, rotation: F64, face: F64) -> None:
    """Give a figure its joints and shapes: float64 to the last product, one cast, no search and nothing that grows.

    position: (J, 3) m, rotation: (J, 4) wxyz, both avatar frame
    face: (M,) 0..1, one a channel of Body.morph_names
    """
    figure.joints.write(position, rotation)
    figure.vertices.take(position, rotation, face)


def write_back(figure: Figure, pose: Pose, face: F64) -> None:
    """Show a pose and a face (M,): once a drawn frame. Reads Pose.world_*; a hidden figure keeps her old skin."""
    hand_over(figure, pose.world_position, pose.world_rotation, face)
    if not figure.node.isHidden():
        figure.vertices.draw()


def read_joints(node: NodePath) -> F64:
    """Return where Panda has her joints. -> (J, 3) f64 m, avatar frame; at most one float32 rounding from the pose."""
    figure = figure_of(node)
    out = np.empty((len(figure.rig.names), 3))
    for joint in range(len(out)):
        out[joint] = tuple(figure.expose(joint).getPos(figure.node))
    return axes.points_from_panda(out)


def read_vertices(node: NodePath) -> list[F64]:
    """Return her skin as Panda draws it, shapes and joints applied. -> one (V, 3) f64 m, avatar frame, a mesh."""
    figure = figure_of(node)
    shown = axes.points_from_panda(figure.vertices.read().astype(np.float64))
    return np.split(shown, figure.vertices.start[1:-1])
