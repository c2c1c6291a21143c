"""Inline tags like [face:joy] in a text: taken out before anything is spoken or timed, kept with where they stood."""

from __future__ import annotations

import re
from typing import NamedTuple

_TAG = re.compile(r"\[\s*([A-Za-z][\w-]{0,31})\s*:\s*([^\[\]\n]{0,80}?)\s*\]")


class Tag(NamedTuple):
    """One inline tag. kind, value: "face", "joy"; word: how many words stand before it; start: s, None until timed."""

    kind: str
    value: str
    word: int
    start: float | None = None


def take_out(text: str) -> tuple[str, tuple[Tag, ...]]:
    """Return a text without its tags, its spaces evened out where one stood, and the tags in order."""
    tags: list[Tag] = []
    spoken, at = "", 0
    for found in _TAG.finditer(text):
        before, at = text[at : found.start()], found.end()
        spoken += before
        tags.append(Tag(found[1].lower(), found[2], len(spoken.split())))
        if spoken[-1:].isspace() or not spoken:
            at += len(text[at:]) - len(text[at:].lstrip(" \t"))
    return (spoken + text[at:]).strip() if tags else text, tuple(tags)


def is_tag(word: str) -> bool:
    """Whether a word is nothing but a tag."""
    return _TAG.fullmatch(word) is not None


def timed(tags: tuple[Tag, ...], starts: list[float], end: float) -> tuple[Tag, ...]:
    """Return the tags with the start of the word that follows each. starts: s, of the words; end: s, of the last one.

    Where words and text do not match, a tag beyond the last word is at its end; without words none has a time.
    """
    if not starts:
        return tags
    return tuple(tag._replace(start=starts[tag.word] if tag.word < len(starts) else end) for tag in tags)
