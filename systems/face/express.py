"""Expressions on her channels, and what they leave of her blinks and of her speech (VRM 1.0, expressions)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...components.arrays import F64
from ...components.face import Face
from ...components.face_map import GAZE, LIDS, VOWELS, FaceMap, Look

_EASE = 0.15  # s, an expression comes and goes with this time constant: 0.35 s to nine tenths (choice)
_NO_MOODS = frozenset((*VOWELS, *LIDS, *GAZE))
_GONE = 0.004  # weight below which nothing is seen


def ease(face: Face, dt: float) -> None:
    """Move what her face shows toward what is asked of it.

    dt: s
    """
    if not face.asked and not face.shown:
        return
    keep = math.exp(-dt / _EASE)
    for name in [*face.asked, *(n for n in face.shown if n not in face.asked)]:
        wanted = min(max(face.asked.get(name, 0.0), 0.0), 1.0)
        weight = wanted + (face.shown.get(name, 0.0) - wanted) * keep
        if wanted == 0.0 and weight < _GONE:
            face.shown.pop(name, None)
            face.asked.pop(name, None)
        else:
            face.shown[name] = weight


def express(
    face_map: FaceMap, shown: Mapping[str, float], weight: F64, yields: F64 | None = None, claim: float = 0.0
) -> tuple[float, float]:
    """Add expressions to her channels and return what they leave of blinks and of speech, 0..1 each.

    shown: expression -> 0..1; one she does not have is skipped
    weight: (M,) 0..1, her channels; a channel of two expressions shows their sum, 1 at most
    yields: (M,) 0..1, what a mood gives up of each channel while she speaks; claim: 0..1, how much she does
    """
    if not shown:
        return 1.0, 1.0
    looks = {name: (face_map.expressions[name], value) for name, value in shown.items() if name in face_map.expressions}
    blink = speech = 1.0
    for look, value in looks.values():
        value = level(look, value)
        blink = min(blink - _taken(look.blink, value), 1.0 - look.lids * value)
        speech -= _taken(look.mouth, value)
    blink, speech = max(blink, 0.0), max(speech, 0.0)
    for name, (look, value) in looks.items():
        part = blink if name in LIDS else speech if name in VOWELS else 1.0
        shows = left(look, value, part)
        if yields is not None and claim > 0.0 and name not in _NO_MOODS:
            # a smile under a p would hold the lips apart (met4citizen/TalkingHead#35)
            add(
                tuple((channel, full * (1.0 - claim * yields[channel])) for channel, full in look.channels),
                shows,
                weight,
            )
        else:
            add(look.channels, shows, weight)
    return blink, speech


def level(look: Look | None, value: float) -> float:
    """Return how much of a look is shown: all or nothing where her file says so."""
    return value if look is None or not look.is_binary else float(value > 0.5)


def left(look: Look | None, value: float, part: float) -> float:
    """Return how much of a look is shown when others leave `part` of it: a binary one goes as soon as any is taken."""
    if look is not None and look.is_binary:
        return level(look, value) if part >= 1.0 else 0.0
    return value * part


def add(channels: tuple[tuple[int, float], ...], value: float, weight: F64) -> None:
    """Add a look of this strength to her channels, 1 at most."""
    for channel, full in channels:
        weight[channel] = min(float(weight[channel]) + value * full, 1.0)


def _taken(how: str, value: float) -> float:
    return float(value > 0.0) if how == "block" else value if how == "blend" else 0.0
