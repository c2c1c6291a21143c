"""A voice that is fed while she says it: the whole file's numbers, a prompt start, a closed mouth when it stalls."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest
import talker
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.errors import AudioError
from kinesics.components.face import Face
from kinesics.components.plan import Plan
from kinesics.components.speech import RATE, Growing
from kinesics.components.voice import Voice
from kinesics.systems import figures, headless
from kinesics.systems.matcher.query import second_to_come
from kinesics.systems.schedule import TICK
from kinesics.systems.voice import prominence, stream
from kinesics.systems.voice.analyse import analyse, levelled
from kinesics.systems.voice.feed import Feed

TTS = 24_000  # Hz


def spoken(seconds: float = 6.0, rate: int = TTS, **how: object) -> np.ndarray:
    """Return the numbers' voice at the rate of a speech synthesis."""
    at16 = talker.voice(seconds, **how)
    t = np.arange(round(len(at16) * rate / RATE)) * RATE / rate
    return np.interp(t, np.arange(len(at16)), at16).astype(np.float32)


def fresh(corpus: bool = True) -> headless.World:
    return headless.world(talker.body(), talker.corpus(), seed=3, with_corpus=corpus)


def watched(world: headless.World, ticks: int, before=lambda tick: None) -> figures.Run:
    """Return what was seen of so many ticks; before: called with the tick's number ahead of each."""
    recorder, opened = figures.Recorder(world), []
    for tick in range(ticks):
        before(tick)
        world.step(TICK)
        recorder.record(world)
        opened.append(mouth(world))
    run = recorder.run()
    run.about["open"] = np.array(opened)
    return run


def mouth(world: headless.World) -> float:
    return float(world.get(0, Face).openness)


def said(world: headless.World) -> list[tuple[str, int]]:
    """Return what became of her utterances since the last call: (event, number)."""
    return [(name, data["id"]) for _, name, data in world.avatar.deliver() if "id" in data]


def equal(a: object, b: object) -> None:
    for field in dataclasses.fields(a):  # type: ignore[arg-type]
        np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name), err_msg=field.name)


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


def live_feed(
    world: headless.World,
    pcm: np.ndarray,
    chunk_s: float = 0.02,
    pace: float = 1.0,
    ahead: float = 0.0,
    rate: int = TTS,
):
    """Return what feeds 20 ms chunks as a synthesis does that runs at `pace` times real time, and the stream."""
    u = world.avatar.begin(rate)
    size = round(chunk_s * rate)
    state = {"at": 0}

    def before(tick: int) -> None:
        while state["at"] < len(pcm) and state["at"] / rate <= tick / 60.0 * pace + ahead:
            u.feed(pcm[state["at"] : state["at"] + size])
            state["at"] += size
            if state["at"] >= len(pcm):
                u.end()

    return u, before


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


@pytest.mark.parametrize("pace", [1.0, 1.5, 20.0])
def test_she_begins_within_100_ms_of_the_first_chunk_and_moves_with_the_voice(pace):
    pcm = spoken(6.0, pauses=((2.6, 3.0),))
    whole = fresh()
    whole.avatar.say((pcm, TTS))
    file = watched(whole, 460)
    world = fresh()
    _, before = live_feed(world, pcm, pace=pace)
    run = watched(world, 460, before)
    assert run.audio_start_s <= 0.1
    lag = round(run.audio_start_s * 60.0)
    # what is fed as it sounds is known 0.1 s ahead, of which 50 ms are the lips' own: no lead is left for the shapes
    lag += 5 if pace == 1.0 else 0
    opened = [r.about["open"] for r in (file, run)]
    apart = np.abs(opened[0][: 460 - lag] - opened[1][lag:])[20:]
    # her level is learnt while she speaks: 2 dB off after a second is 0.1 of the mouth
    # and until all is said the lips listen 50 ms ahead, to a file 100 ms
    assert apart.mean() < {1.0: 0.1, 1.5: 0.04, 20.0: 0.001}[pace]
    assert np.corrcoef(opened[0][20 : 460 - lag], opened[1][20 + lag :])[0, 1] > (0.85 if pace == 1.0 else 0.95)
    wrist = run.joint("leftHand")
    assert np.ptp(run.position[:, wrist], axis=0).max() > 0.05  # m
    assert figures.report(run)["corpus_speed_deg_s_max"] <= 90.0 + 1e-3
    assert figures.report(run)["fades_interrupted"] == 0
    assert not run.speaking[-30:].any()
    assert not world.avatar.speaking


