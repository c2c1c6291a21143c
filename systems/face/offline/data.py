"""Sentences and their labels on disk, a file a voice, made once: what training and measuring read."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F32, I32
from ....components.speech import HOP, RATE
from ...voice.phones import labels
from .sentences import sentences
from .voices import Family

WARP = (0.87, 1.15)  # formants and pitch together, by playing it at another rate
_SENTENCE = 4.6  # s, about what one lasts


@dataclass(frozen=True, slots=True)
class Pack:
    """Utterances end to end.

    Fields:
        audio: (N,) i16 at 16 kHz, whole hops; label: (N / HOP,) i32, class of each 10 ms
        start: (U,) i32, first frame of each utterance
    """

    audio: Any
    label: I32
    start: I32

    @property
    def seconds(self) -> float:
        """Return how long it is, s."""
        return len(self.label) / 100.0

    def pieces(self) -> list[tuple[F32, I32]]:
        """Return (samples -1..1, labels) of each utterance."""
        ends = [*self.start[1:], len(self.label)]
        return [
            (self.audio[a * HOP : b * HOP].astype(np.float32) / 32768.0, self.label[a:b])
            for a, b in zip(self.start, ends)
        ]

    def save(self, path: Path) -> None:
        """Write it."""
        np.savez(path, audio=self.audio, label=self.label, start=self.start)

    @staticmethod
    def load(path: Path) -> Pack:
        """Read it back."""
        with np.load(path, allow_pickle=False) as data:
            return Pack(data["audio"], data["label"], data["start"])

    @staticmethod
    def of(pieces: list[tuple[Any, I32]]) -> Pack:
        """Return utterances joined. pieces: (samples i16, labels)."""
        start = np.cumsum([0, *(len(label) for _, label in pieces)])[:-1]
        return Pack(
            np.concatenate([a for a, _ in pieces]), np.concatenate([b for _, b in pieces]), start.astype(np.int32)
        )


def at_16k(samples: F32, rate: float) -> F32:
    """Return samples at 16 kHz. rate: Hz they are taken to have; another than their own makes another throat."""
    from scipy.signal import resample_poly

    up, down = RATE, round(rate)
    divisor = np.gcd(up, down)
    return resample_poly(samples, up // divisor, down // divisor).astype(np.float32)


def make(family: Family, *, minutes: float, held_out: bool = False, seed: int = 1) -> Pack:
    """Return `minutes` of a voice saying our sentences, at changing rates and formants unless held out."""
    count = round(minutes * 60.0 / _SENTENCE)
    number = zlib.crc32(family.name.encode()) + seed
    draw = random.Random(number)
    pieces = []
    for said in family.say(sentences(count, number, held_out=held_out), draw):
        warp = 1.0 if held_out else round(draw.uniform(*WARP), 2)
        samples = at_16k(said.samples, said.rate * warp)
        frames = len(samples) // HOP
        if frames < 50:
            continue
        pcm = (np.clip(samples[: frames * HOP], -1.0, 1.0) * 32767.0).astype(np.int16)
        pieces.append((pcm, labels(said.segments, frames, 1.0 / warp)))
    return Pack.of(pieces)
