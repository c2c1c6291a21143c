"""Gesture torture by seed: hands that go from place to place on and inside her, smooth and no faster than talk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....components.anatomy import BODY_SLOTS, SIDES
from ....components.arrays import F64
from .figure import Figure, shown
from .motions import RATE, waves
from .optimum import depths
from .scene import Scene

# m: what a key and what lies between two keys may have inside. Deeper upper arms make the elbow go through the ribs,
# and then no way out is meant by any figure (seen on a prototype).
UPPER_KEY, HAND_KEY, UPPER_WAY, HAND_WAY = 0.020, 0.070, 0.035, 0.090
UPPER_MOST, HAND_MOST = 0.045, 0.110  # m, on the smooth path through the keys, which swings out beyond them
SPEED = 110.0  # deg/s, of the fastest joint between two keys, by its mean; peaks come out as high
LEAST = 0.45  # s between keys
POLE = np.array([0.5, -1.0, -0.4])  # (out, up, forward), where elbows point at the mean
TRIES = 100


def stress(body: Figure, seed: int, frames: int = 3600) -> F64:
    """Return (frames, J, 4): hands from key to key, up to 7 cm inside belly, chest and hips, on a swaying torso."""
    draw = np.random.default_rng(seed)
    rotation = np.zeros((frames, len(BODY_SLOTS), 3))
    for name, size in (("spine", 2.0), ("chest", 2.0), ("upperChest", 2.0), ("neck", 4.0), ("head", 4.0)):
        rotation[:, BODY_SLOTS.index(name)] = np.radians(size) * waves(draw, frames, 0.1, 0.4)
    here = body.scene(body.base(1))
    for side in range(2):
        first = BODY_SLOTS.index(SIDES[side] + "UpperArm")
        rotation[:, first : first + 3] = _path(body, side, _keys(body, here, side, draw, frames / RATE + 15.0), frames)
    return shown(body, rotation)


def _path(body: Figure, side: int, keys: F64, frames: int) -> F64:
    """Return the smooth motion (frames, 3, 3) through the keys, less those near which it goes too deep."""
    while True:
        times = _times(keys)
        path = np.stack([_through(times, keys[:, k], frames) for k in range(3)], axis=1)
        deep = _deep(body, side, path[::4])
        over = np.maximum(deep[:, 0] - UPPER_MOST, deep[:, 1:].max(axis=1) - HAND_MOST)
        if over.max() <= 0.0 or times[-2] < frames / RATE:
            return path
        keys = np.delete(keys, 1 + int(np.abs(times[1:-1] - 4 * int(over.argmax()) / RATE).argmin()), axis=0)


def _times(keys: F64) -> F64:
    """Return when each key is reached, (K,) s."""
    from scipy.spatial.transform import Rotation

    made = [Rotation.from_rotvec(keys[:, k]) for k in range(keys.shape[1])]
    angle = np.degrees(np.max([(m[:-1].inv() * m[1:]).magnitude() for m in made], axis=0))
    return np.concatenate([[0.0], np.cumsum(np.maximum(LEAST, 1.7 * angle / SPEED))])


def _through(times: F64, vectors: F64, frames: int) -> F64:
    """Return rotation vectors of the smooth motion through keys, (frames, 3)."""
    from scipy.spatial.transform import Rotation, RotationSpline

    made: Any = RotationSpline(times, Rotation.from_rotvec(vectors))
    return made(np.arange(frames) / RATE).as_rotvec()


def _keys(body: Figure, here: Scene, side: int, draw: np.random.Generator, seconds: float) -> F64:
    """Return neutral local rotation vectors (K, 3, 3) of one arm's keys, for `seconds` or more."""
    from scipy.spatial.transform import Rotation

    keys: list[F64] = []
    last: Any = None
    while len(keys) < 2 or _times(np.stack(keys))[-1] < seconds:
        tried = np.stack([_key(here, side, draw) for _ in range(TRIES)])
        good = tried[_inside(body, side, tried, UPPER_KEY, HAND_KEY)]
        if not len(good):
            raise ValueError(f"{body.name}: none of {TRIES} places is one her hand may be stressed at")
        for key in good:
            turn = Rotation.from_rotvec(key)
            if last is not None:
                away = (last.inv() * turn).as_rotvec()
                way = np.stack([(last * Rotation.from_rotvec(share * away)).as_rotvec() for share in (0.25, 0.5, 0.75)])
                if not _inside(body, side, way, UPPER_WAY, HAND_WAY).all():
                    continue
            keys.append(key)
            last = turn
    return np.stack(keys)


