"""The published vocabulary, a pickle of a script's own class, to word -> number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ....components.errors import ModelError
from . import pickled

LARGEST = 64 << 20  # bytes; about 14 MB are published, most of them word vectors that nobody needs
_LONGEST = 200  # characters of a word
_MOST = 1 << 31  # number of a word
_ARRAYS = {  # what numpy's arrays are pickled through; here they stay records, their numbers are not used
    *(("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")),
    *((f"numpy.{core}.{module}", name) for core in ("core", "_core") for module, name in (
        ("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))),
    *(("copy_reg", "_reconstructor"), ("copyreg", "_reconstructor")),
    *(("__builtin__", "object"), ("builtins", "object")),
}  # fmt: skip


def read(path: Path) -> dict[str, int]:
    """Return word -> number. ModelError: one line; nothing in the file is ever run."""
    size = path.stat().st_size
    if size > LARGEST:
        raise ModelError(f"{path}: {size} bytes, a vocabulary has at most {LARGEST}; fetch it again")
    data = path.read_bytes()
    try:
        found = json.loads(data) if path.suffix == ".json" else pickled.read(data, _is_allowed)
    except (ValueError, RecursionError, OverflowError, MemoryError) as cause:
        raise ModelError(f"{path}: not the vocabulary: {_short(cause)}") from None
    if isinstance(found, pickled.Record):
        found = found.state
    if isinstance(found, dict) and "word2index" in found:
        found = found["word2index"]
    if not isinstance(found, dict) or not found:
        raise ModelError(f"{path}: not the vocabulary: there is no word2index in it")
    for word, number in found.items():
        if not isinstance(word, str) or len(word) > _LONGEST or not _is_text(word):
            raise ModelError(f"{path}: not the vocabulary: {word!r:.60} is no word")
        if type(number) is not int or not 0 <= number < _MOST:  # not shown: it may be endless
            raise ModelError(f"{path}: not the vocabulary: '{word[:60]}' has no number from 0 to {_MOST - 1}")
    return dict(found)


def _is_text(word: str) -> bool:
    """Return whether it can be written: pickles and JSON can hold halves of characters."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_allowed(module: str, name: str) -> bool:
    return name == "Vocab" or (module, name) in _ARRAYS


def _short(cause: Any) -> str:
    return " ".join(str(cause).split())[:200] or type(cause).__name__
