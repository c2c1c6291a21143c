"""All layers multiplied into one pose, the legs planted under it, and every joint in the avatar's frame."""

from __future__ import annotations

import math
from typing import Any

from . import fk, leg, quat, rotvec, twist
from .arrays import F64, I32
from .compiled import njit

_REACH = 0.9985  # share of a leg's length beyond which the knee would lock and pop
_SOFT = 0.0015  # m over which the sinking of the pelvis changes from one leg to the other


@njit(cache=True, allocates=False)
def layers(
    base: F64, slot_joint: I32, reflex: F64, corpus: F64, sentence: F64, hips_joint: int, hips: F64, rotation: F64
) -> None:  # fmt: skip
    """Write every local rotation: base exp(reflex) exp(corpus) exp(sentence), first layer nearest to the base pose.

    base: (J, 4); slot_joint: (43,) i32 or -1; reflex, corpus, sentence: (43, 3) rad; hips: (3,) rad;
    rotation: (J, 4), written
    """
    for j in range(base.shape[0]):
        quat.copy(base[j], rotation[j])
    rotvec.apply(rotation[hips_joint], hips, rotation[hips_joint])
    for k in range(slot_joint.shape[0]):
        j = slot_joint[k]
        if j >= 0:
            rotvec.apply(rotation[j], reflex[k], rotation[j])
            rotvec.apply(rotation[j], corpus[k], rotation[j])
            if sentence[k, 0] != 0.0 or sentence[k, 1] != 0.0 or sentence[k, 2] != 0.0:
                rotvec.apply(rotation[j], sentence[k], rotation[j])
            quat.normalise(rotation[j], rotation[j])


@njit(cache=True, allocates=False)
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
    total, count = 0.0, 0
    for side in range(2):
        upper, lower, ankle = legs[side, 0], legs[side, 1], legs[side, 2]
        if upper < 0 or lower < 0 or ankle < 0:
            continue
        hip = position[upper]
        _place(parent, offset, root, rotation, upper, hip)
        length = _length(parent, offset, upper, lower) + _length(parent, offset, lower, ankle)
        need = leg.drop(hip, foot[side], length, _REACH)
        total += math.exp(min(need, 0.5) / _SOFT)
        count += 1
    if count > 0:
        root[1] -= _SOFT * math.log(1.0 + total)  # a soft maximum of both legs' needs and of not sinking at all
    # a leg hangs on the joint above it, and parents come first: of the others each is wanted once, when the legs are
    above = max(_above(parent, legs[0, 0]), _above(parent, legs[1, 0])) + 1
    fk.world(parent[:above], offset, root, rotation, position, world)
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


@njit(cache=True, allocates=False)
def _place(parent: I32, offset: F64, root: F64, rotation: F64, joint: Any, out: F64) -> None:
    """Write where one joint is, (3,) m, avatar frame: up its own chain, for the whole body is not needed yet."""
    for k in range(3):
        out[k] = offset[joint, k]
    above = parent[joint]
    while above >= 0:
        quat.rotate(rotation[above], out, out)
        for k in range(3):
            out[k] += offset[above, k]
        above = parent[above]
    for k in range(3):
        out[k] += root[k]


@njit(cache=True, allocates=False)
def _above(parent: I32, joint: Any) -> int:
    """Return a joint's parent, -1 for no joint."""
    return parent[joint] if joint >= 0 else -1  # pyright: ignore[reportReturnType]


@njit(cache=True, allocates=False)
def _length(parent: I32, offset: F64, top: int, bottom: Any) -> float:
    """Return the length of a bone, m; joints cut into it lie on its line."""
    total = 0.0
    while bottom != top:
        x, y, z = offset[bottom, 0], offset[bottom, 1], offset[bottom, 2]
        total += math.sqrt(x * x + y * y + z * z)
        bottom = parent[bottom]
    return total


@njit(cache=True, allocates=False)
def pose(
    parent: I32, offset: F64, rest: F64, base: F64, base_root: F64, slot_joint: I32, hips_joint: int, legs: I32,
    foot: F64, foot_frame: F64, pole: F64, twists: I32, twist_axis: F64, twist_share: F64,
    reflex: F64, corpus: F64, sentence: F64, hips: F64, sink: F64, work: F64,
    root: F64, rotation: F64, position: F64, world: F64,
) -> float:  # fmt: skip
    """Write one slot's pose: `layers`, twist joints, `stand`. sink: (3,) m, where the reflex takes the pelvis.

    work: (5, 4) scratch; root: (3,), rotation, position, world: written; the rest as in the parts
    """
    layers(base, slot_joint, reflex, corpus, sentence, hips_joint, hips, rotation)
    twist.share(parent, rest, twists, twist_axis, twist_share, work, rotation)
    for k in range(3):
        root[k] = base_root[k] + sink[k]
    return stand(parent, offset, base, legs, foot, foot_frame, pole, root, rotation, position, world)
