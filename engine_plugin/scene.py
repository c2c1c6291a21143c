"""A figure ready to be looked at: our light on it, the ground under it, and where to point a camera."""

from __future__ import annotations

import numpy as np

from ..components.arrays import F64
from ..components.face import Face
from ..components.pose import Pose
from ..components.skin import Body
from ..systems.kernels import fk
from . import axes, geometry, ground, shaders
from .figure import Figure
from .write_back import read_vertices, write_back

FLOOR, AIR = 0.06, 0.12  # of her height: what a whole view shows below her soles and above her head
HEAD_MIDDLE = 0.012  # of `framing`'s height above the head joint, measured on the default avatar
FACE_HEIGHT = 0.17  # of `framing`'s height, what a near picture shows
BUST_HEIGHT = 0.30


def dress(body: Body, own_light: bool = True, shade: bool = True) -> Figure:
    """Return a figure in its file's rest pose, with our light on it and the shade she stands on."""
    figure = geometry.build(body, shaders.pair("figure") if own_light else None)
    if shade:
        ground.attach(figure)
    show(figure, None)
    return figure


def show(figure: Figure, pose: Pose | None, face: Face | F64 | None = None) -> None:
    """Put a pose and a face on a figure.

    pose: None for the file's rest pose
    face: a Face, or (M,) weights 0..1 a channel; None for a face at rest
    """
    rig = figure.rig
    if pose is None:
        pose = Pose.of(len(rig.names))
        pose.rotation[:] = rig.rest_rotation
        fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation)
    weight = np.zeros(len(figure.vertices.face)) if face is None else face.weight if isinstance(face, Face) else face
    write_back(figure, pose, np.asarray(weight, dtype=np.float64))
    ground.follow(figure)


def framing(figure: Figure) -> tuple[F64, float]:
    """Return the middle (3,) m, glTF axes, and the height m of a view that holds her standing, whatever she does.

    figure: in its rest pose
    """
    top = max((float(points[:, 1].max()) for points in read_vertices(figure.node)), default=1.7)
    return np.array([0.0, (1 + AIR - FLOOR) * top / 2, 0.0]), (1 + AIR + FLOOR) * top


def head_centre(figure: Figure, height: float) -> F64:
    """Return the middle of her head (3,) m, glTF axes, as she stands now. height: m, of `framing`."""
    bones = figure.rig.humanoid
    joint = bones.get("head", bones.get("neck", len(figure.rig.names) - 1))
    at = axes.points_from_panda(figure.joints.array[joint, 3, :3].astype(np.float64))
    return at + np.array([0.0, HEAD_MIDDLE * height, 0.0])
