"""A voice that streams in moves her as the file of it does, as far as it is known."""

from __future__ import annotations

import numpy as np
import pytest
import talker
from fed import TTS, equal, fresh, live_feed, spoken, watched
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.plan import Plan
from kinesics.components.speech import RATE, Growing
from kinesics.components.voice import Voice
from kinesics.systems import headless
from kinesics.systems.matcher.query import second_to_come
from kinesics.systems.schedule import TICK
from kinesics.systems.voice import prominence, stream
from kinesics.systems.voice.analyse import analyse, levelled
from kinesics.systems.voice.feed import Feed


@given(cuts=st.lists(st.integers(1, 60_000), max_size=40), rate=st.sampled_from([16_000, 22_050, 24_000, 48_000]))
@settings(max_examples=10)
def test_however_it_is_fed_the_whole_has_the_bits_of_the_file(cuts, rate):
    pcm = spoken(2.5, rate)
    feed = Feed(rate)
    for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), len(pcm)], strict=True):
        feed.take(pcm[a:b])
    equal(feed.close("hello"), analyse(pcm, rate, text="hello"))


@given(milliseconds=st.integers(60, 2400))
@settings(max_examples=10)
def test_at_every_moment_the_part_that_came_is_known_as_if_it_were_all(milliseconds):
    pcm = talker.voice(2.5)[: milliseconds * 16]
    feed, growing = Feed(RATE), Growing("")
    for at in range(0, len(pcm), 320):
        _, pieces, _ = feed.take(pcm[at : at + 320])
        for piece in pieces:
            stream.grow(growing, piece.samples, piece.coefficient, piece.loudness, piece.band, [])
        stream.so_far(growing)
    growing.known = 0
    got, whole = stream.so_far(growing), analyse(pcm, RATE)
    frames = len(got.loudness)
    assert frames == (len(pcm) - 512) // 160 + 1
    np.testing.assert_array_equal(got.loudness, whole.loudness[:frames])
    voiced, envelope, timbre = levelled(growing.coefficient[:frames], got.loudness, len(pcm))
    np.testing.assert_array_equal(got.voiced, voiced)
    np.testing.assert_array_equal(got.envelope, envelope.astype(np.float32))
    np.testing.assert_array_equal(got.coefficient, timbre.astype(np.float32))
    phrase = prominence.phrases(prominence.active(growing.band[:frames], voiced), len(pcm) / RATE)
    np.testing.assert_array_equal(got.phrase, phrase)


def test_between_two_looks_at_all_of_it_next_to_nothing_is_different():
    pcm = np.concatenate([talker.voice(12.0, pauses=((3.0, 3.6), (6.0, 6.2)), seed=k) for k in range(3)])
    feed, growing, renewed = Feed(RATE), Growing(""), 0
    worst, apart = 0.0, 0
    for at in range(0, len(pcm), 267):
        for piece in feed.take(pcm[at : at + 267])[1]:
            stream.grow(growing, piece.samples, piece.coefficient, piece.loudness, piece.band, [])
        known = growing.known
        got = stream.so_far(growing)
        renewed += known != growing.known
        if at % (267 * 97) == 0 and growing.frames > 200:
            voiced, envelope, _ = levelled(
                growing.coefficient[: growing.frames], growing.loudness[: growing.frames], growing.samples
            )
            worst = max(worst, float(np.abs(envelope - got.envelope).max()))
            apart += int((voiced != got.voiced).sum())
            want = prominence.phrases(prominence.active(growing.band[: growing.frames], voiced), got.seconds)
            assert len(want) == len(got.phrase)
            assert np.abs(want - got.phrase).max() <= 0.021
    assert renewed < 260
    assert worst < 0.5  # dB
    assert apart <= 3  # frames


