"""The corpus of recorded talkers: every file read, turned onto the neutral rig, its voice measured; in parallel.

Each clip becomes a part file of its own in a folder beside the corpus, named after everything it was made from. A
build that was stopped finds them again and goes on; the corpus itself appears whole, or not at all.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import frozen
from ....components.corpus import FPS, Clip, Corpus
from ....components.errors import AudioError, CorpusError
from ....components.take import TAKE_RATE
from ...retarget.recorded import neutral
from ...voice.analyse import analyse, feature_hash
from ...voice.files import words_beside
from ..corpus_file import save
from . import sources
from .performers.build import features

VERSION = 1  # of what is made of a take; count up when a formula changes, so that parts of an older build are not used
_ARRAYS = ("rotation", "hand", "envelope", "coefficient", "voiced")
KEPT_SHARE = 0.95  # of a finger joint's motion: with less, something on this hand was read along a wrong axis


@dataclass(frozen=True, slots=True)
class Options:
    """How every source of a build is read. hand_mean: of SMPL-X hands; others: "" means as the files say."""

    hand_mean: sources.HandMean | None = None
    performer: str = ""
    licence: str = ""
    audio: Path | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one source: the part it was written to, or the reason why it is left out."""

    source: Path
    part: str
    reason: str
    warnings: tuple[str, ...]


def build(
    files: Sequence[Path],
    out: Path,
    *,
    options: Options | None = None,
    workers: int = 1,
    report: Callable[[Done], None] | None = None,
) -> tuple[Corpus, list[Done]]:
    """Write the corpus of these recordings into the new folder `out`; return it as it reads back, and each source.

    The same files and options give the same bytes whatever the number of workers, and after any interruption.

    workers: processes; report: called once a source as it is finished
    Raises CorpusError: no source is usable (each one's reason is in what `report` was told), a worker was killed.
    """
    options = options or Options()
    parts = out.with_name(f".{out.name}.parts")
    parts.mkdir(exist_ok=True)
    done: dict[Path, Done] = {}
    with closing(_made(files, options, parts, workers)) as each:  # closed at once: Ctrl-C must not wait for the rest
        for one in each:
            done[one.source] = one
            if report is not None:
                report(one)
    ordered = [done[file] for file in files]
    good = [one for one in ordered if not one.reason]
    if not good:
        first = ordered[0].reason if ordered else "no files"
        shutil.rmtree(parts, ignore_errors=True)
        raise CorpusError(f"corpus build: none of {len(ordered)} sources can be used; the first: {first}")
    corpus = _whole([_load(parts / one.part) for one in good])
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        made = save(corpus, partial, _made_by(ordered, options))
        if out.is_dir():
            out.rmdir()  # it was empty when it was claimed; if it no longer is, this says so
        os.replace(partial, out)
    finally:
        if partial.is_dir():
            shutil.rmtree(partial)
    shutil.rmtree(parts, ignore_errors=True)
    return made, ordered


def _made(files: Sequence[Path], options: Options, parts: Path, workers: int) -> Generator[Done, None, None]:
    if workers <= 1 or len(files) < 2:
        for file in files:
            yield make(file, options, parts)
        return
    with ProcessPoolExecutor(min(workers, len(files)), mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(make, file, options, parts) for file in files]
        try:
            for future in as_completed(waiting):
                yield future.result()
        except BrokenProcessPool:
            raise CorpusError(
                "corpus build: a worker was killed (out of memory?); run it again with fewer --workers, "
                "finished clips are kept"
            ) from None
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)  # the pool's own exit would let them all finish
            raise


def make(file: Path, options: Options, parts: Path) -> Done:
    """Make one source's part, or find the one that an earlier build made; say why where it cannot be used."""
    try:
        part = f"{_key(file, options)}.npz"
        known = _load(parts / part, missing=True)
        if known is None:
            known = _part(file, options)
            _write(parts / part, known)
        return Done(file, part, "", tuple(str(w) for w in known["warnings"]))
    except CorpusError as cause:
        return Done(file, "", str(cause), ())
    except (ValueError, LookupError, ArithmeticError, RuntimeError) as cause:
        # a file broken in a way that no reader foresaw must not end a build of a thousand others
        why = f"{type(cause).__name__}: {' '.join(str(cause).split())[:120]}"
        return Done(file, "", f"{file}: broken in an unforeseen way ({why}); report it with the file", ())


