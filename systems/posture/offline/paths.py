"""The way into a hold: around her torso, never through it, in the arm's terms; the way out is the same backwards."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F64
from ...kernels import placing, quat, rotvec, vec
from .arms import Arms
from .maps import Maps
from .search import Try

RATE = 60.0  # frames a second
KEYS = np.array([0.0, 0.42, 0.82, 1.0])  # hanging, way round, before contact, hold
TURNED = np.array([0.0, 0.45, 0.95, 1.0])  # share of the hand's turn at each key
CLEAR, FAR = (0.05, 0.08, 0.12), (0.7, 1.0, 1.5, 2.0)  # m from the trunk on the way round, times BEFORE: all are tried
FAST = math.radians(150.0)  # rad/s, most of an upper arm or forearm on the way alone; what it leaves adds to it
LEAST = 2.0  # s: at 1.6 hands went to the hips at 173 deg/s on her, at 209 on another avatar
FREE_BY = 0.0015  # m, capsules of hanging forearms and hands from all else

# Where a hand is before it touches, m from its place, and when each arm moves, as shares of the whole: (first, second)
BEFORE = {
    "clasped": (np.array([0.02, 0.02, 0.05]), np.array([-0.05, 0.02, 0.07])),
    "crossed": (np.array([0.05, -0.03, 0.07]), np.array([-0.06, 0.0, 0.10])),
    "behind_back": (np.array([-0.03, 0.02, -0.05]), np.array([0.04, 0.02, -0.08])),
    "hands_on_hips": (np.array([0.07, 0.0, 0.02]), np.array([-0.07, 0.0, 0.02])),
}
SPANS = {
    "clasped": ((0.0, 0.85), (0.12, 1.0)),
    "crossed": ((0.0, 0.62), (0.34, 1.0)),
    "behind_back": ((0.0, 0.85), (0.12, 1.0)),
    "hands_on_hips": ((0.0, 1.0), (0.0, 1.0)),
}


@dataclass(frozen=True, slots=True)
class Way:
    """Arms on their way, F frames at RATE, from hanging to the hold; scaled m, avatar frame in the base pose.

    Fields:
        wrist: (F, 2, 3) m; hand: (F, 2, 4) wxyz neutral; swivel: (F, 2) rad; girdle: (F, 2, 2) rad
        closed: (F, 2) 0..1, how far the fingers have closed; seconds: the whole
        raw:   m, deepest capsule on the way beyond the hold's allowances
    """

    wrist: F64
    hand: F64
    swivel: F64
    girdle: F64
    closed: F64
    seconds: float
    raw: float


@dataclass(slots=True)
class _End:
    wrist: F64
    hand: F64  # (4,)
    swivel: float
    girdle: F64


def way(tried: Try, name: str) -> Way:
    """Return the way into the hold that `tried` was last asked for: the least deep and quickest of a dozen."""
    hold = _ends(tried)
    hang = _hanging(tried)
    best, least = None, math.inf
    for clear, far in itertools.product(CLEAR, FAR):
        keys = [_keys(tried, s, hang[s], hold[s], far * _before(tried, name, s), clear) for s in range(2)]
        made = _run(tried, keys, name, 0.8)
        deep, quick = _deep(tried, made), _fastest(tried, made) * 0.8
        cost = 1e3 * (deep.mean() + 0.3 * deep.max()) + 2.0 * quick / FAST
        if cost < least:
            best, least = keys, cost
    assert best is not None
    seconds = LEAST
    made = _run(tried, best, name, seconds)
    for _ in range(8):
        fast = _fastest(tried, made)
        if fast <= FAST:
            break
        seconds *= max(1.03, min(1.6, fast / (0.97 * FAST)))
        made = _run(tried, best, name, seconds)
    deep = _deep(tried, made)
    return Way(*made, seconds, float(deep.max()))


def _before(tried: Try, name: str, side: int) -> F64:
    """Return where one hand is before it touches, mirrored where the other arm goes first."""
    usual = 1 if name == "behind_back" else 0
    first = tried.recipe.first
    which = 0 if side == first else 1
    return BEFORE[name][which] * (1.0 if first == usual else np.array([-1.0, 1.0, 1.0]))


def _ends(tried: Try) -> list[_End]:
    out = []
    for s in range(2):
        q = np.empty(4)
        quat.from_matrix(np.ascontiguousarray(tried.links[s, 3]), q)
        out.append(_End(tried.joints[s, 2].copy(), q, float(tried.swivel[s]), tried.girdle[s].copy()))
    return out


def _hanging(tried: Try) -> list[_End]:
    """Return her base pose's arms, moved outward until forearms and hands are free of everything."""
    arms = tried.arms
    hand, wrist, swivel = np.empty((2, 4)), np.empty((2, 3)), np.zeros(2)
    for s in range(2):
        undo = np.empty(4)
        quat.conj(arms.neutral[s, 3], undo)
        quat.mul(arms.turn[arms.joint[s, 3]], undo, hand[s])
        wrist[s] = arms.scale * arms.place[arms.joint[s, 3]]
        swivel[s] = _swivel(arms, s)
    ends = []
    for out in np.arange(0.0, 0.2, 0.004):
        ends = []
        for s in range(2):
            g = 1.0 if s == 0 else -1.0
            ends.append(_End(wrist[s] + np.array([g * out, 0.3 * out, 0.35 * out]), hand[s], swivel[s], np.zeros(2)))
        _put(tried, ends)
        low = tried.gap[arms.part % 3 > 0]
        if low.min() > FREE_BY:
            break
    return ends


