"""Arrays from a file that nobody vouches for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile

_LONGEST = 120  # characters of what numpy, zipfile or zlib say: all of it goes into one line


def read(path: str | Path, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return a file's arrays by name; nothing in it is ever unpickled.

    names: these alone, all of which must be there; without it all

    Raises:
        ValueError: no archive of arrays, damaged, or without one of the names; one short reason, without the path.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, NpzFile):
                raise ValueError("one bare array, not an npz of named ones")
            return {name: file[name] for name in (file.files if names is None else names)}
    except Exception as cause:  # numpy raises what zipfile, zlib and pickle raise: a dozen kinds for damaged bytes
        raise ValueError(_reason(cause)) from None


def _reason(cause: Exception) -> str:
    said = " ".join(str(cause.strerror if isinstance(cause, OSError) and cause.strerror else cause).split())
    if "allow_pickle" in said:  # numpy takes any bytes for a pickle, and advises to load what it should not
        return "not an npz file"
    return said[:_LONGEST] or type(cause).__name__
