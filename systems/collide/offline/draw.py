"""Capsules over her body from three sides, drawn without any graphics library: a picture of a fit to look at."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ....components.arrays import F64, I32, Bool
from ....components.capsules import CapsuleSet
from ....components.errors import OutputError
from ....components.skin import Body
from .pairs import place
from .parts import parts_of
from .refine import Fitted, Skin, gaps
from .samples import Samples, sample, surface_of
from .seen import visible

VIEWS = (0.0, 90.0, 180.0)  # deg about the vertical: front, her left, back
TALL, DOTS = 900, 400_000  # px of height, dots of her skin
BACK = (0.93, 0.93, 0.95)
# One colour a part: trunk, upper arm, forearm, palm, finger; in pairs of shades so that neighbours differ.
COLOURS = np.array([[0.55, 0.67, 0.80], [0.55, 0.75, 0.55], [0.85, 0.75, 0.45], [0.80, 0.60, 0.45], [0.75, 0.55, 0.75]])
OUTSIDE = np.array([0.85, 0.10, 0.10])  # skin more than 5 mm out of every capsule
STICKS = np.array([0.95, 0.55, 0.05])  # capsule more than 8 mm out of the skin
SKIN = np.array([0.30, 0.30, 0.34])


def draw(path: str | Path, body: Body, capsules: CapsuleSet) -> None:
    """Write a PNG of her rest pose from three sides: her skin beside her capsules. OutputError.

    The skin is red where no capsule is within 5 mm, a capsule orange where it stands more than 8 mm out of the skin.
    """
    from PIL import Image

    parts = parts_of(body)
    surface = surface_of(body, parts)
    (samples,) = visible(surface, sample(surface, parts, DOTS, 1.0, seed=7))
    placed = place(body.rig, capsules, body.rig.rest_rotation)
    fit = Fitted(capsules.joint.copy(), capsules.joint.copy(), placed.start, placed.end, capsules.radius.copy())
    image = views(fit, capsules.part, samples)
    try:
        Image.fromarray((np.clip(image, 0.0, 1.0) * 255.0).astype(np.uint8)).save(Path(path))
    except OSError as cause:
        raise OutputError(f"{path}: cannot be written ({cause.strerror or cause}); choose another folder") from None


def views(fit: Fitted, part: I32, samples: Samples) -> F64:
    """Return what `draw` writes, (H, W, 3) 0..1. part: (C,) i32 as in CapsuleSet; samples: dense, they are the skin."""
    low, high = samples.point.min(axis=0), samples.point.max(axis=0)
    middle, span = 0.5 * (low + high), float(high[1] - low[1]) * 1.06
    missed = gaps(samples.point, fit)[1] >= 0.005
    skin = Skin(samples)
    drawn = []
    for degrees in VIEWS:
        angle = math.radians(degrees)
        right = np.array([math.cos(angle), 0.0, -math.sin(angle)])
        front = np.array([math.sin(angle), 0.0, math.cos(angle)])
        wide = float(np.ptp(samples.point @ right)) * 1.08
        size = (max(int(TALL * wide / span), 64), TALL)
        drawn += [
            _bodies(fit, part, samples, missed, right, front, middle, span, size, skin if k else None) for k in (0, 1)
        ]
    return np.concatenate(drawn, axis=1)


def _bodies(
    fit: Fitted, part: I32, samples: Samples, missed: Bool, right: F64, front: F64, middle: F64, span: float,
    size: tuple[int, int], skin: Skin | None,
) -> F64:  # fmt: skip
    """Return one view, (H, W, 3): her skin with what is missed in red, or with `skin` the capsules."""
    wide, tall = size
    scale = tall / span
    image, depth = np.tile(np.array(BACK), (tall, wide, 1)), np.full((tall, wide), -1e9)
    light = _light(right, front)
    if skin is None:
        _dots(image, depth, samples, missed, right, front, middle, scale, light)
    for k in range(len(fit.row)) if skin is not None else ():
        colour = COLOURS[part[k]] * (1.0 - 0.12 * (k % 2))
        _capsule(image, depth, fit, k, colour, right, front, middle, scale, light)
    if skin is not None:
        _mark(image, depth, skin, right, front, middle, scale)
    return image


def _light(right: F64, front: F64) -> F64:
    way = front + 0.4 * right + np.array([0.0, 0.8, 0.0])
    return way / np.linalg.norm(way)


def _dots(
    image: F64,
    depth: F64,
    samples: Samples,
    missed: Bool,
    right: F64,
    front: F64,
    middle: F64,
    scale: float,
    light: F64,
) -> None:
    """Draw samples as dots of 3 x 3 px, nearest last."""
    tall, wide = depth.shape
    off = samples.point - middle
    x, y, z = off @ right * scale + wide / 2, tall / 2 - off[:, 1] * scale, off @ front
    facing = samples.normal @ front > -0.05
    shade = 0.45 + 0.55 * np.clip(samples.normal @ light, 0.0, 1.0)
    colour = np.where(missed[:, None], OUTSIDE, SKIN + 0.35) * shade[:, None]
    order = np.argsort(z, kind="stable")
    order = order[facing[order]]
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            i = np.clip(y[order].astype(int) + dy, 0, tall - 1)
            j = np.clip(x[order].astype(int) + dx, 0, wide - 1)
            closer = z[order] >= depth[i, j] - 0.004
            image[i[closer], j[closer]] = colour[order][closer]
            np.maximum.at(depth, (i, j), z[order])


def _capsule(
    image: F64, depth: F64, fit: Fitted, k: int, colour: F64, right: F64, front: F64, middle: F64, scale: float,
    light: F64,
) -> None:  # fmt: skip
    """Draw one capsule by the ray that meets it in each pixel of its box."""
    tall, wide = depth.shape
    a, b, r = fit.start[k] - middle, fit.end[k] - middle, float(fit.radius[k])
    up = np.array([0.0, 1.0, 0.0])
    pa, pb = np.array([a @ right, a @ up, a @ front]), np.array([b @ right, b @ up, b @ front])
    low, high = np.minimum(pa, pb)[:2] - r, np.maximum(pa, pb)[:2] + r
    j0, j1 = int(low[0] * scale + wide / 2), int(high[0] * scale + wide / 2) + 2
    i0, i1 = int(tall / 2 - high[1] * scale), int(tall / 2 - low[1] * scale) + 2
    j0, j1, i0, i1 = max(j0, 0), min(j1, wide), max(i0, 0), min(i1, tall)
    if j0 >= j1 or i0 >= i1:
        return
    x = (np.arange(j0, j1) + 0.5 - wide / 2) / scale
    y = (tall / 2 - np.arange(i0, i1) - 0.5) / scale
    gx, gy = np.meshgrid(x, y)
    best, normal = np.full(gx.shape, -1e9), np.zeros((*gx.shape, 3))
    for p in (pa, pb):
        off = r * r - (gx - p[0]) ** 2 - (gy - p[1]) ** 2
        z = np.where(off > 0.0, p[2] + np.sqrt(np.maximum(off, 0.0)), -1e9)
        closer = z > best
        best = np.where(closer, z, best)
        normal[closer] = (np.stack([gx - p[0], gy - p[1], z - p[2]], axis=-1) / r)[closer]
    z, n = _side(gx, gy, pa, pb, r)
    closer = z > best
    best = np.where(closer, z, best)
    normal[closer] = n[closer]
    at = np.array([light @ right, light @ up, light @ front])
    shade = 0.35 + 0.65 * np.clip(normal @ at, 0.0, 1.0)
    window = depth[i0:i1, j0:j1]
    show = best > window
    window[show] = best[show]
    image[i0:i1, j0:j1][show] = (colour * shade[..., None])[show]


def _side(gx: F64, gy: F64, a: F64, b: F64, r: float) -> tuple[F64, F64]:
    """Return where rays along the depth meet a capsule's side, -1e9 where they do not, and the normals there."""
    axis = b - a
    length = float(np.linalg.norm(axis))
    nothing = np.full(gx.shape, -1e9)
    if length < 1e-6:
        return nothing, np.zeros((*gx.shape, 3))
    axis = axis / length
    off = np.stack([gx - a[0], gy - a[1], np.full(gx.shape, -a[2])], axis=-1)
    way = np.array([0.0, 0.0, 1.0])
    across, flat = way - axis * axis[2], off - (off @ axis)[..., None] * axis
    qa = float(across @ across)
    if qa < 1e-9:
        return nothing, np.zeros((*gx.shape, 3))
    qb, qc = flat @ across, (flat * flat).sum(axis=-1) - r * r
    room = qb * qb - qa * qc
    z = (-qb + np.sqrt(np.maximum(room, 0.0))) / qa
    hit = off + z[..., None] * way
    t = hit @ axis
    z = np.where((room > 0.0) & (t > 0.0) & (t < length), z, -1e9)
    return z, (hit - t[..., None] * axis) / r


def _mark(image: F64, depth: F64, skin: Skin, right: F64, front: F64, middle: F64, scale: float) -> None:
    """Colour the pixels whose capsule stands more than 8 mm out of the skin."""
    tall, wide = depth.shape
    i, j = np.nonzero(depth > -1e8)
    point = (
        middle
        + ((j + 0.5 - wide / 2) / scale)[:, None] * right
        + ((tall / 2 - i - 0.5) / scale)[:, None] * np.array([0.0, 1.0, 0.0])
        + depth[i, j][:, None] * front
    )
    far = skin.out_of(point) > 0.008
    image[i[far], j[far]] = 0.5 * image[i[far], j[far]] + 0.5 * STICKS