def _swivel(arms: Arms, s: int) -> float:
    """Return the swivel that puts an elbow where the base pose has it, rad."""
    g = 1.0 if s == 0 else -1.0
    shoulder, elbow, wrist = (arms.place[arms.joint[s, k]] for k in (1, 2, 3))
    x = vec.unit(wrist - shoulder)
    pole = np.array([0.6 * g, -1.0, -0.4])
    pole = vec.unit(pole - (pole @ x) * x)
    bent = (elbow - shoulder) - ((elbow - shoulder) @ x) * x
    if np.linalg.norm(bent) < 1e-4:
        return 0.0
    bent = vec.unit(bent)
    return g * math.atan2(float(np.cross(pole, bent) @ x), float(pole @ bent))


def _keys(tried: Try, s: int, hang: _End, hold: _End, before: F64, clear: float) -> dict[str, F64]:
    """Return one arm's keys on a cylinder round the trunk's axis."""
    axis = float(tried.maps.span[2])

    def around(p: F64) -> F64:
        return np.array([math.atan2(p[0], p[2] - axis), math.hypot(p[0], p[2] - axis), p[1]])

    start, near, end = around(hang.wrist), around(hold.wrist + before), around(hold.wrist)
    for each in (near, end):
        while each[0] - start[0] > math.pi:
            each[0] -= 2.0 * math.pi
        while each[0] - start[0] < -math.pi:
            each[0] += 2.0 * math.pi
    if start[0] * near[0] < 0.0 and abs(near[0]) > 2.4:  # behind her it goes round by its own side
        turn = math.copysign(2.0 * math.pi, near[0])
        near[0] -= turn
        end[0] -= turn
    middle = 0.5 * (start + near)
    middle[1] = max(middle[1], _reach(tried.maps, middle[0], middle[2]) + clear)
    where = np.array([start, middle, near, end])
    half = 0.5 * (hang.girdle + hold.girdle)
    return {
        "where": where,
        "swivel": np.array([hang.swivel, 0.5 * (hang.swivel + hold.swivel), hold.swivel, hold.swivel]),
        "girdle": np.array([hang.girdle, half, hold.girdle, hold.girdle]),
        "from": hang.hand,
        "to": hold.hand,
        "axis": np.array([axis]),
    }


def _reach(maps: Maps, azimuth: float, height: float) -> float:
    """Return how far the trunk's skin is from its axis there, m."""
    span = maps.span
    u = (height - span[0]) / (span[1] - span[0])
    v = (azimuth + math.pi) % (2.0 * math.pi) / (2.0 * math.pi)
    p = vec.between(maps.torso, u, v)
    return math.hypot(p[0], p[2] - span[2])


