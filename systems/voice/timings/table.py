"""The one table that every source of times is brought to: words, phones and inline tags, in order, none overlapping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ....components.speech import Word
from .tags import Tag, is_tag

LONGEST = 7200.0  # s; later than any voice that is taken: an offset beyond it is a counter that ran over
PACE = 0.07  # s a letter where an end is missing: 14 letters a second, calm English (choice)
_NONE = 429.4967295  # s: 2^32 - 1 ticks of 100 ns, which means that there is no offset
SAME = 1e-3  # s within which starts are one burst: words are apart by a syllable
PAUSES = {"", "sil", "sp", "spn", "pau", "<eps>", "<sil>", "_", "<p:>"}  # what aligners write for pauses and noises


class Mark(NamedTuple):
    """What a source says of one word or phone. start, end: s, None where it does not say."""

    text: str
    start: float | None
    end: float | None = None


class Phone(NamedTuple):
    """One phone and when it sounds, as `say(phones=)` takes it. text: ARPABET; start, end: s."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Timings:
    """What is known of when things are said; all of it may be empty.

    Fields:
        words: in order, none overlapping
        phones: the same, ARPABET
        text: what is said, without tags
        tags: inline tags and marks with their times; nothing acts on them yet
    """

    words: tuple[Word, ...] = ()
    phones: tuple[Phone, ...] = ()
    text: str = ""
    tags: tuple[Tag, ...] = ()


@dataclass(slots=True)
class Told:
    """What an adapter found, before it is settled.

    tags: (name, start s or None); is_of_chunk: times count from the first sample of what came, not of the voice
    """

    words: list[Mark] = field(default_factory=list)
    phones: list[Mark] = field(default_factory=list)
    tags: list[Mark] = field(default_factory=list)
    is_of_chunk: bool = False


def words_of(marks: Sequence[Mark], seconds: float = LONGEST) -> tuple[Word, ...]:
    """Return the words of marks; tags, pauses and punctuation are none. seconds: length of the voice."""
    kept = [m._replace(text=m.text.strip()) for m in marks]
    kept = [m for m in kept if m.text.lower() not in PAUSES and not is_tag(m.text) and _is_spoken(m.text)]
    return tuple(Word(*mark) for mark in settle(kept, seconds))


def phones_of(marks: Sequence[Mark], seconds: float = LONGEST) -> tuple[Phone, ...]:
    """Return the phones of marks whose texts are ARPABET."""
    return tuple(Phone(*mark) for mark in settle(marks, seconds, holds=True))


def _is_spoken(text: str) -> bool:
    return any(c.isalnum() for c in text) or not text.isascii()


def settle(marks: Sequence[Mark], seconds: float = LONGEST, *, holds: bool = False) -> list[tuple[str, float, float]]:
    """Return (text, start s, end s) in order, 0 <= start <= end <= next start, end <= seconds; none for no times.

    holds: without an end of its own each lasts to the next, as phones do; else as long as its letters need

    Starts that are missing, negative or absurd are put between their neighbours, several on one moment (a burst, or a
    counter that stood still) share the time to the next, ends that are missing or overlap are set by what follows.
    """
    known = [_possible(m.start, seconds) for m in marks]
    highest = 0.0
    for k, start in enumerate(known):
        if start == 0.0 and highest > 0.0:
            known[k] = None  # zero after something else is an offset that was not filled in
        highest = max(highest, start or 0.0)
    if len(marks) > 1 and highest < SAME and not any((_possible(m.end, seconds) or 0.0) > SAME for m in marks):
        return []
    is_later = [m.start is not None and seconds < m.start <= LONGEST and abs(m.start - _NONE) > SAME for m in marks]
    kept = [k for k, later in enumerate(is_later) if not later]
    rows = _placed([marks[k] for k in kept], [known[k] for k in kept], seconds)
    return _parted(rows, seconds, holds)


def _possible(time: float | None, seconds: float) -> float | None:
    """Return a time that can be one, s; a hair before 0 is 0."""
    if time is None or not -0.05 < time <= min(seconds, LONGEST):
        return None
    return max(float(time), 0.0)


_Row = tuple[float, float, float, str]  # start, end (-1 unknown), weight, text


def _placed(marks: Sequence[Mark], known: list[float | None], seconds: float) -> list[_Row]:
    """Return rows with a start each, by time: those without one join the row before them, or the first that has one."""
    if all(start is None for start in known):
        return []
    first = next(start for start in known if start is not None)
    rows: list[_Row] = []
    at = max(0.0, first - PACE * sum(_letters(m) for m in marks[: known.index(first)]))
    for mark, start in zip(marks, known, strict=True):
        at = at if start is None else start
        end = _possible(mark.end, LONGEST) if start is not None else None
        rows.append((at, min(end, seconds) if end is not None and end > at else -1.0, _letters(mark), mark.text))
    return sorted(rows, key=lambda row: row[0])


def _letters(mark: Mark) -> float:
    return float(max(len(mark.text), 1))


def _parted(rows: list[_Row], seconds: float, holds: bool) -> list[tuple[str, float, float]]:
    out: list[tuple[str, float, float]] = []
    k = 0
    while k < len(rows):
        first = k
        while k < len(rows) and rows[k][0] - rows[first][0] <= SAME:
            k += 1
        group = rows[first:k]
        start, following = group[0][0], rows[k][0] if k < len(rows) else seconds
        weight = sum(row[2] for row in group)
        told = max(row[1] for row in group)
        if holds and told <= start and k < len(rows):
            told = following
        end = min(told if told > start and len(group) == 1 else max(told, start + PACE * weight), following)
        begin, done = start, 0.0
        for _, _, letters, text in group:
            done += letters
            until = end if done >= weight else start + (end - start) * done / weight
            out.append((text, begin, until))
            begin = until
    return out
