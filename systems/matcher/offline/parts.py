"""One recording made into a part of a corpus: read, turned onto the neutral rig, its voice measured, kept in a file.

A part is named after everything it was made from, so a build that was stopped finds it again.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....components.corpus import ARRAYS, FPS, Clip
from ....components.errors import AudioError, CorpusError
from ....components.take import TAKE_RATE
from ...retarget.recorded import neutral
from ...voice.analyse import analyse, feature_hash
from . import sources
from .performers.build import features

VERSION = 3  # of what is made of a take; count up when a formula changes, so that parts of an older build are not used
NAMES = (*ARRAYS, "clip", "offset", "warnings", "moment", "rig")
KEPT_SHARE = 0.95  # of a finger joint's motion: with less, something on this hand was read along a wrong axis


@dataclass(frozen=True, slots=True)
class Options:
    """How every source of a build is read.

    hand_mean: of SMPL-X hands; pool: of `pooled.again`; others: "" means as the files say
    """

    hand_mean: sources.HandMean | None = None
    performer: str = ""
    licence: str = ""
    audio: Path | None = None
    pool: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one source: the part it was written to, or the reason why it is left out.

    key: the name of everything it is made from, "" where it could not be read
    """

    source: Path
    part: str
    reason: str
    warnings: tuple[str, ...]
    key: str = ""


def make(file: Path, options: Options, folder: Path) -> Done:
    """Make one source's part, or find the one that an earlier build made; say why where it cannot be used."""
    key, reason = key_of(file, options)
    if reason:
        return Done(file, "", reason, (), key)
    part = f"{key}.npz"
    known = load(folder / part, missing=True)
    if known is None:
        made, reason = part_of(file, options)
        if made is None:
            return Done(file, "", reason, (), key)
        known = made
        keep(folder / part, packed(known))
    return Done(file, part, "", tuple(str(w) for w in known["warnings"]), key)


def part_of(file: Path, options: Options) -> tuple[dict[str, Any] | None, str]:
    """Return a source's arrays and what is said of it, or None and why it cannot be used."""
    try:
        return _part(file, options), ""
    except CorpusError as cause:
        return None, str(cause)
    except sources.UNFORESEEN as cause:
        return None, sources.unforeseen(file, cause)


def key_of(file: Path, options: Options) -> tuple[str, str]:
    """Return the name of everything that a part is made from, or "" and why it cannot be read."""
    audio = options.audio or sources.beside(file)
    h = hashlib.blake2b(digest_size=16)
    words = sources.said_beside(audio) if audio else None
    for path in (file, audio, words, options.hand_mean if isinstance(options.hand_mean, Path) else None):
        try:
            h.update(b"\0" if path is None else hashlib.blake2b(path.read_bytes()).digest())
        except OSError as cause:
            return "", f"{path}: cannot be read ({cause.strerror or cause})"
    mean = options.hand_mean.name if isinstance(options.hand_mean, Path) else options.hand_mean
    said = asdict(options) | {"audio": options.audio.name if options.audio else "", "hand_mean": mean}
    names = (file.stem, file.resolve().parent.name, audio.name if audio else "", feature_hash(), VERSION)
    h.update(repr((names, sorted(said.items()))).encode())
    return h.hexdigest(), ""


def _part(file: Path, options: Options) -> dict[str, Any]:
    take = sources.read(
        file,
        audio=options.audio,
        hand_mean=options.hand_mean,
        performer=options.performer,
        licence=options.licence,
    )
    if take.audio is None:
        why = next((w for w in take.warnings if w.startswith("no voice")), "no audio file of the same stem beside it")
        raise CorpusError(f"{file}: {why}; a corpus needs the voice, a motion alone serves 'reflex fit'")
    try:
        speech = analyse(take.audio, take.rate)
    except AudioError as cause:
        raise CorpusError(f"{file}: its voice: {cause}") from None
    pool = np.array(options.pool).reshape(-1, 4, 3) if options.pool else None
    made = neutral(take.rig, take.rotation, take.hands, is_ours=take.is_ours, pool=pool)
    step = TAKE_RATE // FPS
    rotation = made.rotation[::step].astype(np.float32)
    hand = made.hand[::step].astype(np.float32)
    envelope, coefficient, voiced = features(speech, len(rotation))
    offset, doubt = sources.offset(take, speech)
    warnings = [*take.warnings, *_heard(speech.voiced, doubt)]
    if made.fingers is not None and (low := np.flatnonzero(made.fingers.kept < KEPT_SHARE)).size:
        warnings.append(
            f"{low.size} finger joints keep under {KEPT_SHARE:.0%} of their motion, least "
            f"{np.nanmin(made.fingers.kept):.2f}"
        )
    return {
        "rotation": rotation,
        "hand": hand,
        "envelope": envelope,
        "coefficient": coefficient,
        "voiced": voiced,
        "clip": np.array([take.name, take.performer, take.voice, take.licence, take.source, take.text]),
        "offset": np.array(np.nan if offset is None else offset),
        "moment": made.fingers.moment if made.fingers is not None and not take.is_ours else np.zeros((0, 4, 3)),
        "rig": np.array(take.rig.digest),
        "warnings": np.array(warnings, dtype=np.str_),
    }


def _heard(voiced: np.ndarray, doubt: str) -> list[str]:
    if not voiced.any():
        return ["nobody speaks in its voice: it can be matched by its pose only"]
    return [doubt] if doubt else []


def clip(part: dict[str, Any], label: str) -> Clip:
    """Return the clip of a part, under this name."""
    _, performer, voice, licence, source, text = (str(word) for word in part["clip"])
    offset = float(part["offset"])
    return Clip(label, performer, voice, text, licence, {}, source, None if np.isnan(offset) else round(offset, 3))


def packed(part: dict[str, Any]) -> bytes:
    """Return a part as the bytes of its file."""
    room = io.BytesIO()
    np.savez(room, **part)
    return room.getvalue()


def keep(path: Path, data: bytes) -> None:
    """Write a part whole or not at all."""
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        partial.write_bytes(data)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def load(path: Path, names: Sequence[str] = NAMES, *, missing: bool = False) -> dict[str, Any] | None:
    """Return what a part holds; None for one that is not there, or not whole, where that may be."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in names}
    except Exception as cause:  # whatever a torn file raises: it is made again
        if missing:
            return None
        raise CorpusError(f"{path}: a part of this build was changed or removed ({cause}); run it again") from None
