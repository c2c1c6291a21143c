"""A whole known voice, measured once: loudness, coefficients, where she speaks, phrases and accents."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ...components.arrays import F32, F64, I32, Bool, frozen
from ...components.errors import AudioError
from ...components.speech import ENVELOPE_RATE, HOP, RATE, Speech, Word
from ..kernels import gate, mfcc, pitch
from . import loudness as level
from . import prominence
from .pcm import inside
from .phones import given

VERSION = 1  # of the formulas; count up when one changes, so that a corpus made by another refuses to load
SLACK = 0.25  # s a word may end after the audio: aligners round, players trim silence


def analyse(pcm: Any, rate: float, *, words: Iterable[Any] = (), text: str = "", phones: Iterable[Any] = ()) -> Speech:
    """Return everything measured of a voice; the same input gives the same bits.

    pcm: (N,) or (N, channels): floats -1..1, int16, int32
    rate: Hz
    words: Word or (text, start s, end s), in the order they are spoken
    text: what is said; left empty, the words joined
    phones: (phone, start s, end s) where the voice tells them: ARPABET
    AudioError: one line, for what is empty, not finite, out of range or longer than 2 h
    """
    audio = inside(pcm, rate)
    seconds = len(audio) / RATE
    return whole(audio, *_frames(audio), _words(words, seconds), text, given(phones, seconds))


def whole(
    audio: F32, coefficient: F64, loud: F64, band: F64, words: tuple[Word, ...], text: str, mouth: I32 | None = None
) -> Speech:
    """Return everything measured of a voice whose frames are known.

    audio: (N,) at RATE; coefficient: (F, 13) c1..c13, loud, band: (F,) dB, F = ceil(N / HOP)
    mouth: (M,) i32, as Speech has it
    """
    mouth = np.zeros(0, np.int32) if mouth is None else mouth
    seconds = len(audio) / RATE
    voiced, envelope, timbre = levelled(coefficient, loud, len(audio))
    half = np.empty(len(audio) // 2 + 1)
    hertz, strength = np.empty(len(loud)), np.empty(len(loud))
    power = pitch.halve(audio, half)
    pitch.track(half, power, hertz, strength, np.empty(pitch.WORK))
    found = prominence.events(band, hertz, strength, voiced, seconds)
    text = text or " ".join(word.text for word in words)
    return Speech(
        audio=frozen(audio, np.float32),
        loudness=frozen(loud, np.float64),
        envelope=frozen(envelope, np.float32),
        coefficient=frozen(timbre, np.float32),
        voiced=frozen(voiced, np.bool_),
        phrase=frozen(found.phrase, np.float64),
        accent=frozen(found.accent, np.float64),
        strength=frozen(found.strength, np.float64),
        words=words,
        text=text,
        seconds=seconds,
        digest=_digest(audio, words, text, mouth),
        mouth=frozen(mouth, np.int32),
    )


def with_mouth(speech: Speech, mouth: I32) -> Speech:
    """Return a voice whose mouth shapes are known by now. mouth: (M,) i32, as Speech has it."""
    if not len(mouth):
        return speech
    digest = _digest(speech.audio, speech.words, speech.text, mouth)
    return replace(speech, mouth=frozen(mouth, np.int32), digest=digest)


def levelled(coefficient: F64, loud: F64, samples: int) -> tuple[Bool, F64, F64]:
    """Return where she speaks (F,), the envelope (E,) dB over her level, and c1..c13 (F, 13) without her mean.

    coefficient: (F, 13); loud: (F,) dB, F >= 1; samples: of the audio
    """
    floor, voiced = np.empty(len(loud)), np.empty(len(loud), np.bool_)
    state = np.empty(gate.STATE)
    gate.begin(state, float(np.percentile(loud, 4)), float(np.percentile(loud, 99)))
    gate.follow(loud, state, floor, voiced)
    where = level.at(np.arange(level.count(samples)), len(loud))
    envelope = level.relative(level.above_floor(loud, floor), *where, level.level(loud, voiced))
    timbre = coefficient - coefficient[voiced].mean(axis=0) if voiced.any() else np.zeros((len(loud), 13))
    return voiced, envelope, timbre


def feature_hash() -> str:
    """Return a hash of every number that the features depend on; corpus and voice must have the same one."""
    used = (
        VERSION,
        (RATE, HOP, ENVELOPE_RATE),
        (mfcc.RATE, mfcc.HOP, mfcc.FRAME, mfcc.MELS, mfcc.COEFFICIENTS, mfcc.AMIN, mfcc.HIGHPASS, mfcc.BAND),
        (gate.OPEN, gate.CLOSE, gate.HOLD, gate.SMOOTH, gate.PARTS, gate.PART, gate.RANGE, gate.DECAY, gate.LEAST),
        (level.OVER_FLOOR, level.LEAST, level.MOST, level.NOMINAL),
        (pitch.LOWEST, pitch.HIGHEST, pitch.OCTAVE, pitch.CUTOFF),
        sorted(prominence.PARAMETERS.items()),
    )
    return hashlib.blake2b(repr(used).encode(), digest_size=8).hexdigest()


def _frames(audio: F32) -> tuple[F64, F64, F64]:
    """Return c1..c13, loudness and band power of one frame a hop; the last ones see the last sample held on."""
    tail = tail_of(len(audio), audio[-1])
    room = mfcc.room(len(audio) + len(tail))
    coefficient, loud, band = np.zeros((room, mfcc.COEFFICIENTS)), np.zeros(room), np.zeros(room)
    held, passed, stream = np.zeros(mfcc.FRAME), np.zeros(mfcc.FRAME), np.zeros(mfcc.STREAM)
    work = np.empty(mfcc.WORK)
    done = 0
    for block in (audio, tail):
        done += mfcc.push(block, held, passed, stream, coefficient[done:], loud[done:], band[done:], work)
    return coefficient[:done, 1:], loud[:done], band[:done]


def tail_of(samples: int, last: float) -> F32:
    """Return what is pushed after a voice so that it gets a frame a hop: its last sample, held on."""
    frames = math.ceil(samples / HOP)
    return np.full((frames - 1) * HOP + mfcc.FRAME - samples, last, np.float32)


def _words(words: Iterable[Any], seconds: float) -> tuple[Word, ...]:
    """Return the words, checked against the audio they belong to."""
    out: list[Word] = []
    for number, item in enumerate(words, 1):
        try:
            label, start, end = (item.text, item.start, item.end) if isinstance(item, Word) else item
            word = Word(str(label), float(start), float(end))
        except (TypeError, ValueError):
            raise AudioError(f"words: number {number} is {item!r}; give (text, start s, end s)") from None
        if not (0.0 <= word.start <= word.end < math.inf):
            raise AudioError(
                f"words: number {number} '{word.text}' lasts from {word.start:g} to {word.end:g} s; "
                "want 0 <= start <= end"
            )
        if out and word.start < out[-1].start:
            raise AudioError(
                f"words: number {number} '{word.text}' starts at {word.start:g} s, before '{out[-1].text}'; "
                "sort them by time"
            )
        if word.end > seconds + SLACK:
            raise AudioError(
                f"words: number {number} '{word.text}' ends at {word.end:g} s, the audio at {seconds:.3f} s; "
                "are these the words of this recording?"
            )
        out.append(word)
    return tuple(out)


def _digest(audio: F32, words: tuple[Word, ...], text: str, mouth: I32) -> str:
    h = hashlib.blake2b(audio.tobytes(), digest_size=16)
    h.update(repr([(w.text, w.start, w.end) for w in words]).encode())
    h.update(b"\0" + text.encode("utf-8", "surrogatepass") + mouth.tobytes())
    return h.hexdigest()
