"""All layers multiplied into one pose, the legs planted under it, and every joint in the avatar's frame."""

from __future__ import annotations

import math

from . import fk, leg, quat, rotvec
from .arrays import F64, I32
from .compiled import njit

_REACH = 0.9985  # share of a leg's length beyond which the knee would lock and pop
_SOFT = 0.0015  # m over which the sinking of the pelvis changes from one leg to the other


@njit(cache=True)
def layers(
    base: F64, slot_joint: I32, reflex: F64, corpus: F64, hips_joint: int, hips: F64, rotation: F64
) -> None:
    """Write every local rotation: base exp(reflex) exp(corpus), first layer nearest to the base pose.

    base: (J, 4); slot_joint: (43,) i32 or -1; reflex, corpus: (43, 3) rad; hips: (3,) rad; rotation: (J, 4), written
    """
    for j in range(base.shape[0]):
        quat.copy(base[j], rotation[j])
    rotvec.apply(rotation[hips_joint], hips, rotation[hips_joint])
    for k in range(slot_joint.shape[0]):
        j = slot_joint[k]
        if j >= 0:
            rotvec.apply(rotation[j], reflex[k], rotation[j])
            rotvec.apply(rotation[j], corpus[k], rotation[j])
            quat.normalise(rotation[j], rotation[j])


@njit(cache=True)
def stand(
    parent: I32,
    offset: F64,
    base: F64,
    legs: I32,
    foot: F64,
    foot_frame: F64,
    pole: F64,
    root: F64,
    rotation: F64,
    position: F64,
    world: F64,
) -> float:
    """Write the world rows of every joint with both feet planted; return how far an ankle stays from its place, m.

    The pelvis sinks as far as the farther foot asks for, smoothly: over one foot that leg is nearly straight and the
    free knee bends, as people stand.

    parent: (J,) i32; offset: (J, 3) m; base: (J, 4) local; legs: (2, 3) i32 or -1; foot: (2, 3) m, ankles
    foot_frame: (2, 4) wxyz and pole: (2, 3), avatar frame; root: (3,) m, changed; rotation: (J, 4), legs written
    position: (J, 3) m and world: (J, 4) wxyz, written
    """
    fk.world(parent, offset, root, rotation, position, world)
    total, count = 0.0, 0
    for side in range(2):
        upper, lower, ankle = legs[side, 0], legs[side, 1], legs[side, 2]
        if upper < 0 or lower < 0 or ankle < 0:
            continue
        length = _apart(position[upper], position[lower]) + _apart(position[lower], position[ankle])
        need = leg.drop(position[upper], foot[side], length, _REACH)
        total += math.exp(min(need, 0.5) / _SOFT)
        count += 1
    if count > 0:
        # a soft maximum of both legs' needs and of not sinking at all
        root[1] -= _SOFT * math.log(1.0 + total)
        fk.world(parent, offset, root, rotation, position, world)
    short = 0.0
    for side in range(2):
        upper, lower, ankle = legs[side, 0], legs[side, 1], legs[side, 2]
        if upper < 0 or lower < 0 or ankle < 0:
            continue
        short = max(
            short,
            leg.plant(
                parent, offset, base, position, world, rotation, upper, lower, ankle,
                foot[side], foot_frame[side], pole[side], _REACH,
            ),
        )  # fmt: skip
    fk.world(parent, offset, root, rotation, position, world)
    return short


@njit(cache=True)
def _apart(a: F64, b: F64) -> float:
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return math.sqrt(x * x + y * y + z * z)
