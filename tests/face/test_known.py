"""A voice that is known whole has its mouth read before it sounds, and shows the same."""

from __future__ import annotations

import numpy as np
import syllables

from kinesics.components.speech import HOP, RATE
from kinesics.components.voice import Voice
from kinesics.systems import headless
from kinesics.systems.avatar.handle import hear
from kinesics.systems.face import net
from kinesics.systems.face.known import mouth_of
from kinesics.systems.face.offline import evaluate
from kinesics.systems.schedule import TICK
from kinesics.systems.voice.analyse import with_mouth

SPEECH = syllables.talk(4.0)


def test_a_voice_read_before_it_sounds_moves_her_lips_as_one_read_while_it_sounds() -> None:
    faces, mouth = [], mouth_of(SPEECH)
    assert len(mouth) == len(SPEECH.audio) // HOP
    for speech in (SPEECH, with_mouth(SPEECH, mouth)):
        world = headless.world(seed=1, with_corpus=False)
        world.inbox.post("say", 0, id=1, speech=speech, play=False, interrupt=False)
        faces.append(headless.run(world).face)
    assert np.ptp(faces[0], axis=0).max() > 0.3
    np.testing.assert_array_equal(*faces)


def test_what_is_measured_of_known_voices_is_what_she_shows() -> None:
    made = net.shipped()
    assert made is not None
    true = np.zeros(len(SPEECH.audio) // HOP, np.int32)
    track = evaluate.known_track(made, ("made", SPEECH.audio, true, np.ones(len(true), np.bool_)))
    np.testing.assert_array_equal(track.found, mouth_of(SPEECH))


def test_a_file_is_said_with_its_mouth_read() -> None:
    heard = hear((SPEECH.audio, RATE), (), "")
    assert len(heard.mouth) == len(SPEECH.audio) // HOP
    assert len(set(heard.mouth.tolist())) > 2


def test_a_stream_that_has_ended_has_its_mouth_read_too() -> None:
    world = headless.world(seed=1, with_corpus=False)
    stream = world.avatar.begin(RATE)
    stream.feed(SPEECH.audio)
    stream.end()
    world.step(TICK)
    current = world.get(0, Voice).current
    assert current is not None
    np.testing.assert_array_equal(current.speech.mouth, hear((SPEECH.audio, RATE), (), "").mouth)


def test_without_weights_there_is_nothing_to_tell_and_with_them_there_is_again(tmp_path, monkeypatch) -> None:
    with monkeypatch.context() as gone:
        gone.setattr(net, "SHIPPED", tmp_path / "none.npz")
        assert len(mouth_of(SPEECH)) == 0
    assert len(mouth_of(SPEECH)) > 0
