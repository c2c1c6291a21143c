"""People who never were: a way of talking drawn by number, and a voice made of sines for it to move to."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ....components.arrays import F32
from ....components.speech import RATE
from ...matcher.offline.performers.styles import STYLES, Style

_HOMES = ("low", "low", "front", "hang", "one")
_FAMILIES = ("offer", "sweep", "contrast", "pinch", "press", "ball", "shrug", "self", "beat")
# From a little under the least to a little over the most of the six authored performers (performers/styles.py), further
# in and lower where hands meet her body
_RANGES = {
    "rate": (0.5, 1.3), "amplitude": (0.55, 1.25), "tempo": (0.9, 1.15), "spacing": (0.5, 1.2),
    "gestured": (0.65, 1.0), "both": (0.5, 0.9), "drift": (2.5, 10.0), "torso": (0.8, 2.0), "up": (-7.0, 5.0),
    "out": (-4.0, 4.0), "narrow": (-1.0, 6.0), "hang": (0.1, 0.6), "hold": (0.2, 0.7), "retract": (0.6, 1.4),
    "vary": (0.8, 1.6), "noise": (0.8, 1.3), "openness": (0.0, 0.5), "lean": (0.0, 1.5),
}  # fmt: skip
_PHRASE, _PAUSE = (1.5, 6.0), (0.35, 1.4)  # s that are spoken at once, and between
_SYLLABLES = (3.2, 5.5)  # 1/s
_PITCH = (95.0, 230.0)  # Hz


def person(number: int) -> Style:
    """Return the way of talking of the person of this number; the same number, the same person."""
    draw = np.random.default_rng([20, number])
    drawn = {name: float(draw.uniform(*ends)) for name, ends in _RANGES.items()}
    likes = dict(zip(_FAMILIES, np.round(draw.gamma(0.8, 2.0, len(_FAMILIES)), 2).tolist(), strict=True))
    home = _HOMES[draw.integers(len(_HOMES))]
    return replace(STYLES["lively"], home=home, lead=int(draw.integers(2)), families=likes, **drawn)


def babble(seed: int, seconds: float) -> F32:
    """Return a buzzing, syllabic voice with pauses, at 16 kHz; enough for accents and phrases to be found in it."""
    draw = np.random.default_rng([21, seed])
    t = np.arange(round(seconds * RATE)) / RATE
    low = draw.uniform(*_PITCH)
    pitch = low * (1.0 + 0.12 * np.sin(2 * math.pi * (0.35 * t + draw.random())))
    loud, at = np.zeros_like(t), 0.4
    while at < seconds - 1.0:
        end = min(at + draw.uniform(*_PHRASE), seconds - 0.5)
        while at < end:
            long = 1.0 / draw.uniform(*_SYLLABLES)
            inside = (t >= at) & (t < at + long)
            strong = draw.random() < 0.25
            loud[inside] = np.sin(math.pi * (t[inside] - at) / long) * draw.uniform(0.5, 0.8) * (1.5 if strong else 1.0)
            pitch[inside] *= 1.18 if strong else 1.0
            at += long
        at += draw.uniform(*_PAUSE)
    phase = 2 * math.pi * np.cumsum(pitch) / RATE
    buzz = sum(np.sin(k * phase) / k for k in range(1, 16))
    noise = 2e-4 * draw.standard_normal(len(t))
    return (0.15 * buzz * loud + noise).astype(np.float32)
