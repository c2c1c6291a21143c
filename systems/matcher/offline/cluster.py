"""The parts of a corpus made on a Ray cluster: the same tasks, their results brought here and kept as ours are."""

from __future__ import annotations

import socket
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from . import remote
from .parts import Done, Options, keep, key_of, load, packed, part_of

Given = TypeVar("Given")


def each(files: Sequence[Path], options: Options, folder: Path, address: str) -> Generator[Done, None, None]:
    """Yield what becomes of each source, as it is finished.

    address: as in `remote.each`
    Every node has to see the sources under the same paths and have this version of kinesics.
    Raises CorpusError: as `remote.each`, and for a node that sees another file.
    """
    # a node has another working directory, and a link keeps the name that it goes by
    theirs = replace(options, audio=_absolute(options.audio), hand_mean=_absolute(options.hand_mean))
    found: list[Done] = []  # what an earlier build made

    def tasks() -> Iterator[tuple[str, tuple[Path, str], tuple[Any, ...]]]:
        for file in files:
            known = _known(file, options, folder)
            if isinstance(known, Done):
                found.append(known)
            else:
                yield str(file), (file, known), (str(file.absolute()), theirs, known)

    for (file, key), (data, reason, warnings) in remote.each(address, remote_part, tasks()):
        yield from _taken(found)
        if data is None:
            yield Done(file, "", reason.replace(str(file.absolute()), str(file)), (), key)
            continue
        keep(folder / f"{key}.npz", data)
        yield Done(file, f"{key}.npz", "", warnings, key)
    yield from _taken(found)


def remote_part(file: str, options: Options, key: str) -> tuple[bytes | None, str, tuple[str, ...]]:
    """Make a part on a node: its bytes, or why it cannot be used, and its warnings."""
    own, reason = key_of(Path(file), options)
    if own != key:
        raise RuntimeError(
            f"node {socket.gethostname()} sees another {file}, or has another version of kinesics "
            f"({reason or 'its contents differ'}): share the folder with every node and install the same version"
        )
    made, reason = part_of(Path(file), options)
    if made is None:
        return None, reason, ()
    return packed(made), "", tuple(str(w) for w in made["warnings"])


def _absolute(given: Given) -> Given:
    return given.absolute() if isinstance(given, Path) else given


def _known(file: Path, options: Options, folder: Path) -> Done | str:
    """Return what an earlier build made of a source, or the key to make it under."""
    key, reason = key_of(file, options)
    if reason:
        return Done(file, "", reason, (), key)
    part = load(folder / f"{key}.npz", missing=True)
    return key if part is None else Done(file, f"{key}.npz", "", tuple(str(w) for w in part["warnings"]), key)


def _taken(found: list[Done]) -> Iterator[Done]:
    while found:
        yield found.pop(0)
