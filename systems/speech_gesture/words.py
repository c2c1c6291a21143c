"""When each word of a sentence sounds, as well as that can be known: given, aligned, spread over the voice, or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...components.arrays import F32
from ...components.speech import Speech, Word

GIVEN, ALIGNED, SPREAD, NONE = "given", "aligned", "spread", "none"
Aligner = Callable[[F32, str], Sequence[Word]]
Timed = tuple[tuple[Word, ...], str]


def words_of(speech: Speech, align: Aligner | None = None) -> Timed:
    """Return a voice's words with their times, and which step told them: GIVEN, ALIGNED, SPREAD or NONE.

    align: (samples at 16 kHz, text) -> words; it may raise where it cannot
    """
    if speech.words:
        return speech.words, GIVEN
    if not speech.text.split():
        return (), NONE
    if align is not None:
        try:
            found = tuple(align(speech.audio, speech.text))
        except Exception:  # an aligner is another package's, and may raise anything: the next step goes on
            found = ()
        if found:
            return found, ALIGNED
    return spread(speech.text, speech.phrases or ((0.0, speech.seconds),)), SPREAD


def spread(text: str, phrases: Sequence[tuple[float, float]]) -> tuple[Word, ...]:
    """Return the words of a text over runs of speech, each with a share of the time by its letters."""
    words = text.split()
    letters = [len(word) + 1 for word in words]
    total, spoken = sum(letters), sum(b - a for a, b in phrases)
    if spoken <= 0.0 or not words:
        return ()
    out, at = [], 0.0
    for word, count in zip(words, letters, strict=True):
        end = at + spoken * count / total
        start_s, end_s = _within(phrases, at, 0), _within(phrases, end, 1)
        out.append(Word(word, start_s, max(end_s, start_s)))
        at = end
    return tuple(out)


def _within(phrases: Sequence[tuple[float, float]], at: float, side: int) -> float:
    """Return the time at which so much of the speech has sounded; on an edge side 0 is the later run, 1 the earlier."""
    for start, stop in phrases:
        length = stop - start
        if at < length or (side and at <= length + 1e-9):
            return start + min(at, length)
        at -= length
    return phrases[-1][1]
