"""Kokoro: the results that its pipeline yields, their tokens, and the timestamps of the servers built around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fields import field, has, number, rows, sounding, text
from .table import Mark, Told

RATE = 24_000  # Hz, of every Kokoro voice
LATE = 0.06  # s that its times are behind the sound: closures 80 ms, vowels 55 (measured by alignment)


def read(items: Sequence[Any]) -> Told | None:
    """Return what these results or tokens say; None where none is Kokoro's. Each result counts from its own start.

    Phones are not taken: Kokoro times words only, and phones spread over them would tell the lips less than the sound.
    """
    told, is_mine, began = Told(is_of_chunk=True), False, 0.0
    for item in items:
        if _is_token(item):
            is_mine = True
            told.words += [_word(item, 0.0)]
            continue
        inner: Sequence[Any] = rows(field(item, "tokens")) or rows(field(item, "timestamps"))
        if not has(item, "tokens") and not any(map(_is_token, inner[:1])):
            continue
        is_mine = True
        words = [_word(token, began) for token in inner if _is_token(token)]
        told.words += words
        spoken = max((word.end or word.start or 0.0 for word in words), default=began)
        length = sounding(item, "audio") / RATE
        began = began + length if length > 0.0 else spoken
    return told if is_mine else None


def _is_token(item: Any) -> bool:
    return (has(item, "start_ts") and has(item, "text")) or (has(item, "start_time") and has(item, "word"))


def _word(token: Any, began: float) -> Mark:
    start, end = number(field(token, "start_ts", "start_time")), number(field(token, "end_ts", "end_time"))
    return Mark(text(field(token, "text", "word")), _due(began, start), _due(began, end))


def _due(began: float, time: float | None) -> float | None:
    return None if time is None else max(began + time - LATE, 0.0)
