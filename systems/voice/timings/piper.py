"""Piper: the chunks of `synthesize(text, include_alignments=True)`: phones, and words where they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fields import field, has, number, rows, sounding, text
from .ipa import arpabet
from .table import Mark, Told

RATE = 22_050.0  # Hz, of most voices, where a chunk does not say
LATE = 0.04  # s that the table is behind the sound: en_US-joe's closures 53 ms, its vowels 34 (measured by alignment)
GAP = 0.1  # s; a shorter one between words is no pause: her mouth does not close in it
_STRESS = ("ˈ", "ˌ")


def read(items: Sequence[Any], said: str = "") -> Told | None:
    """Return what these chunks say; None where none is Piper's. A chunk without alignments still counts as time.

    said: the text; its words are timed where it has as many as the phones have gaps between them
    """
    told, is_mine, at = Told(is_of_chunk=True), False, 0.0
    spans: list[tuple[float, float]] = []
    for item in items:
        if not has(item, "phoneme_alignments"):
            continue
        is_mine = True
        rate = max(number(field(item, "sample_rate")) or RATE, 1.0)
        symbols = [
            (text(field(row, "phoneme")), max(number(field(row, "num_samples")) or 0.0, 0.0) / rate)
            for row in rows(field(item, "phoneme_alignments"))
        ]
        told.phones += _phones(symbols, at - LATE)
        spans += _spans(symbols, at - LATE)
        at += max(sum(span for _, span in symbols), sounding(item, "audio_float_array") / rate)
    words = said.split()
    if words and len(words) == len(spans):
        told.words = [Mark(word, *span) for word, span in zip(words, spans, strict=True)]
    return told if is_mine else None


def _phones(symbols: list[tuple[str, float]], at: float) -> list[Mark]:
    """Return the phones. symbols: (IPA, s it lasts); at: s, where the first begins."""
    out: list[Mark] = []
    begin = at
    for symbol, span in symbols:
        at += span
        phone = arpabet(symbol)
        if out and (phone == "" or (symbol == " " and span < GAP)):  # no sound of its own: its time is its neighbours'
            begin = at - (0.5 * span if symbol in _STRESS else 0.0)  # a stress mark stands between two that sound
            out[-1] = out[-1]._replace(end=max(begin, 0.0))
        elif phone:
            out.append(Mark(phone, max(begin, 0.0), max(at, 0.0)))
            begin = at
    return out


def _spans(symbols: list[tuple[str, float]], at: float) -> list[tuple[float, float]]:
    """Return where each word begins and ends, s: words stand between spaces."""
    out: list[tuple[float, float]] = []
    is_open = False
    for symbol, span in symbols:
        begin, at = max(at, 0.0), at + span
        if symbol == " ":
            is_open = False
        elif arpabet(symbol) not in ("", "sil"):
            out.append((out.pop()[0] if is_open else begin, max(at, 0.0)))
            is_open = True
    return out
