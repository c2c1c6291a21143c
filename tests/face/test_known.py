"""A voice that is known whole has its mouth read before it sounds, and shows the same."""

from __future__ import annotations

import numpy as np
import syllables

from kinesics.components.speech import RATE
from kinesics.systems import headless
from kinesics.systems.avatar.handle import hear
from kinesics.systems.face import known
from kinesics.systems.face.known import mouth_of
from kinesics.systems.voice.analyse import with_mouth

SPEECH = syllables.talk(4.0)


def test_a_voice_read_before_it_sounds_moves_her_lips_as_one_read_while_it_sounds() -> None:
    faces = []
    for told in (np.zeros(0, np.int32), mouth_of(SPEECH)):
        world = headless.world(seed=1, with_corpus=False)
        world.avatar.say(with_mouth(SPEECH, told))
        faces.append(headless.run(world).face)
    assert np.ptp(faces[0], axis=0).max() > 0.3
    np.testing.assert_array_equal(*faces)


def test_a_file_is_said_with_its_mouth_read() -> None:
    heard = hear((SPEECH.audio, RATE), (), "")
    assert len(heard.mouth) == len(SPEECH.audio) // 160
    assert len(set(heard.mouth.tolist())) > 2


def test_without_weights_there_is_nothing_to_tell(monkeypatch) -> None:
    monkeypatch.setattr(known, "_shipped", lambda: None)
    assert len(mouth_of(SPEECH)) == 0
