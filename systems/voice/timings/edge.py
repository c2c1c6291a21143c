"""edge-tts: what `Communicate.stream()` yields, audio and all, and the service's own metadata messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .azure import TICKS, shared
from .fields import after, rows, scaled, text
from .table import Mark, Told

_WORD, _SENTENCE = "WordBoundary", "SentenceBoundary"


def read(items: Sequence[Any]) -> Told | None:
    """Return what these chunks say; None where none is edge-tts's.

    Since its version 7 it sends sentences unless asked for boundary="WordBoundary": their time is shared by letters.
    """
    words, sentences, is_mine = [], [], False
    for event in (event for item in items for event in _events(item)):
        kind = event.get("type")
        if kind not in (_WORD, _SENTENCE):
            continue
        is_mine = True
        start = scaled(event.get("offset"), TICKS)
        mark = Mark(text(event.get("text")), start, after(start, scaled(event.get("duration"), TICKS)))
        (words if kind == _WORD else sentences).append(mark)
    return Told(words or [word for sentence in sentences for word in shared(sentence)]) if is_mine else None


def _events(item: Any) -> Sequence[Mapping[str, Any]]:
    """Return chunks as they are, and a metadata message's parts in the same shape."""
    if not isinstance(item, Mapping):
        return ()
    if "Metadata" not in item:
        return (item,)
    out = []
    for part in rows(item["Metadata"]):
        data = part.get("Data") if isinstance(part, Mapping) else None
        if isinstance(data, Mapping):
            inner = data.get("text")
            said = inner.get("Text") if isinstance(inner, Mapping) else inner
            out.append(
                {"type": part.get("Type"), "offset": data.get("Offset"), "duration": data.get("Duration"), "text": said}
            )
    return out
