"""The springs of every avatar, one step further on the pose that is shown."""

from __future__ import annotations

from ...components.arrays import F64, I32
from ...components.motion import Motion
from ...components.pose import Pose
from ...components.springs import Springs
from ...components.world import World
from ..kernels import chain


def swing(world: World) -> None:
    """Let hair and cloth follow the shown pose.

    Reads Motion.rig; reads and writes Springs, Pose (the joints below the first of each chain).
    """
    for _, springs, pose, motion in world.each(Springs, Pose, Motion):
        move(springs, pose, motion.rig.parent, motion.rig.rest_offset, motion.rig.rest_rotation, world.dt)


def move(springs: Springs, pose: Pose, parent: I32, offset: F64, rest: F64, dt: float) -> None:
    """Move the springs on by dt s under a pose whose other joints are where they shall be.

    parent, offset, rest: Rig.parent, rest_offset, rest_rotation
    """
    s = springs.set
    springs.resets += chain.swing(
        parent, offset, rest, s.below, s.row, s.tail, s.stiffness, s.gravity, s.drag, s.radius, s.center, s.first,
        s.count, s.touch, s.collider, s.start, s.end, s.size, springs.tail, springs.velocity, springs.head,
        springs.aim, springs.fresh, springs.work, springs.place, pose.rotation, pose.world_position,
        pose.world_rotation, dt,
    )  # fmt: skip
