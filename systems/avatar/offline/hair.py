"""Her hair: parted on her left, tucked behind the ears, ending above the shoulders; many flat strands over the skull.

Strands are lit by the smooth shape of the whole head of hair, not by their own edges: locks with their own normals
showed light rims along every edge and looked carved.
"""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64
from .mesh import Index
from .options import Options
from .part import Part, linear, one_bone
from .pose import Posed
from .skull import Skull
from .strands import ALONG, strands

ACROSS = 4  # points across a strand


def _ribbon(path: F64, half: float, skull: Skull, axis: F64) -> tuple[F64, F64, F64]:
    """Return (ALONG * ACROSS, 3) positions, normals, and how far along 0..1 and across -1..1 as (N, 2)."""
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    centre = np.where(path[:, 1:2] > skull.middle[1], skull.middle, axis * [1, 0, 1] + path * [0, 1, 0])
    out = path - centre
    out -= along * (out * along).sum(axis=1, keepdims=True)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    sideways = np.cross(along, out)
    t = np.linspace(0.0, 1.0, ALONG)
    width = half * np.minimum(0.10 + 5.5 * t, 1.0) * (1.0 - 0.90 * np.clip((t - 0.72) / 0.28, 0.0, 1.0) ** 1.5)
    u = np.linspace(-1.0, 1.0, ACROSS)
    bow = 0.22 * (1.0 - u**2)
    place = path[:, None] + sideways[:, None] * (width[:, None] * u)[:, :, None]
    place = place + out[:, None] * (width[:, None] * (bow - 0.10))[:, :, None]
    normal = out[:, None] + 0.30 * u[None, :, None] * sideways[:, None]
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    where = np.stack(np.broadcast_arrays(t[:, None], u[None, :]), axis=2)
    return place.reshape(-1, 3), normal.reshape(-1, 3), where.reshape(-1, 2)


def _cells() -> Index:
    a = (np.arange(ALONG - 1)[:, None] * ACROSS + np.arange(ACROSS - 1)).ravel()
    return np.concatenate([np.stack([a, a + 1, a + ACROSS + 1], 1), np.stack([a, a + ACROSS + 1, a + ACROSS], 1)])


def hair(skull: Skull, posed: Posed, options: Options) -> Part:
    """Return all strands, on the head; `chains` lets it swing."""
    base = linear(options.hair)
    axis = posed.skeleton.at("head")
    places, normals, paints, triangles, wheres, cells = [], [], [], [], [], _cells()
    for number, strand in enumerate(strands(skull, options.seed)):
        place, normal, where = _ribbon(strand.path, strand.half, skull, axis)
        t, u = where[:, 0], where[:, 1]
        glow = 0.74 + 0.10 * np.exp(-(((t - 0.30) / 0.20) ** 2)) + 0.18 * np.clip((t - 0.6) / 0.4, 0.0, 1.0)
        paint = base * (strand.bright * glow * (1.0 - 0.30 * u**2))[:, None]
        bare = (strand.thin * np.clip(1.0 - t / 0.14, 0.0, 1.0))[:, None]
        paints.append(paint * (1.0 - bare) + linear(options.skin) * 0.8 * bare)
        places.append(place)
        wheres.append(np.stack([0.5 + 0.5 * u, t], axis=1))
        normals.append(normal)
        triangles.append(cells + number * len(place))
    position = np.concatenate(places)
    names = posed.skeleton.names
    normal, triangle, paint = (np.concatenate(pieces) for pieces in (normals, triangles, paints))
    weight = one_bone(len(position), names, "head")
    return Part("hair", position, normal, triangle, paint, weight, {}, np.concatenate(wheres))
