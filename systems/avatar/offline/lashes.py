"""Lashes grown on the source's lash strips: a lid line and single tapered hairs. Filled strips look like tape."""

from __future__ import annotations

import numpy as np

from ....components.anatomy import SIDES
from ....components.arrays import F64
from . import mesh
from .mesh import Index
from .part import Part, linear, noise
from .pose import Posed
from .skin import carried
from .source import Source

COLOURS = {"2": (0.10, 0.065, 0.055), "1": (0.34, 0.22, 0.18)}  # sRGB; the lower ones as dark as the upper are make-up
# strip -> hairs, length in rows of the strip (4 is its whole depth), half width in m, depth of the lid line in rows.
# Wide at the root and touching there: single thin hairs became dots from 1 m on.
STRIPS = {"2": (26, 3.1, 0.00085, 1.35), "1": (20, 1.1, 0.00045, 0.42)}  # "2" is the upper lid
SECTIONS = 4


def grid(quad: Index) -> Index:
    """Return a strip of (F, 4) quads as a (rows, columns) grid of vertices, the longer side along the columns."""
    place = {int(quad[0, 0]): (0, 0), int(quad[0, 1]): (0, 1)}
    left = [[int(v) for v in face] for face in quad]
    while left:
        for face in left:
            k = next((k for k in range(4) if face[k] in place and face[k - 3] in place), None)
            if k is None:
                continue
            (ai, aj), (bi, bj) = place[face[k]], place[face[k - 3]]
            turn = (bj - aj, -(bi - ai))
            place[face[k - 2]] = (bi + turn[0], bj + turn[1])
            place[face[k - 1]] = (ai + turn[0], aj + turn[1])
            left.remove(face)
            break
        else:
            raise ValueError("a lash strip of the source is no grid")
    cell = np.array(list(place.values()))
    cell -= cell.min(axis=0)
    out = np.zeros((int(cell[:, 0].max()) + 1, int(cell[:, 1].max()) + 1), np.int64)
    out[cell[:, 0], cell[:, 1]] = list(place)
    return out if out.shape[1] >= out.shape[0] else out.T


def _blend(count: int, at: F64) -> F64:
    """Return (N, count) weights that read a column of values at fractional places (linear)."""
    low = np.clip(np.floor(at).astype(np.int64), 0, count - 2)
    share = np.clip(at - low, 0.0, 1.0)
    out = np.zeros((len(at), count))
    out[np.arange(len(at)), low] = 1.0 - share
    out[np.arange(len(at)), low + 1] += share
    return out


def lashes(source: Source, posed: Posed, moves: dict[str, F64]) -> Part:
    """Return the lashes of both eyes with the morphs of the strips they grow on."""
    body = np.unique(source.quads("body"))
    pieces = []
    for number, side in enumerate(SIDES):
        for strip, (hairs, length, half, line) in STRIPS.items():
            cells = grid(source.quads(f"helper-{side[0]}-eyelashes-{strip}"))
            place = posed.position[cells]
            gap = ((place[[0, -1], :, None] - posed.position[body]) ** 2).sum(axis=3).min(axis=2).sum(axis=1)
            if gap[1] < gap[0]:
                cells = cells[::-1]
            if abs(place[0, 0, 0]) > abs(place[0, -1, 0]):
                cells = cells[:, ::-1]  # from the nose outwards
            at, side_step, triangle = _drawn(cells.shape, number * 2 + int(strip), hairs, length, half, line)
            pieces.append((cells, at, side_step, triangle))
    return _part(pieces, list(STRIPS) * len(SIDES), posed, moves)


def _drawn(
    shape: tuple[int, int], seed: int, hairs: int, length: float, half: float, line: float
) -> tuple[F64, F64, Index]:
    """Return (N, 2) row and column of each vertex on the strip, (N,) its step along the lid in m, and triangles."""
    columns = shape[1] - 1.0
    at, step, triangle = [], [], []

    def ribbon(middle: F64, width: F64) -> None:
        start = sum(len(a) for a in at)
        n = len(middle)
        at.append(np.repeat(middle, 2, axis=0))
        step.append(np.stack([-width, width], axis=1).ravel())
        a = start + 2 * np.arange(n - 1)
        triangle.extend((np.stack([a, a + 1, a + 3], 1), np.stack([a, a + 3, a + 2], 1)))

    u = np.linspace(0.0, columns, 40)
    swell = np.sin(np.pi * np.clip(0.12 + 0.80 * u / columns, 0.0, 1.0)) ** 0.7
    start = sum(len(a) for a in at)
    for row in (np.zeros_like(u), line * swell):
        at.append(np.stack([row, u], axis=1))
        step.append(np.zeros_like(u))
    a = start + np.arange(len(u) - 1)
    triangle += [np.stack([a, a + 1, a + 41], 1), np.stack([a, a + 41, a + 40], 1)]
    for hair in range(hairs):
        f = (hair + 0.5 + 0.3 * float(noise(seed, 2, hair))) / hairs
        reach = length * (0.55 + 0.45 * np.sin(np.pi * min(0.25 + 0.55 * f, 1.0))) * (1.0 + 0.10 * noise(seed, 3, hair))
        lean = (f - 0.35) * 1.5 + 0.25 * float(noise(seed, 4, hair))
        t = np.linspace(0.0, 1.0, SECTIONS)
        ribbon(np.stack([reach * t, f * columns + lean * t**1.5], axis=1), half * (1.0 - 0.94 * t**0.8))
    return np.concatenate(at), np.concatenate(step), np.concatenate(triangle)


def _part(pieces: list[tuple[Index, F64, F64, Index]], tags: list[str], posed: Posed, moves: dict[str, F64]) -> Part:
    positions, weights, triangles, count = [], [], [], 0
    carried_moves: dict[str, list[F64]] = {unit: [] for unit in moves}
    for cells, at, step, triangle in pieces:
        rows, columns = cells.shape
        mix_row, mix_column = _blend(rows, at[:, 0]), _blend(columns, at[:, 1])

        def read(values: F64, cells: Index = cells, a: F64 = mix_row, b: F64 = mix_column) -> F64:
            return np.einsum("nr,nc,rck->nk", a, b, values[cells], optimize=True)

        along = np.gradient(posed.position[cells], axis=1)
        along /= np.linalg.norm(along, axis=2, keepdims=True)
        sideways = np.einsum("nr,nc,rck->nk", mix_row, mix_column, along, optimize=True)
        positions.append(read(posed.position) + step[:, None] * sideways)
        weights.append(read(posed.skeleton.weight))
        for unit, move in moves.items():
            carried_moves[unit].append(read(move))
        triangles.append(triangle + count)
        count += len(at)
    position, triangle = np.concatenate(positions), np.concatenate(triangles)
    morph = carried(position, triangle, {unit: np.concatenate(parts) for unit, parts in carried_moves.items()})
    color = np.concatenate([np.tile(linear(COLOURS[strip]), (len(piece[1]), 1)) for strip, piece in zip(tags, pieces)])
    return Part("lash", position, mesh.normals(position, triangle), triangle, color, np.concatenate(weights), morph)
