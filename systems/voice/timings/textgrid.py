"""Praat TextGrids, long and short: the tier of words and, where there is one, the tier of phones."""

from __future__ import annotations

import re
from pathlib import Path

from ....components.errors import AudioError
from .ipa import either
from .table import PAUSES, Mark, Told

_Tier = tuple[str, list[Mark]]


def read(path: Path, text: str) -> Told:
    """Return words and phones. Of the interval tiers the one named words is read, else the first that is not phones.

    AudioError: one line with the file and what is wrong
    """
    tiers = _tiers(path, text)
    if not tiers:
        raise AudioError(f"{path}: has no interval tier; words need one")
    phones = next((tier for tier in tiers if _is(tier, "phones", "phone", "phonemes")), None)
    words = next((tier for tier in tiers if _is(tier, "words", "word")), None)
    if words is None:
        words = next((tier for tier in tiers if tier is not phones), None)
    said = [] if words is None else [mark for mark in words[1] if mark.text.lower() not in PAUSES]
    for mark in said:
        if not 0.0 <= (mark.start or 0.0) <= (mark.end or 0.0):
            times = f"from {mark.start:g} to {mark.end:g} s"
            raise AudioError(f"{path}: '{mark.text}' lasts {times}; want 0 <= start <= end")
    told = [] if phones is None else [mark._replace(text=either(mark.text)) for mark in phones[1]]
    return Told(said, told)


def _is(tier: _Tier, *names: str) -> bool:
    """Whether a tier is one of these; aligners of several speakers write `speaker - words`."""
    return tier[0].strip().lower().rpartition(" - ")[2] in names


def _tiers(path: Path, text: str) -> list[_Tier]:
    """Return the interval tiers. Both forms hold the same values in the same order; only the long one labels them."""
    values = [
        found.group(1).replace('""', '"') if found.group(1) is not None else float(found.group(2))
        for found in re.finditer(r'"((?:[^"]|"")*)"|(?<![\w.\[])([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w\]:])', text)
    ]
    if values[:2] != ["ooTextFile", "TextGrid"]:
        raise AudioError(f'{path}: does not begin as a TextGrid (File type = "ooTextFile"); save it from Praat as text')
    tiers: list[_Tier] = []
    at = 5  # after file type, class, xmin, xmax, number of tiers
    try:
        for _ in range(int(values[4])):
            kind, name, count = values[at], str(values[at + 1]), int(values[at + 4])
            at += 5
            size = 3 if kind == "IntervalTier" else 2
            if count < 0 or at + size * count > len(values):
                raise IndexError
            rows = [values[at + size * k : at + size * (k + 1)] for k in range(count)]
            at += size * count
            if kind == "IntervalTier":
                tiers.append((name, [Mark(str(r[2]).strip(), float(r[0]), float(r[1])) for r in rows]))
    except (IndexError, ValueError, TypeError, OverflowError):
        raise AudioError(f"{path}: breaks off or does not count right after tier {len(tiers)}; save it again") from None
    return tiers
