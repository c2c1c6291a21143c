"""When words and phones sound, from whatever a voice delivers: its events, answers, files, to one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ....components.errors import AudioError
from ....components.speech import Word
from . import azure, edge, elevenlabs, kokoro, piper
from .table import LONGEST, Phone, Timings, Told, phones_of, words_of
from .tags import Tag, take_out, timed

__all__ = ["Phone", "Tag", "Timings", "delivered", "listed", "settled", "take_out", "timings"]

MOST = 200_000  # entries; 2 h of phones are 100 000
LEAST = 0.5  # of the words' time that phones must fill to be believed (choice)
_SERVICES = (edge.read, azure.read, elevenlabs.read, kokoro.read)


def timings(source: Any, *, text: str = "", seconds: float = LONGEST) -> Timings:
    """Return the table of what a voice delivered; nothing at all gives an empty one.

    source: Word or (text, start s, end s), in order; or events, answers, chunks or results of Azure, edge-tts,
        ElevenLabs, Kokoro or Piper, one or many, as objects or as their JSON, mixed with audio as they come; or Timings
    text: what is said; inline tags are taken out of it and timed
    seconds: length of the voice; what lies beyond it is no time
    AudioError: one line, for what is none of these
    """
    plain, tags = take_out(text)
    if isinstance(source, Timings):
        return source if source.text else _tagged(replace(source, text=plain, tags=tags))
    items = listed(source)
    told = delivered(items, plain)
    if told is None:
        words = tuple(_word(number, item) for number, item in enumerate(items, 1))
        return _tagged(Timings(_clamped(words), (), plain, tags))
    return settled(told, plain, seconds, tags)


def delivered(source: Any, text: str = "") -> Told | None:
    """Return what a service delivered, before it is settled; None where it is of none that is known."""
    items = listed(source)
    told = next((found for read in _SERVICES if (found := read(items)) is not None), None)
    return told if told is not None else piper.read(items, text)


def settled(told: Told, text: str = "", seconds: float = LONGEST, tags: tuple[Tag, ...] = ()) -> Timings:
    """Return the table of what an adapter found. seconds: length of the voice."""
    words, phones = words_of(told.words, seconds), phones_of(told.phones, seconds)
    spoken = [phone for phone in phones if phone.text != "sil"]
    if len(spoken) < len(words) or _length(spoken) < LEAST * _length(words):
        phones = ()  # most of their events were lost: her mouth would stay shut through words
    out = _tagged(Timings(words, phones, text, tags))
    marks = tuple(Tag("mark", mark.text, 0, mark.start) for mark in told.tags)
    return replace(out, tags=out.tags + marks)


def _length(rows: Iterable[Word | Phone]) -> float:
    return sum(row.end - row.start for row in rows)


def _tagged(out: Timings) -> Timings:
    starts = [word.start for word in out.words]
    return replace(out, tags=timed(out.tags, starts, out.words[-1].end if out.words else 0.0))


def listed(source: Any) -> list[Any]:
    """Return what was delivered one by one; AudioError for what cannot be."""
    if source is None:
        return []
    if isinstance(source, str | bytes):
        raise AudioError(f"words: {source!r:.60} is text; give (text, start s, end s), or what the voice delivered")
    is_one = isinstance(source, Mapping) or not isinstance(source, Iterable)
    items: list[Any] = [source] if is_one else []
    for item in () if is_one else source:
        items.append(item)
        if len(items) > MOST:
            raise AudioError(f"words: more than {MOST} entries; these are not the words of one voice")
    return items


def _word(number: int, item: Any) -> Word:
    if isinstance(item, Word):
        return item
    try:
        text, start, end = item
        return Word(str(text), float(start), float(end))
    except (TypeError, ValueError, OverflowError):
        shape = "give (text, start s, end s), or what Azure, edge-tts, ElevenLabs, Kokoro or Piper delivered"
        raise AudioError(f"words: number {number} is {item!r:.60}; {shape}") from None


def _clamped(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """End each word where the next one starts; what else is wrong with words given by hand is said, not mended."""
    following = [*(word.start for word in words[1:]), float("inf")][: len(words)]
    return tuple(
        Word(word.text, word.start, then) if word.start <= then < word.end else word
        for word, then in zip(words, following, strict=True)
    )
