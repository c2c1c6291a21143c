"""A pick waits for an accent: never less than its second, never longer than said, never into rows that are too fast."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from syllables import talk

from kinesics.components.motion import Motion
from kinesics.components.plan import Pick, Plan
from kinesics.components.speech import Speech
from kinesics.systems import headless
from kinesics.systems.matcher import timing

AHEAD = timing.BEFORE + 2.0 / 18.0  # s: what is shown lags by the arms' spring of 18 /s


def picked(speech: Speech) -> list[Pick]:
    """Return every pick of a run in which she says this from the first tick on."""
    world = headless.world(seed=1)
    world.avatar.say(speech)
    plan, seen = world.get(0, Plan), {}
    for _ in range(round(60 * speech.seconds)):
        world.step(headless.TICK)
        seen |= {pick.tick: pick for pick in plan.picks}
    return [seen[tick] for tick in sorted(seen)]


def follows(picks: list[Pick]) -> list[tuple[Pick, Pick]]:
    """Return the pairs in which one running row was followed by the next: the others wait for the voice."""
    return [(a, b) for a, b in pairwise(picks) if a.row >= 0 and b.row >= 0 and a.end < 0]


def test_most_picks_fall_so_that_her_hands_are_fastest_just_before_an_accent() -> None:
    speech = talk(60.0, seed=2)
    pairs = follows(picked(speech))
    off = [np.abs(speech.accent - (b.tick / 60.0 + AHEAD)).min() for _, b in pairs]
    assert len(pairs) >= 25
    assert np.mean(np.array(off) < 0.02) >= 0.6  # the others have no accent within reach


@pytest.mark.long
def test_a_pick_comes_one_second_after_the_last_or_after_its_fade_and_at_most_eight_tenths_later() -> None:
    for a, b in follows(picked(talk(60.0, seed=2))):
        least = max(60, a.fade, a.slow)
        assert least <= b.tick - a.tick <= least + 48


def test_a_voice_without_accents_is_picked_for_every_second() -> None:
    speech = talk(30.0, seed=3)
    flat = replace(speech, accent=speech.accent[:0], strength=speech.strength[:0])
    pairs = follows(picked(flat))
    assert len(pairs) >= 12
    assert {b.tick - max(a.tick + 60, a.free) for a, b in pairs} == {0}


@pytest.mark.parametrize(("fast", "most"), [(None, 108), (1, 60), (3, 72)])
def test_it_never_waits_into_a_row_that_is_too_fast(fast: int | None, most: int) -> None:
    """Rows lie 6 ticks apart; the `fast`-th after the running one breaks the gate: what it vouches for is not known."""
    motion = headless.world(seed=1).get(0, Motion)
    repertoire = motion.repertoire
    assert repertoire is not None
    first = int(np.flatnonzero(repertoire.row_clip == 3)[0])
    speed = np.where(repertoire.row_clip == 3, 40.0, repertoire.row_speed)
    if fast is not None:
        speed[first + fast] = 91.0
    motion.repertoire = replace(repertoire, row_speed=speed)
    last = Pick(0, first, 3, int(repertoire.row_frame[first]), 0, 0.0)
    assert timing.legal_for(motion, last, 90.0, 108) == most
