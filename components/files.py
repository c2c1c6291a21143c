"""Files that are written whole or not at all, and their hashes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import OutputError


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """Yield a file beside `path` to write to; at the end it takes that place, or goes if anything fails.

    Folders above it are made. OutputError where it cannot be written.
    """
    scratch: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(scratch, 0o644)  # as other files are: scratch files begin as their owner's alone
        os.replace(scratch, path)
    except OSError as cause:
        raise OutputError(f"{path}: cannot be written ({cause.strerror or cause}); choose another folder") from None
    finally:
        if scratch is not None and os.path.exists(scratch):
            os.unlink(scratch)


def sha256(path: Path) -> str:
    """Return the hash of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
