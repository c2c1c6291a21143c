"""An avatar as the fence's trainer takes her; offline/export.py reads, writes and checks it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...components.arrays import F64, frozen
from ...components.capsules import CapsuleSet
from ...components.rig import Rig


@dataclass(frozen=True, slots=True)
class Export:
    """One avatar, and K poses of a running world.

    Fields:
        source, avatar: name and digest of the file she was read from
        rig, capsules: as components have them: capsules in their joints' frames, allowances, joined pairs, base pose
        base_root: (3,) f64 m, added to the root's rest offset in the base pose
        rotation:  (K, J, 4) f64 wxyz local, the rest rotation included; root: (K, 3) f64 m
        position:  (K, J, 3) f64 m, avatar frame: where the renderer had the joints, read back from it
        turn:      (K, J, 3, 3) f64, avatar frame, column vectors: how it had them turned
    """

    source: str
    avatar: str
    rig: Rig
    capsules: CapsuleSet
    base_root: F64
    rotation: F64
    root: F64
    position: F64
    turn: F64

    def __post_init__(self) -> None:
        count, joints = len(self.rotation), len(self.rig.names)
        for name, shape in (
            ("base_root", (3,)), ("rotation", (count, joints, 4)), ("root", (count, 3)),
            ("position", (count, joints, 3)), ("turn", (count, joints, 3, 3)),
        ):  # fmt: skip
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64, shape))
