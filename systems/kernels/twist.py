"""Roll shared along a bone: the turn of a hand about its forearm, spread over the forearm's twist joints."""

from __future__ import annotations

from typing import Any

from . import quat
from .arrays import F64, I32
from .compiled import njit


@njit(cache=True, allocates=False)
def share(parent: I32, rest: F64, twist: I32, axis: F64, fraction: F64, work: F64, rotation: F64) -> None:
    """Turn the twist joints so that each shows its share of its child's roll; the child itself stays as it was.

    Doing it twice changes nothing. The roll is counted from the rest, within half a turn to either side.

    parent: (J,) i32; rest: (J, 4) wxyz local, Rig.rest_rotation
    twist, axis, fraction: (K, 3), (K, 3), (K,), as in Anatomy; rows of one bone stand together
    work: (5, 4): room to work in
    rotation: (J, 4) wxyz local, changed
    """
    whole, shown, bone_axis = work[0], work[1], work[2, :3]
    first = 0
    while first < twist.shape[0]:
        child, bone = twist[first, 1], twist[first, 2]
        end = first + 1
        while end < twist.shape[0] and twist[end, 1] == child and twist[end, 2] == bone:
            end += 1
        _down(parent, rotation, child, bone, whole)
        _down(parent, rest, child, bone, shown)
        quat.conj(shown, shown)
        quat.mul(whole, shown, shown)
        _down(parent, rest, twist[first, 0], bone, work[3])
        quat.rotate(work[3], axis[first], bone_axis)
        roll = quat.roll(shown, bone_axis)
        moved = False
        for k in range(first, end):
            part = fraction[k]
            above = _twist_above(parent, twist, first, end, twist[k, 0], bone)
            if above >= 0:
                part -= fraction[above]
            quat.about(axis[k], part * roll, work[4])
            quat.mul(rest[twist[k, 0]], work[4], rotation[twist[k, 0]])
            moved = moved or _hangs_on(parent, child, twist[k, 0])
        if moved:  # a joint on the chain took the child with it
            _down(parent, rotation, parent[child], bone, shown)
            quat.between(shown, whole, rotation[child])
        first = end


@njit(cache=True, allocates=False)
def _down(parent: I32, rotation: F64, joint: Any, bone: Any, out: F64) -> None:
    """Write a joint's orientation in its bone's frame. out: (4,)."""
    quat.identity(out)
    while joint != bone and joint >= 0:
        quat.mul(rotation[joint], out, out)
        joint = parent[joint]


@njit(cache=True, allocates=False)
def _hangs_on(parent: I32, joint: int, above: int) -> bool:
    """Tell whether `joint` is somewhere under `above`."""
    while joint > above:
        joint = parent[joint]
    return joint == above


@njit(cache=True, allocates=False)
def _twist_above(parent: I32, twist: I32, first: int, end: int, joint: int, bone: int) -> int:
    """Return the row among first .. end - 1 of the nearest twist joint that `joint` hangs on, or -1."""
    joint = parent[joint]
    while joint != bone and joint >= 0:
        for k in range(first, end):
            if twist[k, 0] == joint:
                return k
        joint = parent[joint]
    return -1
