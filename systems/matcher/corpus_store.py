"""A large corpus on disk: `corpus.json`, which a person can read, and a .npy file an array, mapped, not read whole.

It is written a clip at a time, so that memory holds one clip however long it is. Each clip has a hash of its own
arrays; the corpus's digest is made of those, so opening 76 h reads the readable file alone. A clip that was changed is
found out when it is first turned onto an avatar.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...components.arrays import frozen
from ...components.corpus import ARRAYS, FPS, Clip, Corpus, hash_of
from ...components.errors import CorpusError
from ...components.mapped import Arrays, Growing, Layout, opened
from .corpus_file import FORMAT, HEADER, NO_CLIP, check, clip_of, clip_row, header_of, rounded, starts

VERSION = 2
LAYOUT: Layout = {name: ("?" if name == "voiced" else "f4", columns) for name, (_, columns) in ARRAYS.items()}


def write(
    folder: Path, parts: Iterable[tuple[Clip, Arrays]], feature_hash: str, made_by: Mapping[str, Any] | None = None
) -> None:
    """Write clips, one after the other, into the folder `folder`, which is new and empty. The same clips, same bytes.

    parts: each clip with its arrays as in Corpus, F frames each
    made_by: what made it, kept in the readable file
    Raises CorpusError for values outside what a corpus can hold, OSError for a full disk.
    """
    rows: list[dict[str, Any]] = []
    with Growing(folder, LAYOUT) as files:
        for clip, arrays in parts:
            piece = {name: rounded(arrays[name], name, f"{clip.name}: ") for name in ARRAYS}
            frames = len(piece["rotation"])
            if frames < 1 or any(len(piece[name]) != each * frames for name, (each, _) in ARRAYS.items()):
                raise CorpusError(f"{clip.name}: its motion and its voice are not of one length; nothing written")
            files.append(piece)
            rows.append(clip_row(replace(clip, check=hash_of(piece)), frames))
    total = sum(row["frames"] for row in rows)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "fps": FPS,
        "seconds": round(total / FPS, 3),
        "feature_hash": feature_hash,
        "digest": _digest(feature_hash, rows),
        "licences": dict(sorted(Counter(row["licence"] for row in rows).items())),
        "performers": dict(sorted(Counter(row["performer"] for row in rows).items())),
        "made_by": dict(made_by or {}),
        "arrays": [
            {"name": name, "dtype": np.dtype(LAYOUT[name][0]).str, "shape": [each * total, *columns]}
            for name, (each, columns) in ARRAYS.items()
        ],
        "clips": rows,
    }
    with (folder / HEADER).open("w", encoding="utf-8") as file:
        file.write(json.dumps(header, indent=1, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())


def load(folder: Path, feature_hash: str | None = None) -> Corpus:
    """Return the corpus in `folder`, its arrays mapped. Raises CorpusError as `corpus_file.load` does."""
    header = header_of(folder)
    check(header, folder, feature_hash, (VERSION,))
    try:
        rows = header["clips"]
        clips = tuple(clip_of(row) for row in rows)
        lengths = [int(row["frames"]) for row in rows]
        if header["fps"] != FPS or min(lengths, default=0) < 1 or not all(clip.check for clip in clips):
            raise ValueError(f"fps {header['fps']}, {len(clips)} clips, shortest {min(lengths, default=0)} frames")
        start = starts(lengths)
        made_with = str(header["feature_hash"])
        digest = _digest(made_with, rows)
    except NO_CLIP as cause:
        raise CorpusError(
            f"{folder / HEADER}: header does not describe a corpus ({cause}); fetch or build it again"
        ) from None
    if digest != header.get("digest"):
        raise CorpusError(
            f"{folder / HEADER}: what it says of its clips hashes to {digest}, it says {header.get('digest')!r}; "
            "it was changed, fetch or build the corpus again"
        )
    arrays = {}
    for name, (each, columns) in ARRAYS.items():
        try:
            arrays[name] = opened(folder / f"{name}.npy", LAYOUT[name][0], (each * int(start[-1]), *columns))
        except OSError as cause:
            raise CorpusError(
                f"{folder / name}.npy: {cause.strerror or cause}; the corpus is incomplete, fetch or build it again"
            ) from None
        except ValueError as cause:
            raise CorpusError(f"{folder}: {cause}; the file is damaged, fetch or build the corpus again") from None
    return Corpus(
        clips, frozen(start, np.int32), **arrays, feature_hash=made_with, digest=digest, where=str(folder)
    )  # fmt: skip


def _digest(feature_hash: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the hash of all that is said of the clips, their own hashes among it."""
    h = hashlib.blake2b(feature_hash.encode(), digest_size=16)
    for row in rows:
        h.update(json.dumps(row, sort_keys=True, ensure_ascii=False).encode())
    return h.hexdigest()
