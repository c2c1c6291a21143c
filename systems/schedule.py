"""The two orders: what one tick runs, and what one slot of the preview runs. Read this file first.

A system is a plain function; its docstring ends with what it reads and what it writes. A part that is not built yet
is absent here, not a stub.
"""

from __future__ import annotations

from functools import partial

from ..components.world import System
from . import collide, compose, face, fence, matcher, posture, reflex, springs, voice
from .speech_gesture.plan import plan as plan_sentences
from .speech_gesture.play import play as play_sentences

AHEAD: tuple[compose.Ahead, ...] = (
    matcher.blend,  # the corpus layer: the running row, or two in a fade, on springs
    play_sentences,  # the sentence layer, and what it leaves of the corpus
    reflex.sway,  # breath, weight and sway, less of them while the corpus is busy
    compose.over,  # all layers multiplied, feet planted
    posture.hold,  # her arms into, in or out of a held posture
    face.turn,  # neck and head toward what she looks at
)

TICK: tuple[System, ...] = (
    voice.listen,  # inbox -> voice: what is said, how far it has sounded
    plan_sentences,  # sentences onto the plan: asked for, come, shown
    matcher.refit,  # other gains or gates: what may be picked
    matcher.plan,  # each second: the next row onto the plan
    reflex.plan,  # weight shifts and breaths onto the plan
    posture.plan,  # what she holds, and what takes her out of it
    face.look,  # what she looks at, and when beside it
    partial(compose.preview, ahead=AHEAD),  # AHEAD for every missing slot; the first is shown
    posture.open_pairs,  # what touches in a hold may
    fence.switch,  # the learned fence: on, off, and never in public
    collide.resolve,  # the rule: arms out of the body
    fence.judge,  # the head's proposal: measured, or put in with the rule after it
    springs.swing,  # hair and cloth follow what is shown
    face.speak,  # lips, brows, eyes, blinks, moods
)
