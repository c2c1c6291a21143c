"""The pose that is shown on this tick, filled by the motion systems, read by the face, the rule and the engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import F64


@dataclass(slots=True)
class Pose:
    """One avatar's joints now.

    Fields:
        root:     (3,) f64 m, added to the root's rest offset
        rotation: (J, 4) f64 wxyz, local, the rest rotation included
        world_position: (J, 3) f64 m, avatar frame
        world_rotation: (J, 4) f64 wxyz, avatar frame
    """

    root: F64
    rotation: F64
    world_position: F64
    world_rotation: F64

    @classmethod
    def of(cls, joints: int) -> Pose:
        """Return a pose of identities."""
        unit = np.zeros((joints, 4))
        unit[:, 0] = 1.0
        return cls(np.zeros(3), unit.copy(), np.zeros((joints, 3)), unit.copy())
