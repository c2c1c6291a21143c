"""The visible skin: head with its face units, hands without; and their paint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....components.arrays import F32, F64
from . import mesh
from .cloth import ARM_WORDS, share_of
from .clothes import OVERLAP, skin_under_cloth
from .expressions import UNITS
from .mesh import Index
from .options import Options
from .part import Part, linear
from .pose import Posed
from .shape import NEUTRAL
from .source import Source

SINK = 0.005  # m
TOUCH = 1e-6  # m: a face unit moves a vertex if by more


def face_moves(source: Source, posed: Posed) -> dict[str, F64]:
    """Return unit -> (V, 3) m over the re-posed body and its helpers, less what the neutral face already holds."""
    return {
        unit: (1.0 - NEUTRAL.get(unit, 0.0)) * np.einsum("vab,vb->va", posed.turn, source.face_unit(unit))
        for unit in UNITS
    }


def carried(position: F64, triangle: Index, moves: dict[str, F64]) -> dict[str, tuple[Index, F64, F64]]:
    """Return the morphs of one part: its moved vertices, their offsets and how their normals tilt.

    position: (V, 3) m, moves: unit -> (V, 3) m, of the part's own vertices
    """
    rest = mesh.normals(position, triangle)
    out = {}
    for unit, move in moves.items():
        if np.abs(move).max(initial=0.0) < TOUCH:
            continue
        moved = np.abs(move).max(axis=1) > TOUCH
        touched = np.unique(triangle[moved[triangle].any(axis=1)])
        tilt = mesh.normals(position + move, triangle) - rest
        out[unit] = (touched, move[touched], tilt[touched])
    return out


def painted(source: Source, posed: Posed, options: Options) -> F64:
    """Return (V, 3) linear skin colours: lips, lids, ears, nails, the mouth's inside, and a blush."""
    base = linear(options.skin)
    color = np.tile(base, (len(posed.position), 1))

    def over(amount: F32 | F64, tint: F64) -> None:
        nonlocal color
        color = color * (1.0 - amount[:, None]) + amount[:, None] * tint

    over(0.80 * source.mask("lips"), base * (0.66, 0.28, 0.30))
    over(1.00 * source.mask("inside-mouth"), linear((0.36, 0.13, 0.13)))
    over(0.35 * source.mask("eyelids"), base * (0.62, 0.44, 0.42))
    over(0.22 * source.mask("ears"), base * (0.95, 0.52, 0.48))
    over(0.60 * source.mask("fingernails"), base * (0.92, 0.62, 0.62))
    eye = posed.skeleton.at("leftEye")
    for sign in (1.0, -1.0):  # cheeks
        away = (posed.position - [sign * (eye[0] + 0.010), eye[1] - 0.040, eye[2] + 0.008]) * [1.0, 1.2, 0.6]
        over(0.26 * np.exp(-((away**2).sum(axis=1) / 0.020**2)), base * (1.0, 0.50, 0.48))
    knuckles = share_of(posed.skeleton.names, posed.skeleton.weight, "Intermediate", "Distal")
    over(0.12 * np.clip(knuckles, 0.0, 1.0), base * (0.98, 0.62, 0.58))
    return color


def skin(source: Source, posed: Posed, moves: dict[str, F64], color: F64, raised: F64) -> tuple[Part, Part, F64]:
    """Return the head with the neck down to below the collar, which has all morphs, the hands, and the mouth.

    The mouth is (V,) 0..1 of the head: how much of each vertex is its inside.

    Head and neck are one mesh without a seam: two meshes that touched under the chin showed pin-holes there.

    color:  (V, 3) linear
    raised: (V,) m along the normal
    """
    quad = source.quads("body")
    under = skin_under_cloth(posed)
    body = quad[(under < OVERLAP)[quad].any(axis=1)]
    normal = mesh.normals(posed.position, mesh.triangles(quad))
    sunk = SINK * np.clip(under / OVERLAP, 0.0, 1.0)  # stays under the collar when she bends
    posed = replace(posed, position=posed.position + (raised - sunk)[:, None] * normal)
    weight = posed.skeleton.weight
    hand = (share_of(posed.skeleton.names, weight, *ARM_WORDS) > 0.2)[body].any(axis=1)
    return (
        _part(body[~hand], posed, normal, weight, color, moves),
        _part(body[hand], posed, normal, weight, color, {}),
        source.mask("inside-mouth")[np.unique(body[~hand])].astype(np.float64),
    )


def _part(quad: Index, posed: Posed, normal: F64, weight: F64, color: F64, moves: dict[str, F64]) -> Part:
    used = np.unique(quad)
    triangle, (position, n, w, c) = mesh.packed(mesh.triangles(quad), (posed.position, normal, weight, color))
    morph = carried(position, triangle, {unit: move[used] for unit, move in moves.items()})
    return Part("skin", position, n, triangle, c, w, morph)
