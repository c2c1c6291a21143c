"""A motion as the tick would show it: without anything, with the rule, with a head's proposals and the rule after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....components.arrays import F64
from ....components.contacts import Contacts
from ....components.guard import Guard
from ....components.head import Head
from ....components.outbox import Outbox
from ....components.pose import Pose
from ....components.world import World
from ...collide import attach, resolve
from ...collide.offline.drive import configured
from ...collide.offline.figure import Figure
from ...collide.offline.optimum import depths
from ...collide.tables import refresh
from ...kernels import fk, judge
from ...kernels import head as kernel
from ...retarget import wrist_frames
from ..head import tables_of


@dataclass(frozen=True, slots=True)
class Played:
    """F ticks of one motion.

    Fields:
        proposed: (F, 2, 3) m, wrists after the proposal and before the rule; shown: after the rule
        depth: (F,) m, deepest contact that is left, seen by the reference and not by the rule
        work:  (F, 2) mm, how far the rule holds each wrist from the pose that it was given
        fast:  (F,) rad/s, of the proposal's fastest vector; deep: (F,) m, what it leaves inside: the judge's triggers
    """

    proposed: F64
    shown: F64
    depth: F64
    work: F64
    fast: F64
    deep: F64


def played(body: Figure, rotation: F64, head: Head | None = None, *, is_ruled: bool = True) -> Played:
    """Return what becomes of a motion. rotation: (F, J, 4) wxyz local, 60 Hz; without `head` nothing is proposed."""
    world, rig, frames = World(config=configured("projection")), body.rig, len(rotation)
    pose = Pose.of(len(rig.names))
    entity = world.spawn(pose, Outbox())
    attach(world, entity, body.capsules, rig, body.anatomy, wrist_frames(rig))
    contacts, guard = world.get(entity, Contacts), world.get(entity, Guard)
    refresh(guard, world.config)
    hands = [body.joint(side, "Hand") for side in range(2)]
    r, said, before = np.zeros(18), np.zeros(judge.OUT), np.zeros(18)
    asked: tuple[Any, ...] = () if head is None else (*tables_of(head, rig), np.zeros(kernel.STATE), r)
    looked: tuple[Any, ...] = (*guard.tables, pose.world_position, pose.world_rotation)
    shown: tuple[Any, ...] = (*guard.tables, pose.rotation, pose.world_position, pose.world_rotation)
    proposed, final = np.empty((frames, 2, 3)), np.empty((frames, 2, 3))
    out = Played(proposed, final, np.empty(0), np.zeros((frames, 2)), np.zeros(frames), np.zeros(frames))
    after = np.empty_like(rotation, np.float64)
    for k in range(frames):
        pose.root[:], pose.rotation[:] = body.anatomy.base_root, rotation[k]
        fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation)
        if head is not None:
            kernel.propose(pose.world_rotation, pose.world_position, *asked)
            judge.measure(r, before, world.dt, said, *looked)
            out.fast[k], out.deep[k], before[:] = said[judge.RATE], said[judge.DEPTH], r
            judge.put(r, *shown)
        out.proposed[k] = pose.world_position[hands]
        if is_ruled:
            world.step((resolve,))
            out.work[k] = contacts.moved_mm
        out.shown[k], after[k] = pose.world_position[hands], pose.rotation
    out.fast[:1] = 0.0  # it comes from nowhere, as after a spawn
    deep = depths(body.scene(after)).max(axis=(1, 2))
    return replace(out, depth=deep)
