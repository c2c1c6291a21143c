"""A lock of hair made of numbers, and VRM's own step to compare with."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinesics.components.arrays import F64, I32
from kinesics.components.pose import Pose
from kinesics.components.springs import Springs, SpringSet
from kinesics.systems.kernels import fk
from kinesics.systems.springs.swing import move

LENGTH = 0.06  # m of one joint


class Lock:
    """A head with `chains` locks of `joints` joints that point sideways in rest. Joint 0 carries the head, joint 1."""

    def __init__(self, joints: int = 3, chains: int = 1, **given: Any) -> None:
        count = joints * chains
        self.parent: I32 = np.array([-1, 0], np.int32)
        self.offset: F64 = np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]])
        for chain in range(chains):
            angle = 2.0 * np.pi * chain / chains
            out = np.array([np.cos(angle), 0.0, np.sin(angle)])
            first = len(self.parent)
            above = [1, *range(first, first + joints)]  # the last is a tail only
            self.parent = np.append(self.parent, np.array(above, np.int32)).astype(np.int32)
            self.offset = np.concatenate([self.offset, out * 0.1 * np.ones((1, 3)), np.tile(out * LENGTH, (joints, 1))])
        total = len(self.parent)
        self.rest: F64 = np.tile([1.0, 0.0, 0.0, 0.0], (total, 1))
        first_of = [2 + c * (joints + 1) for c in range(chains)]
        rows = np.array([f + j for f in first_of for j in range(joints)])
        values: dict[str, Any] = {
            "stiffness": np.full(count, 0.8), "gravity": np.tile([0.0, -0.9, 0.0], (count, 1)),
            "drag": np.full(count, 0.4), "radius": np.full(count, 0.01), "center": np.full(count, -1),
            "first": np.zeros(count), "count": np.zeros(count), "touch": [], "collider": [],
            "start": np.zeros((0, 3)), "end": np.zeros((0, 3)), "size": [],
        }  # fmt: skip
        for key, value in given.items():
            alike = key in ("drag", "stiffness", "center", "gravity")
            values[key] = np.broadcast_to(value, np.shape(values[key])) if alike else value
        below = np.arange(2, total)
        row = np.full(len(below), -1)
        row[rows - 2] = np.arange(count)
        self.set = SpringSet(joint=rows, tail=self.offset[rows + 1], below=below, row=row, **values)
        self.springs = Springs.of(self.set)
        self.pose = Pose.of(total)

    def step(self, dt: float, shift: Any = (0.0, 0.0, 0.0), turn: float = 0.0) -> F64:
        """Put the head somewhere, let the lock follow and return the (K, 3) tails. turn: rad about +Z at the head."""
        self.pose.root[:] = shift
        self.pose.rotation[:] = self.rest
        self.pose.rotation[1] = [np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]
        pose = self.pose
        fk.world(self.parent, self.offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation)
        move(self.springs, pose, self.parent, self.offset, self.rest, dt)
        return np.array(pose.world_position[self.set.joint + 1])


def vrm_step(lock: Lock, tail: F64, before: F64, heads: F64, axis: F64, h: float = 1 / 60) -> tuple[F64, F64]:
    """Return one step of the specification's own arithmetic for a single joint: the new tail and the old one.

    VRMC_springBone 1.0, "update": inertia, stiffness and external force, then the length restored.
    """
    s = lock.set
    free = tail + (tail - before) * (1.0 - s.drag[0]) + h * (s.stiffness[0] * axis + s.gravity[0])
    way = free - heads
    return heads + way / np.linalg.norm(way) * LENGTH, tail