def _inside(body: Figure, side: int, keys: F64, upper: float, hand: float) -> Any:
    """Tell which keys (N, 3, 3) keep the upper arm and the rest of the arm no deeper than this."""
    deep = _deep(body, side, keys)
    return (deep[:, 0] <= upper) & (deep[:, 1:].max(axis=1) <= hand)


def _deep(body: Figure, side: int, keys: F64) -> F64:
    """Return how deep the links of one arm are at neutral rotations (N, 3, 3), (N, 3) m."""
    rotation = np.zeros((len(keys), len(BODY_SLOTS), 3))
    first = BODY_SLOTS.index(SIDES[side] + "UpperArm")
    rotation[:, first : first + 3] = keys
    other = BODY_SLOTS.index(SIDES[1 - side] + "UpperArm")
    rotation[:, other, 2] = math.radians(60.0) * (1.0 if side == 0 else -1.0)  # the other arm, out of the way
    return depths(body.scene(shown(body, rotation)))[:, side]


def _key(here: Scene, side: int, draw: np.random.Generator) -> F64:
    """Return one arm's neutral local rotation vectors (3, 3) with the wrist at a place drawn beside or before her."""
    from scipy.spatial.transform import Rotation

    shoulder, elbow, wrist = here.joint[0, side]
    sign = 1.0 if side == 0 else -1.0
    mirror = np.array([sign, 1.0, 1.0])
    place = _place(here, side, draw)
    upper, fore = float(np.linalg.norm(elbow - shoulder)), float(np.linalg.norm(wrist - elbow))
    line = place - shoulder
    reach = min(max(float(np.linalg.norm(line)), 0.2 * (upper + fore)), 0.97 * (upper + fore))
    line = line / np.linalg.norm(line)
    pole = mirror * (POLE + draw.uniform(-1.0, 1.0, 3) * [0.35, 0.0, 0.4])
    pole -= (pole @ line) * line
    pole /= np.linalg.norm(pole)
    cosine = (upper**2 + reach**2 - fore**2) / (2.0 * upper * reach)
    along = line * cosine + pole * math.sqrt(max(0.0, 1.0 - cosine * cosine))
    onward = (line * reach - along * upper) / fore
    hinge = np.cross(along, onward)
    hinge /= np.linalg.norm(hinge)
    world = []
    for bone in (along, onward):  # neutral: bone along +-x, hinge along -+y
        columns = np.stack([sign * bone, -sign * hinge, np.cross(sign * bone, -sign * hinge)], axis=1)
        world.append(Rotation.from_matrix(columns))
    hand = np.radians(draw.uniform(-25.0, 25.0, 3))
    return np.stack([world[0].as_rotvec(), (world[0].inv() * world[1]).as_rotvec(), hand])


def _place(here: Scene, side: int, draw: np.random.Generator) -> F64:
    """Draw a wrist's place, m: beside the hip (a quarter), at belly or chest (half), or anywhere in front."""
    shoulders = here.joint[0, :, 0]
    sign = 1.0 if side == 0 else -1.0
    half = 0.5 * abs(float(shoulders[0, 0] - shoulders[1, 0]))
    top = float(shoulders[:, 1].mean())
    arm = float(np.linalg.norm(np.diff(here.joint[0, side], axis=0), axis=1).sum())
    kind = draw.random()
    if kind < 0.25:
        up, forward = top - arm * draw.uniform(0.85, 1.20), draw.uniform(-0.06, 0.14)
        return np.array([sign * (_surface(here, 1, up, forward, 0, sign) + draw.uniform(-0.02, 0.10)), up, forward])
    if kind < 0.75:
        out, up = half * draw.uniform(-1.0, 1.6), top - arm * draw.uniform(0.15, 0.95)
        return np.array([sign * out, up, _surface(here, 0, sign * out, up, 2, 1.0) + draw.uniform(-0.08, 0.14)])
    out, up = half * draw.uniform(-0.3, 2.6), top + arm * draw.uniform(-0.8, 0.35)
    return np.array([sign * out, up, draw.uniform(0.1, 0.4)])


def _surface(here: Scene, axis: int, a: float, b: float, outward: int, sign: float) -> float:
    """Return how far out her body's capsules reach along one axis, m; 0.08 where none is.

    a, b: m, where on the other two axes, `axis` being the first of them
    """
    share = np.linspace(0.0, 1.0, 9)[:, None, None]
    points = (here.body_start[0] + share * here.body_along[0]).reshape(-1, 3)
    radius = np.tile(here.body_radius, 9)
    second = ({0, 1, 2} - {axis, outward}).pop()
    rest = radius**2 - (points[:, axis] - a) ** 2 - (points[:, second] - b) ** 2
    hit = rest > 0.0
    return float((sign * points[hit, outward] + np.sqrt(rest[hit])).max()) if hit.any() else 0.08
