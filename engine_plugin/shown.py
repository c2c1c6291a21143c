"""One avatar while the engine shows her: her figure, her sound, and the last pose but one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from panda3d.core import NodePath

from ..components.arrays import F64
from ..components.face import Face
from ..components.pose import Pose
from ..systems.avatar import Avatar
from ..systems.kernels import placement
from . import axes, ground
from .figure import Figure
from .her_sound import HerSound
from .write_back import write_back

MOVED = 0.01  # m that who watches her moves before she is told: 0.2 degrees at 3 m


class Shown:
    """What the plugin keeps of one avatar."""

    def __init__(self, her: Avatar, figure: Figure, pose: Pose, face: Face) -> None:
        self.her, self.figure, self.pose, self.face = her, figure, pose, face
        self._before = Pose.of(len(figure.rig.names))
        self._drawn = Pose.of(len(figure.rig.names))
        self._has_before = False
        self._is_gone = False
        self.sound = HerSound(her)
        self._viewer: F64 | None = None  # as last told

    def keep(self) -> None:
        """Remember the pose before it is ticked, so that a frame between two ticks can be drawn."""
        self._before.world_position[:] = self.pose.world_position
        self._before.world_rotation[:] = self.pose.world_rotation
        self._has_before = True

    def write(self, share: float) -> None:
        """Hand a pose to Panda. share: 0 the last but one .. 1 the last."""
        pose = self.pose
        if share < 1.0 and self._has_before:
            a, b, pose = self._before, self.pose, self._drawn
            placement.between_poses(
                a.world_position, a.world_rotation, b.world_position, b.world_rotation, share,
                pose.world_position, pose.world_rotation,
            )  # fmt: skip
        write_back(self.figure, pose, self.face.weight)
        ground.follow(self.figure)

    def listen(self) -> None:
        """Tell her next tick how far her voice has sounded and what the microphone heard, as late as that goes."""
        self.sound.report()
        self.sound.hear()

    def watch(self, viewer: NodePath | None) -> None:
        """Tell her next tick where she is watched from, where that has changed."""
        if viewer is None or viewer.isEmpty():
            if self._viewer is not None:
                self._viewer = None
                self.her.watched_from(None)
            return
        now = axes.points_from_panda(np.array(tuple(viewer.getPos(self.figure.node)), np.float64))
        if self._viewer is None or float(np.abs(now - self._viewer).max()) > MOVED:
            self._viewer = now
            self.her.watched_from(now.tolist())

    def news(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what happened since the last frame, after moving her sound along with it."""
        if self._is_gone:  # removed by a callback of the host's, as in the loop: there is nobody left to ask
            return
        for _, name, data in self.her.deliver():
            if self._is_gone:
                return
            if name in ("started", "finished", "interrupted"):
                self.sound.tell(name, int(data["id"]))
            yield name, data
        if self._is_gone:
            return
        for what in self.sound.follow():
            yield "degraded", {"what": what}

    def remove(self) -> None:
        """Silence her and take her out of the scene. Safe to call twice."""
        self._is_gone = True
        self.sound.close()
        self.figure.remove()
