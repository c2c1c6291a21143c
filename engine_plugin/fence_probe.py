"""The shipped head tried out, for `kinesics doctor`: what it was put back for, if it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..components.config import Config
from ..components.errors import KinesicsError
from ..systems import fence, headless

TICKS = 300  # of the bundled sentence
COUNTS = {"too_deep": "too deep", "fast": "too fast", "not_finite": "no number", "refused": "left out"}
_TRAIN, _AGAIN = "kinesics fence train", "pip install --force-reinstall kinesics"


def tried() -> tuple[Literal["OK", "DEGRADED", "OFF"], str, str]:
    """Return state, cause and cure of the learned fence, as a Finding takes them."""
    if not fence.SHIPPED.is_file():
        return "OFF", "no head is shipped; the rule alone keeps her arms out", _TRAIN
    config = Config.default()
    try:
        world = headless.world(config=replace(config, fence=replace(config.fence, stage="live")))
    except KinesicsError as cause:
        return "DEGRADED", f"the rule alone keeps her arms out: {cause}", _AGAIN
    world.avatar.say(headless.HELLO)
    for _ in range(TICKS):
        world.step(headless.TICK)
    told = world.avatar.figures()["fence"]
    if told is None:
        return "OFF", fence.NO_RULE, "see rule"
    counts = ", ".join(f"{told[name]} {words}" for name, words in COUNTS.items())
    counts = f"of {told['ticks']} ticks of speech {counts}"
    if told["reason"]:
        return "DEGRADED", f"put back to shadow: {told['reason']}; {counts}", _TRAIN
    return "OK", f"head {told['head'][:8]}, live without a fallback; {counts}; she starts {config.fence.stage}", ""
