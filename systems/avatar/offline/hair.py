"""Her hair: parted on her left, tucked behind the ears, ending above the shoulders; many flat strands over the skull.

Strands are lit by the smooth shape of the whole head of hair, not by their own edges: locks with their own normals
showed light rims along every edge and looked carved.
"""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64
from .cloth import share_of
from .mesh import Index
from .options import Options
from .part import Part, linear, noise
from .pose import Posed
from .source import Source

# Hairline: azimuth in deg from the front, height over the eyes in m. Read off a portrait of this head.
HAIRLINE = (
    (0.0, 20.0, 40.0, 55.0, 66.0, 78.0, 92.0, 108.0, 125.0, 150.0, 180.0),
    (0.066, 0.064, 0.053, 0.036, 0.014, -0.008, 0.008, 0.000, -0.032, -0.058, -0.066),
)
ALONG, ACROSS = 14, 4
PARTING = 12.0  # deg to her left at the forehead
EAR_TOP = -9.0  # deg elevation that clears her ears (they reach -16) with a strand's half width


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


def _direction(azimuth: float, elevation: float) -> F64:
    a, e = np.radians(azimuth), np.radians(elevation)
    return np.array([np.cos(e) * np.sin(a), np.sin(e), np.cos(e) * np.cos(a)])


def _through(control: F64, count: int) -> F64:
    """Return (count, K) points of a Catmull-Rom curve through (N, K) controls, evenly by control."""
    padded = np.concatenate([2 * control[:1] - control[1:2], control, 2 * control[-1:] - control[-2:-1]])
    at = np.linspace(0.0, len(control) - 1.0, count)
    k = np.minimum(at.astype(np.int64), len(control) - 2)
    u = (at - k)[:, None]
    a, b, c, d = padded[k], padded[k + 1], padded[k + 2], padded[k + 3]
    return b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)))


def _path(skull: Skull, control: list[F64], lift: F64, hang: float, tuck: float) -> F64:
    """Return (ALONG, 3) m: over the skull through directions, then down. lift: (N,) m off the skin at the controls."""
    over = ALONG * 9 // 14
    curve = _through(np.column_stack([np.array(control), lift]), over)
    way = curve[:, :3] / np.linalg.norm(curve[:, :3], axis=1, keepdims=True)
    top = skull.middle + way * (skull.radius(way) + curve[:, 3])[:, None]
    s = np.linspace(0.0, 1.0, ALONG - over + 1)[1:, None]
    out = way[-1] * [1.0, 0.0, 1.0]
    out /= np.linalg.norm(out)
    start = top[-1] - top[-2]
    start = start / np.linalg.norm(start)
    fall = top[-1] + hang * (s * (1 - s) ** 2 * start + [0.0, -1.0, 0.0] * (s * (1.0 - 0.35 * (1 - s) ** 2)))
    fall = fall + out * (0.010 * np.sin(np.pi * 0.8 * s) - tuck * s**2.2)
    return np.concatenate([top, fall])


def _at_hairline(azimuth: float, above: float = 0.0) -> F64:
    height = float(np.interp(abs(azimuth), *HAIRLINE)) - 0.030 + above
    return _direction(azimuth, float(np.degrees(np.arctan2(height, 0.088))))