def test_the_mouth_is_closed_100_ms_after_a_stop_at_any_moment():
    loudest = 0.0
    for stop_at in range(3, 90, 7):
        world = fresh(corpus=False)
        u, before = live_feed(world, spoken(3.0, pauses=()))
        watched(world, stop_at, before)
        loudest = max(loudest, mouth(world))
        u.stop()
        watched(world, 6)
        assert mouth(world) <= 0.05, f"stopped at tick {stop_at}"
        u.feed(np.zeros(480, np.float32))  # whoever speaks has not heard of it yet
        u.end()
        watched(world, 2)
        assert not world.get(0, Voice).streams
        assert not world.avatar.speaking
    assert loudest > 0.5


def test_she_waits_with_her_mouth_closed_when_the_feed_stalls_and_goes_on_where_she_was():
    pcm = spoken(3.0, pauses=())
    cut = round(1.2 * TTS)
    world = fresh()
    u = world.avatar.begin(TTS)
    u.feed(pcm[:cut])
    watched(world, 90)
    voice = world.get(0, Voice)
    held = voice.position
    assert 1.16 < held <= 1.2
    assert voice.waited > 0
    assert not voice.active
    run = watched(world, 60)
    assert voice.position == held
    assert run.about["open"][6:].max() <= 0.05
    u.feed(pcm[cut : cut + 480])
    watched(world, 2)
    assert voice.position == held  # 20 ms are not worth opening it again
    u.feed(pcm[cut + 480 :])
    u.end()
    told = []
    for tick in range(180):
        world.step(TICK)
        told += [(name, tick) for _, name, _ in world.avatar.deliver() if name == "finished"]
    assert len(told) == 1
    assert told[0][1] / 60 == pytest.approx(3.0 - held, abs=0.04)


def test_hands_do_not_talk_on_while_she_waits():
    world = fresh()
    u = world.avatar.begin(TTS)
    u.feed(spoken(3.0, pauses=())[: 2 * TTS])
    watched(world, 300)
    assert world.get(0, Plan).picks[-1].row == -1  # 3 s later her arms are on their way down


def test_a_host_that_plays_it_itself_is_followed():
    world = fresh(corpus=False)
    u = world.avatar.begin(TTS, play=False)
    pcm = spoken(8.0)
    u.feed(pcm)
    draw = np.random.default_rng(0)
    worst = 0.0
    for tick in range(400):
        sounded = max(0.0, tick / 60.0 * 1.001 - 0.35)  # the host's player needs 0.35 s to begin, and runs 0.1 % fast
        u.position(sounded + (draw.normal(0.0, 0.004) if sounded else 0.0))
        world.step(TICK)
        if tick > 60:
            worst = max(worst, abs(world.get(0, Voice).position - sounded))
        elif sounded == 0.0:
            assert world.get(0, Voice).position == 0.0  # her lips wait for the sound
    assert worst < 0.03  # s


def test_sentences_wait_for_a_stream_to_end():
    world = fresh(corpus=False)
    u = world.avatar.begin(RATE, text="first")
    world.avatar.say((talker.voice(0.5), RATE))
    watched(world, 60)
    assert [name for name, _ in said(world)] == []
    u.feed(talker.voice(0.5))
    u.end()
    watched(world, 80)
    assert [name for name, _ in said(world)] == ["started", "finished", "started", "finished"]


def test_a_stream_of_nothing_ends_at_once():
    world = fresh(corpus=False)
    world.avatar.begin(RATE).end()
    watched(world, 3)
    assert [name for name, _ in said(world)] == ["started", "finished"]


