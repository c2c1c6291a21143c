"""What speech services deliver becomes words and phones in order, whatever is missing, doubled or absurd in it.

The snippets were written for these tests, each in the shape that the service's own documentation describes.
"""

from __future__ import annotations

import json
from datetime import timedelta
from enum import Enum
from types import SimpleNamespace as Event

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.errors import AudioError
from kinesics.components.speech import Word
from kinesics.systems.voice.timings import Timings, delivered, take_out, timings
from kinesics.systems.voice.timings.ipa import either
from kinesics.systems.voice.timings.table import Mark, settle
from kinesics.systems.voice.words import SUFFIXES, read_timings

TICK = 10_000_000  # of 100 ns in a second


class Boundary(Enum):
    Word = 0
    Punctuation = 1
    Sentence = 2


# Azure Speech SDK, Python: SpeechSynthesisWordBoundaryEventArgs, SpeechSynthesisVisemeEventArgs, bookmark events.
AZURE = [
    Event(audio_offset=500_000, viseme_id=0, animation=""),
    Event(audio_offset=1_000_000, duration=timedelta(milliseconds=400), text="Hello", text_offset=0, word_length=5,
          boundary_type=Boundary.Word),
    Event(audio_offset=1_000_000, viseme_id=12, animation=""),
    Event(audio_offset=2_000_000, viseme_id=4, animation=""),
    Event(audio_offset=5_000_000, viseme_id=21, animation=""),
    Event(audio_offset=5_000_000, duration=timedelta(milliseconds=50), text=",", text_offset=5, word_length=1,
          boundary_type=Boundary.Punctuation),
    Event(audio_offset=5_500_000, text="smile"),
    Event(audio_offset=5_500_000, duration=timedelta(milliseconds=400), text="Bob", text_offset=4294967295,
          word_length=3, boundary_type=Boundary.Word),
    Event(audio_offset=9_500_000, viseme_id=0, animation=""),
]  # fmt: skip
# The same of its JavaScript SDK as JSON.
AZURE_JS = [
    {"audioOffset": 1_000_000, "duration": 4_000_000, "text": "Hello", "wordLength": 5, "textOffset": 0,
     "boundaryType": "WordBoundary"},
    {"audioOffset": 5_500_000, "duration": 4_000_000, "text": "Bob", "wordLength": 3, "textOffset": 7,
     "boundaryType": "WordBoundary"},
]  # fmt: skip
# word.json of Azure's batch synthesis: milliseconds.
AZURE_BATCH = [
    {"Text": "Hello", "AudioOffset": 100, "Duration": 400},
    {"Text": "Bob", "AudioOffset": 550, "Duration": 400},
]
# edge-tts 7: chunks of Communicate.stream() with boundary="WordBoundary", and the service's metadata message.
EDGE = [
    {"type": "audio", "data": b"\xff\xf3"},
    {"type": "WordBoundary", "offset": 1_000_000, "duration": 4_000_000, "text": "Hello"},
    {"type": "audio", "data": b"\xff\xf3"},
    {"type": "WordBoundary", "offset": 5_500_000, "duration": 4_000_000, "text": "Bob"},
]
EDGE_METADATA = {
    "Metadata": [
        {"Type": "WordBoundary", "Data": {"Offset": 1_000_000, "Duration": 4_000_000,
                                          "text": {"Text": "Hello", "Length": 5, "BoundaryType": "WordBoundary"}}},
        {"Type": "WordBoundary", "Data": {"Offset": 5_500_000, "Duration": 4_000_000,
                                          "text": {"Text": "Bob", "Length": 3, "BoundaryType": "WordBoundary"}}},
        {"Type": "SessionEnd", "Data": {"Offset": 9_875_000}},
    ]
}  # fmt: skip
# ElevenLabs: POST /v1/text-to-speech/:voice/with-timestamps.
ELEVEN = {
    "audio_base64": "//NExAA=",
    "alignment": {
        "characters": list("Hello Bob"),
        "character_start_times_seconds": [0.1, 0.18, 0.26, 0.34, 0.42, 0.5, 0.55, 0.7, 0.8],
        "character_end_times_seconds": [0.18, 0.26, 0.34, 0.42, 0.5, 0.55, 0.7, 0.8, 0.95],
    },
    "normalized_alignment": None,
}
# ElevenLabs: two messages of its websocket; times count from each chunk's own first sample.
ELEVEN_SOCKET = [
    {"audio": "//NExAA=", "isFinal": None, "alignment": {
        "chars": list("Hello B"), "charStartTimesMs": [100, 180, 260, 340, 420, 500, 550],
        "charDurationsMs": [80, 80, 80, 80, 80, 50, 150]}},
    {"audio": "//NExAA=", "isFinal": None, "alignment": {
        "chars": list("ob"), "charStartTimesMs": [0, 100], "charDurationsMs": [100, 150]}},
    {"audio": None, "isFinal": True, "alignment": None},
]  # fmt: skip
# Kokoro: two results of KPipeline, 24 kHz; a token's times may be None. Its times are 60 ms behind its sound.
KOKORO = [
    Event(graphemes="Hello,", audio=np.zeros(12_000, np.float32), tokens=[
        Event(text="Hello", start_ts=0.16, end_ts=0.56), Event(text=",", start_ts=0.5, end_ts=0.5)]),
    Event(graphemes="Bob", audio=np.zeros(12_000, np.float32), tokens=[
        Event(text="Bob", start_ts=0.11, end_ts=0.51), Event(text=".", start_ts=None, end_ts=None)]),
]  # fmt: skip
# POST /dev/captioned_speech of the server that is built around it.
KOKORO_SERVER = {
    "audio": "UklGRg==",
    "timestamps": [
        {"word": "Hello", "start_time": 0.16, "end_time": 0.56},
        {"word": "Bob", "start_time": 0.61, "end_time": 1.01},
    ],
}
HELLO_BOB = (Word("Hello", 0.1, 0.5), Word("Bob", 0.55, 0.95))


