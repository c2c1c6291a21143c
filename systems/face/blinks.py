"""Her blinks: drawn ahead, one at a time."""

from __future__ import annotations

import math

from ...components.draw import draws
from ...components.face import Face
from ...components.world import World

_BLINK = 0.22  # s, closing takes a third of it
_BLINK_EVERY = (1.6, 6.5)  # s between blinks, standing talk is 15-20 a minute


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