def test_words_are_announced_as_they_sound_also_when_they_come_late():
    world = fresh(corpus=False)
    heard: list[tuple[int, str]] = []
    world.avatar.on("word", lambda id, text: heard.append((world.tick, text)))
    u = world.avatar.begin(RATE)
    u.feed(talker.voice(2.0), [("one", 0.3, 0.5), ("two", 0.8, 1.0)])

    def before(tick: int) -> None:
        if tick == 80:
            u.feed(b"", [("three", 1.1, 1.2)])
        world.avatar.deliver()

    watched(world, 100, before)
    assert [text for _, text in heard] == ["one", "two", "three"]
    assert [abs(tick / 60 - at) < 0.05 for (tick, _), at in zip(heard, (0.3, 0.8, 81 / 60), strict=True)] == [True] * 3


@pytest.mark.parametrize(
    ("chunk", "words", "tells"),
    [
        (np.array([np.nan], np.float32), (), "not finite"),
        (np.array([300.0, 20_000.0]), (), "divide 16-bit samples by 32768"),
        (b"abc", (), "3 bytes are no whole int16 samples"),
        (np.array(["a"]), (), "samples of type"),
        (np.zeros(10, np.float32), [("b", 0.1, 0.2), ("a", 0.0, 0.1)], "'a' starts at 0 s, before 'b'"),
        (np.zeros(10, np.float32), [("a", 2.0, 1.0)], "want 0 <= start <= end"),
        (np.zeros(10, np.float32), ["ab"], "give (text, start s, end s)"),
        (np.zeros(601 * RATE, np.int16), (), "longer than 600 s"),
    ],
)
def test_what_cannot_be_said_is_refused_in_one_line_and_the_stream_goes_on(chunk, words, tells):
    world = fresh(corpus=False)
    u = world.avatar.begin(RATE)
    with pytest.raises(AudioError) as caught:
        u.feed(chunk, words)
    assert tells in str(caught.value)
    assert "\n" not in str(caught.value)
    u.feed(talker.voice(0.5), [("fine", 0.0, 0.1)])
    u.end()
    u.end()
    with pytest.raises(AudioError, match="fed after its end"):
        u.feed(talker.voice(0.5))
    watched(world, 60)
    assert [name for name, _ in said(world)] == ["started", "word", "finished"]


def test_bytes_integers_and_stereo_are_fed_as_they_come():
    voice = talker.voice(1.0)
    whole = (voice * 32768.0).astype(np.int16)
    forms = (whole, whole.tobytes(), np.stack([whole, whole], axis=1), whole.astype(np.int32) * 65536)
    speeches = []
    for form in forms:
        feed = Feed(RATE)
        feed.take(form)
        speeches.append(feed.close(""))
    for other in speeches[1:]:
        np.testing.assert_allclose(other.audio, speeches[0].audio, atol=1e-7)


def test_a_converter_with_an_offset_ends_as_the_file_does():
    feed = Feed(RATE)
    pcm = talker.voice(2.0) * 0.5 + 0.05
    for at in range(0, len(pcm), 320):
        feed.take(pcm[at : at + 320])
    equal(feed.close(""), analyse(pcm, RATE))


def test_four_threads_may_feed_four_streams():
    world = fresh(corpus=False)
    streams = [world.avatar.begin(RATE) for _ in range(4)]

    def talk(u) -> None:
        for _ in range(25):
            u.feed(talker.voice(1.0)[:640])
        u.end()

    threads = [threading.Thread(target=talk, args=(u,)) for u in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    watched(world, 280)
    assert said(world) == [(name, k) for k in (1, 2, 3, 4) for name in ("started", "finished")]


def test_a_copy_of_the_world_has_its_own_half_of_a_voice():
    world = fresh(corpus=False)
    u = world.avatar.begin(RATE)
    u.feed(talker.voice(1.0))
    watched(world, 10)
    twin = world.copy()
    u.feed(talker.voice(1.0))
    world.step(TICK)
    twin.step(TICK)
    assert world.get(0, Voice).current.speech.seconds == pytest.approx(2.0)
    assert twin.get(0, Voice).current.speech.seconds == pytest.approx(1.0)
    assert twin.get(0, Voice).streams[1].samples == RATE
