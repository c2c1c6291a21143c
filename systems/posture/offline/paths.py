"""The way into a hold: around her torso, never through it, in the arm's terms; the way out is the same backwards."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from cmaes import CMA

from ....components.arrays import F64
from ....components.holds import Hold
from ...collide.offline.skin_depth import Skin, inside
from ...kernels import placing, quat, vec
from ..hold import weight_at
from .arms import Arms
from .maps import Maps
from .rehearsal import RATE, Rehearsal, swayed
from .search import Try

KEYS = np.array([0.0, 0.42, 0.82, 1.0])  # hanging, way round, before contact, hold
TURNED = np.array([0.0, 0.45, 0.95, 1.0])  # share of the hand's turn at each key
CLEAR, FAR = (0.05, 0.08, 0.12), (0.7, 1.0, 1.5, 2.0)  # m from the trunk on the way round, times BEFORE: all are tried
# Then the best of them is improved: of each arm azimuth, m from the trunk, height and swivel of the way round, and
# where it is before it touches, m. Without, hands brushed past a wide chest and the rule pushed them by 77 mm.
SPREAD = np.array([0.2, 0.03, 0.03, 0.3, 0.02, 0.02, 0.03])
ROUNDS, EACH, NARROW, STALE = 16, 12, 0.6, 5  # of so many ways each; over when none was better in the last five
LOOKS = 21  # frames of a way that are looked at while it is sought
OFF = (0.003, 0.008)  # m capsules stay apart on the way; the next where her skin is nearer than they are
DEEP, SEEN = 1.5e-3, 16  # m her skin may be entered on so many frames
FAST = math.radians(150.0)  # rad/s, most of an upper arm or forearm on the way alone; what it leaves adds to it
PULLED = 0.0025  # m by which a wrist's step differs from the last: 3.6 showed as a snatch half way
LEAST = 2.0  # s: at 1.6 hands went to the hips at 173 deg/s on her, at 209 on another avatar
# Her hips turn by 5 deg when she shifts her weight: a way sought while she stands still had a forearm in them, and the
# rule pushed it off by 16 mm. From so many m on another way is sought, free of her on the worst of those ends too.
PUSHED, LET = -0.010, 0.003  # m; the ends may be nearer by so much: as free of them as of her base pose took 7 s
CLOSE = 41  # frames looked at then: on LOOKS a thumb passed her hip between two
FRAMED = ("wrist", "hand", "swivel", "girdle", "closed")  # of a Hold, by frame
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


Frames = tuple[F64, F64, F64, F64, F64]  # (F, 2, ...) wrist, scaled m, hand wxyz, swivel, girdle rad, closed 0..1


@dataclass(slots=True)
class _End:
    wrist: F64
    hand: F64  # (4,)
    swivel: float
    girdle: F64


def way(tried: Try, name: str, rehearsal: Rehearsal, hold: Hold, skin: Skin) -> Hold:
    """Return a hold with the way into it: around her, quick, and free of her as the rule and the eye see it.

    tried: in the pose of the hold; hold: with what touches in it, its way not yet
    """
    seeker = _Seeker(tried, name, rehearsal, hold)
    best, least = np.zeros(2 * len(SPREAD)), math.inf
    for clear, far in itertools.product(CLEAR, FAR):
        cost = seeker.cost(best * 0.0, OFF[0], clear, far)
        if cost < least:
            seeker.clear, seeker.far, least = clear, far, cost
    seen: list[tuple[Hold, float, Iterator[float], F64]] = []
    for off in OFF:
        best = seeker.improved(best, off)
        made = seeker.timed(best)
        frames = _entered(rehearsal, skin, made)
        deep = next((each for each in frames if each > DEEP), None)
        if deep is None:
            return _swayed(seeker, made, best, off, skin)
        seen.append((made, deep, frames, best))  # the rest of its frames is looked at if no way is free of her
    made, _, _, best = min(seen, key=lambda each: max(each[1], *each[2]))
    return _swayed(seeker, made, best, OFF[-1], skin)


def _swayed(seeker: _Seeker, made: Hold, best: F64, off: float, skin: Skin) -> Hold:
    """Return this way, or one near it that her hips do not come in the way of when she shifts her weight meanwhile."""
    ends = swayed()
    least = np.array([seeker.least(made, trunk) for trunk in ends])
    if least.min() > PUSHED:
        return made
    order = least.argsort()
    legs = order[order < 4][0], order[order >= len(least) - 4][0]  # her weight on either
    third = next(k for k in order if k not in legs)  # two alone left another end 9 mm inside
    seeker.trunks, seeker.looks = (None, *(ends[k] for k in (*legs, third))), CLOSE
    other = seeker.timed(seeker.improved(best, off))
    is_free = max(_entered(seeker.rehearsal, skin, other)) <= DEEP
    return other if is_free and min(seeker.least(other, trunk) for trunk in ends) > least.min() else made


class _Seeker:
    """The way into one hold, by unknowns around the best that was tried."""

    def __init__(self, tried: Try, name: str, rehearsal: Rehearsal, hold: Hold) -> None:
        self.tried, self.name, self.rehearsal, self.hold = tried, name, rehearsal, hold
        self.end, self.hang = _ends(tried), _hanging(tried)
        self.clear, self.far = CLEAR[0], FAR[0]
        self.trunks: tuple[F64 | None, ...] = (None,)  # how she stands meanwhile, see Rehearsal.show
        self.looks = LOOKS
        rehearsal.take(hold)

    def run(self, y: F64, count: int, clear: float | None = None, far: float | None = None) -> Hold:
        """Return the hold with a way of so many frames. y: (14,) spreads of both arms' unknowns."""
        keys, half = [], len(SPREAD)
        for s in range(2):
            x = y[half * s : half * (s + 1)] * SPREAD
            if self.name == "hands_on_hips":
                x = y[:half] * SPREAD  # both arms alike
            g = 1.0 if s == 0 else -1.0
            before = (far or self.far) * _before(self.tried, self.name, s) + np.array([g * x[4], x[5], x[6]])
            round_by = np.array([g * x[0], x[1], x[2], x[3]])
            keys.append(_keys(self.tried, s, self.hang[s], self.end[s], before, clear or self.clear, round_by))
        wrist, hand, swivel, girdle, closed = _run(self.tried, keys, self.name, count)
        return replace(
            self.hold, wrist=wrist / self.tried.arms.scale, hand=hand, swivel=swivel, girdle=girdle, closed=closed
        )

    def cost(self, y: F64, off: float, clear: float | None = None, far: float | None = None) -> float:
        """Return what a way costs: capsules nearer than `off` m, time, and how far it is from the one tried."""
        made = self.run(y, self.looks, clear, far)
        near, quick = self._walk(made)
        for trunk in self.trunks[1:]:
            near = np.minimum(near, self._near(made, trunk) + LET)
        near = np.maximum(0.0, off - near)
        slow = max(0.0, quick - LEAST)
        return float(4e5 * (near**2).mean() + 100.0 * near.mean() + 1.5 * slow + 0.3 * quick + 0.02 * (y @ y))

    def improved(self, start: F64, off: float) -> F64:
        """Return the cheapest unknowns near a start (Hansen's CMA-ES)."""
        optimiser = CMA(mean=start, sigma=NARROW, population_size=EACH, seed=1)
        best, least, stale = start, self.cost(start, off), 0
        for _ in range(ROUNDS):
            told, before = [], least
            for _ in range(EACH):
                y = optimiser.ask()
                cost = self.cost(y, off)
                told.append((y, cost))
                if cost < least:
                    best, least = y, cost
            optimiser.tell(told)
            stale = 0 if least < before else stale + 1
            if stale >= STALE:
                break
        return best

    def timed(self, y: F64) -> Hold:
        """Return the hold with a way slow enough for her arms."""
        seconds = LEAST
        made = self.run(y, round(seconds * RATE) + 1)
        for _ in range(8):
            pulled = float(np.linalg.norm(np.diff(made.wrist, 2, axis=0), axis=2).max())
            over = max(self._walk(made)[1] / made.seconds, math.sqrt(pulled / PULLED))
            if over <= 1.0:
                break
            seconds *= max(1.03, min(1.6, over / 0.97))
            made = self.run(y, round(seconds * RATE) + 1)
        return made

    def least(self, made: Hold, trunk: F64) -> float:
        """Return the least gap on CLOSE frames of a way while she stands like this, m."""
        frames = np.linspace(0, len(made.wrist) - 1, CLOSE).round().astype(int)
        part = replace(made, **{name: getattr(made, name)[frames] for name in FRAMED})
        return float(self._near(part, trunk).min())

    def _near(self, made: Hold, trunk: F64 | None) -> F64:
        """Return the least gap on each frame, m."""
        show, last = self.rehearsal.show, len(made.wrist) - 1
        shown = (show(made, k, weight_at(k / last), trunk).gap for k in range(last + 1))
        return np.array([self.rehearsal.least(gap, made.closed[k]) for k, gap in enumerate(shown)])

    def _walk(self, made: Hold) -> tuple[F64, float]:
        """Return the least gap on each frame, m, and how many s the whole takes at FAST."""
        joints = [j for j in self.rehearsal.reach.joint[:, 1:3].ravel() if j >= 0]
        near, last, step = np.empty(len(made.wrist)), None, 0.0
        for k in range(len(near)):
            shown = self.rehearsal.show(made, k, weight_at(k / (len(near) - 1)))
            near[k] = self.rehearsal.least(shown.gap, made.closed[k])
            turn = shown.rotation[joints]
            if last is not None:
                step = max(step, 2.0 * math.acos(min(1.0, float(np.abs((turn * last).sum(axis=1)).min()))))
            last = turn
        return near, step * (len(near) - 1) / FAST


