"""Phones in IPA, as espeak-ng, Piper and the Montreal aligner write them, to the ARPABET that lips are told in."""

from __future__ import annotations

import unicodedata

from ..phones import SHAPE
from .table import PAUSES

# Sounds that English does not have go to the nearest mouth.
_IPA = {
    "ɑ": "aa", "a": "aa", "ɐ": "ah", "ʌ": "ah", "æ": "ae", "ɒ": "aa", "ɔ": "ao", "o": "ao", "ɤ": "ah", "ə": "ax",
    "ɘ": "ax", "ᵊ": "ax", "ɚ": "er", "ɝ": "er", "ɜ": "er", "e": "eh", "ɛ": "eh", "œ": "uh", "ø": "uh", "ɪ": "ih",
    "ᵻ": "ih", "ɨ": "ih", "i": "iy", "y": "uw", "ʏ": "uh", "ʊ": "uh", "u": "uw", "ʉ": "uw", "ɯ": "uh", "ɵ": "ao",
    "p": "p", "b": "b", "m": "m", "ɱ": "m", "f": "f", "v": "v", "ɸ": "f", "β": "b", "θ": "th", "ð": "dh", "t": "t",
    "d": "d", "ɾ": "t", "ʈ": "t", "ɖ": "d", "n": "n", "ɲ": "n", "ɳ": "n", "ŋ": "ng", "k": "k", "g": "g", "ɡ": "g",
    "q": "k", "c": "k", "ɟ": "g", "x": "k", "ɣ": "g", "χ": "k", "s": "s", "z": "z", "ʃ": "sh", "ʒ": "zh", "ʂ": "sh",
    "ʐ": "zh", "ɕ": "sh", "ʑ": "zh", "ʧ": "ch", "ʤ": "jh", "ç": "sh", "h": "hh", "ɦ": "hh", "ʔ": "hh", "j": "y",
    "w": "w", "ʍ": "w", "ɥ": "w", "r": "r", "ɹ": "r", "ɻ": "r", "ʀ": "k", "ʁ": "k", "l": "l", "ɫ": "l", "ɭ": "l",
    "ʎ": "l", "tʃ": "ch", "dʒ": "jh", "eɪ": "ey", "aɪ": "ay", "ɔɪ": "oy", "aʊ": "aw", "oʊ": "ow", "əʊ": "ow",
}  # fmt: skip
_MARKS = "ˈˌːˑʰʲˠˤ̯̩̃ˀ˞'͡|"  # stress, length and other marks that have no time of their own to speak of
_ARPABET = {*SHAPE, "ay", "ey", "oy", "aw", "ow", "en", "el", "em", "dx", "nx", "hv", "ix", "ux", "axr", "ax-h"} - {""}


def arpabet(symbol: str) -> str:
    """Return the ARPABET phone of an IPA one; "sil" for gaps and signs, "" for a mark that is part of its neighbour."""
    plain = "".join(c for c in unicodedata.normalize("NFD", symbol) if c not in _MARKS and not unicodedata.combining(c))
    if symbol and not plain:
        return ""
    return _IPA.get(symbol) or _IPA.get(plain) or _IPA.get(plain[:1]) or "sil"


def either(symbol: str) -> str:
    """Return the ARPABET phone of one that is ARPABET (in any case, with or without stress) or IPA."""
    name = symbol.strip().rstrip("0123456789").lower()
    if name in PAUSES:
        return "sil"
    return name if name in _ARPABET else arpabet(symbol.strip()) or "sil"