def _strands(skull: Skull, seed: int) -> list[tuple[F64, float, float]]:
    """Return (path, half width in m, brightness) of every strand."""
    out = []
    for side, sign in enumerate((1.0, -1.0)):
        for layer, count in enumerate((24, 26, 26)):
            for k in range(count):
                j = [float(noise(seed, 10 + layer, side, k, i)) for i in range(5)]
                f = (k + 0.5 + 0.4 * j[0]) / count
                root = _at_hairline(PARTING, 0.003) * (1 - f) + _direction(-180.0, 55.0) * f
                root = root + [0.050 * (1 - f) - 0.014 * sign, 1.1 * f * (1 - f), 0.0]  # crossing the parting shuts it
                root = root / np.linalg.norm(root)
                first = _direction(sign * (86.0 + 62.0 * f), EAR_TOP + 3.0 + 34.0 * f + 2.5 * j[0])
                last = _direction(sign * (113.0 + 64.0 * f + 2.0 * j[1]), -26.0 + 10.0 * f + 2.0 * j[2])
                middle = root + first + [0.0, 0.10, 0.0]
                base = 0.002 + 0.0032 * layer
                lift = np.array([0.0008 + 0.35 * base, base + 0.0070, base + 0.0045, base + 0.005])
                hang = 0.138 - 0.006 * layer + 0.007 * j[3] - 0.004 * f
                path = _path(skull, [root, middle, first, last], lift, hang, 0.010 + 0.006 * (1 - f))
                out.append((path, 0.0072, 1.0 + 0.16 * j[4]))
        for k in range(26):  # from the crown down the back, where the two sides would part
            j = [float(noise(seed, 40, side, k, i)) for i in range(4)]
            f = (k + 0.5 + 0.4 * j[0]) / 26
            root = _direction(sign * (150.0 + 30.0 * f), 74.0 - 16.0 * f)
            first = _direction(sign * (138.0 + 44.0 * f), 26.0 + 3.0 * j[1])
            last = _direction(sign * (146.0 + 40.0 * f), -18.0 + 2.0 * j[2])
            middle = root + first + [0.0, 0.06, 0.0]
            base = 0.0090 + 0.0016 * (k % 3)
            lift = np.array([0.45 * base, base + 0.003, base + 0.002, base])
            path = _path(skull, [root, middle, first, last], lift, 0.134 + 0.006 * j[3], 0.010)
            out.append((path, 0.0072, 1.0 + 0.16 * j[2]))
        for k in range(40):  # from the hairline itself, swept back
            j = [float(noise(seed, 20, side, k, i)) for i in range(5)]
            f = (k + 0.5 + 0.3 * j[4]) / 40
            azimuth = PARTING * (sign > 0) + (76.0 - PARTING * (sign > 0)) * f
            root = _at_hairline(sign * azimuth, 0.0025 * j[0])
            first = _direction(sign * (84.0 + 12.0 * f), EAR_TOP + 12.0 * (1.0 - f) + 1.5 * j[1])
            last = _direction(sign * (112.0 + 6.0 * j[2]), -26.0)
            middle = root + first + [0.0, 0.10 * (1.0 - f), 0.0]
            lift = np.array([-0.0004, 0.0042, 0.0048, 0.005])
            path = _path(skull, [root, middle, first, last], lift, 0.095 + 0.012 * j[3], 0.012)
            out.append((path, 0.0034, 1.0 + 0.14 * j[3]))
    return out


def _ribbon(
    path: F64, half: float, skull: Skull, axis: F64
) -> tuple[F64, F64, F64]:
    """Return (ALONG * ACROSS, 3) positions, normals, and how far along 0..1 and across -1..1 as (N, 2)."""
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    centre = np.where(path[:, 1:2] > skull.middle[1], skull.middle, axis * [1, 0, 1] + path * [0, 1, 0])
    out = path - centre
    out -= along * (out * along).sum(axis=1, keepdims=True)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    sideways = np.cross(along, out)
    t = np.linspace(0.0, 1.0, ALONG)
    width = half * np.minimum(0.10 + 4.0 * t, 1.0) * (1.0 - 0.75 * np.clip((t - 0.80) / 0.20, 0.0, 1.0) ** 1.5)
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
    return np.concatenate(
        [np.stack([a, a + 1, a + ACROSS + 1], 1), np.stack([a, a + ACROSS + 1, a + ACROSS], 1)]
    )


def hair(source: Source, posed: Posed, color: F64, options: Options) -> tuple[Part, F64]:
    """Return the strands, and the (V, 3) skin colours with the scalp painted under them, soft at the hairline."""
    skull = Skull(source, posed)
    head = share_of(posed.skeleton.names, posed.skeleton.weight, "head")
    ear = source.mask("ears") > 0.5
    ragged = 0.0035 * noise(options.seed, 30, np.arange(len(color)))
    scalp = np.clip((skull.above_hairline(posed.position) + ragged + 0.003) / 0.012, 0.0, 1.0)
    scalp = scalp * np.clip(2.0 * head - 0.6, 0.0, 1.0) * ~ear
    base = linear(options.hair)
    color = color * (1.0 - scalp[:, None]) + scalp[:, None] * base * 0.55

    axis = posed.skeleton.at("head")
    places, normals, paints, triangles, cells = [], [], [], [], _cells()
    for number, (path, half, bright) in enumerate(_strands(skull, options.seed)):
        place, normal, where = _ribbon(path, half, skull, axis)
        t, u = where[:, 0], where[:, 1]
        glow = 0.62 + 0.30 * np.exp(-(((t - 0.30) / 0.20) ** 2)) + 0.22 * np.clip((t - 0.6) / 0.4, 0.0, 1.0)
        paints.append(base * (bright * glow * (1.0 - 0.30 * u**2))[:, None])
        places.append(place)
        normals.append(normal)
        triangles.append(cells + number * len(place))
    position = np.concatenate(places)
    names = posed.skeleton.names
    weight = np.zeros((len(position), len(names)))
    low = np.clip((skull.eye - 0.075 - position[:, 1]) / 0.16, 0.0, 0.45)  # the ends lag behind a turning head
    weight[:, names.index("head")], weight[:, names.index("neck")] = 1.0 - low, low
    part = Part("hair", position, np.concatenate(normals), np.concatenate(triangles), np.concatenate(paints), weight, {})
    return part, color
