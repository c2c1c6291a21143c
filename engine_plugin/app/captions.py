"""What the subtitle says: the line of her words that sounds now, and which layers move her. No engine, no picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...components.speech import RATE, Growing, Speech, Word

MOST = 44  # characters of a line: what subtitles of films keep to, about
PAUSE = 0.7  # s between two words that also end a line
ENDS = (".", "!", "?", "。", "！", "？")  # a sentence's end does too, where the line is not too short
SHORTEST = 12  # characters
LEAD = 0.4  # s that a line shows before its first word
STAY = 1.2  # s that it stays after its last


@dataclass(frozen=True, slots=True)
class Caption:
    """One line. said: words that have begun to sound; now: the newest of them; coming: those that have not."""

    said: str = ""
    now: str = ""
    coming: str = ""


def caption(speech: Speech | Growing | None, position: float) -> Caption:
    """Return what of a voice to show after `position` s of it; a text without times is cut by its length."""
    if speech is None:
        return Caption()
    if speech.words:
        return _by_words(tuple(speech.words), position)
    parts = _parts(speech.text)
    seconds = speech.seconds if isinstance(speech, Speech) else speech.samples / RATE
    if not parts or seconds <= 0.0:
        return Caption()
    at = min(max(position / seconds, 0.0), 1.0) * sum(map(len, parts))
    for part in parts:
        if at <= len(part):
            return Caption(said=part)
        at -= len(part)
    return Caption(said=parts[-1])


def _by_words(words: tuple[Word, ...], position: float) -> Caption:
    for first, last in _lines(words):
        if words[first].start - LEAD <= position < words[last].end + STAY and not _next_is_due(words, last, position):
            begun = sum(word.start <= position for word in words[first : last + 1])
            texts = [word.text for word in words[first : last + 1]]
            return Caption(
                " ".join(texts[: max(begun - 1, 0)]), texts[begun - 1] if begun else "", " ".join(texts[begun:])
            )
    return Caption()


def _next_is_due(words: Sequence[Word], last: int, position: float) -> bool:
    return last + 1 < len(words) and position >= words[last + 1].start - min(LEAD, 0.1)


@lru_cache(8)
def _lines(words: tuple[Word, ...]) -> tuple[tuple[int, int], ...]:
    """Return the first and last word of each line."""
    out, first, length = [], 0, 0
    for k, word in enumerate(words):
        before = words[k - 1]
        is_over = word.start - before.end > PAUSE or (length >= SHORTEST and before.text.endswith(ENDS))
        if k > first and (is_over or length + 1 + len(word.text) > MOST):
            out.append((first, k - 1))
            first, length = k, 0
        length += len(word.text) + (k > first)
    if words:
        out.append((first, len(words) - 1))
    return tuple(out)


@lru_cache(8)
def _parts(text: str) -> tuple[str, ...]:
    out: list[str] = []
    for word in text.split():
        if out and len(out[-1]) + 1 + len(word) <= MOST:
            out[-1] += f" {word}"
        else:
            out.append(word)
    return tuple(out)
