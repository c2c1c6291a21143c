"""How often she shifts her weight and how far: what the file says, within sampling error, and never on a beat."""

from __future__ import annotations

import numpy as np
import pytest
import talker
from hypothesis import given
from hypothesis import strategies as st

from kinesics.components.motion import Motion
from kinesics.components.plan import MOVES, NEVER, Plan
from kinesics.components.reflex import Histogram, shipped
from kinesics.components.voice import Voice
from kinesics.systems import headless, reflex
from kinesics.systems.reflex.histogram import near, opposite, quantile, rank

_LOAD, _SIDE, _FRONT, _SIDE_SLOW, _FRONT_SLOW = range(len(MOVES))
_ALPHA = 1.63  # of Kolmogorov and Smirnov's distance times sqrt(n): exceeded by 1 % of honest samples


def live(hours: float, talks: tuple[float, float] | None = None, seed: int = 1) -> dict[str, np.ndarray]:
    """Return ticks and values of what was decided. talks: s of speech and s of silence, again and again."""
    world = headless.world(talker.body(), seed=seed, with_corpus=False)
    plan, voice = world.get(0, Plan), world.get(0, Voice)
    voice.listening = talks is not None  # silence between two phrases is a pause, not the end
    moves, fidgets, starts = [], [], []
    last, last_fidget = plan.moves.copy(), plan.fidget.copy()
    period = round(sum(talks) * 60) if talks else 0
    for tick in range(round(hours * 3600 * 60)):
        if talks:
            voice.active = tick % period < talks[0] * 60
            if tick % period == 0:
                starts.append(tick)
        world.step((reflex.plan,))
        if plan.changed != NEVER:
            plan.changed = NEVER
            for row in np.flatnonzero((plan.moves != last).any(axis=1)):
                moves.append((tick, row, plan.moves[row, 3]))
            if (plan.fidget != last_fidget).any():
                fidgets.append((tick, plan.fidget[2], plan.fidget[3]))
            last, last_fidget = plan.moves.copy(), plan.fidget.copy()
    return {"moves": np.array(moves), "fidgets": np.array(fidgets), "starts": np.array(starts)}


def distance(values: np.ndarray, histogram: Histogram) -> float:
    """Return the largest distance between the samples' distribution and the histogram's, times sqrt(n)."""
    ranks = np.sort([rank(histogram, v) for v in values])
    n = len(ranks)
    grid = np.arange(n)
    return float(np.sqrt(n) * max(np.abs(ranks - grid / n).max(), np.abs(ranks - (grid + 1) / n).max()))


def follows(hours: float, seed: int) -> None:
    """Hold everything that is decided in silence against the file."""
    seen, histogram = live(hours, seed=seed), shipped().histogram
    moves, fidgets = seen["moves"], seen["fidgets"]
    for row, name in (
        (_LOAD, "weight.dwell_s"),
        (_FRONT, "lean.dwell_s"),
        (_SIDE_SLOW, "drift.sideways_s"),
        (_FRONT_SLOW, "drift.forward_s"),
    ):
        dwell = np.diff(moves[moves[:, 1] == row, 0]) / 60.0
        assert distance(dwell, histogram[name]) < _ALPHA, name
        assert dwell.std() > 0.3 * dwell.mean(), f"{name}: never a fixed period"
    for column, name in ((1, "fidget.sideways_s"), (2, "fidget.forward_s")):
        assert distance(np.diff(fidgets[fidgets[:, column] != 0.0, 0]) / 60.0, histogram[name]) < _ALPHA + 0.3, name
    loads, sides = moves[moves[:, 1] == _LOAD, 2], moves[moves[:, 1] == _SIDE, 2]
    assert distance(loads, histogram["weight.load"]) < _ALPHA
    one_sided = np.abs(loads) > 0.2
    assert distance(np.abs(sides[one_sided]) * 1e3, histogram["weight.sideways_mm"]) < _ALPHA
    assert (sides * loads >= 0.0).all(), "the pelvis is never over the foot that is free"
    assert (loads[1:] * loads[:-1] < 0.0).mean() > 0.7, "a shift goes to the other foot"


def test_two_hours_alone_follow_the_file() -> None:
    follows(2.0, seed=1)


@pytest.mark.long
def test_twenty_hours_alone_follow_the_file() -> None:
    follows(20.0, seed=2)


@pytest.mark.long
def test_she_shifts_when_a_sentence_starts_eight_times_as_readily_as_inside_one() -> None:
    number = shipped().number
    seen = live(3.0, talks=(9.0, 1.5))
    shifts = seen["moves"][seen["moves"][:, 1] == _LOAD, 0]
    # one that finds a fidget running comes at its end: up to 5 s late; so starts are counted on their very tick
    at_start = np.isin(shifts, seen["starts"]).sum() / len(seen["starts"])
    chance = number["speech.at_start"]
    error = np.sqrt(chance * (1.0 - chance) / len(seen["starts"]))
    assert chance - 0.03 - 2.6 * error < at_start < chance + 2.6 * error
    inside = (~np.isin(shifts, seen["starts"])).sum() / (len(seen["starts"]) * 9.0)
    assert number["speech.inside_per_s"] * 0.6 < inside < number["speech.inside_per_s"] * 1.6 + 1.0 / 199.0
    assert at_start > 5.0 * inside, "a second at a start against a second inside"


def test_a_breath_between_two_phrases_is_no_start() -> None:
    seen = live(0.5, talks=(4.0, 0.45))
    shifts = seen["moves"][seen["moves"][:, 1] == _LOAD, 0]
    assert np.isin(shifts, seen["starts"][1:]).sum() <= 1


@given(st.floats(0.001, 0.999))
def test_a_value_lies_where_it_was_drawn_from(share: float) -> None:
    histogram = shipped().histogram["weight.load"]
    assert rank(histogram, quantile(histogram, share)) == pytest.approx(share, abs=1e-9)


def test_a_chain_of_shifts_visits_every_load_as_often_as_the_file_says() -> None:
    draw = np.random.default_rng(4)
    share, shares, nears = 0.3, [], []
    for _ in range(20_000):
        share = opposite(share, draw.uniform(-0.3, 0.3))
        shares.append(share)
        nears.append(near(share, draw.uniform(-0.25, 0.25)))
    for values in (shares, nears):
        assert np.abs(np.histogram(values, 10, (0.0, 1.0))[0] / 2000.0 - 1.0).max() < 0.12


def test_she_begins_on_one_foot_and_not_always_the_same() -> None:
    sides = []
    for seed in range(12):
        world = headless.world(talker.body(), seed=seed, with_corpus=False)
        sides.append(world.get(0, Plan).moves[_LOAD, 3])
        assert world.get(0, Motion).standing is shipped()
    assert min(sides) < -0.2 < 0.2 < max(sides)
