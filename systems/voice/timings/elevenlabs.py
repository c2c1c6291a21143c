"""ElevenLabs: the characters' times of its HTTP answers (whole or in chunks) and of its websocket, to words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fields import field, has, rows, scaled, text
from .table import Mark, Told

_TAIL = 64  # characters that are looked back for the last one with a time
_BACK = 0.05  # s that a chunk may begin before the last one ended; further back it counts from its own first sample


def read(items: Sequence[Any]) -> Told | None:
    """Return what these answers say; None where none is ElevenLabs's. A word may go on in the next chunk."""
    letters: list[Mark] = []
    is_mine = is_of_chunk = False
    for item in items:
        alignment = _alignment(item)
        if alignment is None:
            is_mine = is_mine or has(item, "alignment")
            continue
        is_mine = True
        chunk = _letters(alignment)
        last = max((m.end or m.start or 0.0 for m in letters[-_TAIL:]), default=0.0)
        first = next((m.start for m in chunk if m.start is not None), 0.0)
        is_of_chunk = has(alignment, "charStartTimesMs")  # of the websocket
        shift = last if is_of_chunk or first < last - _BACK else 0.0
        letters += [Mark(m.text, _moved(m.start, shift), _moved(m.end, shift)) for m in chunk]
    return Told(_joined(letters), is_of_chunk=is_of_chunk) if is_mine else None


def _moved(time: float | None, by: float) -> float | None:
    return None if time is None else time + by


def _alignment(item: Any) -> Any:
    """Return the part with the times of the text as it was sent, else of the text as it was spoken, else None."""
    if has(item, "characters") or has(item, "chars"):
        return item
    for name in ("alignment", "normalized_alignment", "normalizedAlignment"):
        found = field(item, name)
        if found is not None and (has(found, "characters") or has(found, "chars")):
            return found
    return None


def _letters(alignment: Any) -> list[Mark]:
    said = [text(c) for c in rows(field(alignment, "characters", "chars"))]
    starts = _times(alignment, "character_start_times_seconds", "characterStartTimesSeconds", "charStartTimesMs")
    ends = _times(alignment, "character_end_times_seconds", "characterEndTimesSeconds")
    spans = _times(alignment, "charDurationsMs")
    out = []
    for k, letter in enumerate(said):
        start = starts[k] if k < len(starts) else None
        end = ends[k] if k < len(ends) else None
        if end is None and start is not None and k < len(spans) and spans[k] is not None:
            end = start + (spans[k] or 0.0)
        out.append(Mark(letter, start, end))
    return out


def _times(alignment: Any, *names: str) -> list[float | None]:
    """Return the first of these lists, s; those named Ms count milliseconds."""
    for name in names:
        found = rows(field(alignment, name))
        if len(found):
            return [scaled(value, 1e3 if name.endswith("Ms") else 1.0) for value in found]
    return []


def _joined(letters: list[Mark]) -> list[Mark]:
    """Return words: what stands between spaces, from its first letter that has a time to its last."""
    out: list[Mark] = []
    word: list[Mark] = []
    for letter in [*letters, Mark(" ", None)]:
        if letter.text.strip():
            word.append(letter)
        elif word:
            start = next((m.start for m in word if m.start is not None), None)
            out.append(Mark("".join(m.text for m in word), start, next((m.end for m in word[::-1] if m.end), None)))
            word = []
    return out
