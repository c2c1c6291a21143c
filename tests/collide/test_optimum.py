"""The reference of every table must be clear of contact, least, and what a second implementation finds."""

from __future__ import annotations

import numpy as np
import pytest
import talker
from tried_body import her

from kinesics.components.capsules import CapsuleSet
from kinesics.systems.collide.offline.figure import Figure, figure
from kinesics.systems.collide.offline.optimum import AIM, COST, METRES, depths, gaps, loss, optimum, wrists
from kinesics.systems.collide.offline.stress import stress


def cost(correction: np.ndarray) -> np.ndarray:
    return (COST * correction**2).sum(axis=-1)


def hand_on_a_bar(deep: float) -> Figure:
    """Return the T-posed figure of numbers with a ball for a left hand, `deep` m inside a bar on her hips under it."""
    rig = talker.rig()
    hand, hips = rig.humanoid["leftHand"], rig.humanoid["hips"]
    wrist = np.array([0.59, 1.35, 0.0])  # sums of the figure's offsets
    ball, thick = 0.04, 0.05
    middle = wrist + np.array([0.05, -0.92 - ball - thick + deep, 0.0])
    half = np.array([0.0, 0.0, 0.3])
    capsules = CapsuleSet(
        names=rig.names,
        joint=np.array([hand, hips]),
        start=np.array([[0.05, 0.0, 0.0], middle - half]),
        end=np.array([[0.05, 0.0, 0.0], middle + half]),
        radius=np.array([ball, thick]),
        part=np.array([3, 0]),
        pair=np.zeros((0, 2), np.int32),
        allowance=np.zeros(0),
        joined=np.zeros((0, 2), np.int32),
        base=rig.rest_rotation,
        rig=rig.digest,
        left=np.array([1, 0]),
        tested=np.array([1, 1]),
    )
    return figure("bar", rig, capsules)


def test_a_hand_on_a_bar_is_lifted_by_what_the_lever_law_says() -> None:
    """One contact: cost d^2 / sum (lever / metres)^2, exact for small depths; METRES are what a turn costs."""
    deep = 2e-3
    body = hand_on_a_bar(deep)
    scene = body.scene(body.rig.rest_rotation[None].copy())
    assert depths(scene)[0, 0, 2] == pytest.approx(deep, abs=1e-9)
    levers = np.array([0.49, 0.26, 0.05])  # m, from shoulder, elbow and wrist to the ball
    expected = (deep + AIM) ** 2 / ((levers / METRES) ** 2).sum()
    found = optimum(scene)
    assert cost(found)[0] == pytest.approx(expected, rel=0.02)
    assert np.abs(found[0, 9:]).max() < 1e-12  # the right arm has no part in it
    assert gaps(scene, found[0])[0, 0] == pytest.approx(AIM, abs=2e-5)


@pytest.mark.long
def test_no_frame_of_stress_is_left_inside_and_clear_frames_are_left_alone() -> None:
    _, body = her()
    scene = body.scene(stress(body, 21, 400))
    raw = depths(scene).max(axis=(1, 2))
    found = optimum(scene)
    left = 1e3 * depths(scene, found).max(axis=(1, 2))
    assert (left > 0.3).mean() <= 0.001  # mm
    clear = raw == 0.0
    assert clear.any()
    assert np.median(np.abs(found[clear]).max(axis=1)) < 1e-3  # rad: only what keeps AIM moves at all
    assert np.linalg.norm(wrists(scene, found) - wrists(scene), axis=-1).max() < 0.35  # m


@pytest.mark.long
def test_no_smaller_correction_near_it_is_clear() -> None:
    """Least is least: of many small changes that are as clear, none is cheaper by more than a hundredth."""
    _, body = her()
    scene = body.scene(stress(body, 22, 600))
    inside = np.flatnonzero(depths(scene).max(axis=(1, 2)) > 0.02)[::40][:3]
    draw = np.random.default_rng(0)
    for frame in inside:
        one = scene.part(np.array([frame]))
        best = optimum(one)[0]
        assert depths(one, best[None]).max() < 3e-4
        tried = best + draw.normal(size=(150, 18)) * 10.0 ** draw.uniform(-4.0, -1.5, (150, 1))
        clear = np.array([gaps(one, r).min() for r in tried]) >= AIM - 5e-6
        assert not (clear & (cost(tried) < 0.99 * cost(best))).any()


@pytest.mark.long
def test_a_second_implementation_finds_the_same_gaps_and_no_better_corrections() -> None:
    """Torch, own kinematics and distances: gaps and loss to 1e-9, displacement of 50 frames within 10 %."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'kinesics[speech]'")
    from kinesics.systems.collide.offline.second import Second

    torch.set_num_threads(1)
    _, body = her()
    draw = np.random.default_rng(0)
    motion = stress(body, 11)
    deep = depths(body.scene(motion)).max(axis=(1, 2))
    frames = np.sort(draw.choice(np.flatnonzero(deep > 5e-3), 50, replace=False))
    motion = np.ascontiguousarray(motion[frames])
    scene = body.scene(motion)
    second = Second(body.rig, body.capsules, motion, body.root(50))

    tried = draw.normal(size=(50, 18)) * 0.15
    outer, inner = second.gaps(tried)
    bodies = outer.shape[2]
    for k in range(50):
        ours = gaps(scene.part(slice(k, k + 1)), tried[k])
        assert np.abs(ours[:, :bodies] - outer[k]).max() < 1e-9
        assert np.abs(ours[: scene.lefts, bodies:] - inner[k]).max() < 1e-9
    assert np.allclose(loss(scene, tried), second.loss(tried), rtol=1e-9, atol=1e-9)

    ours = optimum(scene, draw.normal(size=(2, 50, 18)) * 0.1, along=False)
    ends = second.descend(np.stack([np.zeros((50, 18)), draw.normal(size=(50, 18)) * 0.1]), AIM)
    clear = np.stack([depths(scene, r).max(axis=(1, 2)) < 5e-4 for r in ends])
    theirs = np.where(clear, cost(ends), np.inf).min(axis=0)
    both = np.isfinite(theirs)
    assert both.sum() >= 40
    assert np.sqrt(cost(ours)[both].mean() / theirs[both].mean()) == pytest.approx(1.0, abs=0.1)
