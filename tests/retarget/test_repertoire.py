"""A corpus on her: shown as authored, continuous, and described by what the viewer sees."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinesics.components.anatomy import ARM_SLOTS, SLOT_GROUP, SLOTS
from kinesics.components.config.sections import Gains
from kinesics.components.corpus import Clip, Corpus
from kinesics.components.errors import ConfigError, CorpusError
from kinesics.systems.kernels.sample import sample
from kinesics.systems.retarget.neutral import pose
from kinesics.systems.retarget.repertoire import base_of, repertoire

from .rigs import A_FORWARD, MISSING, RANDOM_FRAMES, T_POSE, Variant, anatomy_of, rig_of

GAINS = {group: float(getattr(Gains(), group)) for group in dict.fromkeys(SLOT_GROUP)}
LENGTHS = (75, 20, 130, 31)  # frames at 30 Hz: the second is too short for a row


def corpus_of(seed: int = 1, authored: dict[str, float] | None = None, swing: float = 0.4) -> Corpus:
    """Return smooth random talk."""
    rng = np.random.default_rng(seed)
    frames = sum(LENGTHS)
    t = np.arange(frames)[:, None] / 30
    rate, phase = rng.uniform(0.2, 1.0, 39), rng.uniform(0, 6.3, 39)
    rotation = swing * np.sin(2 * np.pi * rate * t + phase).reshape(frames, 13, 3)
    rotation[:, [6, 10], 2] += np.array([-1.2, 1.2])  # arms lowered from the T-pose
    hand = 0.4 + 0.3 * np.sin(2 * np.pi * rng.uniform(0.2, 1.0, 32) * t).reshape(frames, 2, 16)
    voiced = np.zeros(frames, bool)
    voiced[10:60] = voiced[100:105] = voiced[150:] = True
    clip = Clip("one", "nobody", "none", "", "CC0-1.0", authored if authored is not None else GAINS)
    return Corpus(
        clips=tuple(replace(clip, name=f"clip {n}") for n in range(len(LENGTHS))),
        start=np.array([0, *np.cumsum(LENGTHS)], np.int32),
        rotation=rotation.astype(np.float32),
        hand=hand.astype(np.float32),
        envelope=rng.uniform(-30, 10, 2 * frames).astype(np.float32),
        coefficient=rng.normal(size=(frames, 13)).astype(np.float32),
        voiced=voiced,
        feature_hash="features",
        digest=f"corpus {seed}",
    )


def turned(base: np.ndarray, delta: np.ndarray) -> Rotation:
    return Rotation.from_quat(base, scalar_first=True) * Rotation.from_rotvec(delta)


@pytest.mark.parametrize("variant", [T_POSE, A_FORWARD, RANDOM_FRAMES, *MISSING], ids=lambda v: v.name)
def test_at_the_authored_gains_she_shows_exactly_what_was_authored(variant: Variant) -> None:
    corpus, rig, anatomy = corpus_of(), rig_of(variant), anatomy_of(variant)
    her = repertoire(corpus, rig, anatomy, GAINS)
    shown = pose(rig, anatomy, corpus.rotation, corpus.hand)
    base = base_of(anatomy)
    for slot in range(len(SLOTS)):
        if anatomy.slot_joint[slot] < 0:
            assert (her.delta[:, slot] == 0).all()
            continue
        seen = turned(base[slot], her.gain[slot] * her.delta[:, slot].astype(float))
        error = (Rotation.from_quat(shown[:, slot], scalar_first=True).inv() * seen).magnitude()
        assert error.max() <= 1e-5, SLOTS[slot]


def test_turning_a_gain_still_turns_an_authored_motion() -> None:
    corpus, rig, anatomy = corpus_of(), rig_of(T_POSE), anatomy_of(T_POSE)
    full, half = (repertoire(corpus, rig, anatomy, GAINS | {"upper_arm": g}) for g in (0.8, 0.4))
    assert (full.delta == half.delta).all()
    arm = SLOTS.index("leftUpperArm")
    assert half.gain[arm] == 0.5 * full.gain[arm]
    assert full.digest != half.digest
    assert full.digest == repertoire(corpus, rig, anatomy, GAINS).digest


def test_recorded_motion_without_authored_gains_is_stored_as_it_is() -> None:
    rig, anatomy = rig_of(T_POSE), anatomy_of(T_POSE)
    plain, divided = (repertoire(corpus_of(authored=a), rig, anatomy, GAINS) for a in ({}, GAINS))
    wrist = SLOTS.index("rightHand")
    assert plain.delta[:, wrist] == pytest.approx(0.5 * divided.delta[:, wrist], abs=1e-6)


def test_a_joint_that_keeps_turning_never_jumps_by_a_whole_turn() -> None:
    """Two turns of the wrist in one clip: stored vectors step as far as the hand does, 6 deg a frame over the gain."""
    corpus = corpus_of(swing=0.0)
    rotation = corpus.rotation.copy()
    frames = np.arange(LENGTHS[2])
    rotation[95 : 95 + LENGTHS[2], SLOTS.index("leftHand"), 0] = np.radians(6.0) * frames
    her = repertoire(replace(corpus, rotation=rotation), rig_of(A_FORWARD), anatomy_of(A_FORWARD), GAINS)
    steps = np.linalg.norm(np.diff(her.delta, axis=0), axis=2)
    for first, last in zip(her.start[:-1], her.start[1:]):
        assert np.degrees(steps[first : last - 1].max()) < 6.5 / 0.5


def test_rows_start_every_hop_and_fit_their_clip() -> None:
    her = repertoire(corpus_of(), rig_of(T_POSE), anatomy_of(T_POSE), GAINS)
    assert set(her.row_clip.tolist()) == {0, 2, 3}
    for clip, length in enumerate(LENGTHS):
        rows = her.row_frame[her.row_clip == clip]
        assert rows.tolist() == list(range(0, 2 * length - 59, 6))
    coarse = repertoire(corpus_of(), rig_of(T_POSE), anatomy_of(T_POSE), GAINS, hop_s=0.5)
    assert set(np.diff(coarse.row_frame[coarse.row_clip == 2])) == {30}


def test_a_row_is_described_by_its_own_second() -> None:
    corpus, rig, anatomy = corpus_of(), rig_of(RANDOM_FRAMES), anatomy_of(RANDOM_FRAMES)
    her = repertoire(corpus, rig, anatomy, GAINS)
    base, gain = base_of(anatomy), her.gain
    arms = list(ARM_SLOTS)
    for row in range(0, len(her.row_clip), 7):
        clip, at = int(her.row_clip[row]), int(her.row_frame[row])
        first, last = int(corpus.start[clip]), int(corpus.start[clip + 1])
        loud = corpus.envelope[2 * first + at : 2 * first + at + 60]
        assert her.row_envelope[row] == pytest.approx(loud - loud.mean(), abs=1e-5)
        frames = slice(first + at // 2, first + at // 2 + 30)
        talking = corpus.voiced[frames]
        assert her.row_voiced[row] == (talking.sum() >= 6)
        if her.row_voiced[row]:
            assert her.row_timbre[row] == pytest.approx(corpus.coefficient[frames][talking].mean(axis=0), abs=1e-5)
        seen = []
        for frame in range(at, at + 61):
            delta = np.empty((len(SLOTS), 3))
            sample(her.delta, first, last, float(frame), delta)
            seen.append(turned(base[arms], gain[arms, None] * delta[arms]))
        speed = np.array([np.degrees((a.inv() * b).magnitude()) * 60 for a, b in pairwise(seen)])
        assert her.row_speed[row] == pytest.approx(speed.max(), rel=1e-4)
        assert her.row_busy[row] == pytest.approx(np.clip((speed.max(axis=1).mean() - 10) / 40, 0, 1), abs=1e-3)
        start = Rotation.from_quat(her.row_pose[row].astype(float), scalar_first=True)
        assert np.degrees((start.inv() * seen[0]).magnitude()).max() < 1e-4
    assert not her.row_voiced.all()
    assert her.row_voiced.any()


def test_a_still_corpus_is_not_busy_and_a_wild_one_is() -> None:
    rig, anatomy = rig_of(T_POSE), anatomy_of(T_POSE)
    assert repertoire(corpus_of(swing=0.0), rig, anatomy, GAINS).row_busy.max() < 1e-3
    assert repertoire(corpus_of(swing=1.0), rig, anatomy, GAINS).row_busy.min() > 0.8


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"gains": {"elbows": 1.0}}, ConfigError, "'elbows' is no group of joints"),
        ({"gains": {"elbow": -1.0}}, ConfigError, "'elbow' is -1.0: wanted a number from 0"),
        ({"hop_s": 0.0}, ConfigError, "row hop 0.0 s"),
        ({"authored": {"wrist": 0.0}}, CorpusError, "clip 0: authored gain 'wrist' is 0.0"),
        ({"broken": np.nan}, CorpusError, "not finite"),
        ({"start": [0, 19, 150, 200, 256]}, None, ""),
        ({"start": [0, 75, 75, 200, 256]}, CorpusError, "do not divide"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(change: dict, error: type[Exception] | None, text: str) -> None:
    corpus = corpus_of(authored=change.get("authored"))
    if "broken" in change:
        rotation = corpus.rotation.copy()
        rotation[3, 2, 1] = change["broken"]
        corpus = replace(corpus, rotation=rotation)
    if "start" in change:
        corpus = replace(corpus, start=np.array(change["start"], np.int32))
    arguments = corpus, rig_of(T_POSE), anatomy_of(T_POSE), change.get("gains", GAINS), change.get("hop_s", 0.1)
    if error is None:
        assert len(repertoire(*arguments).row_clip)
        return
    with pytest.raises(error, match=text) as caught:
        repertoire(*arguments)
    assert "\n" not in str(caught.value)


def test_a_corpus_of_crumbs_is_refused() -> None:
    corpus = corpus_of()
    short = replace(corpus, clips=corpus.clips[:1] * 16, start=np.arange(0, 257, 16, dtype=np.int32))
    with pytest.raises(CorpusError, match="none of the 16 clips is 1 s long"):
        repertoire(short, rig_of(T_POSE), anatomy_of(T_POSE), GAINS)
