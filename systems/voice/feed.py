"""The near end of a voice that streams in: pieces of any size and rate to samples and frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import soxr

from ...components.arrays import F32, F64
from ...components.errors import AudioError
from ...components.speech import RATE, Speech, Word
from ..kernels import mfcc
from .analyse import SLACK, analyse, tail_of, whole
from .pcm import OFFSET, check_rate, mono

LONGEST = 600.0  # s in one stream: what is known of it is measured anew each tick, 8 ms at this length
_PIECE = RATE // 4  # samples a kernel is given at once: it keeps the tick waiting for 0.4 ms


@dataclass(frozen=True, slots=True)
class Piece:
    """What a chunk became. samples: (n,) f32 at RATE; coefficient: (f, 13), loudness, band: (f,) of finished frames."""

    samples: F32
    coefficient: F64
    loudness: F64
    band: F64


class Feed:
    """Measures a voice as it comes in, with the bits that `analyse` gives of all of it. One thread at a time."""

    def __init__(self, rate: int) -> None:
        """Prepare for samples at `rate` Hz; AudioError for one that is no rate."""
        self.rate = check_rate(rate)
        self.fed = 0  # samples at `rate`
        self.words: tuple[Word, ...] = ()
        self._resampler = soxr.ResampleStream(self.rate, RATE, 1, dtype="float32", quality="HQ")
        self._held, self._passed, self._stream = np.zeros(mfcc.FRAME), np.zeros(mfcc.FRAME), np.zeros(mfcc.STREAM)
        self._work = np.empty(mfcc.WORK)
        self._pieces: list[Piece] = []
        self._sum = 0.0

    @property
    def seconds(self) -> float:
        """Return how much has been fed, s."""
        return self.fed / self.rate

    def take(self, pcm: Any, words: Iterable[Word | Any] = ()) -> tuple[F32, list[Piece], tuple[Word, ...]]:
        """Return a chunk as mono at its own rate, what it became, and its words. AudioError: nothing was taken.

        pcm: (n,) or (n, channels) floats -1..1, int16, int32, or bytes of int16; may be empty
        words: Word or (text, start s, end s) from the first sample of the stream, in the order they are spoken
        """
        chunk, said = _samples(pcm), self._checked(words)
        if (self.fed + len(chunk)) / self.rate > LONGEST:
            raise AudioError(f"stream: longer than {LONGEST:g} s; end it and begin another, one an answer")
        self.words += said
        self.fed += len(chunk)
        self._sum += float(np.sum(chunk, dtype=np.float64))
        return chunk, list(self._measured(self._inside(chunk))), said

    def _checked(self, words: Iterable[Word | Any]) -> tuple[Word, ...]:
        new: list[Word] = []
        for item in words:
            try:
                text, start, end = (item.text, item.start, item.end) if isinstance(item, Word) else item
                word = Word(str(text), float(start), float(end))
            except (TypeError, ValueError):
                raise AudioError(f"words: {item!r:.80}; give (text, start s, end s)") from None
            before = new[-1] if new else self.words[-1] if self.words else None
            if not 0.0 <= word.start <= word.end < math.inf:
                raise AudioError(
                    f"words: '{word.text}' lasts from {word.start:g} to {word.end:g} s; want 0 <= start <= end"
                )
            if before is not None and word.start < before.start:
                raise AudioError(
                    f"words: '{word.text}' starts at {word.start:g} s, before '{before.text}' at {before.start:g} s; "
                    "times count from the first sample of the stream, words come as they are spoken"
                )
            new.append(word)
        return tuple(new)

    def close(self, text: str) -> Speech | None:
        """Return everything measured of the whole voice, as `analyse` would; None if nothing was fed.

        text: what was said; left empty, the words joined
        """
        if self.fed == 0:
            return None
        rest = self._inside(np.zeros(0, np.float32), last=True)
        count = sum(len(piece.samples) for piece in self._pieces) + len(rest)
        for _ in self._measured(rest if count else np.zeros(1, np.float32)):
            pass
        audio = np.concatenate([piece.samples for piece in self._pieces])
        end = len(audio) / RATE
        # A player may trim the silence that a word was timed into: no reason to fail when all has been said.
        words = tuple(Word(w.text, w.start, min(w.end, end + SLACK)) for w in self.words if w.start <= end + SLACK)
        if abs(self._sum / self.fed) > OFFSET:
            return analyse(audio, RATE, words=words, text=text)  # an offset is known only now, and taken off
        for _ in self._measured(tail_of(len(audio), float(audio[-1]))):
            pass
        coefficient = np.concatenate([piece.coefficient for piece in self._pieces])
        loudness = np.concatenate([piece.loudness for piece in self._pieces])
        band = np.concatenate([piece.band for piece in self._pieces])
        return whole(audio, coefficient, loudness, band, words, text)

    def _inside(self, chunk: F32, *, last: bool = False) -> F32:
        if self.rate == RATE:
            return chunk
        return np.clip(self._resampler.resample_chunk(chunk, last=last), np.float32(-1.0), np.float32(1.0))

    def _measured(self, samples: F32) -> Iterator[Piece]:
        for at in range(0, max(len(samples), 1), _PIECE):
            block = np.ascontiguousarray(samples[at : at + _PIECE])
            room = mfcc.room(len(block))
            coefficient, loudness, band = np.zeros((room, mfcc.COEFFICIENTS)), np.zeros(room), np.zeros(room)
            done = mfcc.push(
                block, self._held, self._passed, self._stream, coefficient, loudness, band, self._work
            )  # fmt: skip
            piece = Piece(block, coefficient[:done, 1:].copy(), loudness[:done], band[:done])
            self._pieces.append(piece)
            yield piece


def _samples(pcm: Any) -> F32:
    """Return a chunk as (n,) f32 mono; an empty one is no fault."""
    if isinstance(pcm, bytes | bytearray | memoryview):
        if len(bytes(pcm)) % 2:
            raise AudioError(f"audio: {len(bytes(pcm))} bytes are no whole int16 samples; feed whole samples")
        pcm = np.frombuffer(bytes(pcm), "<i2")
    if np.size(pcm) == 0:
        return np.zeros(0, np.float32)
    return mono(pcm)
