"""What the sentence layer shows on one tick, and what it leaves of the corpus."""

from __future__ import annotations

import numpy as np

from ...components.anatomy import ARM_SLOTS
from ...components.motion import Motion
from ...components.persona import Persona
from ...components.plan import Plan
from ...components.preview import Slot
from ...components.sentences import LEAD
from ..kernels import sentence as kernel

ARMS = np.array(ARM_SLOTS, np.int32)
ALONE = 1.0  # s over which it gives way where no corpus stands under it
_ROOM = 0.99  # of the limit is the layer's own: breath moves the collar bones on top of it
_STILL = 0.75  # of it is gone at stillness 1, as of the corpus


def play(motion: Motion, plan: Plan, persona: Persona, slot: Slot, tick: int, dt: float) -> None:
    """Write the sentence layer's rotation vectors and scale the corpus layer's to what is left.

    Reads Motion, Plan.sentences, Slot.carry; writes Slot.sentence, sentence_share, corpus, speed_deg_s, Slot.carry.
    """
    sentences = plan.sentences
    if sentences is None:
        return
    track = sentences.playing
    clock = slot.carry.view("sentence_clock")
    share = clock.item(kernel.SHARE)
    if track is None or (not sentences.is_on and share <= 0.0):
        if slot.sentence_share > 0.0:
            slot.sentence[:] = 0.0
            slot.sentence_share = 0.0
        return
    view, settings = slot.carry.view, motion.config.sentence
    value, speed, left = view("sentence"), view("sentence_speed"), view("sentence_left")
    still, shown = 1.0 - _STILL * view("stillness").item(0), view("sentence_arms")
    wanted = float(tick - track.start) + 2.0 * LEAD
    if clock.item(kernel.SERIAL) != track.serial:
        clock[kernel.SERIAL] = track.serial
        kernel.begin(
            track.motion, motion.sentence_gain, still, wanted - 1.0, ARMS, dt, slot.corpus, clock, value, speed, left,
            shown, motion.work,
        )  # fmt: skip
    if sentences.is_on:
        seconds = settings.join_s
    else:
        has_corpus = motion.repertoire is not None and "corpus" in motion.layers
        seconds = settings.yield_s if has_corpus else ALONE
        if share >= 1.0 and has_corpus:
            _hand_over(slot, still, dt)
    slot.sentence_share = kernel.play(
        track.motion, motion.sentence_gain, still, wanted, sentences.is_on, seconds / dt, _ROOM * motion.sentence_limit,
        ARMS, dt, slot.corpus, clock, value, speed, left, shown, motion.work, motion.quats, slot.sentence,
    )  # fmt: skip
    slot.speed_deg_s *= 1.0 - slot.sentence_share


def _hand_over(slot: Slot, still: float, dt: float) -> None:
    """Set the corpus layer's springs going from what shows, at its speed: nothing is seen of the change."""
    view = slot.carry.view
    value, speed = view("corpus"), view("corpus_velocity")
    speed[:] = view("sentence_speed") / still
    value[:] = view("sentence") / still + speed * dt
    slot.corpus[:] = value * still
    slot.speed_deg_s = 0.0  # what stood under the layer was elsewhere, and nobody saw it
