"""Forward kinematics of one skeleton: local rotations to joints in the avatar's frame, and back. Parents come first."""

from __future__ import annotations

from . import quat
from .arrays import F64, I32
from .compiled import njit


@njit(cache=True, allocates=False)
def world(parent: I32, offset: F64, root: F64, rotation: F64, position: F64, orientation: F64) -> None:
    """Write where every joint is and how it is turned, avatar frame.

    parent: (J,) i32, parents before children; negative for a root
    offset: (J, 3) m, Rig.rest_offset, parent's frame
    root: (3,) m, added to the offset of every root
    rotation: (J, 4) wxyz local, the rest rotation included
    position: (J, 3) m, written
    orientation: (J, 4) wxyz, written; not the same array as `rotation`
    """
    for j in range(parent.shape[0]):
        p = parent[j]
        if p < 0:
            for k in range(3):
                position[j, k] = offset[j, k] + root[k]
            quat.copy(rotation[j], orientation[j])
        else:
            quat.rotate(orientation[p], offset[j], position[j])
            for k in range(3):
                position[j, k] += position[p, k]
            quat.mul(orientation[p], rotation[j], orientation[j])


@njit(cache=True, allocates=False)
def world_each(parent: I32, offset: F64, root: F64, rotation: F64, position: F64, orientation: F64) -> None:
    """Write `world` of F frames. root: (F, 3), rotation, orientation: (F, J, 4), position: (F, J, 3)."""
    for f in range(rotation.shape[0]):
        world(parent, offset, root[f], rotation[f], position[f], orientation[f])


@njit(cache=True, allocates=False)
def local(parent: I32, orientation: F64, rotation: F64) -> None:
    """Write the local rotations that give these orientations.

    parent: (J,) i32; orientation: (J, 4) wxyz avatar frame; rotation: (J, 4) wxyz, written, not the same array
    """
    for j in range(parent.shape[0]):
        p = parent[j]
        if p < 0:
            quat.copy(orientation[j], rotation[j])
        else:
            quat.between(orientation[p], orientation[j], rotation[j])
