"""What the training voices call their phones: espeak-ng's mnemonics; those of the others are ARPABET."""

from __future__ import annotations

from collections.abc import Iterable

from ...voice.phones import SHAPE, SPLIT, Segment

# Mnemonics of espeak-ng's English voices that are not ARPABET's.
_ESPEAK: dict[str, str] = {
    "t#": "t", "t2": "t", "d#": "d", "x": "k", "N": "ng", "tS": "ch", "dZ": "jh", "S": "sh", "Z": "zh", "T": "th",
    "D": "dh", "n-": "n", "l#": "l", "r-": "r", "j": "y", "h": "hh", "@": "ax", "@2": "ax", "@5": "ax", "@-": "ax",
    "3": "er", "3:": "er", "a": "ae", "a#": "ax", "aa": "ae", "A": "aa", "A:": "aa", "V": "ah", "0": "aa", "0#": "aa",
    "O": "ao", "O:": "ao", "o:": "ao", "o": "ao", "E": "eh", "e": "eh", "e:": "eh", "i": "iy", "i:": "iy", "I": "ih",
    "I2": "ih", "I#": "ih", "U": "uh", "u": "uw", "u:": "uw",
}  # fmt: skip
_ESPEAK_TWO: dict[str, tuple[str, str]] = {
    "aI": ("aa", "ih"), "eI": ("eh", "ih"), "OI": ("ao", "ih"), "aU": ("aa", "uh"), "oU": ("ao", "uh"),
    "@L": ("ax", "l"), "aI@": ("aa", "ax"), "aI3": ("aa", "er"), "aU@": ("aa", "ax"), "IR": ("ih", "r"),
    "VR": ("ah", "r"), "oUR": ("ao", "r"), "@U": ("ao", "uh"), "A@": ("aa", "r"), "O@": ("ao", "r"),
    "o@": ("ao", "r"), "e@": ("eh", "r"), "U@": ("uh", "r"), "i@": ("ih", "ax"), "i@3": ("ih", "r"),
}  # fmt: skip
_WITHOUT_R: dict[str, tuple[str, str]] = {
    "A@": ("aa", "aa"), "O@": ("ao", "ao"), "o@": ("ao", "ao"), "e@": ("eh", "ax"), "U@": ("uh", "ax"),
    "i@3": ("ih", "ax"),
}  # fmt: skip
_LENGTHENS = {"_|", ":", "|", ";", "?"}  # espeak-ng's marks of length and glottal stops: the phone before goes on


def from_espeak(rows: Iterable[tuple[float, float, str]], *, is_rhotic: bool) -> list[Segment]:
    """Return segments of SHAPE's phones from espeak-ng's mnemonics. rows: (start s, end s, mnemonic)."""
    out: list[Segment] = []
    for start, end, name in rows:
        if name in _LENGTHENS:
            if out:
                out[-1] = (out[-1][0], end, out[-1][2])
            continue
        two = _ESPEAK_TWO.get(name) if is_rhotic else _WITHOUT_R.get(name, _ESPEAK_TWO.get(name))
        if two is not None:
            middle = start + SPLIT * (end - start)
            out += [(start, middle, two[0]), (middle, end, two[1])]
            continue
        phone = _ESPEAK.get(name) or (name if name in SHAPE else _ESPEAK.get(name[:1]) or name[:1])
        out.append((start, end, phone if phone in SHAPE else "sil"))
    return out
