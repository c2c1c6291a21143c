"""The camera of the window: drag turns, the wheel comes near, the right button shifts, F goes from whole to face."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import scene
from ..figure import Figure
from ..view import View, point

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

FOV = math.radians(16)  # a long lens: a near wide one makes noses big
TURN = math.radians(140)  # a drag across the window
ZOOM = 1.12  # a wheel click
NEAREST, FARTHEST = 0.18, 6.0  # m, height of the picture
LOWEST, HIGHEST = math.radians(-12), math.radians(70)  # of the camera above the horizon
EASE = 9.0  # 1/s, how fast the camera follows


class Orbit:
    """Keeps a camera on a figure."""

    def __init__(self, base: ShowBase, figure: Figure) -> None:
        self.base, self.figure = base, figure
        self.centre, self.height = scene.framing(figure)
        self._whole = (self.centre.copy(), self.height)
        self._framing = 0
        self.azimuth, self.elevation = math.radians(8), math.radians(4)
        self._shown = self._wanted()
        self._held: str | None = None
        self._last = (0.0, 0.0)
        for event, call in (
            ("mouse1", lambda: self._hold("turn")),
            ("mouse3", lambda: self._hold("shift")),
            ("mouse1-up", lambda: self._hold(None)),
            ("mouse3-up", lambda: self._hold(None)),
            ("wheel_up", lambda: self.zoom(1 / ZOOM)),
            ("wheel_down", lambda: self.zoom(ZOOM)),
            ("f", self.next_framing),
        ):
            base.accept(event, call)

    def zoom(self, factor: float) -> None:
        """Show `factor` times as much."""
        self.height = min(max(self.height * factor, NEAREST), FARTHEST)

    def next_framing(self) -> None:
        """Go on from the whole figure to head and shoulders, to the face, and back."""
        self._framing = (self._framing + 1) % 3
        centre, height = self._whole
        if self._framing:
            share = (scene.BUST_HEIGHT, scene.FACE_HEIGHT)[self._framing - 1]
            centre, height = scene.head_centre(self.figure, height), share * height
        self.centre, self.height = centre.copy(), height

    def update(self, dt: float) -> None:
        """Follow the mouse and ease the camera to where it is wanted. dt: s since the last frame."""
        watcher = self.base.mouseWatcherNode
        if watcher.hasMouse():
            now = (watcher.getMouseX(), watcher.getMouseY())  # -1..1
            across, up = now[0] - self._last[0], now[1] - self._last[1]
            if self._held == "turn":
                self.azimuth -= across * TURN / 2
                self.elevation = min(max(self.elevation - up * TURN / 2, LOWEST), HIGHEST)
            elif self._held == "shift":
                right = np.array([math.cos(self.azimuth), 0.0, -math.sin(self.azimuth)])
                self.centre -= right * (across * self.height * self.base.getAspectRatio() / 2)
                self.centre[1] = min(max(self.centre[1] - up * self.height / 2, 0.0), 3.0)
            self._last = now
        wanted = self._wanted()
        self._shown += (wanted - self._shown) * (1.0 - math.exp(-EASE * dt))
        azimuth, elevation, height = self._shown[:3].tolist()
        point(self.base.cam, View(azimuth, elevation, FOV), self._shown[3:], height, self.base.getAspectRatio())

    def _hold(self, what: str | None) -> None:
        self._held = what
        watcher = self.base.mouseWatcherNode
        if watcher.hasMouse():
            self._last = (watcher.getMouseX(), watcher.getMouseY())

    def _wanted(self) -> np.ndarray:
        return np.array([self.azimuth, self.elevation, self.height, *self.centre])
