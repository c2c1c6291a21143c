"""An avatar exported for the fence's trainer, out of a host in which she stands, talks and is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from panda3d.core import ClockObject, NodePath

from ..components.arrays import F64
from ..components.capsules import CapsuleSet
from ..components.config import Config
from ..components.errors import FenceError
from ..components.motion import Motion
from ..components.outbox import Outbox
from ..components.pose import Pose
from ..components.skin import Body
from ..systems import headless
from ..systems.collide.body import RULE_OFF
from ..systems.fence.exported import Export
from . import axes
from .figure import figure_of
from .plugin import AvatarPlugin
from .write_back import read_joints

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

EVERY, POSES = 37, 16  # frames from pose to pose and poses: ten seconds in which she says the bundled sentence


def export(base: ShowBase, avatar: str | Path | Body | None = None, poses: int = POSES) -> Export:
    """Return an avatar as the trainer takes her: measured, and in some live poses as this host has her joints.

    base: a host, also one without a window; its clock runs at 60 frames a second meanwhile
    avatar: as `AvatarPlugin.spawn` (AvatarError)
    FenceError where her skin cannot be measured.
    """
    config = Config.default()  # and public, where no head is ever built: her motion before any proposal
    plugin = AvatarPlugin(base, replace(config, run=replace(config.run, mode="public")))
    clock = ClockObject.getGlobalClock()
    mode, dt = clock.getMode(), clock.getDt()
    try:
        her = plugin.spawn(avatar)
        world, entity = plugin.world, her.entity
        if not world.has(entity, CapsuleSet):
            why = next((f for f in world.get(entity, Outbox).degraded if f.startswith(RULE_OFF)), RULE_OFF)
            raise FenceError(f"{her.body.source}: without capsules there is nothing to train on: {why}")
        her.node.hide()  # her joints move all the same, her skin costs nothing
        clock.setMode(ClockObject.MNonRealTime)
        clock.setDt(1.0 / 60.0)
        her.say(headless.HELLO, play=False)
        pose, kept = world.get(entity, Pose), []
        for _ in range(poses):
            for _ in range(EVERY):
                base.taskMgr.step()
            kept.append((pose.rotation.copy(), pose.root.copy(), read_joints(her.node), _turns(her.node)))
        rotation, root, position, turn = (np.array(rows) for rows in zip(*kept, strict=True))
        motion = world.get(entity, Motion)
        return Export(
            her.body.source, her.body.digest, motion.rig, world.get(entity, CapsuleSet), motion.anatomy.base_root,
            rotation, root, position, turn,
        )  # fmt: skip
    finally:
        clock.setMode(mode)
        if mode == ClockObject.MNonRealTime:
            clock.setDt(dt)
        plugin.destroy()


def _turns(node: NodePath) -> F64:
    """Return how Panda has her joints turned, (J, 3, 3), avatar frame, column vectors."""
    figure = figure_of(node)
    out = np.empty((len(figure.rig.names), 4, 4))
    for joint in range(len(out)):
        out[joint] = np.array(figure.expose(joint).getMat(figure.node), np.float64).reshape(4, 4)
    return (axes.FROM_PANDA @ np.swapaxes(out, -1, -2) @ axes.TO_PANDA)[:, :3, :3]
