"""espeak-ng through its library, which alone tells when each phone sounds. A training tool (GPL-3), run from outside.

Its header speak_lib.h documents the calls and the event structure.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F32
from ....components.errors import FaceError

_SYNCHRONOUS, _PHONEME_EVENTS = 2, 1
_END, _PHONEME = 0, 7  # espeak_EVENT_TYPE
_RATE, _PITCH, _RANGE = 1, 3, 4  # espeak_PARAMETER
_UNFIT = ("whisper", "croak", "klatt", "demonic", "robo", "storm", "half", "anno")  # voices no person has

Row = tuple[float, float, str]


class _Id(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int) for name in ("type", "unique", "text", "length", "audio_ms", "sample")),
        ("user", ctypes.c_void_p),
        ("id", _Id),
    )


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


class Espeak:
    """One synthesiser. The library keeps one state a process."""

    def __init__(self) -> None:
        name = ctypes.util.find_library("espeak-ng")
        if name is None:
            raise FaceError("face train: libespeak-ng is not installed; 'apt-get install libespeak-ng1 espeak-ng-data'")
        self._lib: Any = ctypes.CDLL(name)
        self.rate = int(self._lib.espeak_Initialize(_SYNCHRONOUS, 0, None, _PHONEME_EVENTS))
        self._pcm: list[np.ndarray] = []
        self._marks: list[tuple[int, str]] = []
        self._callback = _Callback(self._take)
        self._lib.espeak_SetSynthCallback(self._callback)
        self._lib.espeak_Info.restype = ctypes.c_char_p
        where = ctypes.c_char_p()
        self._lib.espeak_Info(ctypes.byref(where))
        folder = Path((where.value or b"").decode()) / "voices" / "!v"
        names = sorted(path.name for path in folder.glob("*")) if folder.is_dir() else []
        self.variants = [
            name
            for name in names
            if not any(word in name.lower() for word in _UNFIT)
            and self._lib.espeak_SetVoiceByName(f"en-us+{name}".encode()) == 0  # some files name a voice that is gone
        ]

    def _take(self, wave: Any, count: int, events: Any) -> int:
        if wave and count > 0:
            self._pcm.append(np.ctypeslib.as_array(wave, (count,)).copy())
        k = 0
        while events[k].type != _END:
            if events[k].type == _PHONEME:
                self._marks.append((events[k].sample, events[k].id.string.decode("utf-8", "replace")))
            k += 1
        return 0

    def say(self, text: str, voice: str, pace: int, pitch: int, spread: int) -> tuple[F32, list[Row]]:
        """Return samples -1..1 at `rate` and (start s, end s, mnemonic) of each phone.

        voice: as `en-us+f3`; pace: words a minute; pitch, spread: 0..100
        """
        self._pcm.clear()
        self._marks.clear()
        if self._lib.espeak_SetVoiceByName(voice.encode()) != 0:
            raise FaceError(f"face train: espeak-ng has no voice '{voice}'; leave it out")
        for parameter, value in ((_RATE, pace), (_PITCH, pitch), (_RANGE, spread)):
            self._lib.espeak_SetParameter(parameter, value, 0)
        data = text.encode() + b"\0"
        self._lib.espeak_Synth(data, len(data), 0, 1, 0, 1, None, None)
        self._lib.espeak_Synchronize()
        pcm = np.concatenate(self._pcm).astype(np.float32) / 32768.0 if self._pcm else np.zeros(0, np.float32)
        starts = [sample / self.rate for sample, _ in self._marks] + [len(pcm) / self.rate]
        return pcm, [(starts[k], starts[k + 1], name) for k, (_, name) in enumerate(self._marks)]


@cache
def library() -> Espeak:
    """Return the process's synthesiser. FaceError where it is not installed."""
    return Espeak()
