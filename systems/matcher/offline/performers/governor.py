"""Keeps the arms under the speed gate by changing the plan, not the poses: the one move to blame gives way.

Blaming every move under a peak, or slowing only, makes one-second mush; one hard limit gives every peak one height.
"""

from __future__ import annotations

import numpy as np

from .....components.arrays import F64
from .....components.corpus import FPS
from . import arm
from .channels import finish, part
from .moves import Move, Track, draw, settle, shrink
from .noise import lowpass
from .shapes import PLACE, ROLL

LIMIT = 86.0  # deg/s at 30 Hz: the gate is 90 at 60 Hz, and interpolated peaks come out a little higher
PASSES = 14
SMOOTH = 7.0  # Hz, what hands do faster than this is noise
_SOFTEN = 12  # passes of local smoothing after that
_LAST = 4  # passes at the end in which every move may use almost the whole limit
_LEAST_PATH = 0.55  # of a move's path; a floor of .3 erased gestures
_LONGEST = 2.5  # times the planned duration; without a bound a stroke grew to 15 s
_WRIST = 2.2  # most that roll and wrist may be drawn out against the hand


def govern(tracks: tuple[Track, Track], noise: tuple[F64, F64], frames: int) -> tuple[F64, F64]:
    """Change the moves of both tracks until nothing is too fast, and return both hands' finished (T, 24) channels."""
    for attempt in range(PASSES):
        factors: dict[object, float] = {}
        too_fast = False
        for track, own in zip(tracks, noise):
            too_fast |= _blame(track, finish(draw(track, frames) + own), attempt, factors)
        if not too_fast:
            break
        for track in tracks:
            for move in track.moves:
                factor = factors.get(_key(move), 1.0)
                if factor > 1.0:
                    _slow(move, factor)
            settle(track)
    left, right = (lowpass(finish(draw(track, frames) + own), SMOOTH) for track, own in zip(tracks, noise))
    left, right = part(left, right)
    return soften(left), soften(right)


def soften(channels: F64) -> F64:
    """Return channels (T, 24) with what is still too fast smoothed over, just there: strokes that met by chance."""
    out = channels
    frame = np.arange(len(channels) - 1)
    for _ in range(_SOFTEN):
        fastest = np.linalg.norm(arm.speeds(arm.solve(out), FPS), axis=2).max(axis=0)
        bad = np.flatnonzero(fastest > LIMIT + 1.0)
        if not len(bad):
            break
        near = np.exp(-0.5 * ((frame[:, None] - bad) / (0.2 * FPS)) ** 2).max(axis=1)
        weight = np.concatenate([near, near[-1:]])[:, None]
        out = out + weight * (lowpass(out, 1.6, order=1) - out)
    return out


def _key(move: Move) -> object:
    return (move.link, move.kind) if move.link != -1 and move.kind in ("prep", "stroke", "retract") else id(move)


def _blame(track: Track, channels: F64, attempt: int, factors: dict[object, float]) -> bool:
    """Find the move behind each speed peak above its cap; roll is stretched at once, the rest noted in `factors`."""
    velocity = arm.speeds(arm.solve(channels), FPS)
    fastest = np.linalg.norm(velocity, axis=2).max(axis=0)
    swing = velocity.copy()
    swing[2, :, 0] = 0.0  # without the forearm's roll
    swinging = np.linalg.norm(swing[:3], axis=2).max(axis=0)
    padded = np.concatenate([[0.0], fastest, [0.0]])
    peaks = np.flatnonzero((fastest > 0.5 * LIMIT) & (fastest >= padded[:-2]) & (fastest > padded[2:]))
    if not len(peaks) or not track.moves:
        return False
    start = np.array([m.start for m in track.moves])
    time = np.array([m.duration for m in track.moves])
    longer = np.array([m.wrist for m in track.moves])
    step = np.array([m.target - m.origin for m in track.moves])
    # deg/s of joint motion: 2.2 deg a cm of path; half of the forearm's roll in the elbow, half in the wrist
    placing = 2.2 * np.linalg.norm(step[:, PLACE], axis=1) / time
    rolling = 0.5 * np.abs(step[:, ROLL]) / (time * longer)
    now = (peaks[:, None] + 0.5) / FPS
    by_place = placing * _bell((now - start) / time)
    by_roll = rolling * _bell((now - start + 0.6 * time * (longer - 1.0)) / (time * longer))
    too_fast = False
    for peak, worst in zip(peaks, (by_place + by_roll).argmax(axis=1)):
        move = track.moves[worst]
        cap = LIMIT * (move.cap if attempt < PASSES - _LAST else max(move.cap, 0.92))
        if fastest[peak] <= cap:
            continue
        too_fast = True
        excess = fastest[peak] / cap
        if swinging[peak] < 0.93 * cap and move.wrist < _WRIST:
            move.wrist = min(_WRIST, move.wrist * min(1.25, max(1.05, excess)))
        else:
            key = _key(move)
            factors[key] = max(factors.get(key, 1.0), min(1.25, max(1.04, excess)))
    return too_fast


def _bell(progress: F64) -> F64:
    """Return the speed of a minimum-jerk step of unit length and time, a little beyond its ends for late channels."""
    inner = np.clip(progress, 0.02, 0.98)
    return np.where((progress > -0.15) & (progress < 1.25), 30.0 * (inner * (1.0 - inner)) ** 2, 0.0)


def _slow(move: Move, factor: float) -> None:
    """Half of the excess goes into a shorter path while there is some to give, the rest into time."""
    stretch = factor
    if move.kind != "retract" and move.path > _LEAST_PATH:
        shrink(move, factor**-0.5)
        stretch = factor**0.5
    stretch = min(stretch, max(1.0, _LONGEST * move.planned / move.duration))
    move.end += 0.1 * move.duration * (stretch - 1.0)
    move.duration *= stretch
