"""Word times from the files that aligners and subtitle tools write."""

from __future__ import annotations

import json

import pytest

from kinesics.components.errors import AudioError
from kinesics.components.speech import Word
from kinesics.systems.voice.words import read_words, words_beside

HELLO = (Word("hello", 0.1, 0.5), Word("there", 0.5, 0.9))

LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "phones"
        xmin = 0
        xmax = 1
        intervals: size = 1
        intervals [1]:
            xmin = 0
            xmax = 1
            text = "HH"
    item [2]:
        class = "TextTier"
        name = "bells"
        xmin = 0
        xmax = 1
        points: size = 1
        points [1]:
            number = 0.3
            mark = "ding"
    item [3]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 1
        intervals: size = 4
        intervals [1]:
            xmin = 0
            xmax = 0.1
            text = ""
        intervals [2]:
            xmin = 0.1
            xmax = 0.5
            text = "hello"
        intervals [3]:
            xmin = 0.5
            xmax = 0.9
            text = "there"
        intervals [4]:
            xmin = 0.9
            xmax = 1
            text = "sil"
"""
SHORT = """File type = "ooTextFile"
Object class = "TextGrid"

0
1
<exists>
1
"IntervalTier"
"words"
0
1
3
0.1
0.5
"hello"
0.5
0.9
"there"
0.9
1
"<eps>"
"""
VTT = """WEBVTT

NOTE by hand

1
00:00.100 --> 00:00.500 align:start
<v Ann>hello</v>

00:00:00.500 --> 00:00:00.900
there
"""
SRT = "1\r\n00:00:00,100 --> 00:00:00,500\r\n<i>hello</i>\r\n\r\n2\r\n00:00:00,500 --> 00:00:00,900\r\nthere\r\n"
JSON = json.dumps([{"text": w.text, "start": w.start, "end": w.end, "score": 0.9} for w in HELLO])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", JSON.encode()),
        ("a.json", b"\xef\xbb\xbf" + JSON.encode()),
        ("a.TextGrid", LONG.encode()),
        ("a.TextGrid", LONG.encode("utf-16")),
        ("a.TextGrid", SHORT.encode()),
        ("a.textgrid", SHORT.replace("\n", "\r\n").encode()),
        ("a.vtt", VTT.encode()),
        ("a.srt", SRT.encode()),
    ],
    ids=["json", "json with a mark", "long", "long utf-16", "short", "short crlf", "vtt", "srt"],
)
def test_the_words_and_their_times_are_those_of_the_file(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    assert read_words(tmp_path / name) == HELLO


def test_a_subtitle_of_three_words_is_shared_by_their_letters(tmp_path):
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nno really\nme\n")
    assert [w.text for w in read_words(tmp_path / "a.srt")] == ["no", "really", "me"]
    assert [w.start for w in read_words(tmp_path / "a.srt")] == pytest.approx([1.0, 1.2, 1.8])
    assert read_words(tmp_path / "a.srt")[-1].end == pytest.approx(2.0)


def test_a_label_with_quotes_and_numbers_stays_one_word(tmp_path):
    (tmp_path / "a.TextGrid").write_text(SHORT.replace('"hello"', '"say ""42"" [1] 3.5"'))
    assert read_words(tmp_path / "a.TextGrid")[0].text == 'say "42" [1] 3.5'


@pytest.mark.parametrize(
    ("name", "text", "tells"),
    [
        ("a.json", "[1", "not JSON"),
        ("a.json", '{"text": 1}', "want a list"),
        ("a.json", "[7]", "entry 1 is 7"),
        ("a.json", '[{"word": "a", "start": 0, "end": 1}]', "entry 1 has word, start, end; want text, start, end"),
        ("a.json", '[{"text": "a", "start": "0", "end": 1}]', "start and end as seconds"),
        ("a.json", '[{"text": "a", "start": 2, "end": 1}]', "lasts from 2 to 1 s"),
        ("a.json", '[{"text": "a", "start": NaN, "end": 1}]', "want 0 <= start"),
        ("a.json", '[{"text": "a", "start": 0, "end": Infinity}]', "want 0 <= start"),
        ("a.json", '[{"text": "a", "start": 1, "end": 2}, {"text": "b", "start": 0, "end": 1}]', "sort by time"),
        ("a.json", "[" * 100_000, "not JSON"),
        ("a.TextGrid", "hello", "does not begin as a TextGrid"),
        ("a.TextGrid", SHORT[:120], "breaks off"),
        ("a.TextGrid", SHORT.replace('"IntervalTier"', '"TextTier"').replace("\n3\n", "\n0\n"), "no interval tier"),
        ("a.vtt", "WEBVTT\n", "is this a subtitle file"),
        ("a.srt", "1\n0:0 --> 1:0\nx\n", "line 2"),
        ("a.txt", "hello", "found '.txt'"),
    ],
)
def test_a_bad_entry_is_named_in_one_line(tmp_path, name, text, tells):
    (tmp_path / name).write_text(text)
    with pytest.raises(AudioError) as error:
        read_words(tmp_path / name)
    assert tells in str(error.value)
    assert str(error.value).startswith(str(tmp_path / name))
    assert "\n" not in str(error.value)


def test_a_file_that_is_no_text_or_is_not_there_is_named_in_one_line(tmp_path):
    (tmp_path / "a.vtt").write_bytes(b"WEBVTT \xff\xfe\xfa")
    for name, tells in (("a.vtt", "UTF-8"), ("b.json", "check the path")):
        with pytest.raises(AudioError, match=tells):
            read_words(tmp_path / name)


def test_words_are_found_by_themselves_beside_the_recording(tmp_path):
    wav = tmp_path / "my.talk.wav"
    assert words_beside(wav) is None
    for name in ("my.talk.srt", "my.talk.vtt", "my.talk.TextGrid", "my.talk.json"):
        (tmp_path / name).write_text("x")
        assert words_beside(wav) == tmp_path / name
    (tmp_path / "other.words.json").write_text("x")
    assert words_beside(tmp_path / "other.mp3") == tmp_path / "other.words.json"
