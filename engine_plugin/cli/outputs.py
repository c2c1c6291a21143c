"""Where results go: refused before any work if they cannot. Files are written whole by who makes them, folders here."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...components.errors import OutputError


def claim(outputs: Iterable[Path | None], inputs: Iterable[Path | str | None] = ()) -> None:
    """Refuse, before any work, every output that would be lost, harm an input or follow a link. None is skipped."""
    sources = [Path(source) for source in inputs if source is not None]
    taken: list[Path] = []
    for target in outputs:
        if target is None:
            continue
        _refuse(target, sources)
        if any(_is_same(target, other) for other in taken):
            raise OutputError(f"{target}: two outputs of one command would be this file; name another")
        taken.append(target)


def _refuse(target: Path, sources: list[Path]) -> None:
    if target.is_symlink():
        raise OutputError(f"{target}: is a link to {os.readlink(target)}; name the file itself")
    for source in sources:
        if _is_same(target, source):
            raise OutputError(f"{target}: is also an input; name another output")
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OutputError(f"{target}: is neither a file nor a folder; name another output")
    folder = target.parent
    if not folder.is_dir():
        raise OutputError(f"{target}: there is no folder {folder}; make it first")
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as cause:
        raise OutputError(f"{target}: folder {folder} cannot be written: {cause.strerror}") from None


def claim_folder(target: Path, inputs: Iterable[Path | str | None] = ()) -> None:
    """The same for a result that is a folder: a new one, or an empty one."""
    if target.is_dir() and not target.is_symlink() and any(target.iterdir()):
        raise OutputError(f"{target}: is a folder that is not empty; name a new one")
    if target.is_file():
        raise OutputError(f"{target}: is a file; name a new folder")
    if not target.name:  # what is made beside it and moved here could not take its place
        raise OutputError(f"{target}: is the folder you are in, or a root; name a new folder")
    claim([target], inputs)


@contextmanager
def filling(target: Path) -> Iterator[Path]:
    """Yield a new folder beside `target`; it becomes `target` at the end, or goes if anything fails."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    partial.mkdir()
    try:
        yield partial
        if target.is_dir():
            target.rmdir()  # it was empty when it was claimed; if it no longer is, this says so
        os.replace(partial, target)
    finally:
        if partial.is_dir():
            shutil.rmtree(partial)


def _is_same(a: Path, b: Path) -> bool:
    """Two paths of one file; also where it is not there yet, or is linked under two names."""
    try:
        return a.samefile(b)
    except OSError:
        return a.resolve() == b.resolve()
