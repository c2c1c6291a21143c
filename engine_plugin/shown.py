"""One avatar while the engine shows her: her figure, her sound, and the last pose but one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..components.face import Face
from ..components.pose import Pose
from ..components.speech import RATE
from ..components.voice import Voice
from ..systems.avatar import Avatar
from ..systems.kernels import placement
from . import ground, settings
from .figure import Figure
from .playback import Player
from .write_back import write_back


class Shown:
    """What the plugin keeps of one avatar."""

    def __init__(self, her: Avatar, figure: Figure, pose: Pose, face: Face) -> None:
        self.her, self.figure, self.pose, self.face = her, figure, pose, face
        self._before = Pose.of(len(figure.rig.names))
        self._drawn = Pose.of(len(figure.rig.names))
        self._has_before = False
        self._player: Player | None = None
        self._sounding = 0  # number of the utterance that is on the sound card
        self._told = ""  # name of the last sound state that was worth telling

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

    def news(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what happened since the last frame, after moving her sound along with it."""
        for _, name, data in self.her.deliver():
            if name == "started":
                self._start(int(data["id"]))
            elif name in ("finished", "interrupted") and data.get("id") == self._sounding:
                self._sounding = 0
                if self._player is not None and name == "interrupted":
                    self._player.stop()
            yield name, data
        if self._player is not None and self._sounding:
            self.her.post("position", id=self._sounding, seconds=self._player.position_s)
            state = self._player.state
            if state.name not in ("idle", "opening", self._told):
                self._told = state.name
                if not state.is_heard:
                    yield "degraded", {"what": f"she cannot be heard: {state.name} ({state.detail}); {state.cure}"}

    def remove(self) -> None:
        """Silence her and take her out of the scene. Safe to call twice."""
        player, self._player = self._player, None
        if player is not None:
            player.close()
        self.figure.remove()

    def _start(self, number: int) -> None:
        current = self.her.world.get(self.her.entity, Voice).current
        if current is None or current.id != number or not current.play or not settings.sound.getValue():
            return
        if self._player is None:
            self._player = Player()
        self._player.start(current.speech.audio, RATE)
        self._sounding = number