def _run(tried: Try, keys: list[dict[str, F64]], name: str, seconds: float) -> tuple[F64, F64, F64, F64, F64]:
    """Return frames of both arms on their keys: wrist, hand, swivel, girdle, closed."""
    count = round(seconds * RATE) + 1
    t = np.linspace(0.0, 1.0, count)
    wrist, hand = np.empty((count, 2, 3)), np.empty((count, 2, 4))
    swivel, girdle, closed = np.empty((count, 2)), np.empty((count, 2, 2)), np.empty((count, 2))
    for s in range(2):
        first, last = SPANS[name][0 if s == tried.recipe.first else 1]
        u = _ease((t - first) / (last - first))
        k = keys[s]
        azimuth, height = monotone(KEYS, k["where"][:, 0], u), monotone(KEYS, k["where"][:, 2], u)
        reach = monotone(KEYS, k["where"][:, 1], u)
        axis = k["axis"][0]
        wrist[:, s] = np.stack([reach * np.sin(azimuth), height, axis + reach * np.cos(azimuth)], axis=1)
        share = monotone(KEYS, TURNED, u)
        for i in range(count):
            quat.slerp(k["from"], k["to"], float(share[i]), hand[i, s])
        swivel[:, s] = monotone(KEYS, k["swivel"], u)
        for c in range(2):
            girdle[:, s, c] = monotone(KEYS, k["girdle"][:, c], u)
        closed[:, s] = _ease((u - 0.72) / 0.28)
    return wrist, hand, swivel, girdle, closed


def _ease(t: F64) -> F64:
    """Return minimum jerk from 0 to 1."""
    t = np.clip(t, 0.0, 1.0)
    return t**3 * (10.0 - 15.0 * t + 6.0 * t * t)


def monotone(at: F64, value: F64, u: F64) -> F64:
    """Return a cubic through keys that never overshoots them (Fritsch and Carlson 1980), at u."""
    step = np.diff(at)
    slope = np.diff(value) / step
    tangent = np.zeros(len(at))
    for k in range(1, len(at) - 1):
        if slope[k - 1] * slope[k] > 0.0:
            a, b = 2.0 * step[k] + step[k - 1], step[k] + 2.0 * step[k - 1]
            tangent[k] = (a + b) / (a / slope[k - 1] + b / slope[k])
    k = np.clip(np.searchsorted(at, u, side="right") - 1, 0, len(step) - 1)
    t = (u - at[k]) / step[k]
    h = step[k]
    a, b = value[k], value[k + 1]
    return (
        a * (1 + 2 * t) * (1 - t) ** 2 + h * tangent[k] * t * (1 - t) ** 2
        + b * t * t * (3 - 2 * t) + h * tangent[k + 1] * t * t * (t - 1)
    )  # fmt: skip


def _put(tried: Try, ends: list[_End]) -> None:
    arms = tried.arms
    for s in range(2):
        tried.wrist[s], tried.swivel[s], tried.girdle[s] = ends[s].wrist, ends[s].swivel, ends[s].girdle
        quat.to_matrix(ends[s].hand, tried.hand[s])
    placing.put(
        arms.collar, arms.hang, arms.length, tried.wrist, tried.hand, tried.swivel, tried.girdle, tried.links,
        tried.joints, tried.told,
    )  # fmt: skip
    placing.meet(
        arms.collar, arms.at, arms.along, arms.part, arms.carried, arms.caps, tried.links, tried.joints, tried.allow,
        arms.bound, tried.caps, tried.gap,
    )  # fmt: skip


def _each(tried: Try, made: tuple[F64, F64, F64, F64, F64], frame: int) -> None:
    wrist, hand, swivel, girdle, _ = made
    _put(tried, [_End(wrist[frame, s], hand[frame, s], float(swivel[frame, s]), girdle[frame, s]) for s in range(2)])


def _deep(tried: Try, made: tuple[F64, F64, F64, F64, F64]) -> F64:
    """Return how deep the deepest capsule is on each frame, m."""
    out = np.empty(len(made[0]))
    for i in range(len(out)):
        _each(tried, made, i)
        out[i] = max(0.0, -float(tried.gap.min()))
    return out


def _fastest(tried: Try, made: tuple[F64, F64, F64, F64, F64]) -> float:
    """Return the fastest turn of an upper arm or forearm, rad/s."""
    turn = np.empty((len(made[0]), 4, 4))
    for i in range(len(turn)):
        _each(tried, made, i)
        for s in range(2):
            quat.from_matrix(np.ascontiguousarray(tried.links[s, 1]), turn[i, 2 * s])
            quat.from_matrix(np.ascontiguousarray(tried.links[s, 2]), turn[i, 2 * s + 1])
    fastest, step, r = 0.0, np.empty(4), np.empty(3)
    for i in range(1, len(turn)):
        for k in range(4):
            quat.between(np.ascontiguousarray(turn[i - 1, k]), np.ascontiguousarray(turn[i, k]), step)
            rotvec.log(step, r)
            fastest = max(fastest, float(np.linalg.norm(r)) * RATE)
    return fastest
