"""A change of row is a frequency problem: the slow spring and the slow fade take the turns out and leave the size."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest
import talker

from kinesics.components.motion import Motion
from kinesics.components.plan import Pick, Plan
from kinesics.components.speech import RATE
from kinesics.systems import headless
from kinesics.systems.matcher import timing
from kinesics.systems.matcher.offline.cuts import cut_reversals

pytestmark = pytest.mark.long  # test_against.py shows the same of the shipped corpus, with controls, in the fast half
SECONDS = 120


@pytest.fixture(scope="module")
def talk() -> tuple[Motion, list[Pick]]:
    """Two minutes of picks, one a second, from clips whose heads hardly ever turn round by themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "WAIT", 0.0)  # the more cuts, the more there is to see
        return _talk()


def _talk() -> tuple[Motion, list[Pick]]:
    with pytest.MonkeyPatch.context() as patch:
        # it is about the blending: in this corpus most rows end with hanging arms, the others are few
        patch.setattr(import_module("kinesics.systems.matcher.prepare"), "HANGS_DEG", -1.0)
        world = headless.world(talker.body(), talker.corpus(), seed=1)
    for k in range(SECONDS // 30):
        world.avatar.say((talker.voice(30.0, pauses=(), seed=k), RATE))
    seen: dict[int, Pick] = {}
    for _ in range(SECONDS * 60):
        world.step(headless.TICK)
        seen |= {pick.tick: pick for pick in world.get(0, Plan).picks}
    return world.get(0, Motion), [seen[tick] for tick in sorted(seen)]


def test_a_cut_does_not_turn_her_head_round_and_the_head_moves_as_far(talk: tuple[Motion, list[Pick]]) -> None:
    motion, picks = talk
    shown = cut_reversals(motion, picks, SECONDS * 60, motion.config.springs.torso)
    assert shown.reversals_per_s <= 0.05
    assert shown.share >= 0.85


def test_on_the_arms_spring_and_fade_cuts_turn_it_round_about_once_a_second(talk: tuple[Motion, list[Pick]]) -> None:
    """The control: without what is slow for the head the fault must show."""
    motion, picks = talk
    quick = [replace(pick, slow=pick.fade) for pick in picks]
    assert cut_reversals(motion, quick, SECONDS * 60, 36.0).reversals_per_s >= 0.8
