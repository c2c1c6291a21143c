"""What was turned onto an avatar is kept in the user's cache and mapped from there: the second start reads nothing.

An entry is a folder of .npy files with a readable `entry.json`. It appears whole or not at all, and may be deleted.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...components.mapped import Arrays, Growing, Layout, opened
from ...components.processes import runs
from ..kernels.compiled import FOLDER

KEPT = FOLDER.parent / "talkers"
MOST = 12 << 30  # bytes of all entries, above which those that were not used for the longest are dropped (choice)
_ENTRY = "entry.json"

log = logging.getLogger(__name__)  # INFO: one line before a corpus is turned onto her, for a progress line

Pieces = Callable[[], Iterable[Arrays]]


def arrays(kind: str, said: str, layout: Layout, pieces: Pieces) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that `pieces` gives one after the other: mapped from an entry that is there, or made now.

    kind: what they are, part of the entry's name; said: all that they depend on besides this program's own code
    Where the cache cannot be written they are made in memory at each start, and this is logged.
    """
    key = hashlib.blake2b(f"{_code()} {kind} {said}".encode(), digest_size=12).hexdigest()
    place = KEPT / f"{kind}-{key}"
    found = _found(place, layout)
    if found is not None:
        return found
    try:
        _make(place, layout, pieces())
    except OSError as cause:
        if not place.is_dir():  # else another process was quicker
            log.warning("%s cannot be kept (%s): made again at each start, in memory", place, cause.strerror or cause)
    found = _found(place, layout)
    return found if found is not None else in_memory(layout, pieces())


def in_memory(layout: Layout, pieces: Iterable[Arrays]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of pieces that are joined in memory, read-only."""
    parts: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in layout}
    for piece in pieces:
        for name in layout:
            parts[name].append(piece[name])
    out = {}
    for name, (dtype, shape) in layout.items():
        out[name] = np.concatenate([np.empty((0, *shape), dtype), *parts.pop(name)]).astype(dtype, copy=False)
        out[name].flags.writeable = False
    return out


@cache
def _code() -> str:
    """Return the hash of the code that turns motion onto her: an entry of another version is never taken."""
    h = hashlib.blake2b(FOLDER.name.encode(), digest_size=12)  # named after all kernels
    for path in sorted(Path(__file__).parent.glob("*.py")):
        h.update(path.read_bytes())
    return h.hexdigest()


def _found(place: Path, layout: Layout) -> dict[str, npt.NDArray[Any]] | None:
    """Return the arrays of an entry, None where there is none or it is not whole."""
    try:
        length = json.loads((place / _ENTRY).read_text(encoding="utf-8"))["length"]
        out = {
            name: opened(place / f"{name}.npy", dtype, (int(length[name]), *shape))
            for name, (dtype, shape) in layout.items()
        }
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        os.utime(place)  # used now: dropped last
    except OSError:
        log.debug("%s: its date cannot be set", place)
    return out


def _make(place: Path, layout: Layout, pieces: Iterable[Arrays]) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    partial = place.with_name(f".{place.name}.{os.getpid()}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        with Growing(partial, layout) as growing:
            for piece in pieces:
                growing.append(piece)
        (partial / _ENTRY).write_text(json.dumps({"length": growing.length}) + "\n", encoding="utf-8")
        if place.exists():  # one that is not whole; or another process was quicker, with the same bytes
            shutil.rmtree(place, ignore_errors=True)
        os.replace(partial, place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    _drop(place)


def _drop(newest: Path) -> None:
    """Drop what killed processes left, and the oldest entries above MOST. One that is mapped plays on."""
    for left in KEPT.glob(".*.partial"):
        number = left.name.split(".")[-2]
        if not (number.isdecimal() and runs(int(number))):
            shutil.rmtree(left, ignore_errors=True)
    entries = sorted(_dated(path for path in KEPT.iterdir() if path.name[0] != "." and path != newest))
    total = _size(newest) + sum(_size(path) for _, path in entries)
    for _, path in entries:
        if total <= MOST:
            return
        total -= _size(path)
        shutil.rmtree(path, ignore_errors=True)


def _dated(paths: Iterable[Path]) -> Iterator[tuple[float, Path]]:
    for path in paths:
        try:
            yield path.stat().st_mtime, path
        except OSError:  # gone meanwhile
            continue


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file()) if folder.is_dir() else 0