def test_a_voice_fed_before_it_sounds_moves_her_as_the_file_does_bit_for_bit():
    pcm, words = spoken(), [("one", 0.3, 0.7), ("two", 0.9, 1.2)]
    told = []
    runs = []
    for is_fed in (False, True):
        world = fresh()
        world.avatar.on("word", lambda id, text, world=world: told.append((world.tick, text)))
        if is_fed:
            with world.avatar.begin(TTS) as u:
                for at in range(0, len(pcm), 480):
                    u.feed(pcm[at : at + 480], words if at == 0 else ())
        else:
            world.avatar.say((pcm, TTS), words=words)

        def deliver(tick: int, world: headless.World = world) -> None:
            world.avatar.deliver()

        runs.append(watched(world, 420, deliver))
    for name in ("rotation", "root", "face", "window", "fade", "jump_deg", "speaking"):
        np.testing.assert_array_equal(getattr(runs[0], name), getattr(runs[1], name), err_msg=name)
    assert runs[0].about["digest"] == runs[1].about["digest"]
    assert len(told) == 4
    assert told[:2] == told[2:]
    assert runs[0].window.max() >= 0


@pytest.mark.parametrize("rate", [16_000, TTS])
def test_fed_to_its_end_before_her_first_pick_she_moves_as_by_the_file_but_for_one_breath(rate):
    """A synthesis at 50 times real time has said six seconds before 8 ticks are over, on which her first row begins."""
    pcm = spoken(6.0, rate)
    world = fresh()
    _, before = live_feed(world, pcm, pace=50.0, rate=rate)
    run = watched(world, 420, before)
    starts = round(run.audio_start_s * 60.0)
    whole = fresh()
    file = watched(whole, 420, lambda tick: whole.avatar.say((pcm, rate)) if tick == starts else None)
    assert file.audio_start_s == run.audio_start_s
    for name in ("window", "fade", "jump_deg", "speaking"):
        np.testing.assert_array_equal(getattr(run, name), getattr(file, name), err_msg=name)
    assert run.window.max() >= 0
    assert np.abs(run.face - file.face).mean() < 0.001  # of the first 8 ticks her lips know less
    for side in ("left", "right"):  # the collars breathe
        joint = run.joint(side + "LowerArm")
        np.testing.assert_array_equal(run.rotation[:, joint], file.rotation[:, joint])
    hands = [run.joint("leftHand"), run.joint("rightHand")]
    assert np.linalg.norm(run.position[:, hands] - file.position[:, hands], axis=2).max() < 0.02  # m


@pytest.mark.parametrize("pace", [1.6, 3.0, 10.0])
def test_once_she_was_fed_to_the_end_each_row_is_looked_for_as_by_the_file(pace):
    pcm = spoken(8.0, pauses=((2.6, 3.0),))
    world, known = fresh(), analyse(pcm, TTS)
    u, before = live_feed(world, pcm, pace=pace)
    ended, asked = [], {}

    def look(tick: int) -> None:
        before(tick)
        if u.sound.is_ended:
            ended.append(tick)

    for tick in range(480):
        look(tick)
        world.step(TICK)
        question = world.get(0, Plan).asked
        if question is not None and ended and question.due > ended[0] and not question.rest:
            voice = world.get(0, Voice)
            asked[question.due] = (question, voice.position + (question.due - tick) / 60.0)
    assert len(asked) >= (1 if pace < 2.0 else 3)  # rows that were due later
    for question, sounds in asked.values():
        want = second_to_come(known, sounds + 2.0 / world.config.springs.arms)
        np.testing.assert_array_equal(question.envelope, want[0])
        np.testing.assert_array_equal(question.timbre, want[1])
        assert question.known == 2


def test_while_she_is_fed_a_row_is_looked_for_when_its_second_is_known_or_at_the_last():
    """Forty ticks ahead there is less to go by than seven ticks ahead."""
    for pace, ahead, lead in ((1.0, 0.2, (6, 7)), (1.0, 2.5, (39, 40))):
        world = fresh()
        _, before = live_feed(world, spoken(8.0, pauses=()), pace=pace, ahead=ahead)
        leads = set()
        for tick in range(300):
            before(tick)
            world.step(TICK)
            question = world.get(0, Plan).asked
            if question is not None and question.playing is not None and not question.rest:
                leads.add(question.due - question.tick)
        assert leads <= set(range(lead[0], lead[1] + 1)), (ahead, leads)
        assert leads
