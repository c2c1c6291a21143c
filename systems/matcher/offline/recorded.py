"""The corpus of recorded talkers: every file read, turned onto the neutral rig, its voice measured; in parallel.

Each clip becomes a part file of its own in a folder beside the corpus. A build that was stopped finds them again and
goes on; the corpus itself appears whole, or not at all. Memory holds one clip at a time, however many there are.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from ....components.corpus import Clip, Corpus
from ....components.errors import CorpusError
from ....components.mapped import Arrays
from ....components.processes import runs
from ...voice.analyse import feature_hash
from .. import corpus_store
from ..corpus_file import made_by
from . import cluster, pooled, workers
from .parts import VERSION, Done, Options, clip, key_of, load, make

__all__ = ["Done", "Options", "build", "built"]


def build(
    files: Sequence[Path],
    out: Path,
    *,
    options: Options | None = None,
    workers: int = 1,
    ray: str = "",
    report: Callable[[Done], None] | None = None,
) -> tuple[Corpus, list[Done]]:
    """Write the corpus of these recordings into the new folder `out`; return it as it reads back, and each source.

    The same files and options give the same bytes whoever makes the parts, and after any interruption.

    workers: processes; ray: address of a cluster that makes the parts instead (see `cluster.each`)
    report: called once a source as it is finished
    Raises CorpusError: no source is usable (each one's reason is in what `report` was told), a worker was killed, a
    full disk.
    """
    options = options or Options()
    parts = out.with_name(f".{out.name}.parts")
    _sweep(out)
    try:
        parts.mkdir(exist_ok=True)
        ordered = _made(files, options, parts, workers, ray, report)
        good = [one for one in ordered if not one.reason]
        if not good:
            first = ordered[0].reason if ordered else "no files"
            shutil.rmtree(parts, ignore_errors=True)
            raise CorpusError(f"corpus build: none of {len(ordered)} sources can be used; the first: {first}")
        _assemble(out, parts, good, _made_by(ordered, options))
    except OSError as cause:
        raise CorpusError(
            f"{out}: {cause.strerror or cause}; the corpus is not written, finished clips wait in {parts.name}: "
            "mend that and run it again"
        ) from None
    finally:
        with suppress(OSError):  # nothing is finished: nothing is left
            parts.rmdir()
    shutil.rmtree(parts, ignore_errors=True)
    return corpus_store.load(out, feature_hash()), ordered


def built(files: Sequence[Path], out: Path, options: Options) -> Corpus | None:
    """Return the corpus in `out` if it is the one that `build` would make, None if there is none or another one.

    A build that was killed after its last step finds itself done.
    """
    try:
        corpus = corpus_store.load(out, feature_hash())
        known = made_by(out).get("inputs")
    except CorpusError:
        return None
    if known != _inputs((file.name, key_of(file, options)[0]) for file in files):
        return None
    shutil.rmtree(out.with_name(f".{out.name}.parts"), ignore_errors=True)
    return corpus


def _made(
    files: Sequence[Path],
    options: Options,
    parts: Path,
    count: int,
    address: str,
    report: Callable[[Done], None] | None,
) -> list[Done]:
    def makes(some: Sequence[Path], how: Options) -> Generator[Done, None, None]:
        if address:
            made = cluster.each(some, how, parts, address)
        else:
            task = partial(make, options=how, folder=parts)
            made = workers.each(task, some, count, command="corpus build", kept="clips")
        with closing(made) as each:  # closed at once: Ctrl-C must not wait for the rest
            yield from each

    done: dict[Path, Done] = {}
    with closing(makes(files, options)) as each:
        for one in each:
            done[one.source] = one
            if report is not None:
                report(one)
    return pooled.again([done[file] for file in files], parts, options, makes)


def _assemble(out: Path, parts: Path, good: Sequence[Done], said: dict[str, Any]) -> None:
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    partial.mkdir()
    try:
        corpus_store.write(partial, _clips(parts, good), feature_hash(), said)
        if out.is_dir():
            out.rmdir()  # it was empty when it was claimed; if it no longer is, this says so
        os.replace(partial, out)
    finally:
        if partial.is_dir():
            shutil.rmtree(partial)


def _clips(parts: Path, good: Sequence[Done]) -> Iterator[tuple[Clip, Arrays]]:
    """Yield the parts one after the other; clips of one name are numbered."""
    taken: dict[str, int] = {}
    for one in good:
        part = load(parts / one.part)
        assert part is not None
        name = str(part["clip"][0])
        taken[name] = taken.get(name, 0) + 1
        yield clip(part, name if taken[name] == 1 else f"{name}#{taken[name]}"), part


def _sweep(out: Path) -> None:
    """Remove the half-written corpora that killed builds left beside this one, never that of one that runs."""
    for left in out.parent.glob(f".{out.name}.*.partial"):
        number = left.name.split(".")[-2]
        if number.isdecimal() and (int(number) == os.getpid() or not runs(int(number))):
            shutil.rmtree(left, ignore_errors=True)


def _inputs(keys: Iterator[tuple[str, str]]) -> str:
    return hashlib.blake2b(repr(list(keys)).encode(), digest_size=16).hexdigest()


def _made_by(done: Sequence[Done], options: Options) -> dict[str, Any]:
    """Return what the readable file says: options, warnings of each clip, and what was left out. No machine's paths."""
    mean = options.hand_mean.name if isinstance(options.hand_mean, Path) else options.hand_mean
    return {
        "command": "kinesics corpus build",
        "version": VERSION,
        "inputs": _inputs((one.source.name, one.key) for one in done),
        "hand_mean": mean or "as each take says, else a relaxed hand of ours",
        "warnings": {one.source.name: list(one.warnings) for one in done if one.warnings},
        "skipped": [
            {"source": one.source.name, "reason": one.reason.replace(str(one.source), one.source.name)}
            for one in done
            if one.reason
        ],
    }
