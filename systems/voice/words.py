"""Word times: JSON, Praat TextGrid, WebVTT and SubRip files to Word, and how the one beside a recording is found."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...components.errors import AudioError
from ...components.speech import Word

SUFFIXES = (".json", ".TextGrid", ".textgrid", ".vtt", ".srt")  # in the order in which one is taken beside a recording
LARGEST = 64 << 20  # bytes; 2 h of words are 2 MB
_NOT_WORDS = {"", "sil", "sp", "spn", "<eps>", "<sil>", "_", "<p:>"}  # what aligners write for pauses and noises


def words_beside(wav: str | Path) -> Path | None:
    """Return the words file of the same stem beside a recording, or None. `x.words.json` is found too."""
    wav = Path(wav)
    for suffix in (".words.json", *SUFFIXES):
        found = wav.with_name(wav.stem + suffix)
        if found.is_file():
            return found
    return None


def read_words(path: str | Path) -> tuple[Word, ...]:
    """Return the words of a file, by time.

    A subtitle of several words gives each a share of its time by its letters. Of a TextGrid the tier named words is
    read, else the first interval tier.
    AudioError: one line with the file, the entry, what is wrong and what is wanted
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise AudioError(f"{path}: words end in {', '.join(_READERS)}; found '{path.suffix}'")
    try:
        if path.stat().st_size > LARGEST:
            raise AudioError(f"{path}: {path.stat().st_size >> 20} MB, at most {LARGEST >> 20}; is this a words file?")
        data = path.read_bytes()
    except OSError as error:
        raise AudioError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    out: list[Word] = []
    for where, text, start, end in reader(path, _decoded(path, data)):
        if not (0.0 <= start <= end < math.inf):
            raise AudioError(f"{path}: {where} '{text}' lasts from {start:g} to {end:g} s; want 0 <= start <= end")
        if out and start < out[-1].start:
            raise AudioError(f"{path}: {where} '{text}' starts at {start:g} s, before '{out[-1].text}'; sort by time")
        out.append(Word(text, start, end))
    return tuple(out)


def _decoded(path: Path, data: bytes) -> str:
    """Return the text; Praat writes UTF-16 when a label is not Latin-1."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise AudioError(f"{path}: not {encoding} text (byte {error.start}); save it as UTF-8") from None


_Entry = tuple[str, str, float, float]  # where in the file, text, start s, end s


def _json(path: Path, text: str) -> Iterator[_Entry]:
    try:
        rows: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise AudioError(f"{path}: not JSON ({error}); want [{{'text': .., 'start': s, 'end': s}}]") from None
    if not isinstance(rows, list):
        raise AudioError(f"{path}: holds {type(rows).__name__}; want a list of {{'text', 'start', 'end'}}")
    for number, row in enumerate(rows, 1):
        where = f"entry {number}"
        if not isinstance(row, dict) or not {"text", "start", "end"} <= row.keys():
            has = f"has {', '.join(map(str, row)) or 'nothing'}" if isinstance(row, dict) else f"is {row!r:.40}"
            raise AudioError(f"{path}: {where} {has}; want text, start, end")
        times = row["start"], row["end"]
        if not isinstance(row["text"], str) or not all(isinstance(t, int | float) and t is not True for t in times):
            raise AudioError(f"{path}: {where} {row!r:.80}; want text as a string, start and end as seconds")
        yield where, row["text"], float(times[0]), float(times[1])


def _textgrid(path: Path, text: str) -> Iterator[_Entry]:
    """Both TextGrid forms hold the same values in the same order; only the long one labels them."""
    values = [
        _unquoted(found.group(1)) if found.group(1) is not None else float(found.group(2))
        for found in re.finditer(r'"((?:[^"]|"")*)"|(?<![\w.\[])([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w\]:])', text)
    ]
    if values[:2] != ["ooTextFile", "TextGrid"]:
        raise AudioError(f'{path}: does not begin as a TextGrid (File type = "ooTextFile"); save it from Praat as text')
    tiers: list[tuple[str, list[_Entry]]] = []
    at = 5  # after file type, class, xmin, xmax, number of tiers
    try:
        for _ in range(int(values[4])):
            kind, name, count = values[at], str(values[at + 1]), int(values[at + 4])
            at += 5
            size = 3 if kind == "IntervalTier" else 2
            rows = [values[at + size * k : at + size * (k + 1)] for k in range(count)]
            if any(len(row) < size for row in rows):
                raise IndexError
            at += size * count
            if kind == "IntervalTier":
                entries = [
                    (f"tier '{name}' interval {k}", str(r[2]).strip(), float(r[0]), float(r[1]))
                    for k, r in enumerate(rows, 1)
                ]
                tiers.append((name, entries))
    except (IndexError, ValueError, TypeError):
        raise AudioError(f"{path}: breaks off or does not count right after tier {len(tiers)}; save it again") from None
    if not tiers:
        raise AudioError(f"{path}: has no interval tier; words need one")
    named = [entries for name, entries in tiers if name.strip().lower() in ("words", "word")]
    for entry in named[0] if named else tiers[0][1]:
        if entry[1].lower() not in _NOT_WORDS:
            yield entry


def _unquoted(label: str) -> str:
    return label.replace('""', '"')


_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_CUE = re.compile(rf"^\s*{_TIME}\s*-->\s*{_TIME}")


def _subtitles(path: Path, text: str) -> Iterator[_Entry]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = False
    number = 0
    while number < len(lines):
        cue = _CUE.match(lines[number])
        number += 1
        if cue is None:
            if "-->" in lines[number - 1]:
                raise AudioError(
                    f"{path}: line {number} {lines[number - 1].strip()!r:.60}; want 00:00:01.000 --> 00:00:02.000"
                )
            continue
        found = True
        where, said = f"line {number}", []
        while number < len(lines) and lines[number].strip() and "-->" not in lines[number]:
            said.append(lines[number])
            number += 1
        yield from _shared(where, " ".join(said), _seconds(cue.groups()[:4]), _seconds(cue.groups()[4:]))
    if not found:
        raise AudioError(f"{path}: holds no line like 00:00:01.000 --> 00:00:02.000; is this a subtitle file?")


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return (
        3600.0 * int(hours or 0)
        + 60.0 * int(minutes or 0)
        + int(seconds or 0)
        + int((fraction or "0").ljust(3, "0")) / 1000.0
    )


def _shared(where: str, said: str, start: float, end: float) -> Iterator[_Entry]:
    """Yield the words of one subtitle, each with a share of its time by its letters; markup is dropped."""
    words = re.sub(r"<[^>]*>|\{[^}]*\}", "", said).split()
    total = sum(map(len, words))
    done = 0
    for word in words:
        begin = start + (end - start) * done / total
        done += len(word)
        yield where, word, begin, start + (end - start) * done / total


_READERS = {".json": _json, ".textgrid": _textgrid, ".vtt": _subtitles, ".srt": _subtitles}
