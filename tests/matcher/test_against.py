"""A cut does not drive her head against what her performer does: nods are the performer's own and do not count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from syllables import talk

from kinesics.components.motion import Motion
from kinesics.components.plan import Pick, Plan
from kinesics.systems import headless
from kinesics.systems.matcher.offline.against import against, at_the_arms_fade

SECONDS = 160


@pytest.fixture(scope="module")
def talk_of() -> tuple[Motion, list[Pick]]:
    """Picks of two minutes and a half from the shipped corpus, whose heads nod by themselves."""
    world = headless.world(seed=1)
    for k in range(SECONDS // 40):
        said = talk(40.0, seed=k)
        world.avatar.say(replace(said, mouth=np.zeros(len(said.loudness), np.int32)))
    seen: dict[int, Pick] = {}
    quick = [
        system for system in headless.TICK if ".systems.face" not in system.__module__
    ]  # no pick depends on a face
    for _ in range(SECONDS * 60):
        world.step(quick)
        seen |= {pick.tick: pick for pick in world.get(0, Plan).picks}
    return world.get(0, Motion), [seen[tick] for tick in sorted(seen)]


def test_cuts_turn_her_head_against_her_rows_less_than_once_in_twenty_seconds(
    talk_of: tuple[Motion, list[Pick]],
) -> None:
    motion, picks = talk_of
    shown = against(motion, picks, SECONDS * 60, motion.config.springs.torso)
    assert shown.turns_per_s <= 0.05
    assert shown.authored >= 0.85
    assert shown.share >= 0.8


@pytest.mark.parametrize(
    ("is_slow_faded", "rate", "least"), [(False, None, 0.7), (False, 36.0, 0.5), (False, 6.0, 0.1), (True, 18.0, 0.1)]
)
def test_without_the_slow_spring_or_the_slow_fade_it_turns_often(
    talk_of: tuple[Motion, list[Pick]], is_slow_faded: bool, rate: float | None, least: float
) -> None:
    """The controls: nothing slow, an arm's spring, the slow spring alone, the slow fade alone."""
    motion, picks = talk_of
    cut = picks if is_slow_faded else at_the_arms_fade(picks)
    assert against(motion, cut, SECONDS * 60, rate).turns_per_s >= least


def test_one_row_played_uncut_is_never_against_itself_however_it_nods(talk_of: tuple[Motion, list[Pick]]) -> None:
    motion, picks = talk_of
    alone = [pick for pick in picks if pick.row >= 0][:1]
    assert against(motion, [Pick(0, alone[0].row, alone[0].clip, 0, 0, 0.0)], 900, None, seen=0.1).turns_per_s == 0.0