def _entered(rehearsal: Rehearsal, skin: Skin, made: Hold) -> Iterator[float]:
    """Yield how deep a hand or forearm is in her skin on frames of the way, m, the hold first."""
    last = len(made.wrist) - 1
    for share in np.linspace(1.0, 0.0, SEEN):
        shown = rehearsal.show(made, share * last, weight_at(float(share)))
        yield max(float(deep.max(initial=0.0)) for deep in inside(skin, shown.rotation, rehearsal.root))


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


def _keys(
    tried: Try, s: int, hang: _End, hold: _End, before: F64, clear: float, by: F64
) -> dict[str, F64]:  # fmt: skip
    """Return one arm's keys on a cylinder round the trunk's axis.

    by: (4,) azimuth rad, m outward, m up and swivel rad that the way round is off half way
    """
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
    middle[0], middle[2] = middle[0] + by[0], middle[2] + by[2]
    middle[1] = max(middle[1], _reach(tried.maps, middle[0], middle[2]) + clear) + by[1]
    where = np.array([start, middle, near, end])
    half = 0.5 * (hang.girdle + hold.girdle)
    return {
        "where": where,
        "swivel": np.array([hang.swivel, 0.5 * (hang.swivel + hold.swivel) + by[3], hold.swivel, hold.swivel]),
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


def _run(tried: Try, keys: list[dict[str, F64]], name: str, count: int) -> Frames:
    """Return so many frames of both arms on their keys."""
    t = np.linspace(0.0, 1.0, count)
    wrist, hand = np.empty((count, 2, 3)), np.empty((count, 2, 4))
    swivel, girdle, closed = np.empty((count, 2)), np.empty((count, 2, 2)), np.empty((count, 2))
    for s in range(2):
        first, last = SPANS[name][0 if s == tried.recipe.first else 1]
        u = _ease((t - first) / (last - first))
        k = keys[s]
        axis = k["axis"][0]
        moved = monotone(KEYS, np.column_stack([k["where"], k["swivel"], k["girdle"], TURNED]), u)
        azimuth, reach, height = moved[:, 0], moved[:, 1], moved[:, 2]
        wrist[:, s] = np.stack([reach * np.sin(azimuth), height, axis + reach * np.cos(azimuth)], axis=1)
        swivel[:, s], girdle[:, s] = moved[:, 3], moved[:, 4:6]
        for i in range(count):
            quat.slerp(k["from"], k["to"], float(moved[i, 6]), hand[i, s])
        closed[:, s] = _ease((u - 0.72) / 0.28)
    return wrist, hand, swivel, girdle, closed


def _ease(t: F64) -> F64:
    """Return minimum jerk from 0 to 1."""
    t = np.clip(t, 0.0, 1.0)
    return t**3 * (10.0 - 15.0 * t + 6.0 * t * t)


def monotone(at: F64, value: F64, u: F64) -> F64:
    """Return a cubic through keys that never overshoots them (Fritsch and Carlson 1980), (F, n) at u.

    value: (4, n), n numbers of each key
    """
    step = np.diff(at)
    slope = np.diff(value, axis=0) / step[:, None]
    tangent = np.zeros_like(value)
    for k in range(1, len(at) - 1):
        a, b = 2.0 * step[k] + step[k - 1], step[k] + 2.0 * step[k - 1]
        one, two = slope[k - 1], slope[k]
        is_even = one * two > 0.0
        tangent[k] = np.where(
            is_even, (a + b) / (a / np.where(is_even, one, 1.0) + b / np.where(is_even, two, 1.0)), 0.0
        )
    k = np.clip(np.searchsorted(at, u, side="right") - 1, 0, len(step) - 1)
    t, h = ((u - at[k]) / step[k])[:, None], step[k][:, None]
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
