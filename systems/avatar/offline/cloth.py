"""How a garment is made: a copy of the body's close-fitting helper surface, clipped on scalar fields, pushed out.

Clipping on fields instead of choosing faces is what gives clean hems: chosen faces end in saw teeth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from . import mesh
from .mesh import Index
from .part import Part
from .pose import Posed
from .skeleton import Skeleton
from .source import Source

HEM_IN, HEM_UP = 0.0028, 0.010  # m: cloth looks like paper without the turned-in edge


@dataclass(frozen=True, slots=True)
class Sheet:
    """A triangle surface with joint weights.

    Fields:
        position: (V, 3) f64 m
        triangle: (F, 3) i64
        weight:   (V, J) f64
        bones:    J str
    """

    position: F64
    triangle: Index
    weight: F64
    bones: tuple[str, ...]

    def share(self, *words: str) -> F64:
        """Return (V,): how much of each vertex belongs to bones whose name holds one of these words."""
        return share_of(self.bones, self.weight, *words)

    def kept(self, field: F64) -> Sheet:
        """Return the part where `field` >= 0."""
        triangle, (position, weight) = mesh.clipped(self.triangle, field, (self.position, self.weight))
        return Sheet(position, triangle, weight, self.bones)


def share_of(bones: Sequence[str], weight: F64, *words: str) -> F64:
    """Return (V,) sums of the weights of bones whose name holds one of these words."""
    return weight[:, [k for k, name in enumerate(bones) if any(word in name for word in words)]].sum(axis=1)


ARM_WORDS = ("Arm", "Hand", "Thumb", "Index", "Middle", "Ring", "Little")


def down_the_forearm(skeleton: Skeleton, position: F64, arm: F64) -> F64:
    """Return (V,): 0 at the elbow, 1 at the wrist, below 0 for whatever is no arm. `arm`: (V,) share of arm bones."""
    out = np.full(len(position), -9.0)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        elbow, wrist = skeleton.at(side + "LowerArm"), skeleton.at(side + "Hand")
        along = (position - elbow) @ (wrist - elbow) / ((wrist - elbow) @ (wrist - elbow))
        mine = (arm > 0.4) & (position[:, 0] * sign > 0.0)
        out[mine] = along[mine]
    return out


def body_sheet(source: Source, posed: Posed) -> Sheet:
    """Return the close-fitting surface that all garments are cut from, four times as fine as the source's."""
    quad, (position, weight) = mesh.packed(source.quads("helper-tights"), (posed.position, posed.skeleton.weight))
    position = mesh.smoothed(position, quad, 3, mesh.border(quad))
    quad, (position, weight) = mesh.subdivided(quad, position, weight)
    position = mesh.smoothed(position, quad, 2, mesh.border(quad))
    return Sheet(position, mesh.triangles(quad), weight, posed.skeleton.names)


@dataclass(slots=True)
class Garment:
    """A cut sheet, smoothed and pushed off the skin, with its outer normals. Painted and split into a part later."""

    sheet: Sheet
    normal: F64


def garment(sheet: Sheet, rounds: int, thickness: Callable[[Sheet], F64]) -> Garment:
    """Return the cut sheet smoothed `rounds` times and pushed out by (V,) m along its normals."""
    triangle = sheet.triangle
    position = mesh.smoothed(sheet.position, triangle, rounds, mesh.border(triangle))
    position = position + mesh.normals(position, triangle) * thickness(sheet)[:, None]
    return Garment(Sheet(position, triangle, sheet.weight, sheet.bones), mesh.normals(position, triangle))


def with_hems(
    cut: Garment,
    material: str,
    color: F64,
    *,
    trim: tuple[float, F64] | None = None,
    below: tuple[F64, F64] | None = None,
) -> Part:
    """Return the garment as a part, every open edge turned in.

    color: (V, 3) linear
    trim:  width in m and (3,) colour of a band along the open edges
    below: (V,) field and the (3,) colour of what lies where it is negative
    """
    sheet = cut.sheet
    rings = mesh.loops(sheet.triangle)
    pieces = [(sheet.triangle, [sheet.position, cut.normal, color, sheet.weight])]
    if trim is not None:
        below = _from_border(sheet.position, rings) - trim[0], trim[1]
    if below is not None:  # cut along the line: colours of shared vertices would run into each other
        second = np.broadcast_to(below[1], color.shape)
        pieces = [
            mesh.clipped(sheet.triangle, sign * below[0], (sheet.position, cut.normal, paint, sheet.weight))
            for sign, paint in ((1.0, color), (-1.0, second))
        ]
        if trim is not None:
            color = second
    inner = mesh.neighbour_mean(sheet.position, mesh.edges(sheet.triangle))
    pieces += [_turned_in(cut, ring, inner, color) for ring in rings]
    start = np.cumsum([0, *(len(values[0]) for _, values in pieces)])
    position, normal, paint, weight = (np.concatenate([values[k] for _, values in pieces]) for k in range(4))
    triangle = np.concatenate([piece + first for (piece, _), first in zip(pieces, start)])
    return Part(material, position, normal, triangle, paint, weight, {})


def _turned_in(cut: Garment, ring: Index, inner: F64, color: F64) -> tuple[Index, list[F64]]:
    edge, out = cut.sheet.position[ring], cut.normal[ring]
    inward = inner[ring] - edge
    inward -= out * (inward * out).sum(axis=1, keepdims=True)
    inward = _smooth_ring(inward)
    inward /= np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), 1e-9)
    rows = (
        (edge, out),
        (edge - 0.5 * HEM_IN * out - 0.4 * HEM_IN * inward, -inward),
        (edge - HEM_IN * out, -out),
        (edge - HEM_IN * out + HEM_UP * inward, -out),
    )
    n, a = len(ring), np.arange(len(ring))
    b = (a + 1) % n
    faces = [np.stack([b + k, a + k, a + k + n], axis=1) for k in (0, n, 2 * n)]
    faces += [np.stack([b + k, a + k + n, b + k + n], axis=1) for k in (0, n, 2 * n)]
    shade = np.repeat((0.9, 0.8, 0.6, 0.35), n)[:, None]
    return np.concatenate(faces), [
        np.concatenate([place for place, _ in rows]),
        np.concatenate([normal for _, normal in rows]),
        np.tile(color[ring], (4, 1)) * shade,
        np.tile(cut.sheet.weight[ring], (4, 1)),
    ]


def _from_border(position: F64, rings: list[Index]) -> F64:
    """Return (V,) m to the nearest open edge."""
    best = np.full(len(position), np.inf)
    for ring in rings:
        start = position[ring]
        along = np.roll(start, -1, axis=0) - start
        length = np.maximum((along**2).sum(axis=1), 1e-18)
        low, high = start.min(axis=0) - 0.05, start.max(axis=0) + 0.05
        near = np.flatnonzero(((position > low) & (position < high)).all(axis=1))
        rel = position[near][:, None] - start
        t = np.clip((rel * along).sum(axis=2) / length, 0.0, 1.0)
        away = np.sqrt(((rel - t[..., None] * along) ** 2).sum(axis=2).min(axis=1))
        best[near] = np.minimum(best[near], away)
    return np.minimum(best, 1.0)


def _smooth_ring(values: F64) -> F64:
    for _ in range(4):
        values = (values + np.roll(values, 1, axis=0) + np.roll(values, -1, axis=0)) / 3.0
    return values
