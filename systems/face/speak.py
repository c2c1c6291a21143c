"""A mouth that opens by loudness alone, blinks, expressions. The lips' own model is a later part."""

from __future__ import annotations

import math

from ...components.draw import draws
from ...components.face import Face
from ...components.face_map import FaceMap
from ...components.voice import Voice
from ...components.world import World
from .express import add, ease, express, left

AHEAD = 0.03  # s that the mouth leads the sound: a mouth on the sound looks late (choice)
_OPEN_RATE, _CLOSE_RATE = 60.0, 55.0  # 1/s, springs: half open in 28 ms; 4 % left 90 ms after the voice stops
_CLOSE_LIVE = (
    80.0  # 1/s: a live voice falls silent unannounced; with 10 ms of sound and a tick 5 % are left after 86 ms
)
_BLINK = 0.22  # s, closing takes a third of it
_BLINK_EVERY = (1.6, 6.5)  # s between blinks, standing talk is 15-20 a minute


def speak(world: World) -> None:
    """Write the face's weights.

    Reads Voice, FaceMap, Face.asked, World.tick; writes Face.
    """
    for entity, face, face_map in world.each(Face, FaceMap):
        voice = world.get(entity, Voice)
        face.weight[:] = 0.0
        if "face" not in world.config.run.layers:
            continue
        target = loudness(voice)
        closes = _CLOSE_RATE if voice.current is not None or not voice.listening else _CLOSE_LIVE
        rate = _OPEN_RATE if target > face.openness else closes
        decay = math.exp(-rate * world.dt)
        gap = face.openness - target
        slope = face.velocity + rate * gap
        face.openness = target + (gap + slope * world.dt) * decay
        face.velocity = (face.velocity - rate * slope * world.dt) * decay
        opened = min(max(face.openness, 0.0), 1.0)
        if target == 0.0 and opened < 0.02:
            opened = 0.0
        ease(face, world.dt)
        lids, speech = express(face_map, face.shown, face.weight)
        looks = face_map.expressions
        add(face_map.open, left(looks.get("aa") if face_map.kind == "VRM" else None, opened, speech), face.weight)
        closed = left(looks.get("blink"), blink(world, entity, face), lids)
        for channel, full in face_map.blink:
            # the larger one: a blink during a squint closes the eye, it does not fold it
            face.weight[channel] = max(float(face.weight[channel]), closed * full)


def loudness(voice: Voice) -> float:
    """Return how far the voice opens the mouth now, 0..1, a little ahead of the sound where it is known."""
    if voice.current is None:
        return opening(voice.live.opening) if voice.listening and voice.live is not None else 0.0
    if voice.waited:
        return 0.0
    envelope = voice.current.speech.envelope
    at = int((voice.position + AHEAD) * 60.0)
    return opening(float(envelope[at])) if 0 <= at < envelope.shape[0] else 0.0


def opening(decibels: float) -> float:
    """Return how far a loudness opens the mouth, 0..1. decibels: over her active level."""
    # -18 dB is where vowels end, +2 dB a loud one (seen on six voices)
    return min(max((decibels + 18.0) / 20.0, 0.0), 1.0) ** 0.8


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
