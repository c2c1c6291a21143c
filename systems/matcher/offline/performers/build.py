"""The corpus of synthetic performers: every sentence spoken, analysed and moved to, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from .....components.arrays import F32, frozen
from .....components.corpus import FPS, Clip, Corpus
from .....components.errors import CorpusError
from .....components.speech import HOP, RATE, Speech
from ....voice.analyse import analyse, feature_hash
from ...corpus_file import save
from .speak import VOICES, Voice, check_programs, speak
from .styles import AUTHORED_GAIN, STYLES
from .synth import synth

SENTENCES = Path(__file__).with_name("sentences.txt")
LICENCE = "CC0-1.0"


def sentences(styles: Sequence[str] = tuple(STYLES)) -> list[tuple[str, str]]:
    """Return (style, text) of every block of ours that is said in one of `styles`."""
    unknown = [style for style in styles if style not in STYLES]
    if unknown:
        raise CorpusError(f"corpus synth: no performer is called '{unknown[0]}'; there are {', '.join(STYLES)}")
    out = []
    for block in SENTENCES.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines and lines[0].strip("[]") in styles:
            out.append((lines[0].strip("[]"), " ".join(lines[1:])))
    return out


def build(
    out: Path,
    *,
    seed: int = 1,
    styles: Sequence[str] = tuple(STYLES),
    limit: int | None = None,
    report: Callable[[str], None] | None = None,
) -> Corpus:
    """Write the corpus of our performers into the folder `out` and return it as it reads back.

    The same seed, styles and limit give the same bytes with the same programs installed.

    styles: which performers; limit: clips a performer, None = all of them
    report: called with one line a clip
    Raises CorpusError: an unknown style, a voice program that is missing or fails.
    """
    check_programs()
    done: dict[str, int] = dict.fromkeys(styles, 0)
    clips: list[Clip] = []
    parts: list[tuple[F32, ...]] = []
    for style, text in sentences(styles):
        number = done[style]
        if limit is not None and number >= limit:
            continue
        done[style] += 1
        voice = voice_of(style, number)
        pcm, rate = speak(text, voice)
        speech = analyse(pcm, rate, text=text)
        rotation, hand = synth(speech, style, clip_seed(seed, style, number))
        parts.append((rotation, hand, *features(speech, len(rotation))))
        clips.append(Clip(f"{style}-{number + 1}", style, voice.label, text, LICENCE, dict(AUTHORED_GAIN)))
        if report is not None:
            report(f"{clips[-1].name}: {voice.label}, {len(rotation) / FPS:.1f} s")
    if not clips:
        raise CorpusError(
            f"corpus synth: no sentence is left of {len(sentences())}; ask for one style and one clip or more"
        )
    start = np.concatenate([[0], np.cumsum([len(part[0]) for part in parts])])
    rotation, hand, envelope, coefficient, voiced = (np.concatenate(column) for column in zip(*parts))
    corpus = Corpus(
        clips=tuple(clips),
        start=frozen(start, np.int32),
        rotation=rotation,
        hand=hand,
        envelope=envelope,
        coefficient=coefficient,
        voiced=voiced,
        feature_hash=feature_hash(),
        digest="",
    )
    return save(corpus, out, {"command": "kinesics corpus synth", "seed": seed, "styles": list(styles), "limit": limit})


def voice_of(style: str, number: int) -> Voice:
    """Return who speaks a performer's clip: every performer with all six voices, each starting with another."""
    return VOICES[(number + list(STYLES).index(style)) % len(VOICES)]


def clip_seed(seed: int, style: str, number: int) -> int:
    """Return the seed of one clip."""
    return 1000 * seed + 100 * list(STYLES).index(style) + number


def features(speech: Speech, frames: int) -> tuple[F32, F32, np.ndarray]:
    """Return envelope (2F,), coefficient (F, 13) and voiced (F,) of the first F = `frames` stored frames.

    A stored frame's coefficients are the mean over the 10 ms hops that start in its 1/30 s, over voiced ones where
    there are any; it is voiced where at least half of them are.
    """
    hop = np.arange(len(speech.coefficient))
    frame = np.minimum(hop * HOP * FPS // RATE, frames - 1)
    count = np.maximum(np.bincount(frame, minlength=frames), 1)
    spoken = np.bincount(frame, weights=speech.voiced, minlength=frames)
    weight = np.where(spoken[frame] > 0, speech.voiced.astype(np.float64), 1.0)
    total = np.maximum(np.bincount(frame, weights=weight, minlength=frames), 1e-9)
    mean = [np.bincount(frame, weights=weight * column, minlength=frames) / total for column in speech.coefficient.T]
    coefficient = np.stack(mean, axis=1).astype(np.float32)
    envelope = np.asarray(speech.envelope, np.float32)
    if len(envelope) < 2 * frames:
        envelope = np.concatenate([envelope, np.repeat(envelope[-1:], 2 * frames - len(envelope))])
    return envelope[: 2 * frames], coefficient, spoken >= 0.5 * count
