"""Where a camera stands: one description for strips, portraits and the window."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from panda3d.core import Lens, NodePath, OrthographicLens, PerspectiveLens

from ..components.arrays import F64
from . import axes

DISTANCE = 12.0  # m, of an orthographic camera from what it looks at
BEFORE, BEHIND = 4.0, 8.0  # m around that point which are drawn


@dataclass(frozen=True, slots=True)
class View:
    """One camera.

    Fields:
        azimuth:   rad, 0 looks at her face, pi/2 at her left side
        elevation: rad, how far above the horizon the camera is
        fov:       rad, of the picture's height; 0 is orthographic
    """

    azimuth: float = 0.0
    elevation: float = math.radians(5.0)
    fov: float = 0.0


FRONT = View()
SIDE = View(azimuth=math.pi / 2)
NEAR = View(azimuth=math.radians(14), elevation=math.radians(2))
PORTRAIT = View(azimuth=math.radians(20), elevation=math.radians(4), fov=math.radians(16))


def lens(view: View) -> Lens:
    """Return a lens of the kind that a view needs; `point` sets it."""
    return PerspectiveLens() if view.fov > 0 else OrthographicLens()


def point(camera: NodePath, view: View, centre: F64, height: float, aspect: float) -> None:
    """Place a camera so that `height` m around `centre` (glTF axes) fill the picture from top to bottom.

    camera: with a lens of `lens(view)`; aspect: width over height
    """
    node: Any = camera.node()
    own = node.getLens()
    if view.fov > 0:
        distance = height / (2 * math.tan(view.fov / 2))
        own.setFov(math.degrees(2 * math.atan(math.tan(view.fov / 2) * aspect)), math.degrees(view.fov))
    else:
        distance = DISTANCE
        own.setFilmSize(height * aspect, height)
    own.setNearFar(max(0.02, distance - BEFORE), distance + BEHIND)
    level = math.cos(view.elevation)
    away = np.array([math.sin(view.azimuth) * level, math.sin(view.elevation), math.cos(view.azimuth) * level])
    camera.setPos(*axes.points_to_panda(centre + distance * away).tolist())
    camera.lookAt(*axes.points_to_panda(np.asarray(centre, dtype=np.float64)).tolist())
