"""A mouth that opens by loudness alone, and blinks. The lips' own model is a later part; this says what it is."""

from __future__ import annotations

import math

from ...components.draw import draws
from ...components.face import Face
from ...components.mouth import Mouth
from ...components.voice import Voice
from ...components.world import World

AHEAD = 0.03  # s that the mouth leads the sound: a mouth on the sound looks late (choice)
_OPEN_RATE, _CLOSE_RATE = 60.0, 55.0  # 1/s, springs: half open in 28 ms; 4 % left 90 ms after the voice stops
_BLINK = 0.22  # s, closing takes a third of it
_BLINK_EVERY = (1.6, 6.5)  # s between blinks, standing talk is 15-20 a minute


def speak(world: World) -> None:
    """Write the face's weights.

    Reads Voice, Mouth, World.tick; writes Face.
    """
    for entity, face, mouth in world.each(Face, Mouth):
        voice = world.get(entity, Voice)
        face.weight[:] = 0.0
        if "face" not in world.config.run.layers:
            continue
        target = loudness(voice)
        rate = _OPEN_RATE if target > face.openness else _CLOSE_RATE
        decay = math.exp(-rate * world.dt)
        gap = face.openness - target
        slope = face.velocity + rate * gap
        face.openness = target + (gap + slope * world.dt) * decay
        face.velocity = (face.velocity - rate * slope * world.dt) * decay
        opened = min(max(face.openness, 0.0), 1.0)
        if target == 0.0 and opened < 0.02:
            opened = 0.0
        for channel, weight in mouth.open:
            face.weight[channel] = opened * weight
        closed = blink(world, entity, face)
        for channel, weight in mouth.blink:
            face.weight[channel] = max(float(face.weight[channel]), closed * weight)


def loudness(voice: Voice) -> float:
    """Return how far the voice opens the mouth now, 0..1, a little ahead of the sound."""
    if voice.current is None:
        return 0.0
    envelope = voice.current.speech.envelope
    at = int((voice.position + AHEAD) * 60.0)
    if not 0 <= at < envelope.shape[0]:
        return 0.0
    # envelope: dB about her active level; -18 dB is where vowels end, +2 dB a loud one (seen on six voices)
    return min(max((float(envelope[at]) + 18.0) / 20.0, 0.0), 1.0) ** 0.8


def blink(world: World, entity: int, face: Face) -> float:
    """Return how far the lids are closed, 0..1, and draw the next blink when one has begun."""
    tick = world.tick
    if face.blink_at == 0:
        face.blink_at = tick + round(draws(world.seed, entity, "face", tick).uniform(*_BLINK_EVERY) * 60.0)
    since = (tick - face.blink_at) * world.dt
    if since < 0.0:
        return 0.0
    if since >= _BLINK:
        face.blink_at = tick + round(draws(world.seed, entity, "face", tick).uniform(*_BLINK_EVERY) * 60.0)
        return 0.0
    x = since / _BLINK
    return 0.5 - 0.5 * math.cos(math.pi * x / 0.33) if x < 0.33 else 0.5 + 0.5 * math.cos(math.pi * (x - 0.33) / 0.67)
