"""A run of a world filmed without a window: drawn at the film's rate, ticked at 60, her voice beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from ..components.arrays import F32, F64
from ..components.face import Face
from ..components.pose import Pose
from ..components.world import System, World
from ..systems.avatar import Avatar
from ..systems.kernels import placement
from ..systems.schedule import TICK
from . import edges, ground
from .figure import Figure
from .offscreen import BACKGROUND, Pixels, Stage
from .recorder import AUDIO_RATE, recording, track
from .scene import FACE_HEIGHT, dress, framing, head_centre, show
from .view import PORTRAIT
from .write_back import hand_over

# name -> middle and height of what a picture shows, of her own height: a shot named "half" ends at mid-thigh, so that
# hanging hands are in it (seen on the default avatar)
SHOTS = {"whole": (0.0, 0.0), "half": (0.73, 0.74), "bust": (0.86, 0.36), "face": (0.0, 0.0)}
CLEAR = (0.0, 0.0, 0.0, 0.0)


def shoot(
    her: Avatar,
    target: Path,
    seconds: float,
    voice: tuple[F32, int] | None = None,
    *,
    begins: float = 0.0,
    fps: Fraction = Fraction(30),
    size: tuple[int, int] = (1280, 720),
    shot: str = "half",
    alpha: bool = False,
    samples: int = 0,
    each: Callable[[World], None] | None = None,
    told: Callable[[int, int], None] | None = None,
    systems: Sequence[System] = TICK,
) -> int:
    """Film `seconds` of her life from now on, and return the number of frames.

    target: .mp4, .webm, .mov, or a name without ending for a folder of PNG files
    voice: (pcm, rate) that is put beside the pictures; begins: s from the film's start to its first sample
    fps: frames a second; one that falls between two ticks is drawn between them
    size: px; shot: one of SHOTS; alpha: nothing behind her, not in .mp4
    samples: a pixel for smooth edges: 0 smooths the finished picture instead, which costs a tenth (see edges)
    each: called with the world before each tick; told: called with frames done and frames in all
    systems: what a tick runs
    Raises OutputError where the file cannot be written, KinesicsError where nothing can be drawn.
    """
    world = her.world
    count = max(1, math.ceil(seconds * fps - 1e-9))
    sound = None if voice is None else track(*voice, float(count / fps), begins)
    tween = _Between(her)
    with recording(target, size, fps, alpha) as film, Stage((PORTRAIT,), size, _wall(alpha), samples) as stage:
        figure = dress(her.body)
        try:
            figure.node.reparentTo(stage.root)
            stage.look_at(*_aimed(figure, shot))
            first = world.tick
            for k in range(count):
                at = float(k * 60 / fps)  # ticks
                while world.tick < first + math.ceil(at - 1e-6) + 1:
                    tween.keep()
                    if each is not None:
                        each(world)
                    world.step(tuple(systems))
                tween.write(figure, 1.0 - (world.tick - 1 - first - at))
                picture = stage.frame() if samples else edges.softened(stage.frame())
                film.frame(straight(picture) if alpha else np.ascontiguousarray(picture))
                if sound is not None:
                    film.sound(sound[_sample(k, fps) : _sample(k + 1, fps)])
                if told is not None:
                    told(k + 1, count)
        finally:
            figure.remove()
    return count


def straight(picture: Pixels) -> Pixels:
    """Return a picture whose colours are no longer multiplied by their alpha, as PNG and ProRes want it."""
    alpha = picture[..., 3:].astype(np.uint16)
    out = np.minimum((picture[..., :3].astype(np.uint16) * 255 + alpha // 2) // np.maximum(alpha, 1), 255)
    return np.concatenate([out.astype(np.uint8), picture[..., 3:]], axis=2)


def _sample(frame: int, fps: Fraction) -> int:
    return int(frame * AUDIO_RATE / fps)


def _wall(alpha: bool) -> tuple[float, float, float, float]:
    return CLEAR if alpha else BACKGROUND


def _aimed(figure: Figure, shot: str) -> tuple[F64, float]:
    """Return where a shot looks, (3,) m glTF axes, and the height in m of what it shows. figure: in its rest pose."""
    centre, height = framing(figure)
    if shot == "whole":
        return centre, height
    if shot == "face":
        show(figure, None)
        return head_centre(figure, height), 1.25 * FACE_HEIGHT * height
    middle, share = SHOTS[shot]
    top = height / 1.18
    return np.array([0.0, middle * top, 0.0]), share * top


class _Between:
    """Her pose and face between the last two ticks."""

    def __init__(self, her: Avatar) -> None:
        self._pose, self._face = her.world.get(her.entity, Pose), her.world.get(her.entity, Face)
        count = len(her.body.rig.names)
        self._before, self._drawn = Pose.of(count), Pose.of(count)
        self._face_before = self._face.weight.copy()

    def keep(self) -> None:
        """Remember what the next tick will change."""
        self._before.world_position[:] = self._pose.world_position
        self._before.world_rotation[:] = self._pose.world_rotation
        self._face_before[:] = self._face.weight

    def write(self, figure: Figure, share: float) -> None:
        """Put her there. share: 0 the last tick but one .. 1 the last."""
        pose, face = self._pose, self._face.weight
        if share < 1.0 - 1e-6:
            a, b, pose = self._before, self._pose, self._drawn
            placement.between_poses(
                a.world_position, a.world_rotation, b.world_position, b.world_rotation, share,
                pose.world_position, pose.world_rotation,
            )  # fmt: skip
            face = self._face_before + share * (face - self._face_before)
        hand_over(figure, pose.world_position, pose.world_rotation, face)
        figure.vertices.draw()
        ground.follow(figure)