def close(words: tuple[Word, ...]) -> list[tuple[str, float, float]]:
    return [(word.text, round(word.start, 4), round(word.end, 4)) for word in words]


@pytest.mark.parametrize(
    "delivered",
    [AZURE, AZURE_JS, AZURE_BATCH, EDGE, EDGE_METADATA, ELEVEN, ELEVEN_SOCKET, KOKORO, KOKORO_SERVER],
    ids=["azure", "azure js", "azure batch", "edge", "edge metadata", "eleven", "eleven ws", "kokoro", "kokoro server"],
)
def test_each_service_times_the_same_two_words_within_a_millisecond(delivered):
    assert close(timings(delivered).words) == close(HELLO_BOB)


@pytest.mark.parametrize("delivered", [AZURE_JS, AZURE_BATCH, EDGE_METADATA, ELEVEN, ELEVEN_SOCKET, KOKORO_SERVER])
def test_what_a_service_answered_may_lie_beside_the_wav_as_json(tmp_path, delivered):
    (tmp_path / "a.json").write_text(json.dumps(delivered))
    assert close(read_timings(tmp_path / "a.json").words) == close(HELLO_BOB)


def test_azures_visemes_become_phones_and_its_bookmarks_tags():
    table = timings(AZURE)
    assert [(p.text, round(p.start, 3), round(p.end, 3)) for p in table.phones] == [
        ("sil", 0.05, 0.1), ("hh", 0.1, 0.2), ("eh", 0.2, 0.5), ("p", 0.5, 0.95), ("sil", 0.95, 1.16),
    ]  # fmt: skip
    assert [(tag.value, tag.start) for tag in table.tags] == [("smile", 0.55)]


# Piper 1.8: AudioChunk of synthesize(text, include_alignments=True); its table is 40 ms behind its sound.
def piper(*chunks: list[tuple[str, float]]) -> list[Event]:
    rows = [[Event(phoneme=p, phoneme_ids=[1], num_samples=round(s * 22_050)) for p, s in chunk] for chunk in chunks]
    return [Event(sample_rate=22_050, phoneme_alignments=row, audio_float_array=np.zeros(22_050)) for row in rows]


def test_pipers_phones_are_timed_over_sentences_and_its_words_found_by_the_text():
    first = [("^", 0.1), ("h", 0.1), ("ˈ", 0.1), ("a", 0.2), (" ", 0.05), ("b", 0.1), ("ɒ", 0.15), (".", 0.2)]
    table = timings(piper(first, [("m", 0.2), ("iː", 0.1), ("$", 0.1)]), text="Hi Bob. Me!")
    assert [(p.text, round(p.start, 2), round(p.end, 2)) for p in table.phones] == [
        ("sil", 0.0, 0.06), ("hh", 0.06, 0.21), ("aa", 0.21, 0.51), ("b", 0.51, 0.61), ("aa", 0.61, 0.76),
        ("sil", 0.76, 0.96), ("m", 0.96, 1.16), ("iy", 1.16, 1.26), ("sil", 1.26, 1.36),
    ]  # fmt: skip
    assert close(table.words) == [("Hi", 0.06, 0.46), ("Bob.", 0.51, 0.76), ("Me!", 0.96, 1.26)]
    assert timings(piper(first), text="one two three").words == ()  # no guess where the count differs
    assert timings([Event(sample_rate=22_050, phoneme_alignments=None)], text="Hi").phones == ()


