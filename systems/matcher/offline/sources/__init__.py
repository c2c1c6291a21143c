"""Recorded talkers from files of every kind, as takes at 60 Hz with their voice. One file a format."""

from __future__ import annotations

import hashlib
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from .....components.errors import CorpusError
from .....components.grading import refuse_grades
from .....components.take import TAKE_RATE, Take
from . import bvh, clip, run, smplx
from .smplx import HandMean
from .spline import resampled, resampled_turns
from .voice import beside, offset, said_beside, with_voice

__all__ = ["ENDINGS", "UNFORESEEN", "HandMean", "beside", "files", "offset", "read", "said_beside", "unforeseen"]

ENDINGS = (".npz", ".bvh", ".glb", ".gltf", ".vrma")
LEAST = 1.0  # s, a row
# What a file broken in a way that no reader foresaw may raise: it must not end the reading of a thousand others
UNFORESEEN = (
    ValueError, LookupError, ArithmeticError, RuntimeError, TypeError, AttributeError, EOFError, MemoryError, OSError,
    zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
_BEAT = re.compile(r"^\d+_([A-Za-z]+)_\d+_\d+_\d+$")  # BEAT and BEAT2 name the speaker: 2_scott_0_1_1


def files(sources: Iterable[Path]) -> list[Path]:
    """Return every motion file of these files and folders, sorted within each folder; CorpusError for none.

    GradingError where one is, or holds, a store of her grades.

    A glb that is no motion is met when it is read, and skipped with its reason.
    """
    out: list[Path] = []
    for source in sources:
        refuse_grades(source)
        if source.is_dir():
            found = sorted(p for p in source.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
            if not found:
                raise CorpusError(f"{source}: no motion in this folder; {', '.join(ENDINGS)} are read")
            out += found
        elif source.suffix.lower() in ENDINGS and source.is_file():
            out.append(source)
        elif source.exists():
            raise CorpusError(f"{source}: not a motion file; {', '.join(ENDINGS)} are read")
        else:
            raise CorpusError(f"{source}: no such file or folder; check the path")
    return list(dict.fromkeys(out))


def unforeseen(file: Path, cause: BaseException) -> str:
    """Return the line that tells one of UNFORESEEN."""
    why = f"{type(cause).__name__}: {' '.join(str(cause).split())[:120]}"
    return f"{file}: broken in an unforeseen way ({why}); report it with the file"


def read(
    path: Path,
    *,
    audio: Path | None = None,
    hand_mean: HandMean | None = None,
    performer: str = "",
    licence: str = "",
) -> Take:
    """Return a recording at 60 Hz with its voice.

    audio: the voice's file; None: the audio file of the same stem beside it, if there is one
    hand_mean: of SMPL-X hands, see `smplx.read`
    performer: None said: a BEAT file's own, else the folder's name
    licence: None said: "unknown"

    Raises:
        CorpusError: one line: what is wrong with the file, and what to do.
    """
    take = with_voice(_read(path, hand_mean), beside(path) if audio is None else audio)
    beat = _BEAT.match(path.stem)
    turns, root = take.rotation, take.root
    if take.fps != TAKE_RATE:
        turns, root = resampled_turns(turns, take.fps), resampled(root, take.fps)
    if len(turns) < LEAST * TAKE_RATE:
        raise CorpusError(f"{path}: {len(turns) / TAKE_RATE:.2f} s, wanted {LEAST:g} s at least; give longer takes")
    if not (np.isfinite(turns).all() and np.isfinite(root).all()):
        raise CorpusError(f"{path}: its rotations or places are not finite; export it again")
    audio_samples = take.audio
    if audio_samples is not None:
        audio_samples = audio_samples[: int(np.ceil(len(turns) / TAKE_RATE * take.rate))]
    return replace(
        take,
        rotation=turns,
        root=root,
        fps=float(TAKE_RATE),
        audio=audio_samples,
        performer=performer or (beat.group(1) if beat else path.resolve().parent.name),
        licence=licence or "unknown",
        source=hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest(),
    )


def _read(path: Path, hand_mean: HandMean | None) -> Take:
    ending = path.suffix.lower()
    if ending == ".bvh":
        return bvh.read(path)
    if ending in (".glb", ".gltf", ".vrma"):
        return clip.read(path)
    if ending == ".npz":
        arrays = smplx.load(path)
        if run.is_run(set(arrays)):
            return run.read(path, arrays)
        if smplx.is_smplx(set(arrays)):
            return smplx.read(path, arrays, hand_mean)
        raise CorpusError(
            f"{path}: neither an SMPL-X take ('poses') nor a run ('rotation'); it holds {', '.join(sorted(arrays)[:6])}"
        )
    raise CorpusError(f"{path}: not a motion file; {', '.join(ENDINGS)} are read")
