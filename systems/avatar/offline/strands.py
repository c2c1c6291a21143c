"""Where each strand of hair runs: from the parting, the crown and the hairline over the skull, then down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from .part import noise
from .skull import HAIRLINE, Skull

ALONG = 14  # points of a strand
PARTING = 12.0  # deg to her left at the forehead
EAR_TOP = -9.0  # deg elevation that clears her ears (they reach -16) with a strand's half width


def direction(azimuth: float, elevation: float) -> F64:
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


def _path(skull: Skull, control: list[F64], lift: F64, hang: float, tuck: float, bow: float = 0.010) -> F64:
    """Return (ALONG, 3) m: over the skull through directions, then down. lift: (N,) m off the skin at the controls.

    hang: m of the fall; tuck: m its end turns in; bow: m it swells out before
    """
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
    fall = fall + out * (bow * np.sin(np.pi * 0.8 * s) - tuck * s**2.2)
    return np.concatenate([top, fall])


@dataclass(frozen=True, slots=True)
class Strand:
    """One flat strand.

    Fields:
        path:   (ALONG, 3) f64 m, root first
        half:   m, half of its width
        bright: factor on the hair's colour
        thin:   0..1, how far the skin shines through at its root
    """

    path: F64
    half: float
    bright: float
    thin: float


def _at_hairline(azimuth: float, above: float = 0.0) -> F64:
    height = float(np.interp(abs(azimuth), *HAIRLINE)) - 0.030 + above
    return direction(azimuth, float(np.degrees(np.arctan2(height, 0.088))))


def strands(skull: Skull, seed: int) -> list[Strand]:
    """Return every strand of her hair."""
    out = []
    for side, sign in enumerate((1.0, -1.0)):
        for layer, count in enumerate((24, 26, 26)):
            for k in range(count):
                j = [float(noise(seed, 10 + layer, side, k, i)) for i in range(5)]
                f = (k + 0.5 + 0.4 * j[0]) / count
                root = _at_hairline(PARTING, 0.006) * (1 - f) + direction(-180.0, 55.0) * f
                across = 0.050 * (1 - f) - 0.014 * sign  # the sides cross a little: a parting that only meets gapes
                root = root + np.array([across, 1.1 * f * (1 - f), 0.0])
                root = root / np.linalg.norm(root)
                first = direction(sign * (86.0 + 62.0 * f), EAR_TOP + 3.0 + 34.0 * f + 2.5 * j[0])
                last = direction(sign * (113.0 + 64.0 * f + 2.0 * j[1]), -26.0 + 10.0 * f + 2.0 * j[2])
                middle = root + first + [0.0, 0.10, 0.0]
                base = (0.002 + 0.0032 * layer) * (0.45 + 0.55 * min(f / 0.3, 1.0))  # flat at the forehead: no brim
                full = 0.0050 * min(f / 0.5, 1.0)  # the crown is round: a valley along the parting reads as a cap
                lift = np.array(
                    [0.0012 + 0.60 * base + 0.8 * full, base + 0.0034 + 0.7 * full, base + 0.0040, base + 0.005]
                )
                hang = 0.138 - 0.006 * layer + 0.007 * j[3] - 0.004 * f
                path = _path(skull, [root, middle, first, last], lift, hang, 0.010 + 0.006 * (1 - f))
                bright = (0.70, 0.95, 1.0)[layer]  # the inmost is what shows behind the neck
                out.append(Strand(path, 0.0072, bright + 0.16 * j[4], 0.0))
        for k in range(26):  # from the crown down the back, where the two sides would part
            j = [float(noise(seed, 40, side, k, i)) for i in range(4)]
            f = (k + 0.5 + 0.4 * j[0]) / 26
            root = direction(sign * (150.0 + 30.0 * f), 74.0 - 16.0 * f)
            first = direction(sign * (138.0 + 44.0 * f), 26.0 + 3.0 * j[1])
            last = direction(sign * (146.0 + 40.0 * f), -18.0 + 2.0 * j[2])
            middle = root + first + [0.0, 0.06, 0.0]
            base = 0.0090 + 0.0016 * (k % 3)
            lift = np.array([0.0015 + 0.65 * base, base + 0.0065, base + 0.003, base])
            path = _path(skull, [root, middle, first, last], lift, 0.134 + 0.006 * j[3], 0.010)
            out.append(Strand(path, 0.0072, 1.0 + 0.16 * j[2], 0.0))
        for k in range(84):  # from the hairline itself, swept back: pointed, so that the skin shows between them
            j = [float(noise(seed, 20, side, k, i)) for i in range(5)]
            f = (k + 0.5 + 0.3 * j[4]) / 84
            azimuth = PARTING * (sign > 0) + (78.0 - PARTING * (sign > 0)) * f
            root = _at_hairline(sign * azimuth, 0.0012 + 0.0024 * j[0])
            first = direction(sign * (84.0 + 12.0 * f), EAR_TOP + 12.0 * (1.0 - f) + 1.5 * j[1])
            last = direction(sign * (112.0 + 6.0 * j[2]), -26.0)
            middle = root + first + [0.0, 0.45 * (1.0 - f) ** 2, 0.0]
            lift = np.array([0.0009, 0.0046, 0.0050, 0.005])
            path = _path(skull, [root, middle, first, last], lift, 0.095 + 0.012 * j[3], 0.012)
            out.append(Strand(path, 0.0026, 0.92 + 0.14 * j[3], 0.15))
        for k in range(22):  # a loose lock before each ear, to the jaw: it frames the face and softens the temple
            j = [float(noise(seed, 50, side, k, i)) for i in range(5)]
            f = (k + 0.5 + 0.4 * j[0]) / 22
            root = _at_hairline(PARTING, 0.010) * (1.0 - 0.22 * f) + direction(-180.0, 55.0) * 0.22 * f
            root = root + np.array([-0.012 * sign, 0.02 * f, 0.0])
            root = root / np.linalg.norm(root)
            brow = direction(sign * (44.0 + 9.0 * f) + 4.0, 33.0 + 6.0 * f)
            temple = direction(sign * (66.0 + 12.0 * f + 2.0 * j[1]), 3.0 + 4.0 * f)
            cheek = direction(sign * (73.0 + 10.0 * f + 2.0 * j[2]), -17.0)
            lift = np.array([0.0035, 0.0078, 0.0062, 0.0055 + 0.0020 * f]) + 0.0020 * (k % 2)
            path = _path(
                skull, [root, brow, temple, cheek], lift, 0.064 + 0.010 * f + 0.010 * j[3], 0.017 - 0.004 * f, 0.003
            )
            out.append(Strand(path, 0.0046 - 0.0012 * abs(j[4]), 0.98 + 0.14 * j[3], 0.0))
    return out
