"""Sentences in the model's own time: windows of motion one after the other, each sentence going on from the last.

Frame 0 of a sentence is its first sample. The seed is what was shown in the 16 frames before it, so the first window
begins there, on the sound that was heard then, and a sentence of n frames takes ceil(n / 112) windows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...components.arrays import F32, F64, I64
from ...components.gesture import FPS, LATENT, NEW, SAMPLES, SEED, WINDOW, Sentence, Window
from ...components.speech import RATE, Word
from .model import condition, marked, word_ids

HISTORY = 22  # latents that the decoder sees either way of a frame
TAIL = 8  # frames made beyond the sentence's end, so that she need not stop with its last sample
KEPT = 3  # sentences of an avatar that another may go on from
LEAST_SEAM, MOST_SEAM = 8, 16  # frames of crossfade at a seam
SEAM_DEG = 180.0 / math.pi  # deg: jump of which a crossfade takes a second; 90 deg/s at its middle, as a corpus cut
_SEEDS = SEED // LATENT
_TOKENS, _WIDTH = WINDOW // LATENT, 384


class Model(Protocol):
    """What a session needs of the network (speech_gesture.model.Model has it)."""

    hash: str

    @property
    def vocabulary(self) -> Mapping[str, int]: ...
    @property
    def rest_seed(self) -> F32: ...
    def window(
        self, audio: F32, ids: I64, seed: F32, noise: F32, cancelled: Callable[[], bool] = ...
    ) -> F32 | None: ...
    def decode(self, latents: F32) -> F32: ...
    def encode(self, rotation: F32) -> F32: ...


@dataclass(slots=True)
class Past:
    """What was made of a sentence. latents: (n, 384), the one of frame 0 at `zero`; audio: with its lead before it."""

    latents: F32
    zero: int
    audio: F32
    words: tuple[Word, ...]


class Sessions:
    """Every avatar's sentences on one model. digest: of its weights."""

    def __init__(self, model: Model) -> None:
        self.model, self.digest = model, model.hash
        self._past: dict[int, dict[int, Past]] = {}

    def begin(self, sentence: Sentence, is_left: Callable[[], bool] = lambda: False) -> Iterator[Window | None]:
        """Yield its windows, in the order of their frames, and None between steps, where it may be left.

        is_left: asked within a window, which ends at once where nobody wants it any more
        """
        model = self.model
        seconds = len(sentence.audio) / RATE
        frames = max(math.ceil(seconds * FPS), 1)
        count = math.ceil(frames / NEW)
        last = min(frames + TAIL, count * NEW)
        latents, lead, words = self._before(sentence)
        past = Past(latents, len(latents), np.concatenate([lead, sentence.audio]), (*words, *sentence.words))
        self._keep(sentence, past)
        grid = SEED + count * NEW
        audio = condition(_padded(past.audio, grid * SAMPLES))
        begins = SEED / FPS
        timed = tuple(Word(w.text, w.start + begins, w.end + begins) for w in past.words)
        ids = word_ids(marked(timed, grid / FPS), grid, model.vocabulary)
        made = np.zeros((0, 55, 4), np.float32)
        for number in range(count):
            yield None
            first = number * NEW
            seed = past.latents[-_SEEDS:]
            part = audio[first * SAMPLES : (first + WINDOW) * SAMPLES]
            made_new = model.window(part, ids[first : first + WINDOW], seed, noise(sentence.key, number), is_left)
            if made_new is None:
                return
            yield None
            before = past.latents[-HISTORY:]
            past.latents = np.concatenate([past.latents, made_new[_SEEDS:]])
            decoded = model.decode(np.concatenate([before, made_new[_SEEDS:]]))
            again, new = decoded[: LATENT * len(before)], decoded[LATENT * len(before) :]
            at = number * NEW
            if number:
                width = seam_width(made[-1], again[-1])
                faded = crossfaded(made[-width:], again[-width:])
                made = np.concatenate([made[:-width], faded, new])
                at -= width
            else:
                made = new
            is_last = number == count - 1
            yield Window(sentence.id, sentence.avatar, at, made[at:last] if is_last else made[at:], is_last)

    def _before(self, sentence: Sentence) -> tuple[F32, F32, tuple[Word, ...]]:
        """Return the latents that end where it begins, and the sound and the words of their last 16 frames."""
        silence = np.zeros(SEED * SAMPLES, np.float32)
        past = self._past.get(sentence.avatar, {}).get(sentence.after)
        if past is not None:
            end = past.zero + sentence.frame // LATENT
            if end <= len(past.latents):
                held = past.latents[max(end - HISTORY, 0) : end]
                ends = len(silence) + sentence.frame * SAMPLES  # where its audio stands when this one begins
                heard = past.audio[max(ends - len(silence), 0) : ends]
                lead = np.concatenate([heard, silence[len(heard) :]])
                shift = sentence.frame / FPS
                words = tuple(Word(w.text, w.start - shift, w.end - shift) for w in past.words)
                return held, lead, tuple(w for w in words if w.start > -SEED / FPS and w.end <= 0.0)
        if len(sentence.shown) == SEED:
            return self.model.encode(sentence.shown), silence, ()
        return self.model.rest_seed, silence, ()

    def _keep(self, sentence: Sentence, past: Past) -> None:
        held = self._past.setdefault(sentence.avatar, {})
        held[sentence.id] = past
        for old in sorted(held)[:-KEPT]:
            del held[old]


