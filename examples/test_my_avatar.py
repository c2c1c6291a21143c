"""Tests of an avatar and its voice without window, sound card or Panda3D: copy this beside your own and name yours."""

import numpy as np
import pytest

from kinesics.systems import headless
from kinesics.systems.figures import report

AVATAR = None  # a .vrm, .glb or .gltf file; None is the shipped woman
VOICE = headless.HELLO
SECONDS = 4.0


@pytest.fixture(scope="module")
def run():
    world = headless.world(AVATAR, seed=1)
    world.avatar.say(VOICE)
    return headless.run(world, seconds=SECONDS)


def test_she_lives_60_ticks_a_second(run):
    assert len(run.position) == 60 * SECONDS


def test_her_hands_talk(run):
    """Both wrists together pass through at least 20 cm in four seconds of speech."""
    hands = [run.names.index(name) for name in ("leftHand", "rightHand")]
    path = np.linalg.norm(np.diff(run.position[:, hands], axis=0), axis=2).sum()
    assert path > 0.20  # m


def test_her_feet_stay_where_they_are(run):
    feet = [run.names.index(name) for name in ("leftFoot", "rightFoot")]
    assert np.ptp(run.position[:, feet], axis=0).max() < 0.01  # m


def test_her_mouth_opens_for_the_voice(run):
    assert run.face.max() > 0.2


def test_no_figure_of_the_run_is_worse_than_she_should_look(run):
    figures = report(run)
    assert figures["non_finite"] == 0
    assert figures["foot_slide_mm_max"] < 1.0
    assert figures["hip_step_mm_max"] < 5.0


def test_the_same_seed_and_voice_give_the_same_bits(run):
    world = headless.world(AVATAR, seed=1)
    world.avatar.say(VOICE)
    again = headless.run(world, seconds=SECONDS)
    np.testing.assert_array_equal(again.rotation, run.rotation)
