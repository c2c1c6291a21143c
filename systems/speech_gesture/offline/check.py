"""The first look at a converted model: is it whole, does it make motion, does the motion join."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F32
from ....components.errors import ModelError
from ....components.gesture import FPS, NEW, Sentence
from ....components.speech import RATE, Word
from ..model import load_model, marked, source
from ..session import Sessions
from .convert import digest
from .recording import motion


def check(
    folder: Path, said: tuple[F32, Sequence[Word]], report: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Return name -> what was found. ModelError at the first thing that is wrong.

    said: samples at 16 kHz and words of a sentence, which she says twice in a row
    """
    audio, words = said[0], tuple(said[1])
    report("reading")
    files = source.Converted(folder)
    found = digest(files.path)
    if found != files.hash:
        raise ModelError(f"{files.path}: SHA-256 {found}, model.json says {files.hash}; convert again")
    began = time.perf_counter()
    model = load_model(folder)
    loaded = time.perf_counter() - began
    sessions = Sessions(model)
    frames = len(audio) * FPS // RATE
    began = time.perf_counter()
    first = motion(sessions, Sentence(1, 1, 1, audio, words), report)[:frames]
    took = time.perf_counter() - began
    report("the same again, from where she is")
    second = motion(sessions, Sentence(2, 1, 2, audio, words, after=1, frame=frames), report)[:frames]
    both = np.concatenate([first, second])
    if not np.isfinite(both).all():
        raise ModelError(f"{folder}: its motion is not finite; the weights are damaged, convert again")
    read = [word.text for word in marked(words, 0.0) if word.text]
    turn = turns(both)
    return {
        "tensors": len(source.expected(files.rows)),
        "sha256": files.hash,
        "sampler": f"{model.sampler}, {model.steps} steps",
        "vocabulary": len(model.vocabulary),
        "words known": f"{sum(word in model.vocabulary for word in read)} of {len(read)}",
        "load s": round(loaded, 2),
        "window ms": round(1000 * took / -(-frames // NEW)),
        "frames": len(both),
        "arms deg/frame": round(float(turn[:, 16:22].mean()), 2),
        "fingers deg/frame": round(float(turn[:, 25:].mean()), 2),
        "still joints": int((turn.max(0) < 0.01).sum()),
        **_joins("window", first, list(range(NEW, frames - 2, NEW)), first),
        **_joins("sentence", both, [frames], first),
    }


def turns(rotation: F32) -> F32:
    """Return (n - 1, joints) f32 deg that each joint turns from frame to frame."""
    dot = np.abs((rotation[1:] * rotation[:-1]).sum(-1)).clip(0.0, 1.0)
    return np.degrees(2.0 * np.arccos(dot)).astype(np.float32)


def _joins(name: str, rotation: F32, at: list[int], usual: F32) -> dict[str, Any]:
    """Return the turn into the first frame of each join, in deg, and its change, beside the most of all frames."""
    found = {}
    for what, measure in (("jump", turns), ("change", _changes)):
        there, elsewhere = measure(rotation).max(1), measure(usual).max(1)
        most = max((float(there[k - 2 : k + 1].max()) for k in at if 2 <= k < len(there)), default=0.0)
        found[f"{name} {what} deg"] = f"{most:.2f}, inside {elsewhere.max():.2f}"
    return found


def _changes(rotation: F32) -> F32:
    return np.abs(np.diff(turns(rotation), axis=0))