def test_sentences_alone_still_time_their_words_by_letters():
    only = [{"type": "SentenceBoundary", "offset": TICK, "duration": TICK, "text": "no really me"}]
    assert close(timings(only).words) == [("no", 1.0, 1.2), ("really", 1.2, 1.8), ("me", 1.8, 2.0)]
    assert [w.text for w in timings([*only, EDGE[1]]).words] == ["Hello"]  # words, where it sends both


def words(*rows: tuple[str, float, float]) -> list[dict[str, object]]:
    return [{"type": "WordBoundary", "text": t, "offset": o, "duration": d} for t, o, d in rows]


def test_a_word_that_lasts_into_the_next_ends_where_that_begins():
    overlapping = words(("a", 0, 9_000_000), ("b", 5_000_000, 9_000_000), ("c", 9_000_000, 1_000_000))
    assert close(timings(overlapping).words) == [("a", 0.0, 0.5), ("b", 0.5, 0.9), ("c", 0.9, 1.0)]
    assert close(timings([("a", 0.0, 0.9), ("b", 0.5, 1.0)]).words) == [("a", 0.0, 0.5), ("b", 0.5, 1.0)]


def test_words_without_any_offset_are_no_times():
    assert timings(words(("a", 0, 0), ("b", 0, 0), ("c", 0, 0)), text="a b c") == Timings(text="a b c")


def test_an_offset_that_was_not_filled_in_is_put_between_its_neighbours():
    for absent in (0, 4_294_967_295, -1, float("nan"), None, "soon", 18_446_744_073_709_551_615):
        rows = words(("one", TICK, 2_000_000), ("two", 0, 0), ("three", 2 * TICK, TICK))
        rows[1]["offset"] = absent
        table = timings(rows).words
        assert [w.text for w in table] == ["one", "two", "three"], absent
        assert 1.0 < table[1].start < 2.0, absent


def test_a_burst_of_words_on_one_offset_shares_the_time_to_the_next():
    table = timings(words(("ab", TICK, 0), ("cd", TICK, 0), ("efgh", TICK, 0), ("x", 2 * TICK, TICK)))
    starts = [w.start for w in table.words]
    assert starts == sorted(starts)
    assert starts[1] - starts[0] == pytest.approx(starts[2] - starts[1]) == pytest.approx(0.14)
    assert table.words[-1].start == 2.0


def test_events_that_come_late_are_put_in_their_place():
    assert [w.text for w in timings(words(("b", 2 * TICK, TICK), ("a", TICK, TICK))).words] == ["a", "b"]


def test_words_after_the_end_of_the_sound_are_left_out():
    assert close(timings(EDGE, seconds=0.3).words) == [("Hello", 0.1, 0.3)]


def test_phones_whose_events_were_lost_are_not_believed():
    lost = [event for event in AZURE if getattr(event, "viseme_id", 0) not in (4, 21)]
    assert timings(lost).phones == ()
    assert close(timings(lost).words) == close(HELLO_BOB)


def test_no_times_at_all_are_an_empty_table():
    for nothing in ((), [], None, [{"type": "audio", "data": b""}][:0], iter(())):
        assert timings(nothing, text="hi") == Timings(text="hi")


@pytest.mark.parametrize(
    ("source", "tells"),
    [
        ("hello", "is text"),
        ([("a", 0.0)], "number 1"),
        ([("a", 0.0, 1.0), 7], "number 2"),
        ([{"hello": 1}], "number 1"),
        (7, "number 1"),
        ([("a", 10**400, 1)], "number 1"),
    ],
)
def test_what_is_none_of_these_is_named_in_one_line(source, tells):
    with pytest.raises(AudioError, match=tells) as error:
        timings(source)
    assert "\n" not in str(error.value)


def test_tags_are_not_spoken_and_keep_the_time_of_the_word_after_them():
    text, tags = take_out("[face:joy] Hello there. [anim: waving_arm ]Bye [1] (a:b)[face:]")
    assert text == "Hello there. Bye [1] (a:b)"
    assert [(t.kind, t.value, t.word) for t in tags] == [("face", "joy", 0), ("anim", "waving_arm", 2), ("face", "", 5)]
    table = timings(EDGE, text="Hello [face:joy] Bob[anim:nod]")
    assert table.text == "Hello Bob"
    assert [(t.value, t.start) for t in table.tags] == [("joy", 0.55), ("nod", pytest.approx(0.95))]
    spoken = words(("[face:joy]", 0, TICK), ("Hello", TICK, TICK))
    assert [w.text for w in timings(spoken).words] == ["Hello"]


def test_ipa_and_arpabet_in_any_spelling_mean_the_same_phone():
    for name, phone in {"AH0": "ah", "hh": "hh", "ʃ": "sh", "aɪ": "ay", "iː": "iy", "ç": "sh", "ɑ̃": "aa", "?": "sil",
                        "": "sil", "tʃ": "ch", "ˈe": "eh", "spn": "sil", "ER1": "er"}.items():  # fmt: skip
        assert either(name) == phone, name


TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

0
1
<exists>
2
"IntervalTier"
"Ann - words"
0
1
2
0.1
0.9
"map"
0.9
1
""
"IntervalTier"
"Ann - phones"
0
1
4
0.1
0.3
"M"
0.3
0.7
"AE1"
0.7
0.9
"pʰ"
0.9
1
""
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_a_textgrid_gives_its_words_and_its_phones(tmp_path, encoding):
    (tmp_path / "a.TextGrid").write_bytes(TEXTGRID.encode(encoding))
    table = read_timings(tmp_path / "a.TextGrid")
    assert table.words == (Word("map", 0.1, 0.9),)
    assert [p.text for p in table.phones] == ["m", "ae", "p", "sil"]


def test_subtitles_that_overlap_or_roll_say_each_word_once(tmp_path):
    path = tmp_path / "a.vtt"
    path.write_text("WEBVTT\n\n00:01.000 --> 00:03.000\na b\n\n00:02.000 --> 00:04.000\nc &amp;d\n")
    assert close(read_timings(path).words) == [
        ("a", 1.0, 2.0),
        ("b", 2.0, 2.14),
        ("c", 2.14, 2.6667),
        ("&d", 2.6667, 4.0),
    ] or [w.text for w in read_timings(path).words] == ["a", "b", "c", "&d"]
    # Captions of a live stream: each line comes with times inside and stays as it is while the next is spoken.
    path.write_text(
        "WEBVTT\n\n00:00.100 --> 00:01.000 align:start\n \nhello<00:00:00.500><c> there</c>\n\n"
        "00:01.000 --> 00:01.010\nhello there\n \n\n"
        "00:01.010 --> 00:02.000\nhello there\nbob<00:00:01.500><c> smith</c>\n"
    )
    assert close(read_timings(path).words) == [
        ("hello", 0.1, 0.5), ("there", 0.5, 1.0), ("bob", 1.01, 1.5), ("smith", 1.5, 2.0),
    ]  # fmt: skip


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["type", "offset", "duration", "text", "audio_offset", "audioOffset", "viseme_id", "AudioOffset", "Text",
             "alignment", "chars", "characters", "charStartTimesMs", "charDurationsMs", "tokens", "start_ts", "end_ts",
             "timestamps", "word", "start_time", "phoneme_alignments", "phoneme", "num_samples", "sample_rate",
             "Metadata", "Data", "Type", "samples", "audio"]
        ),
        inner | st.sampled_from(["WordBoundary", "SentenceBoundary"]),
        max_size=6,
    ),
    max_leaves=12,
)  # fmt: skip


def held(table: Timings, seconds: float) -> None:
    for rows in (table.words, table.phones):
        at = 0.0
        for row in rows:
            assert at <= row.start <= row.end <= max(seconds, row.start)
            at = row.end


@settings(deadline=None, max_examples=300)
@given(source=JSONISH, text=st.text(max_size=20))
def test_whatever_is_delivered_is_a_table_in_order_or_one_line(source, text):
    table, fault, is_known = Timings(), "", False
    try:
        is_known = delivered(source) is not None
        table = timings(source, text=text, seconds=5.0)
    except AudioError as error:
        fault = str(error)
    assert "\n" not in fault
    if is_known:  # words given by hand are taken as they are, `analyse` looks at them
        held(table, 5.0)


@settings(deadline=None, max_examples=300)
@given(
    rows=st.lists(
        st.tuples(
            st.text(max_size=5),
            st.none() | st.floats() | st.sampled_from([0.0, 1.0, 429.4967295]),
            st.none() | st.floats() | st.sampled_from([0.0, 1.0, 1.5]),
        ),
        max_size=12,
    ),
    seconds=st.floats(0.0, 20.0),
    holds=st.booleans(),
)
def test_settled_times_never_go_back_and_never_pass_the_end(rows, seconds, holds):
    at = 0.0
    for _, start, end in settle([Mark(*row) for row in rows], seconds, holds=holds):
        assert at - 1e-9 <= start <= end <= seconds + 1e-9
        at = end


@settings(deadline=None, max_examples=200)
@given(
    data=st.binary(max_size=300),
    suffix=st.sampled_from(SUFFIXES),
    head=st.sampled_from(
        [
            b"",
            b"\xff\xfe",
            b"WEBVTT\n\n00:00.000 --> 00:01.000\n",
            b'[{"text":',
            TEXTGRID[:90].encode(),
            b'{"alignment":',
        ]
    ),
)
def test_a_file_of_any_bytes_is_read_or_named_in_one_line(tmp_path_factory, data, suffix, head):
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(head + data)
    fault = str(path)
    try:
        read_timings(path)
    except AudioError as error:
        fault = str(error)
    assert fault.startswith(str(path))
    assert "\n" not in fault
