"""The window's camera: drag turns, the wheel comes near, the right button shifts; four framings, figure to face."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from panda3d.core import NodePath

from ...components.arrays import F64
from ...components.config.sections import FRAMINGS
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
# framing -> height of the picture, and of its middle below the middle of her head, shares of the whole view's height
FRAMES = {"half": (0.56, 0.20), "bust": (scene.BUST_HEIGHT, 0.035), "face": (scene.FACE_HEIGHT, 0.0)}
# A picture narrower than this (width over height) shows more height instead of cutting her elbows off.
WIDE = {"figure": 0.44, "half": 0.62, "bust": 0.66, "face": 0.5}


class Orbit:
    """Keeps a camera on a figure. is_free: asked before a mouse button or the wheel turns it; a panel says no."""

    def __init__(self, base: ShowBase, figure: Figure, framing: str = "figure") -> None:
        self.base = base
        self.is_free: Callable[[], bool] = lambda: True
        # Shares of the picture that a panel takes at its left and a subtitle at its bottom: she stands in the rest.
        self.left = self.below = 0.0
        self.azimuth, self.elevation = math.radians(8), math.radians(3)
        self._held: str | None = None
        self._last = (0.0, 0.0)
        self.framing = framing
        self.look_at(figure)
        self._shown = self._wanted()
        for event, call in (
            ("mouse1", lambda: self._hold("turn")),
            ("mouse3", lambda: self._hold("shift")),
            ("mouse1-up", lambda: self._hold(None)),
            ("mouse3-up", lambda: self._hold(None)),
            ("wheel_up", lambda: self.zoom(1 / ZOOM)),
            ("wheel_down", lambda: self.zoom(ZOOM)),
        ):
            base.accept(event, call)

    def look_at(self, figure: Figure) -> None:
        """Follow another figure, framed as the last one was."""
        self.figure = figure
        self._whole = scene.framing(figure)
        self.frame(self.framing)

    def zoom(self, factor: float) -> None:
        """Show `factor` times as much."""
        if self.is_free():
            self.height = min(max(self.height * factor, NEAREST), FARTHEST)

    def frame(self, framing: str) -> None:
        """Show the whole figure, half of it, head and shoulders, or the face: one of FRAMINGS."""
        self.framing = framing
        centre, height = self._whole
        if framing in FRAMES:
            share, below = FRAMES[framing]
            centre, height = scene.head_centre(self.figure, height) - (0.0, below * height, 0.0), share * height
            centre[0] *= 0.5  # half way to where her weight is now: she sways, the camera does not
        self.centre, self.height = centre.copy(), height

    def next_framing(self) -> str:
        """Go on to the next framing and return its name."""
        self.frame(FRAMINGS[(FRAMINGS.index(self.framing) + 1) % len(FRAMINGS)])
        return self.framing

    def reset(self) -> None:
        """Stand before her again, framed as before."""
        self.azimuth, self.elevation = math.radians(8), math.radians(3)
        self.frame(self.framing)

    def update(self, dt: float) -> None:
        """Follow the mouse and ease the camera to where it is wanted. dt: s since the last frame."""
        watcher = self.base.mouseWatcherNode
        if watcher is not None and watcher.hasMouse():
            now = (watcher.getMouseX(), watcher.getMouseY())  # -1..1
            across, up = now[0] - self._last[0], now[1] - self._last[1]
            if self._held == "turn":
                self.azimuth -= across * TURN / 2
                self.elevation = min(max(self.elevation - up * TURN / 2, LOWEST), HIGHEST)
            elif self._held == "shift":
                self.centre -= self._right() * (across * self.height * self.base.getAspectRatio() / 2)
                self.centre[1] = min(max(self.centre[1] - up * self.height / 2, 0.0), 3.0)
            self._last = now
        wanted = self._wanted()
        self._shown += (wanted - self._shown) * (1.0 - math.exp(-EASE * dt))
        self.aim(self.base.cam, self.base.getAspectRatio(), self.left, self.below)

    def settle(self) -> None:
        """Be where the camera is wanted, at once."""
        self._shown = self._wanted()

    def aim(self, camera: NodePath, aspect: float, left: float = 0.0, below: float = 0.0) -> None:
        """Point any camera as the window's is now.

        aspect: width over height; left, below: shares of width and height that are taken by something else
        """
        azimuth, elevation, height = self._shown[:3].tolist()
        below = below if self.framing == "figure" else 0.0
        height *= max(1.0 / (1.0 - below), WIDE[self.framing] / (aspect * (1.0 - left)))
        centre = self._shown[3:] - self._right() * (0.5 * left * height * aspect)
        centre[1] -= 0.5 * below * height
        point(camera, View(azimuth, elevation, FOV), centre, height, aspect)

    def _right(self) -> F64:
        """Return the picture's right, glTF axes."""
        return np.array([math.cos(self.azimuth), 0.0, -math.sin(self.azimuth)])

    def _hold(self, what: str | None) -> None:
        self._held = what if what is None or self.is_free() else None
        watcher = self.base.mouseWatcherNode
        if watcher is not None and watcher.hasMouse():
            self._last = (watcher.getMouseX(), watcher.getMouseY())

    def _wanted(self) -> F64:
        return np.array([self.azimuth, self.elevation, self.height, *self.centre])
