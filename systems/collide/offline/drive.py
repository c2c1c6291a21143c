"""A motion pushed through the rule as the tick runs it: a world with her pose, her capsules and nothing else."""

from __future__ import annotations

import dataclasses

import numpy as np

from ....components.arrays import F64
from ....components.config import Config
from ....components.outbox import Outbox
from ....components.pose import Pose
from ....components.preview import Preview, Slot
from ....components.world import World
from ...kernels import fk
from ...retarget import wrist_frames
from .. import attach, resolve
from .figure import Figure
from .replan import EVERY, Replanned

METHODS = {  # name in tables -> [rule] method, ticks looked ahead
    "projection": ("projection", 0),
    "18 ahead": ("projection", 18),
    "6 ahead": ("projection", 6),
    "growth": ("growth", 0),
}


def drive(
    body: Figure, motion: F64 | Replanned, method: str = "projection", ahead: int = 0, **settings: float
) -> F64:  # fmt: skip
    """Return what the rule makes of a motion, (F, J, 4) wxyz local.

    motion: (F, J, 4) before it, or one whose plan changes
    ahead: ticks of it that are known; settings: of [rule], by name
    """
    rotation = motion.rotation if isinstance(motion, Replanned) else motion
    world = World(config=configured(method, **settings))
    rig, root = body.rig, np.array(body.anatomy.base_root)
    pose, preview = Pose.of(len(rig.names)), Preview([Slot.of(len(rig.names)) for _ in range(ahead + 1)])
    entity = world.spawn(pose, Outbox(), preview)
    attach(world, entity, body.capsules, rig, body.anatomy, wrist_frames(rig))
    out = np.empty_like(rotation)
    for frame, given in enumerate(rotation):
        pose.root[:] = root
        pose.rotation[:] = given
        fk.world(rig.parent, rig.rest_offset, root, pose.rotation, pose.world_position, pose.world_rotation)
        is_new = isinstance(motion, Replanned) and frame % EVERY == 0
        if is_new:
            preview.changed = frame
        for tick in range(frame if is_new or frame == 0 else frame + ahead, frame + ahead + 1) if ahead else ():
            slot = preview.slots[tick % (ahead + 1)]
            slot.tick = tick
            if isinstance(motion, Replanned):
                slot.rotation[:] = motion.known(frame, tick)
            else:
                slot.rotation[:] = rotation[min(tick, len(rotation) - 1)]
            fk.world(rig.parent, rig.rest_offset, root, slot.rotation, slot.position, slot.world)
            preview.keep(slot)
        world.step((resolve,))
        out[frame] = pose.rotation
    return out


def configured(method: str, **settings: float) -> Config:
    """Return settings in which the rule is on and works this way."""
    config = Config.default()
    return dataclasses.replace(
        config,
        run=dataclasses.replace(config.run, layers=("rule",)),
        rule=dataclasses.replace(config.rule, method=method, **settings),
    )
