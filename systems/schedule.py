"""The two orders: what one tick runs, and what one slot of the preview runs. Read this file first.

A system is a plain function; its docstring ends with what it reads and what it writes. A part that is not built yet
is absent here, not a stub.
"""

from __future__ import annotations

from functools import partial

from ..components.world import System
from . import collide, compose, face, matcher, reflex, springs, voice

AHEAD: tuple[compose.Ahead, ...] = (
    matcher.blend,  # the corpus layer: the running row, or two in a fade, on springs
    reflex.sway,  # breath, weight and sway, less of them while the corpus is busy
    compose.over,  # all layers multiplied, feet planted
)

TICK: tuple[System, ...] = (
    voice.listen,  # inbox -> voice: what is said, how far it has sounded
    matcher.refit,  # other gains or gates: what may be picked
    matcher.plan,  # each second: the next row onto the plan
    reflex.plan,  # weight shifts and breaths onto the plan
    partial(compose.preview, ahead=AHEAD),  # AHEAD for every missing slot; the first is shown
    collide.resolve,  # the rule: arms out of the body
    springs.swing,  # hair and cloth follow what is shown
    face.speak,  # mouth by loudness, blinks
)
