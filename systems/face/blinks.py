"""Her blinks: drawn ahead, more of them where a phrase ends and where her eyes jump far, one at a time."""

from __future__ import annotations

import math

from ...components.draw import draws
from ...components.face import Face
from ...components.world import World

BLINK = (0.19, 0.25)  # s, closing takes a third of it (facts of people: 0.1 to 0.4)
EVERY = (1.8, 7.6)  # s between blinks; with the others 15-25 a minute, as people who talk (Bentivoglio 1997: 26)
AT_END, AFTER_END = 0.5, (0.0, 0.2)  # share of phrases whose end she blinks at, and s after it
FAR, AT_JUMP = math.radians(14.0), 0.6  # a jump of the eyes from which on she blinks with it, and how often
TWICE, AGAIN = 0.12, (0.08, 0.2)  # share of blinks that a second one follows, and s between
APART = 0.6  # s between two others


def blink(world: World, entity: int, face: Face, speaks: bool = False, jumped: float = 0.0) -> float:
    """Return how far the lids are closed, 0..1, and draw the next blink when one is over.

    speaks: her voice sounds; jumped: rad that her eyes jump on this tick
    """
    tick = world.tick
    if face.blink_at == 0:
        draw = draws(world.seed, entity, "face", tick)
        face.blink_at, face.blink_s = tick + round(draw.uniform(*EVERY) * 60.0), float(draw.uniform(*BLINK))
    ends, face.spoke = face.spoke and not speaks, speaks
    if (ends or jumped > FAR) and tick < face.blink_at and (tick - face.blinked) * world.dt > APART:
        draw = draws(world.seed, entity, "face", tick)
        if draw.random() < (AT_END if ends else AT_JUMP):
            face.blink_at = min(face.blink_at, tick + round(60.0 * draw.uniform(*AFTER_END)) if ends else tick)
    since = (tick - face.blink_at) * world.dt
    if since < 0.0:
        return 0.0
    if since >= face.blink_s:
        draw = draws(world.seed, entity, "face", tick)
        follows = draw.random() < TWICE and (tick - face.blinked) * world.dt > APART
        face.blinked = tick
        face.blink_at = tick + round(60.0 * draw.uniform(*(AGAIN if follows else EVERY)))
        face.blink_s = float(draw.uniform(*BLINK))
        return 0.0
    x = since / face.blink_s
    return 0.5 - 0.5 * math.cos(math.pi * x / 0.33) if x < 0.33 else 0.5 + 0.5 * math.cos(math.pi * (x - 0.33) / 0.67)
