"""When somebody speaks: loudness against a tracked noise floor, frame by frame, never looking ahead."""

from __future__ import annotations

from .arrays import F64, Bool
from .compiled import njit

OPEN = 10.0  # dB over the floor that open the gate; this, CLOSE and HOLD: measured notes on gates for live voices
CLOSE = 5.0  # dB over the floor below which it starts to close
HOLD = 20  # frames (0.2 s) it stays open after that, so that a stop consonant does not cut a word
SMOOTH = 0.2  # share a frame moves the level that the floor is the minimum of: 45 ms, longer than a click
PARTS = 8  # the floor is the least of this many parts ...
PART = 75  # ... of 0.75 s: 6 s always hold a breath or a closure, even of voices that never pause (flite)
RANGE = 40.0  # dB below the loudest lately, where the floor ends: digital silence opens on dither
DECAY = 0.01  # dB a frame (1 dB/s) that "the loudest lately" sinks
LEAST = -90.0  # dB, where the floor ends in any case: the dither of 16 bits is at -98

STATE = PARTS + 6  # floats: parts' minima, this part's minimum, its length, smoothed level, loudest, open, hold left
_NOW, _LENGTH, _LEVEL, _TOP, _IS_OPEN, _LEFT = range(PARTS, PARTS + 6)


@njit(cache=True, allocates=False)
def begin(state: F64, floor: float, top: float) -> None:
    """Start with what is known of the room and the voice.

    state: (STATE,), written
    floor, top: dB, loudness of the pauses and of the loudest frames
    """
    state[: PARTS + 1] = floor
    state[_LENGTH] = 0.0
    state[_LEVEL] = top  # sinks onto the first frames instead of taking one of them for the floor
    state[_TOP] = top
    state[_IS_OPEN] = 0.0
    state[_LEFT] = 0.0
    state[_NOW] = top


@njit(cache=True, allocates=False)
def follow(loudness: F64, state: F64, floor: F64, voiced: Bool) -> None:
    """Write the floor and whether the gate is open, for each next frame.

    loudness: (n,) dB
    state: (STATE,), changed
    floor: (n,) dB, written
    voiced: (n,), written
    """
    for k in range(loudness.shape[0]):
        now = loudness[k]
        state[_LEVEL] += SMOOTH * (now - state[_LEVEL])
        state[_NOW] = min(state[_NOW], state[_LEVEL])
        state[_TOP] = max(now, state[_TOP] - DECAY)
        least = state[_NOW]
        for part in range(PARTS):
            least = min(least, state[part])
        least = max(least, state[_TOP] - RANGE, LEAST)
        floor[k] = least
        state[_LENGTH] += 1.0
        if state[_LENGTH] >= PART:
            for part in range(PARTS - 1):
                state[part] = state[part + 1]
            state[PARTS - 1] = state[_NOW]
            state[_NOW] = state[_LEVEL]
            state[_LENGTH] = 0.0
        if now >= least + OPEN:
            state[_IS_OPEN] = 1.0
            state[_LEFT] = HOLD
        elif state[_IS_OPEN] > 0.0:
            if now >= least + CLOSE:
                state[_LEFT] = HOLD
            else:
                state[_LEFT] -= 1.0
                if state[_LEFT] < 0.0:
                    state[_IS_OPEN] = 0.0
        voiced[k] = state[_IS_OPEN] > 0.0
