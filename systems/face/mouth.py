"""Finding the channels of a face by the names that tools give them."""

from __future__ import annotations

from collections.abc import Mapping

from ...components.mouth import Mouth
from ...components.skin import Body, Expression

Pairs = tuple[tuple[int, float], ...]

_ARKIT_OPEN = {"jawopen": 0.40, "mouthlowerdownleft": 0.20, "mouthlowerdownright": 0.20, "mouthfunnel": 0.10}  # full voice: 15 mm
_ARKIT_BLINK = {"eyeblinkleft": 1.0, "eyeblinkright": 1.0}


def find_mouth(body: Body) -> Mouth:
    """Return the channels that open her mouth and close her eyes, by ARKit, VRM or Oculus names in any case."""
    index = {name.lower().replace("_", ""): k for k, name in reversed(list(enumerate(body.morph_names)))}
    blink = _by_name(index, _ARKIT_BLINK) or _by_expression(body, index, ("blink",)) or _by_expression(
        body, index, ("blinkLeft", "blinkRight")
    )
    if "jawopen" in index:
        return Mouth(_by_name(index, _ARKIT_OPEN), blink, "ARKit", body.digest)
    opened = _by_expression(body, index, ("aa",))
    if opened:
        return Mouth(opened, blink, "VRM", body.digest)
    for name in ("visemeaa", "fclmtha", "mtha", "mouthopen", "あ", "a", "aa"):
        if name in index:
            return Mouth(((index[name], 0.7),), blink, "Oculus" if name.startswith("viseme") else "VRM", body.digest)
    return Mouth((), blink, "none", body.digest)


def _by_name(index: Mapping[str, int], wanted: Mapping[str, float]) -> Pairs:
    return tuple((index[name], weight) for name, weight in wanted.items() if name in index)


def _by_expression(body: Body, index: Mapping[str, int], names: tuple[str, ...]) -> Pairs:
    found: dict[int, float] = {}
    for name in names:
        expression: Expression | None = body.expressions.get(name)
        for _, morph, weight in expression.binds if expression is not None else ():
            channel = index.get(morph.lower().replace("_", ""))
            if channel is not None:
                found[channel] = max(found.get(channel, 0.0), weight)
    return tuple(found.items())
