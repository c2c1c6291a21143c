"""Sentences on the model: windows that lose nothing, seeds from where she was, seams, noise that comes again, words."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import talker
from smooth_model import SmoothModel

from kinesics.components.anatomy import FINGER_SLOTS, SLOTS
from kinesics.components.errors import FaceError
from kinesics.components.gesture import NEW, SAMPLES, SEED, Sentence, Window
from kinesics.components.speech import RATE, Word
from kinesics.systems.kernels import quat, rotvec
from kinesics.systems.retarget import Onto, measure, smplx_body
from kinesics.systems.speech_gesture import session, words
from kinesics.systems.speech_gesture.session import Sessions
from kinesics.systems.voice.analyse import analyse


def windows(sessions: Sessions, sentence: Sentence) -> list[Window]:
    return [made for made in sessions.begin(sentence) if made is not None]


def said(number: int = 1, seconds: float = 3.0, **more: object) -> Sentence:
    return Sentence(number, 0, 77 + number, talker.voice(seconds, pauses=()), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [0.05, 0.5, 3.7, 3.74, 8.0])
def test_a_sentence_of_any_length_is_moved_to_its_end(seconds: float) -> None:
    model = SmoothModel()
    made = windows(Sessions(model), said(seconds=seconds))
    frames = math.ceil(len(talker.voice(seconds, pauses=())) / RATE * 30)
    assert len(made) == model.calls == math.ceil(frames / NEW)
    at = 0
    for window in made:
        assert window.frame <= at < window.frame + len(window.rotation)  # nothing between two windows
        at = window.frame + len(window.rotation)
    assert frames <= at <= frames + session.TAIL
    assert [window.is_last for window in made] == [False] * (len(made) - 1) + [True]
    assert all(np.abs(np.linalg.norm(w.rotation, axis=-1) - 1.0).max() < 1e-5 for w in made)


def test_the_first_window_begins_in_the_16_frames_before_the_sentence() -> None:
    model = SmoothModel()
    windows(Sessions(model), said())
    heard = model.heard[0]
    assert not heard[: (SEED - 2) * SAMPLES - 1024].any()  # before her first sample it is silent
    assert heard[SEED * SAMPLES + RATE // 2 :].max() > 0.05


def test_each_window_is_seeded_from_the_last_and_the_sentence_from_what_she_shows() -> None:
    model = SmoothModel()
    sessions = Sessions(model)
    windows(sessions, said(seconds=8.0))
    assert np.array_equal(model.seeds[0], model.rest_seed)
    assert not np.array_equal(model.seeds[1], model.seeds[0])
    shown = model.decode(np.tile(model.seeds[1][:1], (4, 1)))
    windows(sessions, said(2, shown=shown))
    assert np.abs(model.seeds[3][:, :60] - model.seeds[1][0, :60]).max() < 0.05


@pytest.mark.parametrize("frame", [90, 41, 7])
def test_a_sentence_goes_on_from_the_frame_of_the_last_that_shows(frame: int) -> None:
    model = SmoothModel()
    sessions = Sessions(model)
    windows(sessions, said(1))
    past = sessions._past[0][1]
    windows(sessions, said(2, after=1, frame=frame))
    end = past.zero + frame // 4
    assert np.array_equal(model.seeds[1], past.latents[end - 4 : end])
    loud = np.abs(said(1).audio[max(frame - SEED, 0) * SAMPLES : frame * SAMPLES]).max()
    assert model.heard[1][: (SEED - 2) * SAMPLES].max() == pytest.approx(loud, abs=0.05)  # what was heard before it
    windows(sessions, said(3, after=9, frame=5))  # nobody knows of it any more
    assert np.array_equal(model.seeds[2], model.rest_seed)


def test_the_same_sentence_again_gives_the_same_bits() -> None:
    first, second = (windows(Sessions(SmoothModel()), said(seconds=6.0)) for _ in range(2))
    assert all(np.array_equal(a.rotation, b.rotation) for a, b in zip(first, second, strict=True))
    assert not np.array_equal(session.noise(5, 0), session.noise(5, 1))
    assert not np.array_equal(session.noise(5, 0), session.noise(6, 0))


def test_a_seam_is_crossfaded_over_8_to_16_frames_by_its_jump() -> None:
    still = np.tile([1.0, 0.0, 0.0, 0.0], (55, 1)).astype(np.float32)

    def turned(degrees: float) -> np.ndarray:
        out = still.copy()
        out[18] = (math.cos(math.radians(degrees / 2)), math.sin(math.radians(degrees / 2)), 0.0, 0.0)
        return out

    assert [session.seam_width(still, turned(d)) for d in (0.0, 20.0, 22.9, 120.0)] == [8, 11, 12, 16]
    old, new = np.tile(still, (8, 1, 1)), np.tile(turned(40.0), (8, 1, 1))
    angle = [2.0 * math.degrees(math.acos(min(float(f[18, 0]), 1.0))) for f in session.crossfaded(old, new)]
    assert (np.diff(angle) > 0.0).all()
    assert 0.0 < angle[0] < 3.0
    assert 37.0 < angle[-1] < 40.0


def test_words_are_given_aligned_spread_or_not_there_and_it_is_said_which() -> None:
    audio = talker.voice(4.0)
    bare = analyse(audio, RATE, text="one two three four")
    given = analyse(audio, RATE, words=[Word("one", 0.3, 0.6)])
    assert words.words_of(given) == (given.words, "given")
    told = (Word("one", 0.3, 0.6), Word("two", 0.6, 0.9))
    assert words.words_of(bare, lambda samples, text: told) == (told, "aligned")

    def fails(samples: object, text: str) -> tuple[Word, ...]:
        raise FaceError("planted")

    found, step = words.words_of(bare, fails)
    assert step == "spread"
    assert [word.text for word in found] == ["one", "two", "three", "four"]
    assert all(a.end <= b.start + 1e-9 for a, b in pairwise(found))
    assert found[0].start == pytest.approx(bare.phrases[0][0])
    assert found[-1].end == pytest.approx(bare.phrases[-1][1])
    assert words.words_of(analyse(audio, RATE)) == ((), "none")


def test_arms_and_curls_come_onto_her_and_back() -> None:
    rig = talker.rig()
    anatomy = measure(rig)
    onto = Onto.of(rig, anatomy)
    rotation = SmoothModel().decode(np.random.default_rng(2).standard_normal((6, 384)).astype(np.float32) * 0.2)
    shown = onto.motion(rotation)
    local = np.tile(anatomy.base, (len(shown), 1, 1))
    turn = np.empty(4)
    for frame in range(len(shown)):
        for slot, joint in enumerate(anatomy.slot_joint):
            if joint >= 0:
                rotvec.exp(shown[frame, slot].astype(np.float64), turn)
                quat.mul(anatomy.base[joint], turn, local[frame, joint])
    back = onto.back(local)
    again = onto.motion(back)
    for slot, name in enumerate(SLOTS):
        worst = np.degrees(np.abs(again[:, slot] - shown[:, slot]).max())
        # a seed is soft: how far fingers are spread and thumbs opposed is not taken back
        loose = 20.0 if "Thumb" in name else 12.0 if name.endswith("Proximal") else 4.0
        assert worst <= (loose if name in FINGER_SLOTS else 0.5), name
    arm = smplx_body.NAMES.index("leftLowerArm")
    dot = np.abs(np.einsum("fk,fk->f", back[:, arm], rotation[:, arm])).min()
    assert math.degrees(2.0 * math.acos(min(dot, 1.0))) < 2.0


def test_its_mean_hand_shows_as_a_relaxed_hand_and_not_as_a_twist() -> None:
    rig = talker.rig()
    anatomy = measure(rig)
    still = np.zeros((1, 55, 4), np.float32)
    still[..., 0] = 1.0
    shown = Onto.of(rig, anatomy).motion(still)[0]
    fingers = np.degrees(np.linalg.norm(shown[len(SLOTS) - len(FINGER_SLOTS) :], axis=1))
    assert fingers.max() < 45.0  # over her own relaxed hand
    assert np.median(fingers) < 20.0
