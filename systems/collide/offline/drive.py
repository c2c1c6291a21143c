"""A motion pushed through the rule as the tick runs it: a world with her pose, her capsules and nothing else."""

from __future__ import annotations

import dataclasses

import numpy as np

from ....components.arrays import F64
from ....components.config import Config
from ....components.outbox import Outbox
from ....components.pose import Pose
from ....components.world import World
from ...kernels import fk
from ...retarget import wrist_frames
from .. import attach, resolve
from .figure import Figure

METHODS = ("projection", "growth")


def drive(body: Figure, rotation: F64, method: str = "projection", **settings: float) -> F64:
    """Return what the rule makes of a motion, (F, J, 4) wxyz local.

    rotation: (F, J, 4) before it; settings: of [rule], by name
    """
    world = World(config=configured(method, **settings))
    pose, rig = Pose.of(len(body.rig.names)), body.rig
    entity = world.spawn(pose, Outbox())
    attach(world, entity, body.capsules, rig, body.anatomy, wrist_frames(rig))
    out = np.empty_like(rotation)
    for frame, given in enumerate(rotation):
        pose.root[:] = body.anatomy.base_root
        pose.rotation[:] = given
        fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation)
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
