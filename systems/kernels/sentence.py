"""The sentence layer on one tick: generated motion on its own clock, seams eased out, time held at a limit.

No arm joint turns faster than a limit: beyond it the tick takes a smaller share of the motion's time, so that the
path stays what it was and only takes longer. Nothing is clamped.
"""

from __future__ import annotations

import math

from . import quat, rotvec
from .arrays import F32, F64, I32
from .compiled import njit
from .sample import sample

# of the clock: 60 Hz frame, how far the layer has come in, which motion, share of a tick, s since a seam, s it takes
TIME, SHARE, SERIAL, STEP, SINCE, TAKES = 0, 1, 2, 3, 4, 5
STOP = 7.5  # frames before the motion's end from which on it runs out instead of freezing: 0.25 s
CATCH_UP, MOST = 0.05, 0.2  # of its lag a tick, at most that much faster than time passes (choice: not seen)
LEAST, MOST_SEAM = 8.0 / 30.0, 16.0 / 30.0  # s that a seam takes
SEAM_SPEED = 0.5 * math.pi  # rad/s, 90 deg/s as a corpus cut: what a seam adds at its middle while it may take longer
AHEAD = 0.5  # s: a seam over which the speed changes by v counts as one of v * AHEAD; by angle alone it jerked
_TRIES = 6


@njit(cache=True, allocates=False)
def ease(x: float) -> float:
    """Return a sine ease from 0 at 0 to 1 at 1."""
    s = math.sin(0.5 * math.pi * min(max(x, 0.0), 1.0))
    return s * s


@njit(cache=True, allocates=False)
def _eased(x: float, v: float, u: float, takes: float) -> float:
    """Return what is left at share u of an offset x that changes by v a second, at its end at rest.

    The quintic through both ends: a spring's acceleration begins at rate^2 x, which jerked a wrist nine times as much.
    """
    if u >= 1.0:
        return 0.0
    b = u * u * u
    return x * (1.0 - b * (10.0 - u * (15.0 - 6.0 * u))) + v * takes * (u - b * (6.0 - u * (8.0 - 3.0 * u)))


@njit(cache=True, allocates=False)
def _length(v: F64) -> float:
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@njit(cache=True, allocates=False)
def begin(
    delta: F32, gain: F64, still: float, at: float, arms: I32, dt: float,
    corpus: F64, clock: F64, value: F64, speed: F64, left: F64, shown: F64, work: F64
) -> None:  # fmt: skip
    """Go over to other motion: what shows and how fast it moves becomes an offset that fades, none where nothing shows.

    delta: (F, N, 3) rad at 30 Hz; gain: (N,); still: share that is left; at: 60 Hz frame of it that was due a tick ago
    corpus: (N, 3) rad, what the corpus layer shows; the rest as in `play`, written
    """
    last = 2.0 * (delta.shape[0] - 1)
    clock[TIME] = min(max(at, -1.0), last)  # one that begins now was due at frame -1
    at = max(clock[TIME], 0.0)
    sample(delta, 0, delta.shape[0], at, work)
    sample(delta, 0, delta.shape[0], min(at + 1.0, last), left[1])
    is_fresh = clock[SHARE] <= 0.0
    furthest = 0.0
    for k in range(value.shape[0]):
        for c in range(3):
            rate = (left[1, k, c] - work[k, c]) * gain[k] * still / dt
            here = work[k, c] * gain[k] * still - rate * (at - clock[TIME]) * dt
            if is_fresh:
                value[k, c], speed[k, c] = here, rate
            left[0, k, c] = value[k, c] - here
            left[1, k, c] = speed[k, c] - rate
        furthest = max(furthest, _length(left[0, k]) + AHEAD * _length(left[1, k]))
    clock[SINCE] = 0.0
    clock[TAKES] = min(max(1.875 * furthest / SEAM_SPEED, LEAST), MOST_SEAM)  # 1.875: the quintic's speed at its middle
    if is_fresh:
        for n in range(arms.shape[0]):
            rotvec.exp(corpus[arms[n]], shown[n])


@njit(cache=True, allocates=False)
def play(
    delta: F32, gain: F64, still: float, wanted: float, is_on: bool, fade: float, limit: float, arms: I32, dt: float,
    corpus: F64, clock: F64, value: F64, speed: F64, left: F64, shown: F64, work: F64, quats: F64, out: F64
) -> float:  # fmt: skip
    """Advance the layer by one tick and return its share of what shows, 0..1; the corpus is scaled to the rest.

    delta, gain, still: as in `begin`; wanted: 60 Hz frame that is due; is_on: it comes in, else it yields
    fade: ticks it takes to; limit: rad/s of the joints `arms`, (8,) slots
    corpus: (N, 3) rad, what the corpus layer shows, scaled here; clock: (6,); value, speed: (N, 3) rad and rad/s,
        what it shows, advanced; left: (2, N, 3), the same of the last seam's offset
    shown: (8, 4) wxyz, the arm joints over the base pose, both layers composed, of the last tick and then of this one
    work: (N, 3), quats: (2, N, 4) scratch; out: (N, 3) rad, what the layer adds
    """
    frames, now, under = delta.shape[0], quats[0], quats[1, 0]
    last = 2.0 * (frames - 1)
    before, share = clock[TIME], clock[SHARE]
    step = 1.0 + min(max(CATCH_UP * (wanted - before - 1.0), -MOST), MOST)
    step = min(step, max((last - before) / STOP, 0.0))
    flow = 1.0  # share of the tick that anything moves by
    weight, rest = 0.0, 0.0
    for attempt in range(_TRIES):
        if attempt == _TRIES - 1:
            flow = 0.0
        rest = share + flow / fade if is_on else share - flow / fade
        rest = min(max(rest, 0.0), 1.0)
        weight = ease(rest)
        sample(delta, 0, frames, before + flow * step, work)
        u = (clock[SINCE] + flow * dt) / clock[TAKES]
        fastest = 0.0
        for n in range(arms.shape[0]):
            k = arms[n]
            for c in range(3):
                moved = work[k, c] * gain[k] * still + _eased(left[0, k, c], left[1, k, c], u, clock[TAKES])
                out[k, c] = weight * moved
                under[c] = (1.0 - weight) * corpus[k, c]
            if weight < 1.0:
                rotvec.exp(under, now[n])
                rotvec.apply(now[n], out[k], now[n])
            else:
                rotvec.exp(out[k], now[n])
            fastest = max(fastest, quat.angle(shown[n], now[n]))
        if fastest <= limit * dt:
            break
        flow *= min(0.97 * limit * dt / fastest, 0.9)
    clock[SINCE] += flow * dt
    u = clock[SINCE] / clock[TAKES]
    for k in range(value.shape[0]):
        for c in range(3):
            moved = work[k, c] * gain[k] * still + _eased(left[0, k, c], left[1, k, c], u, clock[TAKES])
            speed[k, c] = (moved - value[k, c]) / dt
            value[k, c] = moved
            out[k, c] = weight * moved
            corpus[k, c] *= 1.0 - weight
    for n in range(arms.shape[0]):
        quat.copy(now[n], shown[n])
    clock[TIME] = before + flow * step
    clock[SHARE] = rest
    clock[STEP] = flow
    return weight