def host(weights: str, **given: object) -> Sessions:
    """Return sessions on the model of a folder: what the model process makes. given: arguments of `load_model`."""
    from .model import load_model

    return Sessions(load_model(weights, **given))  # type: ignore[arg-type]


def noise(key: int, window: int) -> F32:
    """Return (32, 384) f32, the noise of one window: the same for the same key, whatever was drawn before."""
    bits = np.random.Philox(key=np.array([key & 0xFFFFFFFFFFFFFFFF, 0], np.uint64), counter=[0, 0, 0, window])
    return np.random.Generator(bits).standard_normal((_TOKENS, _WIDTH), dtype=np.float32)


def seam_width(old: F32, new: F32) -> int:
    """Return frames of crossfade between two decodings of one frame, by the joint that they differ in most."""
    dot = np.abs(np.einsum("jk,jk->j", old.astype(np.float64), new.astype(np.float64)))
    jump = float(np.degrees(2.0 * np.arccos(np.minimum(dot, 1.0))).max())
    return min(max(math.ceil(jump / SEAM_DEG * FPS), LEAST_SEAM), MOST_SEAM)


def crossfaded(old: F32, new: F32) -> F32:
    """Return (n, 55, 4): from the old decoding to the new on a sine. old, new: (n, 55, 4)."""
    share = np.sin(0.5 * np.pi * np.arange(1, len(old) + 1) / (len(old) + 1)) ** 2
    a, b = old.astype(np.float64), new.astype(np.float64)
    dot = np.einsum("fjk,fjk->fj", a, b)
    b[dot < 0.0] *= -1.0
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    out = _part(a, b, angle, share[:, None])
    return (out / np.linalg.norm(out, axis=-1, keepdims=True)).astype(np.float32)


def _part(a: F64, b: F64, angle: F64, share: F64) -> F64:
    sine = np.sin(angle)
    near = sine < 1e-6
    whole = np.where(near, 1.0, sine)
    left = np.where(near, 1.0 - share, np.sin((1.0 - share) * angle) / whole)
    right = np.where(near, share, np.sin(share * angle) / whole)
    return a * left[..., None] + b * right[..., None]


def _padded(audio: F32, samples: int) -> F32:
    out = np.zeros(samples, np.float32)
    out[: min(len(audio), samples)] = audio[:samples]
    return out
