"""Which joints hold a vertex: any number of JOINTS_n sets folded to the best four, weights summing to one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from ..arrays import F32
from ..errors import AvatarError
from .accessors import Accessors
from .document import Table

MAX_SETS = 4  # 16 joints a vertex; exporters write at most 2 sets
_SUM_ERROR = 0.02  # four u8 weights rounded to 1/255 miss one by up to 0.008


def read_weights(
    attributes: Table, accessors: Accessors, count: int, joints: npt.NDArray[np.int64], notes: Counter[str]
) -> tuple[npt.NDArray[np.uint16], F32]:
    """Return (V, 4) u16 joints of the rig and (V, 4) f32 weights that sum to one.

    joints: (K,) rig joint of each of the skin's joints
    notes: counts of vertices that were not taken as they are
    """
    joint, weight = _slots(attributes, accessors, count)
    held = weight > 0.0
    if not held.shape[1]:
        raise AvatarError(f"{attributes.where} has no JOINTS_0")
    wrong = held & (joint >= len(joints))
    if wrong.any():
        raise AvatarError(
            f"{attributes.where}: {int(wrong.any(axis=1).sum())} vertices hang on joint "
            f"{int(joint[wrong].max())}, their skin has {len(joints)}"
        )
    notes["vertices have weights that do not sum to one; they are scaled to"] += int(
        (np.abs(weight.sum(axis=1) - 1.0) > _SUM_ERROR).sum()
    )
    if joint.shape[1] > 4:
        notes["vertices hang on more than four joints; the best four are kept"] += int((held.sum(axis=1) > 4).sum())
        best = np.argsort(-weight, axis=1, kind="stable")[:, :4]
        joint, weight = np.take_along_axis(joint, best, 1), np.take_along_axis(weight, best, 1)
    joint = joints[np.where(joint < len(joints), joint, 0)]
    weight = weight.astype(np.float64)
    total = weight.sum(axis=1)
    loose = total <= 0.0
    if loose.any():  # the format calls this an error; drawn as given they would lie at the origin
        notes["vertices have no weight; each follows its first joint"] += int(loose.sum())
        weight[loose] = np.eye(4)[0]
        total = np.where(loose, 1.0, total)
    weight = (weight / total[:, None]).astype(np.float32)
    return joint.astype(np.uint16), weight


def _slots(attributes: Table, accessors: Accessors, count: int) -> tuple[npt.NDArray[np.uint32], F32]:
    """Return (V, 4n) joint numbers of the skin and weights >= 0, every set side by side."""
    joints, weights = [], []
    for index in range(MAX_SETS):
        key, other = f"JOINTS_{index}", f"WEIGHTS_{index}"
        if key not in attributes or other not in attributes:
            break
        for name in (key, other):
            if accessors.count(attributes.integer(name), attributes.path(name)) != count:
                raise AvatarError(f"{attributes.path(name)} does not have {count} elements, as its POSITION has")
        joints.append(accessors.unsigned(attributes.integer(key), (4,), attributes.path(key)))
        weights.append(accessors.floats(attributes.integer(other), (4,), attributes.path(other)))
    if not joints:
        return np.zeros((count, 0), np.uint32), np.zeros((count, 0), np.float32)
    weight = np.concatenate(weights, axis=1)
    if not np.isfinite(weight).all():
        raise AvatarError(f"{attributes.where} has weights that are not finite")
    return np.concatenate(joints, axis=1), np.clip(weight, 0.0, 1e6, dtype=np.float32)
