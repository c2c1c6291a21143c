"""Breath, sway and weight between the feet as coupled oscillators: one step of their state, and what it shows."""

from __future__ import annotations

import math

from . import quat
from .arrays import F64
from .compiled import njit
from .spring import HALF, step

_TURN = 2.0 * math.pi

# The couplings. Choices: no source gives numbers for these, a test shows each by cutting it.
SWAY_SLOWED = 0.35  # of the sway's rate at the top of a quiet breath
SWAY_DEEPENED = 0.45  # more sway at the top of a quiet breath
SHIFT_DRAGS_SWAY = 0.22  # turns of the two fastest sways' phases for a whole weight shift
SHIFT_DRAGS_BREATH = 0.30  # turns of breath for a whole weight shift
SPEECH_SLOWS_BREATH = 0.45  # of the quiet rate is left while she speaks: about 10 % in, 90 % out
# Of a sway's rate, comes and goes with the next slower one, the slowest's with the other side's: a band, never a beat.
SWAY_WANDERS = 0.6

LOAD_A_METRE = 12.0  # of load a metre of fidget to the side: 0.24 for 20 mm (choice: half of what the feet would ask)
PELVIS_OF_HEAD = 0.6  # of the head's sway shows at the pelvis: an inverted pendulum, 0.92 m of 1.5 m
STILL_S, SPEECH_S = 0.5, 0.3  # s, half-lives of stillness and of speaking
AMOUNT_S = 1.0  # s, half-life of a changed setting: followed at once, the pelvis jumped by up to 30 mm
STILL = 0.9  # of all motion is gone at stillness 1
FLOOR = 0.45  # of the reflex is left under the busiest corpus: a body that stops breathing looks dead (choice)


@njit(cache=True, allocates=False)
def advance(
    moves: F64, fidget: F64, taken: F64, breathing: F64, period: F64, amplitude: F64,
    state: F64, tick: float, still: float, speaking: float, activity: float, busy_smooth: float, stand_down: float,
    breath_amount: float, sway_amount: float, shift_amount: float, dt: float,
    turns: F64, frame: F64, hips_frame: F64, shows: bool, cause: F64, out: F64, hips: F64, sink: F64,
) -> None:  # fmt: skip
    """Advance all of it by one tick and write what it does to her; one call, for each costs 1 us from Python.

    moves: (5, 4), fidget: (4,), taken: (4,), breathing: (4, 3) as in components/plan.py
    period: (2, S) s and amplitude: (2, S) m, of the sways sideways and forward
    state: all that is eased, one after the other as in components/carry.py, changed; the share is written, not read
    tick: now; still, speaking, activity: 0..1, wanted; busy_smooth, stand_down: s, half-lives
    breath_amount, sway_amount, shift_amount: times what the file says, wanted
    turns, frame, hips_frame, out, hips: as in `turn_joints`; shows: False writes no motion and goes on counting
    cause: (4,) scratch; sink: (3,) m, of the pelvis, written
    """
    stillness, presence, busy = state[0:2], state[2:4], state[4:6]
    phase, count, lift, sway_phase = state[6:7], state[7:8], state[8:10], state[10:-8].reshape(2, -1)
    amounts, share, speech = state[-8:-4].reshape(2, 2), state[-4:-2], state[-2:]
    settle(stillness, still, HALF / STILL_S, dt)
    settle(speech, speaking, HALF / SPEECH_S, dt)
    # `activity` is a per-row number and jumps; following it step for step showed as a hip step once a second
    smoothed = settle(busy, activity, HALF / busy_smooth, dt)
    settle(presence, 1.0 - smoothed, HALF / stand_down, dt)

    swing = settle(amounts[0], sway_amount, HALF / AMOUNT_S, dt)
    shift = settle(amounts[1], shift_amount, HALF / AMOUNT_S, dt)

    share[0], share[1] = eased(moves[0], tick, dt)
    away = bump(fidget, tick, dt)
    share[0] += LOAD_A_METRE * fidget[2] * away
    breathe(phase, count, lift, speech[0], breathing, taken, (tick - taken[0]) * dt, share[1], breath_amount, dt)
    sway(sway_phase, period, amplitude, lift[0], share[1], dt, cause[2:])

    cause[2], cause[3] = cause[2] * swing, cause[3] * swing
    side = shift * (eased(moves[3], tick, dt)[0] + fidget[2] * away)
    front = shift * (eased(moves[2], tick, dt)[0] + eased(moves[4], tick, dt)[0] + fidget[3] * away)
    sink[0] = shift * eased(moves[1], tick, dt)[0] + side + PELVIS_OF_HEAD * cause[2]
    sink[1] = 0.0
    sink[2] = front + PELVIS_OF_HEAD * cause[3]
    cause[0], cause[1] = lift[0], shift * share[0]
    cause[2] += side / PELVIS_OF_HEAD
    cause[3] += front / PELVIS_OF_HEAD
    weight = (FLOOR + (1.0 - FLOOR) * presence[0]) * (1.0 - STILL * stillness[0]) if shows else 0.0
    for k in range(3):
        sink[k] *= weight
    turn_joints(turns, cause, weight, frame, hips_frame, out, hips)


