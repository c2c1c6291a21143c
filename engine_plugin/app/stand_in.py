"""The first start on a machine: she stands there, still, while her kernels are compiled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...components import gltf
from ...components.errors import KinesicsError
from ...components.pose import Pose
from ...systems import headless, retarget
from ...systems.kernels import fk
from .. import scene
from .orbit import Orbit

if TYPE_CHECKING:
    from .window import Window


class StandIn:
    """Her figure in the pose in which she will begin. It needs few kernels: a window that stays empty looks broken."""

    def __init__(self, window: Window, avatar: str | Path | None) -> None:
        """Put it on stage and draw it. An avatar that cannot be read is told by who loads it; nobody stands in."""
        self._figure = None
        try:
            body = gltf.read(Path(avatar).expanduser() if avatar else headless.AVATAR)
            anatomy = retarget.measure(body.rig)
        except (KinesicsError, OSError):
            return
        pose = Pose.of(len(body.rig.names))
        pose.root[:], pose.rotation[:] = anatomy.base_root, anatomy.base
        fk.world(
            body.rig.parent, body.rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation
        )
        self._figure = scene.dress(body)
        orbit = Orbit(window.base, self._figure, window.config.window.framing)  # framed in its rest pose
        scene.show(self._figure, pose)
        self._figure.node.reparentTo(window.base.render)
        orbit.update(0.0)
        window.base.taskMgr.step()
        window.base.taskMgr.step()

    def leave(self) -> None:
        """Make room for her."""
        if self._figure is not None:
            self._figure.remove()
