"""Files of times: JSON, Praat TextGrid, WebVTT and SubRip to one table, and how the one beside a recording is found."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ...components.errors import AudioError
from ...components.speech import Word
from . import timings
from .timings import subtitles, textgrid

SUFFIXES = (".json", ".TextGrid", ".textgrid", ".vtt", ".srt")  # in the order in which one is taken beside a recording
LARGEST = 64 << 20  # bytes; 2 h of words are 2 MB


def words_beside(wav: str | Path) -> Path | None:
    """Return the words file of the same stem beside a recording, or None. `x.words.json` is found too."""
    wav = Path(wav)
    for suffix in (".words.json", *SUFFIXES):
        found = wav.with_name(wav.stem + suffix)
        if found.is_file():
            return found
    return None


def read_words(path: str | Path) -> tuple[Word, ...]:
    """Return the words of a file, by time; AudioError as `read_timings`."""
    return read_timings(path).words


def read_timings(path: str | Path, text: str = "") -> timings.Timings:
    """Return words, and phones where the file has them.

    A subtitle of several words gives each a share of its time by its letters. Of a TextGrid the tier named words is
    read, else the first interval tier, and phones from the tier of that name. A JSON file is a list of
    {"text", "start", "end"}, or what Azure, edge-tts, ElevenLabs, Kokoro or Piper delivered.

    text: what is said, if known; Piper tells phones only, and its words are found by it
    AudioError: one line with the file, the entry, what is wrong and what is wanted
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in _READERS:
        raise AudioError(f"{path}: words end in {', '.join(_READERS)}; found '{path.suffix}'")
    try:
        if path.stat().st_size > LARGEST:
            raise AudioError(f"{path}: {path.stat().st_size >> 20} MB, at most {LARGEST >> 20}; is this a words file?")
        data = path.read_bytes()
    except OSError as error:
        raise AudioError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    return _READERS[kind](path, _decoded(path, data), text)


def _decoded(path: Path, data: bytes) -> str:
    """Return the text; Praat writes UTF-16 when a label is not Latin-1."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise AudioError(f"{path}: not {encoding} text (byte {error.start}); save it as UTF-8") from None


def _json(path: Path, data: str, text: str) -> timings.Timings:
    try:
        rows: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise AudioError(f"{path}: not JSON ({error}); want [{{'text': .., 'start': s, 'end': s}}]") from None
    if isinstance(rows, dict | list) and (told := timings.delivered(rows, text)) is not None:
        return timings.settled(told)
    if not isinstance(rows, list):
        raise AudioError(f"{path}: holds {type(rows).__name__}; want a list of {{'text', 'start', 'end'}}")
    out: list[Word] = []
    for number, row in enumerate(rows, 1):
        word = _entry(f"{path}: entry {number}", row)
        if out and word.start < out[-1].start:
            where = f"{path}: entry {number} '{word.text}'"
            raise AudioError(f"{where} starts at {word.start:g} s, before '{out[-1].text}'; sort by time")
        out.append(word)
    return timings.timings(out)


def _entry(where: str, row: Any) -> Word:
    if not isinstance(row, dict) or not {"text", "start", "end"} <= row.keys():
        has = f"has {', '.join(map(str, row)) or 'nothing'}" if isinstance(row, dict) else f"is {row!r:.40}"
        raise AudioError(f"{where} {has}; want text, start, end")
    times = row["start"], row["end"]
    if not isinstance(row["text"], str) or not all(isinstance(t, int | float) and t is not True for t in times):
        raise AudioError(f"{where} {row!r:.80}; want text as a string, start and end as seconds")
    try:
        word = Word(row["text"], float(times[0]), float(times[1]))
    except OverflowError:
        said = f"{row['text']:.60}"
        raise AudioError(f"{where} '{said}' has a time beyond any voice; want start and end as seconds") from None
    if not 0.0 <= word.start <= word.end < math.inf:
        raise AudioError(f"{where} '{word.text}' lasts from {word.start:g} to {word.end:g} s; want 0 <= start <= end")
    return word


def _textgrid(path: Path, data: str, _: str) -> timings.Timings:
    return timings.settled(textgrid.read(path, data))


def _subtitles(path: Path, data: str, _: str) -> timings.Timings:
    return timings.settled(subtitles.read(path, data))


_READERS = {".json": _json, ".textgrid": _textgrid, ".vtt": _subtitles, ".srt": _subtitles}
