"""WebVTT and SubRip: the words of each cue share its time by their letters, or keep the times that stand among them."""

from __future__ import annotations

import html
import re
from pathlib import Path

from ....components.errors import AudioError
from .azure import shared
from .table import Mark, Told

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_CUE = re.compile(rf"^\s*{_TIME}\s*-->\s*{_TIME}")
_INSIDE = re.compile(rf"<{_TIME}>")


def read(path: Path, text: str) -> Told:
    """Return the words. Cues may overlap and need no order.

    AudioError: one line with the file, the line and what is wanted
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    marks: list[Mark] = []
    shown: list[str] = []  # what the cue before said: live captions roll, each line is shown twice
    found, number = False, 0
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
        start, end = _seconds(cue.groups()[:4]), _seconds(cue.groups()[4:])
        if end < start:
            raise AudioError(f"{path}: line {number} lasts from {start:g} to {end:g} s; want start <= end")
        said: list[str] = []
        while number < len(lines) and lines[number] and "-->" not in lines[number]:
            if not lines[number].strip() and not _rolls(lines, number):
                break
            said.append(lines[number])
            number += 1
        rolls = any(_INSIDE.search(line) for line in said) or (bool(shown) and end - start < 0.05)
        new = [line for line in said if not (rolls and _plain(line) in shown)]
        shown = [_plain(line) for line in said] if rolls else []
        marks += _timed(" ".join(new), start, end)
    if not found:
        raise AudioError(f"{path}: holds no line like 00:00:01.000 --> 00:00:02.000; is this a subtitle file?")
    return Told(sorted(marks, key=lambda mark: mark.start or 0.0))


def _rolls(lines: list[str], number: int) -> bool:
    """Whether a line of spaces is the upper, still empty line of a caption that rolls, and not the end of the cue."""
    return number + 1 < len(lines) and _INSIDE.search(lines[number + 1]) is not None


def _timed(said: str, start: float, end: float) -> list[Mark]:
    """Return the words of one cue; each piece between times inside it shares its own."""
    parts = _INSIDE.split(said)  # text, four groups, text, ...
    times = [start, *(_seconds(tuple(parts[k : k + 4])) for k in range(1, len(parts), 5)), end]
    out: list[Mark] = []
    for k, piece in enumerate(parts[::5]):
        out += shared(Mark(_plain(piece), times[k], max(times[k], times[k + 1])))
    return out


def _plain(line: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>|\{[^}]*\}", "", line)).strip()


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    whole = 3600.0 * int(hours or 0) + 60.0 * int(minutes or 0) + int(seconds or 0)
    return whole + int((fraction or "0").ljust(3, "0")) / 1000.0
