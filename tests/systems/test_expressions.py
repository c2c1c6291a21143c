"""Expressions leave each other room as VRM 1.0 has it, and a blink never folds a closed eye."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest
from talker import body

from kinesics.components.config import Config
from kinesics.components.face import Face
from kinesics.components.face_map import FaceMap, Look
from kinesics.systems import headless
from kinesics.systems.face.express import ease, express
from kinesics.systems.face.speak import speak

SMILE, LIDS, MOUTH = 0, 1, 2  # channels


def face_map(**looks: Look) -> FaceMap:
    return FaceMap("VRM", ((MOUTH, 1.0),), ((LIDS, 1.0),), expressions=MappingProxyType(looks))


def shown(faces: FaceMap, **weights: float) -> tuple[np.ndarray, float, float]:
    out = np.zeros(3)
    blink, speech = express(faces, weights, out)
    return out, blink, speech


def test_a_binary_look_is_shown_whole_above_half_and_not_at_all_below() -> None:
    faces = face_map(happy=Look(((SMILE, 0.8),), is_binary=True))
    assert shown(faces, happy=0.5)[0][SMILE] == 0.0
    assert shown(faces, happy=0.51)[0][SMILE] == pytest.approx(0.8)


@pytest.mark.parametrize(("how", "weight", "left"), [("block", 0.01, 0.0), ("blend", 0.3, 0.7), ("", 1.0, 1.0)])
def test_a_look_takes_blinks_and_speech_as_its_file_says(how: str, weight: float, left: float) -> None:
    faces = face_map(happy=Look(((SMILE, 1.0),), blink=how, mouth=how))
    assert shown(faces, happy=weight)[1:] == pytest.approx((left, left))
    assert shown(faces)[1:] == (1.0, 1.0)


def test_a_binary_look_takes_what_it_shows_and_not_what_it_was_asked() -> None:
    faces = face_map(happy=Look(((SMILE, 1.0),), is_binary=True, blink="blend"))
    assert shown(faces, happy=0.5)[1] == 1.0
    assert shown(faces, happy=0.6)[1] == 0.0


def test_a_binary_blink_goes_as_soon_as_any_of_it_is_taken() -> None:
    """The case of the specification's sample VRMC_vrm_expressions_isBinary_Overridden."""
    faces = face_map(happy=Look(((SMILE, 1.0),), blink="blend"), blink=Look(((LIDS, 1.0),), is_binary=True))
    assert shown(faces, happy=0.0, blink=1.0)[0][LIDS] == 1.0
    assert shown(faces, happy=0.1, blink=1.0)[0][LIDS] == 0.0


def test_two_looks_never_take_more_than_there_is() -> None:
    faces = face_map(happy=Look((), blink="blend"), sad=Look((), blink="blend"))
    assert shown(faces, happy=0.7, sad=0.7)[1] == 0.0


def test_an_expression_comes_and_goes_without_a_step() -> None:
    face = Face(("a",), np.zeros(1), asked={"happy": 1.0})
    seen = []
    for tick in range(240):
        if tick == 90:
            face.asked["happy"] = 0.0
        ease(face, 1 / 60)
        seen.append(face.shown.get("happy", 0.0))
    assert seen[89] > 0.99
    assert np.abs(np.diff(seen)).max() < 0.12
    assert face.shown == {} == face.asked


def test_a_blink_never_fights_eyes_that_a_smile_has_closed() -> None:
    """Ten minutes of blinks; with the smile on, her lids stay where the smile has them."""
    world = headless.world(body(), with_corpus=False, seed=3, config=Config.default())
    her = world.avatar.entity
    world.put(her, face_map(happy=Look(((SMILE, 1.0),), lids=1.0)))
    face = Face(("smile", "lids", "mouth"), np.zeros(3))
    world.put(her, face)
    most = {}
    for mood in (0.0, 1.0):
        face.asked["happy"] = mood
        for _ in range(120):
            speak(world)
            world.tick += 1
        most[mood] = 0.0
        for _ in range(3600):
            speak(world)
            world.tick += 1
            most[mood] = max(most[mood], float(face.weight[LIDS]))
    assert most[0.0] > 0.95
    assert most[1.0] < 0.01
