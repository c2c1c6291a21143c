"""The shape of the head under the hair, and the hairline."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64
from .cloth import share_of
from .pose import Posed
from .source import Source

# Hairline: azimuth in deg from the front, height over the eyes in m. Read off a portrait of this head.
HAIRLINE = (
    (0.0, 20.0, 40.0, 55.0, 66.0, 78.0, 92.0, 108.0, 125.0, 150.0, 180.0),
    (0.066, 0.064, 0.053, 0.036, 0.014, -0.008, 0.008, 0.000, -0.032, -0.058, -0.066),
)


class Skull:
    """The head without its ears as a radius for every direction from its middle."""

    def __init__(self, source: Source, posed: Posed) -> None:
        eye = posed.skeleton.at("leftEye")
        body = np.unique(source.quads("body"))
        head = body[share_of(posed.skeleton.names, posed.skeleton.weight[body], "head") > 0.5]
        place = posed.position[head]
        upper = place[place[:, 1] > eye[1] + 0.03]
        self.eye = float(eye[1])
        self.middle = np.array([0.0, self.eye + 0.030, (upper[:, 2].max() + upper[:, 2].min()) / 2.0])
        side = np.abs(upper[:, 0]).max()
        place = place[(place[:, 1] > self.eye - 0.10) & (np.abs(place[:, 0]) < side + 0.003)]
        rel = place - self.middle
        self._radius = np.linalg.norm(rel, axis=1)
        self._direction = rel / self._radius[:, None]

    def radius(self, direction: F64) -> F64:
        """Return (N,) m from the middle to the skin, smoothed over about 6 deg."""
        near = np.exp((direction @ self._direction.T - 1.0) / 0.006)
        return near @ self._radius / near.sum(axis=1)

    def above_hairline(self, position: F64) -> F64:
        """Return (N,) m above the hairline at the same azimuth."""
        rel = position - self.middle
        azimuth = np.degrees(np.abs(np.arctan2(rel[:, 0], rel[:, 2])))
        return position[:, 1] - self.eye - np.interp(azimuth, *HAIRLINE)
