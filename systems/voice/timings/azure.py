"""Azure Speech: word boundary, viseme and bookmark events of its SDKs, and the word.json of batch synthesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fields import after, field, has, number, scaled, text
from .table import Mark, Told

TICKS = 1e7  # 1/s; the SDKs count 100 ns
_BATCH = 1e3  # 1/s; word.json of batch synthesis counts ms

# An ARPABET phone of each of Azure's 22 viseme ids, in their order; diphthongs keep both shapes.
VISEME = (
    "sil", "ah", "aa", "ao", "eh", "er", "iy", "uw", "ow", "aw", "oy", "ay", "hh", "r", "l", "s", "sh", "th", "f", "d",
    "k", "p",
)  # fmt: skip


def read(items: Sequence[Any]) -> Told | None:
    """Return what these events say, in whatever order and mix they came; None where none of them is Azure's."""
    told, is_mine = Told(), False
    sentences: list[Mark] = []
    for item in items:
        if has(item, "AudioOffset") and has(item, "Text"):  # batch synthesis
            is_mine = True
            start = scaled(field(item, "AudioOffset"), _BATCH)
            end = after(start, scaled(field(item, "Duration"), _BATCH))
            told.words.append(Mark(text(field(item, "Text")), start, end))
            continue
        if not (has(item, "audio_offset") or has(item, "audioOffset")):
            continue
        start = scaled(field(item, "audio_offset", "audioOffset"), TICKS)
        viseme = number(field(item, "viseme_id", "visemeId"))
        said = text(field(item, "text"))
        if viseme is not None:
            is_mine = True
            if 0 <= viseme < len(VISEME):
                told.phones.append(Mark(VISEME[int(viseme)], start))
        elif said:
            is_mine = True
            end = after(start, scaled(field(item, "duration"), TICKS))
            kind = _kind(field(item, "boundary_type", "boundaryType"))
            if "sentence" in kind:
                sentences.append(Mark(said, start, end))
            elif kind or has(item, "word_length") or has(item, "wordLength") or field(item, "duration") is not None:
                told.words.append(Mark(said, start, end))
            else:
                told.tags.append(Mark(said, start))  # a bookmark has a text and an offset, no more
    if not told.words:
        told.words = [word for sentence in sentences for word in shared(sentence)]
    return told if is_mine else None


def _kind(value: Any) -> str:
    """Return "word", "punctuation" or "sentence" of an enum's member or of its name, "" without one."""
    name = value if isinstance(value, str) else getattr(value, "name", "")
    return name.lower() if isinstance(name, str) else ""


def shared(whole: Mark) -> list[Mark]:
    """Return the words of a sentence, each with a share of its time by its letters."""
    words = whole.text.split()
    if whole.start is None or whole.end is None:
        return [Mark(word, whole.start) for word in words]
    out: list[Mark] = []
    span, total, done = whole.end - whole.start, max(sum(map(len, words)), 1), 0
    for word in words:
        begin = whole.start + span * done / total
        done += len(word)
        out.append(Mark(word, begin, whole.start + span * done / total))
    return out
