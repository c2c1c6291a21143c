"""A voice that is fed while she says it: the whole file's numbers, a prompt start, a closed mouth when it stalls."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import soxr
import talker
from fed import TTS, equal, fresh, live_feed, mouth, said, spoken, watched

from kinesics.components.errors import AudioError
from kinesics.components.plan import Plan
from kinesics.components.speech import RATE
from kinesics.components.voice import Voice
from kinesics.systems import figures, headless
from kinesics.systems.avatar.handle import hear
from kinesics.systems.schedule import TICK
from kinesics.systems.voice.analyse import analyse
from kinesics.systems.voice.feed import Feed


@pytest.mark.parametrize("pace", [1.0, 1.5, 20.0])
def test_she_begins_within_100_ms_of_the_first_chunk_and_moves_with_the_voice(pace):
    # speech: of a voice made of numbers the lips' two heads may think differently
    pcm = soxr.resample(hear(headless.HELLO, (), "").audio, RATE, TTS)[: 6 * TTS]
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
    # and until all is said the lips listen 50 ms ahead, to a file 100 ms, whose average sound they know from its start
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
