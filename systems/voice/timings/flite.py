"""Flite: the phones and their ends that `flite -psdur` prints."""

from __future__ import annotations

import re

from .ipa import either
from .table import Mark, Told

_PHONE = re.compile(r"([a-z][a-z0-9-]{0,7}):(\d+(?:\.\d+)?)")


def read(printed: str) -> Told:
    """Return its phones, one utterance; none where it printed none. Its times are those of the sound."""
    told, at = Told(), 0.0
    for name, end in _PHONE.findall(printed):
        told.phones.append(Mark("sil" if name == "pau" else either(name), at, float(end)))
        at = float(end)
    return told
