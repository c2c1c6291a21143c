"""Teeth and tongue: the source's own, pulled in a little so that they never pierce the lips."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64
from . import mesh
from .part import Part, linear
from .pose import Posed
from .skin import carried
from .source import Source

NARROW, BACK = 0.84, 0.0025  # of the teeth's width; m
# m: the source's upper teeth end at the lip line and its tongue fills the mouth to the palate, so that an open mouth
# showed tongue alone.
UPPER_DOWN, LOWER_DOWN, LOWER_BACK, TONGUE_DOWN, TONGUE_BACK = 0.0026, 0.0022, 0.0020, 0.0050, 0.0060
DARK = (0.20, 0.075, 0.07)  # sRGB of the far end of the mouth


def mouth(source: Source, posed: Posed, moves: dict[str, F64]) -> list[Part]:
    """Return the teeth and the tongue with their morphs."""
    out = []
    for material, groups, colour in (
        ("teeth", ("helper-upper-teeth", "helper-lower-teeth"), (0.93, 0.91, 0.87)),
        ("tongue", ("helper-tongue",), (0.70, 0.36, 0.36)),
    ):
        quad = source.quads(*groups)
        used = np.unique(quad)
        triangle, (position, weight) = mesh.packed(mesh.triangles(quad), (posed.position, posed.skeleton.weight))
        if material == "teeth":
            upper = np.isin(used, source.quads("helper-upper-teeth"))[:, None]
            position = position * [NARROW, 1.0, 1.0]
            position[:, 2] -= BACK + 0.004 * np.clip(np.abs(position[:, 0]) / 0.016, 0.0, 1.0) ** 2
            position = position - np.where(upper, [0.0, UPPER_DOWN, 0.0], [0.0, LOWER_DOWN, LOWER_BACK])
        else:
            position = position - [0.0, TONGUE_DOWN, TONGUE_BACK]
        depth = np.clip((position[:, 2].max() - position[:, 2]) / 0.030, 0.0, 1.0)
        if material == "teeth":  # a bright spot showed in the corners of the closed mouth
            depth = np.maximum(depth, np.clip((np.abs(position[:, 0]) - 0.008) / 0.010, 0.0, 1.0))
        depth = 0.95 * depth[:, None]
        color = linear(colour) * (1.0 - depth) + linear(DARK) * depth
        morph = carried(position, triangle, {unit: move[used] for unit, move in moves.items()})
        out.append(Part(material, position, mesh.normals(position, triangle), triangle, color, weight, morph))
    return out
