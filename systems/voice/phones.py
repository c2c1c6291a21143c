"""Phones and the mouth shape each has: 15 classes in the order of face_map.VISEMES."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ...components.arrays import I32
from ...components.errors import AudioError
from ...components.face_map import VISEMES

Segment = tuple[float, float, str]  # start s, end s, phone of SHAPE

FRAMES = 100  # labels a second

# ARPABET in lower case. h has no shape of its own: the mouth is already where the next vowel will be.
SHAPE: dict[str, str] = {
    "sil": "sil", "p": "PP", "b": "PP", "m": "PP", "f": "FF", "v": "FF", "th": "TH", "dh": "TH", "t": "DD", "d": "DD",
    "k": "kk", "g": "kk", "ng": "nn", "ch": "CH", "jh": "CH", "sh": "CH", "zh": "CH", "s": "SS", "z": "SS", "n": "nn",
    "l": "nn", "r": "RR", "er": "RR", "w": "ou", "y": "ih", "hh": "", "aa": "aa", "ae": "aa", "ah": "aa", "ao": "oh",
    "eh": "E", "ax": "E", "ih": "ih", "iy": "ih", "uh": "ou", "uw": "ou",
}  # fmt: skip
_TWO: dict[str, tuple[str, str]] = {  # phones of two shapes
    "ay": ("aa", "ih"), "ey": ("eh", "ih"), "oy": ("ao", "ih"), "aw": ("aa", "uh"), "ow": ("ao", "uh"),
    "en": ("ax", "n"), "el": ("ax", "l"), "em": ("ax", "m"),
}  # fmt: skip
_SAME = {"dx": "t", "nx": "n", "hv": "hh", "ix": "ih", "ux": "uw", "axr": "er", "ax-h": "ax"}
SPLIT = 0.55  # share of a diphthong that its first vowel has (choice; the second is a glide and short)
_VOWELS = {"aa", "E", "ih", "oh", "ou", "RR"}


def from_arpabet(rows: Iterable[tuple[float, float, str]]) -> list[Segment]:
    """Return segments of SHAPE's phones from ARPABET ones, stress marks and pauses in any spelling.

    rows: (start s, end s, phone)
    """
    out: list[Segment] = []
    for start, end, name in rows:
        phone = re.sub(r"\d", "", name.lower())
        phone = _SAME.get(phone, phone)
        if phone in _TWO:
            middle = start + SPLIT * (end - start)
            out += [(start, middle, _TWO[phone][0]), (middle, end, _TWO[phone][1])]
        else:
            out.append((start, end, phone if phone in SHAPE else "sil"))
    return out


def labels(segments: list[Segment], frames: int, scale: float = 1.0) -> I32:
    """Return (frames,) i32, the class of each 10 ms. scale: of the segments' times, for a voice played faster."""
    out = np.zeros(frames, np.int32)
    for k, (start, end, phone) in enumerate(segments):
        shape = SHAPE[phone] or next((s for _, _, p in segments[k + 1 : k + 3] if (s := SHAPE[p]) in _VOWELS), "E")
        out[round(start * scale * FRAMES) : round(end * scale * FRAMES)] = VISEMES.index(shape)
    return out


def given(rows: Iterable[Any], seconds: float) -> I32:
    """Return (F,) i32, the class of each 10 ms of a voice whose phones are known; empty where none are given.

    rows: (phone, start s, end s): ARPABET in any case, with or without stress; anything else is silence
    AudioError: one line for times that are none
    """
    segments: list[tuple[float, float, str]] = []
    for number, row in enumerate(rows, 1):
        try:
            phone, start, end = row
            segment = float(start), float(end), str(phone)
        except (TypeError, ValueError):
            raise AudioError(f"phones: number {number} is {row!r:.60}; give (phone, start s, end s)") from None
        if not 0.0 <= segment[0] <= segment[1] < math.inf:
            times = f"from {segment[0]:g} to {segment[1]:g} s"
            raise AudioError(f"phones: number {number} '{phone}' lasts {times}; want 0 <= start <= end")
        segments.append(segment)
    return labels(from_arpabet(segments), int(seconds * FRAMES)) if segments else np.zeros(0, np.int32)


def phones_beside(wav: Path) -> Path | None:
    """Return the phones file of the same stem beside a recording, `x.phones.json`, or None."""
    found = wav.with_name(wav.stem + ".phones.json")
    return found if found.is_file() else None


def read_phones(path: str | Path) -> list[tuple[str, float, float]]:
    """Return (phone, start s, end s) of a JSON list of [phone, start, end]. AudioError: the file and what is wrong."""
    path = Path(path)
    try:
        rows: Any = json.loads(path.read_text(encoding="utf-8"))
        return [(str(phone), float(start), float(end)) for phone, start, end in rows]
    except OSError as error:
        raise AudioError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise AudioError(f"{path}: not phones ({error}); want [[phone, start s, end s], ...]") from None
