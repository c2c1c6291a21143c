"""What looks wrong on a talking figure must show as a number: each fault is planted, and the figure has to catch it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import talker
from syllables import talk

from kinesics.systems import headless
from kinesics.systems.figures import Run
from kinesics.systems.figures.looks import LIMITS, hands, looks, rhythm, stops, wrist_angles, wrong
from kinesics.systems.headless import CORPUS

SECONDS = 30
ALL = np.ones(SECONDS * 60, bool)


@cache
def standing() -> Run:
    """Return her standing for 30 s, breathing, taken as if she spoke all the time."""
    run = headless.run(headless.world(talker.body(), with_corpus=False), seconds=SECONDS)
    return replace(run, speaking=ALL.copy())


def moved(place: np.ndarray, side: str = "both") -> Run:
    """Return the standing run with both hands at `place` (T, 3) m beside where they hang: own side, up, forward."""
    run = standing()
    position = run.position.copy()
    for name, sign in (("left", 1.0), ("right", -1.0)):
        if side in (name, "both"):
            own = [k for k, joint in enumerate(run.names) if joint.startswith(name) and _is_hand(joint)]
            position[:, own] += (place * [sign, 1.0, 1.0])[:, None]
    return replace(run, position=position)


def _is_hand(joint: str) -> bool:
    return joint.endswith("Hand") or any(f in joint for f in ("Thumb", "Index", "Middle", "Ring", "Little"))


def wander(seed: int, size: float = 0.06) -> np.ndarray:
    """Return (T, 3) m of lively motion without a rhythm."""
    noise = np.random.default_rng(seed).standard_normal((SECONDS * 60 + 240, 3))
    kernel = np.hanning(40)
    smooth = np.stack([np.convolve(column, kernel / kernel.sum(), "same") for column in noise.T], axis=1)
    return (smooth / smooth.std() * size + [0.0, 0.2, 0.1])[120:-120]


def test_a_figure_that_stands_still_while_it_speaks_is_called_still_and_hanging() -> None:
    found = looks(standing())
    lines = " ".join(wrong(found))
    for name in ("still_share", "hang_share", "hang_s", "hand_cm_s_p50", "head_deg_s_p90"):
        assert name in lines


def test_hands_that_move_once_a_second_are_a_metronome_and_wandering_hands_are_none() -> None:
    t = np.arange(SECONDS * 60) / 60.0
    beat = np.stack([0 * t, 0.2 + 0.05 * np.abs(np.sin(np.pi * t)), 0 * t], axis=1)
    strict, loose = (hands(moved(place), ALL)["hand_rhythm"] for place in (beat, wander(1)))
    assert strict is not None
    assert loose is not None
    assert strict > 0.8
    assert loose < 0.3


@pytest.mark.parametrize(("period", "is_nod"), [(1.0, True), (3.1, False)])
def test_a_rhythm_is_found_between_six_and_sixteen_tenths_of_a_second(period: float, is_nod: bool) -> None:
    t = np.arange(SECONDS * 60) / 60.0
    slow_only = np.sin(2 * np.pi * t / period)
    found = rhythm(slow_only, ALL)
    assert found is not None
    assert (found > 0.9) is is_nod


def test_two_hands_that_do_the_same_for_long_are_named_and_two_that_do_not_are_fine() -> None:
    same = hands(moved(wander(1)), ALL)
    left = moved(wander(1), "left").position - standing().position
    other = moved(wander(2), "right")
    apart = hands(replace(other, position=other.position + left), ALL)
    assert same["mirrored_r"] is not None
    assert apart["mirrored_r"] is not None
    assert apart["alike_s"] is not None
    assert same["mirrored_r"] > LIMITS["mirrored_r"][1]
    assert same["alike_s"] > LIMITS["alike_s"][1]  # type: ignore[operator]
    assert abs(apart["mirrored_r"]) < 0.2
    assert apart["alike_s"] < 1.5


def test_a_hand_that_stops_dead_at_the_end_of_a_sentence_brakes_too_hard() -> None:
    """30 cm/s to nothing within a tick is 18 m/s^2; over a third of a second it is 1."""
    t = np.arange(SECONDS * 60) / 60.0
    said = t < 20.0
    for seconds, is_fine in ((0.001, False), (0.35, True)):
        speed = 0.3 * np.clip((20.0 + seconds - t) / seconds, 0.0, 1.0) * (t > 19.0)
        place = np.stack([0 * t, np.cumsum(speed) / 60.0, 0 * t], axis=1)
        brake = stops(replace(moved(place), speaking=said))["stop_m_s2"]
        assert brake is not None
        assert (brake <= LIMITS["stop_m_s2"][1]) is is_fine


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("bend", [-50.0, 30.0, 70.0])
def test_a_wrist_is_measured_in_degrees_from_where_its_bones_point(side: str, bend: float) -> None:
    """A hand turned about its own thumb-to-little axis by `bend`: flexion by that, no deviation."""
    run = standing()
    wrist, elbow = (run.position[:, run.joint(side + name)] for name in ("Hand", "LowerArm"))
    own = [k for k, joint in enumerate(run.names) if joint.startswith(side) and _is_hand(joint)]
    straight, deviated = wrist_angles(run, side)
    assert straight is not None
    assert deviated is not None
    index, little = (run.position[:, run.joint(side + name)] for name in ("IndexProximal", "LittleProximal"))
    middle = run.position[:, run.joint(side + "MiddleProximal")] - wrist
    along = middle / np.linalg.norm(middle, axis=1, keepdims=True)
    thumb = index - little
    thumb -= along * (thumb * along).sum(1, keepdims=True)
    axis = thumb / np.linalg.norm(thumb, axis=1, keepdims=True) * (1.0 if side == "left" else -1.0)
    a = np.radians(bend)
    position = run.position.copy()
    for k in own:
        arm = run.position[:, k] - wrist
        turned = arm * np.cos(a) + np.cross(axis, arm) * np.sin(a)
        position[:, k] = wrist + turned + axis * (axis * arm).sum(1, keepdims=True) * (1.0 - np.cos(a))
    after, _ = wrist_angles(replace(run, position=position), side)
    assert after is not None
    assert elbow.shape == wrist.shape
    assert np.abs(np.abs(after - straight) - abs(bend)).max() < 1.0
    # toward the palm is positive on both sides
    palm = np.cross(thumb, along) * (1.0 if side == "left" else -1.0)
    tip = position[:, run.joint(side + "MiddleProximal")] - wrist - middle
    assert np.sign((tip * palm).sum(1)).mean() == np.sign((after - straight).mean())


def test_raised_hands_that_stand_still_float_and_moving_or_hanging_hands_do_not() -> None:
    """Half of the time in the air without moving is what a puppet's hands do; a talker's move there, or go down."""
    rests, raised = np.zeros((SECONDS * 60, 3)), np.tile([0.0, 0.2, 0.1], (SECONDS * 60, 1))
    half = np.where((np.arange(SECONDS * 60) // 300 % 2)[:, None] == 0, wander(1), raised)
    shares = [hands(moved(place), ALL)["float_share"] for place in (raised, half, wander(1), rests)]
    assert all(share is not None for share in shares)
    assert shares[0] > 0.95
    assert shares[1] > LIMITS["float_share"][1]
    assert max(shares[2:]) < 0.1


@pytest.mark.long
def test_she_herself_on_the_shipped_corpus_looks_like_a_person_who_talks() -> None:
    """Three voices of forty seconds: every figure of how she looks lies, in the mean, where talkers' figures lie.

    Among them the two that the matcher makes: whether her hands move anew with every pick, and how long they hang.
    """
    assert CORPUS.is_dir()
    found = []
    for k in range(3):
        world = headless.world(seed=k + 1)
        world.avatar.say(talk(40.0, seed=k))
        found.append(looks(headless.run(world)))
    mean = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    assert wrong(mean) == []
