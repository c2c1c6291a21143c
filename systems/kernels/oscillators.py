"""Breath, sway and weight between the feet as coupled oscillators: one step of their state, and what it shows."""

from __future__ import annotations

import math

from . import quat
from .arrays import F64
from .compiled import njit
from .spring import step

_TURN = 2.0 * math.pi
INHALE = 0.46  # share of a quiet breath that goes in: in to out 1 : 1.17 standing (facts: RMMI study, 100 adults)

# The couplings. Choices: no source gives numbers for these, a test shows each by cutting it.
SWAY_SLOWED = 0.35  # of the sway's rate at the top of a quiet breath
SWAY_DEEPENED = 0.45  # more sway at the top of a quiet breath
SHIFT_DRAGS_SWAY = 0.22  # turns of the first two sway phases for a whole weight shift
SHIFT_DRAGS_BREATH = 0.30  # turns of breath for a whole weight shift
SPEECH_SLOWS_BREATH = 0.45  # of the quiet rate is left while she speaks: about 10 % in, 90 % out


@njit(cache=True)
def curve(phase: float) -> float:
    """Return how far the breath is in, 0..1, at a phase 0..1 that starts with the inhale."""
    if phase < INHALE:
        return 0.5 - 0.5 * math.cos(math.pi * phase / INHALE)
    return 0.5 + 0.5 * math.cos(math.pi * (phase - INHALE) / (1.0 - INHALE))


@njit(cache=True)
def breathe(phase: F64, lift: F64, speech: float, rate: float, taken: F64, shift_speed: float, dt: float) -> None:
    """Advance the breath by dt s.

    phase: (1,) 0..1 and lift: (2,) what shows (1 = top of a quiet breath) and 1/s; changed in place
    speech: 0..1 how much she is speaking; rate: quiet breaths a second
    taken: (4,) a breath on purpose: s since it began (negative: none), depth, inhale s, hold s
    shift_speed: 1/s, speed of the weight between the feet
    """
    since, depth, inhale, hold = taken[0], taken[1], taken[2], taken[3]
    if 0.0 <= since < inhale:
        x = since / inhale
        target = lift[0] + (depth - lift[0]) * (0.5 - 0.5 * math.cos(math.pi * x))
        quick = 5.0 / inhale
        phase[0] = INHALE
    elif inhale <= since < inhale + hold:
        target = depth * (1.0 - 0.85 * (since - inhale) / hold)  # speech lets the air out, near empty at its end
        quick = 12.0
        phase[0] = INHALE + (1.0 - INHALE) * 0.8
    else:
        slow = 1.0 - (1.0 - SPEECH_SLOWS_BREATH) * speech
        phase[0] = (phase[0] + rate * slow * dt + SHIFT_DRAGS_BREATH * abs(shift_speed) * 0.5 * dt) % 1.0
        target = curve(phase[0])
        quick = 6.0
    lift[0], lift[1] = step(lift[0], lift[1], target, quick, dt)


@njit(cache=True)
def sway(phase: F64, period: F64, amplitude: float, lift: float, shift_speed: float, dt: float, out: F64) -> None:
    """Advance the sway and write where it takes the hips.

    phase: (S,) 0..1, changed; period: (S,) s, unrelated; amplitude: m, sideways peak of all together; lift: breath
    out: (2,) m: sideways (+ her left) and forward
    """
    slow = 1.0 - SWAY_SLOWED * min(max(lift, 0.0), 1.5)
    deep = 1.0 + SWAY_DEEPENED * min(max(lift, 0.0), 1.5)
    side, front, total = 0.0, 0.0, 0.0
    for k in range(phase.shape[0]):
        turn = slow * dt / period[k]
        if k < 2:
            turn += SHIFT_DRAGS_SWAY * 0.5 * shift_speed * dt
        phase[k] = (phase[k] + turn) % 1.0
        weight = math.sqrt(period[k])  # longer swings are wider: the spectrum falls, power mostly under 0.5 Hz
        total += weight
        side += weight * math.sin(_TURN * phase[k])
        front += weight * math.sin(_TURN * (phase[k] * (1.0 if k % 2 == 0 else -1.0) + 0.13 * (k + 1)))
    out[0] = amplitude * deep * side / total
    out[1] = 1.4 * amplitude * deep * front / total  # fore-aft is wider than sideways (3-6 against 2-4 mm)


@njit(cache=True)
def settle(state: F64, target: float, rate: float, dt: float) -> float:
    """Advance one eased number toward its target. state: (2,) value and speed; return the value."""
    state[0], state[1] = step(state[0], state[1], target, rate, dt)
    return state[0]


@njit(cache=True)
def turn_joints(turns: F64, cause: F64, weight: float, frame: F64, hips_frame: F64, out: F64, hips: F64) -> None:
    """Write the turns of every joint for these causes, each about its own axes.

    turns: (C, N + 1, 3) rad a unit of cause about the avatar's axes, the pelvis last; cause: (C,); weight: 0..1
    frame: (N, 4), hips_frame: (4,) wxyz, orientations in the base pose; out: (N, 3), hips: (3,) rad, local
    """
    count = out.shape[0]
    for n in range(count + 1):
        x, y, z = 0.0, 0.0, 0.0
        for c in range(cause.shape[0]):
            x += turns[c, n, 0] * cause[c]
            y += turns[c, n, 1] * cause[c]
            z += turns[c, n, 2] * cause[c]
        row = hips if n == count else out[n]
        row[0], row[1], row[2] = x * weight, y * weight, z * weight
        quat.rotate_back(hips_frame if n == count else frame[n], row, row)