def _key(file: Path, options: Options) -> str:
    """Return the name of everything that a part is made from."""
    audio = options.audio or sources.beside(file)
    h = hashlib.blake2b(digest_size=16)
    words = words_beside(audio) if audio else None
    for path in (file, audio, words, options.hand_mean if isinstance(options.hand_mean, Path) else None):
        try:
            h.update(b"\0" if path is None else hashlib.blake2b(path.read_bytes()).digest())
        except OSError as cause:
            raise CorpusError(f"{path}: cannot be read ({cause.strerror or cause})") from None
    names = (file.stem, file.resolve().parent.name, audio.name if audio else "", feature_hash(), VERSION)
    h.update(repr((names, sorted(asdict(options).items(), key=lambda item: item[0]))).encode())
    return h.hexdigest()


def _part(file: Path, options: Options) -> dict[str, Any]:
    """Return a source's arrays and what is said of it."""
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
    made = neutral(take.rig, take.rotation, take.hands, is_ours=take.is_ours)
    step = TAKE_RATE // FPS
    rotation = made.rotation[::step].astype(np.float32)
    hand = made.hand[::step].astype(np.float32)
    envelope, coefficient, voiced = features(speech, len(rotation))
    warnings = [*take.warnings, *_heard(speech.voiced, sources.doubted(take, speech))]
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
        "warnings": np.array(warnings, dtype=np.str_),
    }


def _heard(voiced: np.ndarray, doubt: str) -> list[str]:
    if not voiced.any():
        return ["nobody speaks in its voice: it can be matched by its pose only"]
    return [doubt] if doubt else []


def _write(path: Path, arrays: dict[str, Any]) -> None:
    """Write a part whole or not at all."""
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        with partial.open("wb") as file:
            np.savez(file, **arrays)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _load(path: Path, *, missing: bool = False) -> dict[str, Any] | None:
    """Return a part; None for one that is not there, or not whole, where that may be."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in (*_ARRAYS, "clip", "warnings")}
    except Exception as cause:  # whatever a torn file raises: it is made again
        if missing:
            return None
        raise CorpusError(f"{path}: a part of this build was changed or removed ({cause}); run it again") from None


def _whole(parts: Sequence[dict[str, Any] | None]) -> Corpus:
    """Return the parts one after the other; clips of one name are numbered."""
    clips: list[Clip] = []
    taken: dict[str, int] = {}
    whole = [part for part in parts if part is not None]
    for part in whole:
        name, performer, voice, licence, source, text = (str(word) for word in part["clip"])
        taken[name] = taken.get(name, 0) + 1
        label = name if taken[name] == 1 else f"{name}#{taken[name]}"
        clips.append(Clip(label, performer, voice, text, licence, {}, source))
    start = np.concatenate([[0], np.cumsum([len(part["rotation"]) for part in whole])])
    joined = {name: np.concatenate([part[name] for part in whole]) for name in _ARRAYS}
    return Corpus(tuple(clips), frozen(start, np.int32), **joined, feature_hash=feature_hash(), digest="")


def _made_by(done: Sequence[Done], options: Options) -> dict[str, Any]:
    """Return what the readable file says: options, warnings of each clip, and what was left out. No machine's paths."""
    mean = options.hand_mean.name if isinstance(options.hand_mean, Path) else options.hand_mean
    return {
        "command": "kinesics corpus build",
        "version": VERSION,
        "hand_mean": mean or "as each take says, else a relaxed hand of ours",
        "warnings": {one.source.name: list(one.warnings) for one in done if one.warnings},
        "skipped": [
            {"source": one.source.name, "reason": one.reason.replace(str(one.source), one.source.name)}
            for one in done
            if one.reason
        ],
    }
