"""The corpus layer: one running row, or two in a sine crossfade, as rotations over the base pose, gains applied."""

from __future__ import annotations

import math

from . import quat, rotvec
from .arrays import F32, F64, I32
from .compiled import njit
from .sample import sample

_DEGREES = 180.0 / math.pi
_EASE = 15.0  # ticks (0.25 s) over which a clip that ends comes to a stop instead of freezing


@njit(cache=True, allocates=False)
def clip_time(frame: int, elapsed: float, last: float) -> float:
    """Return the 60 Hz frame of a clip shown `elapsed` ticks after `frame`, eased to a stop at `last`.

    The ease covers the last 7.5 frames in 15 ticks: speed falls linearly to 0 (x - x^2 / 2D, slope 1 at first).
    """
    x = frame + elapsed - (last - 0.5 * _EASE)
    if x <= 0.0:
        return frame + elapsed
    if x >= _EASE:
        return last
    return last - 0.5 * _EASE + x - x * x / (2.0 * _EASE)


@njit(cache=True, allocates=False)
def row(delta: F32, place: I32, pose: F64, gain: F64, elapsed: float, work: F64, out: F64) -> None:
    """Write what a clip shows as rotations over the base pose.

    delta: (F, N, 3) f32 rad at 30 Hz; place: (5,) i32 and pose: (N, 4) as in `mix`; gain: (N,)
    elapsed: ticks since the pick; work: (N, 3) scratch; out: (N, 4) wxyz
    """
    first, end, frame = place[0], place[1], place[2]
    if first < 0:
        for k in range(out.shape[0]):
            quat.copy(pose[k], out[k])
        return
    last = 2.0 * (end - 1 - first)
    if 0 <= place[4] < last:
        last = float(place[4])
    at = clip_time(frame, elapsed, last)
    sample(delta, first, end, at, work)
    for k in range(out.shape[0]):
        for c in range(3):
            work[k, c] *= gain[k]
        rotvec.exp(work[k], out[k])


@njit(cache=True, allocates=False)
def fade_weight(elapsed: float, fade: float) -> float:
    """Return how much of the incoming row shows: a raised cosine, 0 at the pick and 1 after `fade` ticks."""
    if elapsed >= fade:
        return 1.0
    return 0.5 - 0.5 * math.cos(math.pi * elapsed / fade)


@njit(cache=True, allocates=False)
def mix(
    delta: F32, gain: F64, old: I32, new: I32, old_pose: F64, new_pose: F64, fade: float, slow: float, slow_slots: int,
    since: float, work: F64, other: F64, out: F64
) -> float:  # fmt: skip
    """Write the blend of an outgoing and an incoming row; return the incoming one's weight, the smaller of the two.

    old, new: (5,) i32: first stored frame of the clip (-1: a pose), its end, 60 Hz frame at the pick, the pick's tick
        minus the incoming pick's tick (0 or less for `old`, 0 for `new`), 60 Hz frame to stop at (-1: none)
    old_pose, new_pose: (N, 4) wxyz, what shows where there is no clip
    fade: ticks; slow: ticks for the first `slow_slots` slots, torso and head; since: ticks since the incoming pick
    work: (N, 3), other: (N, 4) scratch; out: (N, 4) wxyz
    """
    quick, late = fade_weight(since, fade), fade_weight(since, slow)
    row(delta, new, new_pose, gain, since, work, out)
    if quick < 1.0 or late < 1.0:
        row(delta, old, old_pose, gain, since - old[3], work, other)
        for k in range(out.shape[0]):
            w = late if k < slow_slots else quick
            if w < 1.0:
                quat.slerp(other[k], out[k], w, out[k])
    return min(quick, late) if slow_slots > 0 else quick


@njit(cache=True, allocates=False)
def peak_speed(
    delta: F32, gain: F64, old: I32, new: I32, old_pose: F64, new_pose: F64, fade: float, first: int, last: int,
    limit: float, work: F64, quats: F64
) -> float:  # fmt: skip
    """Return the fastest joint of some ticks of a fade that is only thought of, deg/s; stops early above `limit`.

    delta: (F, N, 3), gain: (N,): of the gated joints alone; first, last: ticks since the pick, from one to the other
    work: (N, 3) and quats: (3, N, 4) scratch; the rest as in `mix`
    """
    other, before, now = quats[0], quats[1], quats[2]
    mix(delta, gain, old, new, old_pose, new_pose, fade, fade, 0, float(first), work, other, before)
    peak = 0.0
    for tick in range(first + 1, last + 1):
        mix(delta, gain, old, new, old_pose, new_pose, fade, fade, 0, float(tick), work, other, now)
        for n in range(now.shape[0]):
            peak = max(peak, quat.angle(before[n], now[n]) * 60.0 * _DEGREES)
        if peak > limit:
            return peak
        for n in range(now.shape[0]):
            quat.copy(now[n], before[n])
    return peak


@njit(cache=True, allocates=False)
def play(
    delta: F32, gain: F64, old: I32, new: I32, old_pose: F64, new_pose: F64, fade: float, slow: float, slow_slots: int,
    since: float, still: float, rate: F64, arms: I32, dt: float,
    shown: F64, value: F64, velocity: F64, out: F64, work: F64, quats: F64
) -> tuple[float, float]:  # fmt: skip
    """Advance the layer by one tick: `mix`, then `follow`; return the incoming row's weight and the speed in deg/s.

    still: share of the layer that is left, 0..1; out: (43, 3) rad, what the layer adds to the pose
    work: (43, 3), quats: (2, 43, 4) scratch
    """
    weight = mix(delta, gain, old, new, old_pose, new_pose, fade, slow, slow_slots, since, work, quats[1], quats[0])
    speed = follow(shown, quats[0], value, velocity, rate, arms, dt)
    for k in range(out.shape[0]):
        for c in range(3):
            out[k, c] = value[k, c] * still
    return weight, speed


@njit(cache=True, allocates=False)
def follow(shown: F64, blend: F64, value: F64, velocity: F64, rate: F64, arms: I32, dt: float) -> float:
    """Move the layer's rotation vectors toward the blend on springs; return the blend's own speed, deg/s.

    shown: (43, 4) wxyz, the blend of the tick before, replaced by `blend` (43, 4)
    value, velocity: (43, 3) rad and rad/s, changed; rate: (43,) 1/s; arms: (8,) slots whose speed counts
    """
    speed = 0.0
    for slot in arms:
        speed = max(speed, quat.angle(shown[slot], blend[slot]) / dt * _DEGREES)
    before, decay = -1.0, 0.0
    for k in range(value.shape[0]):
        target = shown[k, :3]  # written last: until then it holds the rotation vector, nothing is allocated in a tick
        # the nearest of the equal rotation vectors: a wrist past half a turn would spin back the long way
        rotvec.log_near(blend[k], value[k], target)
        if rate[k] != before:  # two rates only: the exponential is not worth 43 calls
            before = rate[k]
            decay = math.exp(-before * dt)
        for c in range(3):
            gap = value[k, c] - target[c]
            slope = velocity[k, c] + rate[k] * gap
            value[k, c] = target[c] + (gap + slope * dt) * decay
            velocity[k, c] = (velocity[k, c] - rate[k] * slope * dt) * decay
        quat.copy(blend[k], shown[k])
    return speed