@njit(cache=True, allocates=False)
def eased(move: F64, tick: float, dt: float) -> tuple[float, float]:
    """Return where a move is now and how fast, in its unit and that a second: minimum jerk (Flash & Hogan 1985).

    move: (4,) tick, s it takes, from, to
    """
    x = min(max((tick - move[0]) * dt / move[1], 0.0), 1.0)
    gap = move[3] - move[2]
    done = x * x * x * (10.0 + x * (6.0 * x - 15.0))
    return move[2] + gap * done, gap * 30.0 * x * x * (1.0 - x) * (1.0 - x) / move[1]


@njit(cache=True, allocates=False)
def bump(fidget: F64, tick: float, dt: float) -> float:
    """Return how far out a fidget is, 0..1 and back to 0."""
    x = min(max((tick - fidget[0]) * dt / fidget[1], 0.0), 1.0)
    return 0.5 - 0.5 * math.cos(_TURN * x)


@njit(cache=True, allocates=False)
def curve(phase: float, inhale: float) -> float:
    """Return how far the breath is in, 0..1, at a phase 0..1 that starts with the inhale. inhale: its share, 0..1."""
    if phase < inhale:
        return 0.5 - 0.5 * math.cos(math.pi * phase / inhale)
    return 0.5 + 0.5 * math.cos(math.pi * (phase - inhale) / (1.0 - inhale))


@njit(cache=True, allocates=False)
def breathe(
    phase: F64,
    count: F64,
    lift: F64,
    speech: float,
    breathing: F64,
    taken: F64,
    since: float,
    shift_speed: float,
    amount: float,
    dt: float,
) -> None:
    """Advance the breath by dt s.

    phase: (1,) 0..1, count: (1,) and lift: (2,) what shows (1 = top of a quiet breath) and 1/s; changed in place
    speech: 0..1 how much she is speaking
    breathing: (B, 3) breath n in row n % B: s, share in, depth
    taken: (4,) a breath on purpose: tick, depth, inhale s, hold s; since: s since it began (negative: none)
    shift_speed: 1/s, speed of the weight between the feet; amount: times the breaths' rate
    """
    row = breathing[int(count[0]) % breathing.shape[0]]
    depth, inhale, hold = taken[1], taken[2], taken[3]
    if 0.0 <= since < inhale:
        x = since / inhale
        target = lift[0] + (depth - lift[0]) * (0.5 - 0.5 * math.cos(math.pi * x))
        quick = 5.0 / inhale
        phase[0] = row[1]
    elif inhale <= since < inhale + hold:
        target = depth * (1.0 - 0.85 * (since - inhale) / hold)  # speech lets the air out, near empty at its end
        quick = 12.0
        phase[0] = row[1] + (1.0 - row[1]) * 0.8
    else:
        slow = 1.0 - (1.0 - SPEECH_SLOWS_BREATH) * speech
        phase[0] += amount * slow * dt / row[0] + SHIFT_DRAGS_BREATH * abs(shift_speed) * 0.5 * dt
        target = row[2] * curve(min(phase[0], 1.0), row[1])
        if phase[0] >= 1.0:
            phase[0] -= 1.0
            count[0] += 1.0
        quick = 6.0
    lift[0], lift[1] = step(lift[0], lift[1], target, quick, dt)


@njit(cache=True, allocates=False)
def sway(phase: F64, period: F64, amplitude: F64, lift: float, shift_speed: float, dt: float, out: F64) -> None:
    """Advance the sway and write where it takes the head.

    phase: (2, S) 0..1, changed; period: (2, S) s, rising; amplitude: (2, S) m; lift: breath; shift_speed: 1/s
    out: (2,) m: to her left and forward
    """
    slow = 1.0 - SWAY_SLOWED * min(max(lift, 0.0), 1.5)
    deep = 1.0 + SWAY_DEEPENED * min(max(lift, 0.0), 1.5)
    last = phase.shape[1] - 1
    for row in range(2):
        where = 0.0
        for k in range(last + 1):
            slower = phase[row, k + 1] if k < last else phase[1 - row, last]
            turn = slow * dt / period[row, k] * (1.0 + SWAY_WANDERS * math.sin(_TURN * slower))
            if k < 2:
                turn += SHIFT_DRAGS_SWAY * 0.5 * shift_speed * dt
            phase[row, k] = (phase[row, k] + turn) % 1.0
            where += amplitude[row, k] * math.sin(_TURN * phase[row, k])
        out[row] = deep * where


@njit(cache=True, allocates=False)
def settle(state: F64, target: float, rate: float, dt: float) -> float:
    """Advance one eased number toward its target. state: (2,) value and speed; return the value."""
    state[0], state[1] = step(state[0], state[1], target, rate, dt)
    return state[0]


@njit(cache=True, allocates=False)
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
        if x != 0.0 or y != 0.0 or z != 0.0:  # fingers and most arm joints are never turned
            quat.rotate_back(hips_frame if n == count else frame[n], row, row)
