"""Torso and head of a talker: wandering, phrase shifts, turns of the head, nods on accents. Degrees as seen."""

from __future__ import annotations

import numpy as np

from .....components.arrays import F64
from .....components.corpus import FPS
from .....components.speech import Speech
from .noise import delayed, lowpass, swing, wander
from .shapes import LIFT
from .styles import Style

# Recorded torsos turn by SD 3 to 5 deg, 11 to 43 deg/s at their p90. Full-size shifts displace the whole figure, whose
# hips stand still (seen); a third of them, what the torso's gain of .3 would leave, looks like a board. This is half.
_TORSO = 0.9
_HEAD = 1.1  # torsos here are calmer than recorded ones, and the head carries what they do not
SPINE = np.array([0.30, 0.35, 0.35])  # shares of spine, chest, upper chest
# 1/s: of the spring that torso, neck and head are led against. She is shown by a slower one, but against that a clip
# would have to swing three times as far as is seen, and would shake where the spring is set stiffer.
SPRING = 12.0
_QUICK, _SLOW = 1.2, 0.25  # size of what is faster than .25 Hz: crossfades average it away (head p90 was half of real)


def torso(
    rng: np.random.Generator, speech: Speech, style: Style, hands: tuple[F64, F64], frames: int
) -> F64:  # fmt: skip
    """Return (frames, 3) deg, rotation vector pelvis to chest: + is forward, to her left, to her right shoulder."""
    time = np.arange(frames) / FPS
    out = np.stack(
        [
            1.4 * wander(rng, frames, 1.3)[:, 0] + 0.5 * wander(rng, frames, 0.35)[:, 0],
            2.6 * wander(rng, frames, 1.8)[:, 0] + 0.7 * wander(rng, frames, 0.35)[:, 0],
            1.5 * wander(rng, frames, 1.5)[:, 0] + 0.35 * wander(rng, frames, 0.35)[:, 0],
        ],
        axis=1,
    )
    left, right = hands
    out[:, 1] += 0.12 * lowpass(right[:, 2] - left[:, 2], 0.8)  # the chest turns with the hand that reaches
    out[:, 2] -= 0.05 * lowpass(left[:, 1] - right[:, 1], 0.8)
    for begin, end in speech.phrase:
        if rng.random() < 0.75:
            took = rng.uniform(0.8, 1.5)
            shift = rng.normal([0.5 * style.lean, 0.0, 0.0], [1.6, 3.0, 2.0])
            course = swing((time - begin + 0.4) / took)
            course -= swing((time - end - rng.uniform(0.2, 1.2)) / (1.4 * took))
            out += course[:, None] * shift
    for accent, strength in zip(speech.accent, speech.strength):
        if strength > 0.9:
            out[:, 0] += 0.7 * min(strength, 2.0) * _bump(time, accent - 0.28, 0.34, accent + 0.1, 0.6)
    return lowpass(out * _TORSO * style.torso, 6.0)


def head(
    rng: np.random.Generator, speech: Speech, style: Style, active: F64, chest: F64, hands: tuple[F64, F64]
) -> tuple[F64, F64]:  # fmt: skip
    """Return (F, 3) deg rotation vectors of neck and head: + is down, to her left, to her right shoulder.

    active: (F,) 0..1, how much she speaks; chest: (F, 3) deg, what `torso` gave
    """
    frames = len(active)
    time = np.arange(frames) / FPS
    quick = (0.35 + 0.65 * active)[:, None]
    out = wander(rng, frames, 0.95, 3) * [3.0, 2.6, 2.6] + wander(rng, frames, 0.185, 3) * [1.7, 1.5, 1.5] * quick
    _glances(rng, style, time, out)
    nod = style.nod * rng.uniform(0.5, 1.0)  # recorded heads mark accents half as clearly as full nods do
    for accent, strength in zip(speech.accent, speech.strength):
        if rng.random() < 0.62:
            _nod(rng, time, float(accent), nod * min(1.6, 0.45 + 0.5 * float(strength)), out)
    out[:, 1] -= 0.45 * lowpass(chest[:, 1], 1.0)  # eyes stay with the listener while the chest turns
    out[:, 2] -= 0.35 * chest[:, 2]
    out[:, 0] -= 0.40 * chest[:, 0]
    out *= _HEAD * style.head
    raised = 0.5 * (hands[0][:, LIFT] + hands[1][:, LIFT])
    out[:, 0] -= 0.15 * style.head * lowpass(np.maximum(raised - 2.0, 0.0), 2.0)
    slow = lowpass(out, _SLOW)
    out = slow + _QUICK * (out - slow)
    return lowpass(0.5 * out, 6.0), lowpass(0.5 * delayed(out, 0.035), 6.0)


def led(course: F64) -> F64:
    """Return the course (T, ...) that a spring of SPRING makes into this one: motion is authored as it shall be seen.

    The inverse of a critically damped spring, x + 2 x' / w + x'' / w^2: shown heads made 1.2 turns of pitch a second
    without it, 1.7 to 2.9 are a talker's, and nods came a third of a second late.
    """
    speed = np.gradient(course, 1.0 / FPS, axis=0)
    return lowpass(course + 2.0 / SPRING * speed + np.gradient(speed, 1.0 / FPS, axis=0) / SPRING**2, 6.0)


def followed(course: F64, rate: float = SPRING, fps: float = FPS) -> F64:
    """Return what a spring, at rest in the first frame, makes of a course (T, ...): what is seen of it.

    rate: 1/s of the spring; fps: frames a second of the course
    """
    out, here, speed = np.empty(course.shape), np.array(course[0], np.float64), np.zeros(course.shape[1:])
    decay = np.exp(-rate / fps)
    for k, target in enumerate(course):
        gap = here - target
        slope = speed + rate * gap
        here, speed = target + (gap + slope / fps) * decay, (speed - rate * slope / fps) * decay
        out[k] = here
    return out


def _glances(rng: np.random.Generator, style: Style, time: F64, out: F64) -> None:
    """Turns of the head with dwell times of a gamma law; a slight dip on the way."""
    at, here = 0.0, np.zeros(3)
    while at < time[-1]:
        took = rng.uniform(0.38, 0.75)
        there = rng.normal(0.0, [2.2, style.glance, 2.6])
        there[2] -= 0.18 * there[1]
        out += swing((time - at) / took)[:, None] * (there - here)
        dip = min(2.2, 0.12 * abs(there[1] - here[1]))
        out[:, 0] += dip * _bump(time, at, 0.5 * took, at + 0.3 * took, 0.7 * took)
        here = there
        at += rng.gamma(2.2, 0.75)


def _nod(rng: np.random.Generator, time: F64, accent: float, size: float, out: F64) -> None:
    size *= rng.uniform(0.6, 1.3)
    up = rng.uniform(0.15, 0.5) * size
    centre = accent + rng.normal(-0.03, 0.04)  # heads lead the accent (measured .07 s)
    out[:, 0] -= up * _bump(time, centre - 0.42, 0.26, centre - 0.2, 0.26)
    out[:, 0] += size * _bump(time, centre - 0.2, 0.26, centre + 0.04, rng.uniform(0.34, 0.6))
    out[:, 2] += rng.normal(0.0, 0.35) * size * _bump(time, centre - 0.25, 0.3, centre + 0.1, 0.5)


def _bump(time: F64, rises: float, rise: float, falls: float, fall: float) -> F64:
    return swing((time - rises) / rise) - swing((time - falls) / fall)
