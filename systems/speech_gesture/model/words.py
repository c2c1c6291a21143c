"""What the model reads: a number for the word of each frame."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ....components.arrays import I64
from ....components.gesture import FPS
from ....components.speech import Word

PAD, UNKNOWN = 0, 3  # a mark of one space; a word it never learned, and frames without any mark
SILENCE = ""  # the mark of a pause: a word of the vocabulary like any other
_EDGES = re.compile(r"^[^\w']+|[^\w']+$")


def word_ids(words: Sequence[Word], frames: int, vocabulary: Mapping[str, int]) -> I64:
    """Return (frames,) i64: the word of each frame, 30 a second. A frame belongs to the first word that it touches."""
    out = np.full(frames, UNKNOWN, np.int64)
    times = np.arange(frames) / FPS
    for word in reversed(words):
        touched = (word.start <= times) & (times <= word.end)
        out[touched] = PAD if word.text == " " else vocabulary.get(word.text, UNKNOWN)
    return out


def marked(words: Sequence[Word], seconds: float) -> tuple[Word, ...]:
    """Return words as the model knows them: lower case, no punctuation, with the pauses between them marked.

    Its training's transcripts mark every pause; a frame without a mark would read as a word it does not know.
    """
    out: list[Word] = []
    at = 0.0
    for word in words:
        text = _EDGES.sub("", word.text.lower().replace("’", "'"))
        if not text:
            continue
        if word.start > at:
            out.append(Word(SILENCE, at, word.start))
        out.append(Word(text, word.start, word.end))
        at = max(at, word.end)
    if at < seconds:
        out.append(Word(SILENCE, at, seconds))
    return tuple(out)
