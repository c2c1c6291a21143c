"""Brows: a soft shadow painted on the face and single tapered hairs over it, moving with the skin they lie on."""

from __future__ import annotations

import numpy as np

from ....components.arrays import F64
from . import mesh
from .mesh import Index
from .options import Options
from .part import Part, linear, noise
from .pose import Posed
from .skin import carried
from .source import Source

HAIRS = 110
LIFT = 0.00035  # m off the skin


class Surface:
    """The front of the face as a height field over x, y."""

    def __init__(self, position: F64, triangle: Index) -> None:
        self.triangle = triangle
        corner = position[triangle][:, :, :2]
        self._origin = corner[:, 0]
        e1, e2 = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
        self._area = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
        self._e1, self._e2 = e1, e2
        self._z = position[triangle][:, :, 2].mean(axis=1)

    def under(self, point: F64) -> tuple[Index, F64]:
        """Return (N, 3) vertices and (N, 3) shares of the foremost triangle under each (N, 2) point."""
        rel = point[:, None] - self._origin
        b = (rel[..., 0] * self._e2[:, 1] - rel[..., 1] * self._e2[:, 0]) / self._area
        c = (self._e1[:, 0] * rel[..., 1] - self._e1[:, 1] * rel[..., 0]) / self._area
        outside = np.maximum(np.maximum(-b, -c), b + c - 1.0)
        best = np.argmin(np.where(outside > 1e-6, 1.0 + outside, 0.0) - 1e-3 * self._z, axis=1)
        row = np.arange(len(point))
        share = np.stack([1.0 - b[row, best] - c[row, best], b[row, best], c[row, best]], axis=1)
        return self.triangle[best], share


def _middle(t: F64, eye: F64) -> F64:
    """Return (N, 2) points on the brow's middle line, t from the nose 0 to the temple 1, for her left brow."""
    x = eye[0] * (0.40 + 1.55 * t)
    rise = 0.0192 + 0.0066 * np.sin(np.pi * np.clip(0.02 + 0.82 * t, 0.0, 1.0)) - 0.0042 * t**3
    return np.stack([x, eye[1] + rise], axis=1)


def _half_width(t: F64) -> F64:
    """Return (N,) m."""
    return 0.0033 * np.clip(np.sin(np.pi * np.clip(0.16 + 0.84 * t, 0.0, 1.0)), 0.05, 1.0) ** 0.6 * (1.0 - 0.35 * t)


def _shadow() -> tuple[F64, F64, F64, Index]:
    """Return (N,) t, (N,) across in half widths, (N,) how dark 0..1, triangles, of a soft band."""
    t, rows, dark = np.linspace(-0.03, 1.02, 26), (-1.25, -0.5, 0.5, 1.25), (0.0, 0.80, 0.76, 0.0)
    grid_t, across = np.tile(t, 4), np.repeat(rows, len(t))
    fade = np.clip(t / 0.15 + 0.2, 0.0, 1.0) * np.clip((1.02 - t) / 0.10, 0.0, 1.0)
    n = len(t)
    a = np.concatenate([k * n + np.arange(n - 1) for k in range(3)])
    return (
        grid_t,
        across,
        np.repeat(dark, n) * np.tile(fade, 4),
        np.concatenate([np.stack([a, a + 1, a + n + 1], 1), np.stack([a, a + n + 1, a + n], 1)]),
    )


def brows(source: Source, posed: Posed, moves: dict[str, F64], color: F64, options: Options) -> Part:
    """Return both brows. color: (V, 3) of the painted skin, which their soft edge melts into."""
    triangle = mesh.triangles(source.quads("body"))
    normal = mesh.normals(posed.position, triangle)
    eye = posed.skeleton.at("leftEye")
    middle = posed.position[triangle].mean(axis=1)
    near = (np.abs(middle[:, 1] - eye[1] - 0.020) < 0.022) & (middle[:, 2] > eye[2] - 0.05)
    near &= normal[triangle][:, :, 2].min(axis=1) > 0.05
    surface = Surface(posed.position, triangle[near])
    point, dark, faces = _strokes(eye, options.seed)
    mirrored = point * [-1.0, 1.0]
    vertex, share = surface.under(np.concatenate([point, mirrored]))
    faces = np.concatenate([faces, faces[:, ::-1] + len(point)])

    def read(values: F64) -> F64:
        return np.einsum("nk,nkc->nc", share, values[vertex])

    out = read(normal)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    dark = np.tile(dark, 2)[:, None]
    place = read(posed.position) + out * LIFT * np.where(dark > 0.6, 1.8, 1.0)
    tint = linear(options.hair) * 0.62
    paint = read(color) * (1.0 - dark) + dark * tint
    morph = {
        unit: (index, move, tilt)
        for unit, (index, move, tilt) in carried(place, faces, {u: read(m) for u, m in moves.items()}).items()
    }
    return Part("brow", place, out, faces, paint, read(posed.skeleton.weight), morph)


def _strokes(eye: F64, seed: int) -> tuple[F64, F64, Index]:
    """Return (N, 2) points of her left brow, (N,) darkness 0..1, triangles facing +Z."""
    t, across, dark, faces = _shadow()
    slope = _middle(t + 0.01, eye) - _middle(t - 0.01, eye)
    slope /= np.linalg.norm(slope, axis=1, keepdims=True)
    up = np.stack([-slope[:, 1], slope[:, 0]], axis=1)
    points, darks, triangles = [_middle(t, eye) + up * (across * _half_width(t))[:, None]], [dark], [faces]
    count = len(t)
    for hair in range(HAIRS):
        f = (hair + 0.5) / HAIRS
        at = np.array([f * 0.93])
        root = _middle(at, eye)[0]
        tangent = (_middle(at + 0.01, eye) - _middle(at - 0.01, eye))[0]
        tangent /= np.linalg.norm(tangent)
        upward = np.array([-tangent[1], tangent[0]])
        place = float(noise(seed, 5, hair))  # where across the brow it is rooted: low ones rise, high ones fall
        angle = np.radians(50.0 * (1.0 - f) ** 1.6 - 10.0 * f - 22.0 * max(place, 0.0) * f)
        length = 0.0054 + 0.0012 * float(noise(seed, 6, hair))
        root = root + upward * (place * 0.72 - 0.12) * _half_width(at)[0]
        s = np.linspace(0.0, 1.0, 4)
        bend = angle - np.radians(26.0) * s  # hairs curve towards the temple
        line = root + length * s[:, None] * (np.cos(bend)[:, None] * tangent + np.sin(bend)[:, None] * upward)
        wide = 0.00042 * (1.0 - 0.80 * s) * np.array([0.6, 1.0, 1.0, 1.0])
        sideways = np.stack([-np.sin(bend), np.cos(bend)], axis=1) @ np.stack([tangent, upward])
        points.append(np.stack([line - sideways * wide[:, None], line + sideways * wide[:, None]], 1).reshape(-1, 2))
        darks.append(np.full(8, 0.78 + 0.14 * float(noise(seed, 7, hair))))
        a = count + 2 * np.arange(3)
        triangles += [np.stack([a, a + 2, a + 3], 1), np.stack([a, a + 3, a + 1], 1)]
        count += 8
    return np.concatenate(points), np.concatenate(darks), np.concatenate(triangles)
