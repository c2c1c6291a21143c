"""Eyeballs: rings around the optical axis with crisp colour steps, a sunken iris and a painted catch light."""

from __future__ import annotations

import numpy as np

from ....components.anatomy import SIDES
from ....components.arrays import F64
from .mesh import Index
from .options import Options
from .part import Part, linear, noise, one_bone
from .pose import Posed
from .source import Source

AROUND = 40
# Degrees from the optical axis. The source's own eyes have 72 vertices: too coarse for a round iris.
PUPIL, IRIS, LIMBUS = 9.0, 22.0, 25.5
# deg off axis, deg clock angle, deg radius: a window high on the key light's side, and what the floor throws back
CATCHES = ((9.5, 122.0, 4.4), (11.5, -52.0, 1.9))


def eyes(source: Source, posed: Posed, options: Options) -> list[Part]:
    """Return both eyeballs as one part and both catch lights as another."""
    balls, lights = [], []
    for number, side in enumerate(SIDES):
        centre = posed.skeleton.at(side + "Eye")
        helper = np.unique(source.quads(f"helper-{side[0]}-eye"))
        radius = float(np.percentile(np.linalg.norm(posed.position[helper] - centre, axis=1), 60))
        balls.append(_ball(centre, radius, number, options))
        lights.append(_lights(centre, radius))
    names = posed.skeleton.names
    return [_joined("eye", balls, names), _joined("catchlight", lights, names)]


def _joined(material: str, pieces: list[tuple[F64, F64, Index, F64]], names: tuple[str, ...]) -> Part:
    (lp, ln, lt, lc), (rp, rn, rt, rc) = pieces
    weight = np.concatenate([one_bone(len(lp), names, "leftEye"), one_bone(len(rp), names, "rightEye")])
    triangle = np.concatenate([lt, rt + len(lp)])
    return Part(
        material, np.concatenate([lp, rp]), np.concatenate([ln, rn]), triangle, np.concatenate([lc, rc]), weight, {}
    )


def _ball(centre: F64, radius: float, number: int, options: Options) -> tuple[F64, F64, Index, F64]:
    iris, white = linear(options.iris), linear((0.90, 0.885, 0.87))
    black, rim = linear((0.015, 0.015, 0.02)), linear(options.iris) * 0.16
    warm = iris * (1.5, 1.15, 0.70)
    # (angle, colour, depth in radii); the same angle twice makes a hard step
    rings = (
        (0.0, black, 0.05), (PUPIL, black, 0.05), (PUPIL + 0.6, warm * 0.40, 0.05), (PUPIL + 3.0, warm * 1.15, 0.045),
        (PUPIL + 6.0, iris * 1.20, 0.035), (PUPIL + 9.0, iris * 1.35, 0.02), (IRIS - 2.0, iris * 0.75, 0.012),
        (IRIS + 0.5, rim, 0.0), (LIMBUS - 1.0, rim, 0.0),
        (LIMBUS + 1.5, white * 0.60, 0.0), (LIMBUS + 6.0, white * 0.95, 0.0), (45.0, white, 0.0),
        (60.0, white * 0.90, 0.0), (80.0, white * (0.80, 0.66, 0.64), 0.0), (105.0, white * (0.62, 0.44, 0.42), 0.0),
    )  # fmt: skip
    around = np.arange(AROUND) * (2.0 * np.pi / AROUND)
    position, normal, color, triangle = [], [], [], []
    for k, (angle, colour, depth) in enumerate(rings):
        a = np.radians(angle)
        out = np.stack([np.sin(a) * np.cos(around), np.sin(a) * np.sin(around), np.full(AROUND, np.cos(a))], axis=1)
        position.append(centre + radius * (out - [0.0, 0.0, depth]))
        normal.append(out)
        fibre = 1.0 + 0.30 * noise(options.seed, 1, number, k, np.arange(AROUND)) * (PUPIL < angle < IRIS)
        # The lens gathers the light from above on the iris below: without it the eye is a disc of paint.
        glow = 1.0 - 0.42 * np.sin(around - 0.35) * (PUPIL < angle < IRIS)
        shade = 1.0 - 0.38 * np.clip((out[:, 1] - 0.05) / 0.45, 0.0, 1.0)  # the upper lid's shadow
        color.append(colour * (fibre * shade * glow)[:, None])
        if k:
            a0 = (k - 1) * AROUND + np.arange(AROUND)
            a1 = (k - 1) * AROUND + (np.arange(AROUND) + 1) % AROUND
            triangle += [np.stack([a0, a0 + AROUND, a1 + AROUND], 1), np.stack([a0, a1 + AROUND, a1], 1)]
    return np.concatenate(position), np.concatenate(normal), np.concatenate(triangle), np.concatenate(color)


def _lights(centre: F64, radius: float) -> tuple[F64, F64, Index, F64]:
    (p, n, t, c), (q, m, u, d) = (_catch_light(centre, radius, catch) for catch in CATCHES)
    faces = np.concatenate([t, u + len(p)])
    return np.concatenate([p, q]), np.concatenate([n, m]), faces, np.concatenate([c, 0.35 * d])


def _catch_light(centre: F64, radius: float, catch: tuple[float, ...]) -> tuple[F64, F64, Index, F64]:
    off, clock, size = np.radians(catch)
    axis = np.array([np.sin(off) * np.cos(clock), np.sin(off) * np.sin(clock), np.cos(off)])
    right = np.cross([0.0, 1.0, 0.0], axis)
    right /= np.linalg.norm(right)
    up = np.cross(axis, right)
    n = 12
    angle = np.arange(n) * (2.0 * np.pi / n)
    disc = np.concatenate([np.zeros((1, 2)), np.tan(size) * np.stack([np.cos(angle), np.sin(angle)], axis=1)])
    out = axis + disc[:, :1] * right + disc[:, 1:] * up
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    triangle = np.stack([np.zeros(n, np.int64), 1 + np.arange(n), 1 + (np.arange(n) + 1) % n], axis=1)
    return centre + radius * 1.004 * out, out, triangle, np.ones((n + 1, 3))
