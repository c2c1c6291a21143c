"""A corpus on disk: `corpus.json`, which a person can read, and `corpus.bin`, quantised motion and voice features.

corpus.bin is one zlib stream an array, one after the other. An array is rounded to multiples of its `step` as int16,
differenced along time (`order` times, modulo 2^16, each clip on its own), written column by column, low bytes before
high bytes, and deflated. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...components.arrays import I32, frozen
from ...components.corpus import FPS, Clip, Corpus
from ...components.errors import CorpusError

FORMAT = "kinesics-corpus"
VERSION = 1
HEADER, DATA = "corpus.json", "corpus.bin"
_MOST = 32_767
NO_CLIP = (KeyError, TypeError, AttributeError, ValueError, OverflowError)  # what a wrong header raises

# array: frames it has per stored frame, its columns, step of the rounding, times it is differenced. Steps are powers
# of two, so that decoded values are the same bits everywhere; motion errs by at most .0035 deg for rotations of the
# body (limit .1) and .007 deg for curls.
_ARRAYS: Mapping[str, tuple[int, tuple[int, ...], float, int]] = {
    "rotation": (1, (13, 3), 2.0**-13, 2),  # rad, within -4 .. 4
    "hand": (1, (2, 16), 2.0**-12, 2),  # rad
    "envelope": (2, (), 2.0**-6, 1),  # dB
    "coefficient": (1, (13,), 2.0**-4, 0),  # dB-like; their own estimate scatters by several units
    "voiced": (1, (), 1.0, 1),
}


def save(corpus: Corpus, folder: Path, made_by: Mapping[str, Any] | None = None) -> Corpus:
    """Write `corpus` into `folder` and return it as it will be read back: rounded, with its digest.

    made_by: what made it (command, seed), kept in the readable file. The same corpus gives the same bytes.
    Raises CorpusError for values outside what the file can hold.
    """
    streams, rows = [], []
    for name, (per_frame, _, step, order) in _ARRAYS.items():
        values = np.asarray(getattr(corpus, name), dtype=np.float64)
        integer = steps(values, name, f"{folder}: ")
        stream = _pack(integer, corpus.start * per_frame, order)
        streams.append(stream)
        rows.append({"name": name, "shape": list(values.shape), "step": step, "order": order, "bytes": len(stream)})
    data = b"".join(streams)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "fps": FPS,
        "seconds": round(float(corpus.start[-1]) / FPS, 3),
        "feature_hash": corpus.feature_hash,
        "digest": "",
        "made_by": dict(made_by or {}),
        "arrays": rows,
        "clips": [
            clip_row(replace(clip, check=""), int(corpus.start[k + 1] - corpus.start[k]))
            for k, clip in enumerate(corpus.clips)
        ],
    }
    rounded = _decode(header, data, str(folder))
    header["digest"] = rounded.digest
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DATA).write_bytes(data)
    (folder / HEADER).write_text(json.dumps(header, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return rounded


def load(folder: Path, feature_hash: str | None = None) -> Corpus:
    """Return the corpus in `folder`.

    feature_hash: what the voice's features are made with here; a corpus made with others cannot be matched.
    Raises CorpusError, one line: nothing there, another version, other features, truncated or changed data.
    """
    header = header_of(folder)
    check(header, folder, feature_hash, (VERSION,))
    try:
        data = (folder / DATA).read_bytes()
    except OSError as error:
        raise CorpusError(f"{folder / DATA}: {error.strerror or error}; the corpus is incomplete") from None
    corpus = _decode(header, data, str(folder / DATA))
    if corpus.digest != header.get("digest"):
        raise CorpusError(
            f"{folder / DATA}: contents hash to {corpus.digest}, {HEADER} says {header.get('digest')!r}; "
            "one of the two files was changed, fetch or build them again"
        )
    return corpus


def check(header: dict[str, Any], folder: Path, feature_hash: str | None, versions: tuple[int, ...]) -> None:
    """Refuse what is no corpus, of another version, or heard with other features."""
    if header.get("format") != FORMAT:
        raise CorpusError(f"{folder / HEADER}: not a corpus (format {header.get('format')!r}, wanted {FORMAT!r})")
    if header.get("version") not in versions:
        raise CorpusError(
            f"{folder / HEADER}: version {header.get('version')!r}, this program reads "
            f"{' and '.join(map(str, versions))}; build it again with 'kinesics corpus synth' or 'corpus build'"
        )
    if feature_hash is not None and header.get("feature_hash") != feature_hash:
        raise CorpusError(
            f"{folder / HEADER}: voice features {header.get('feature_hash')!r}, this program's are {feature_hash!r}; "
            "build the corpus again, its sound cannot be compared with a voice heard here"
        )


def steps(values: npt.NDArray[Any], name: str, where: str) -> npt.NDArray[np.int16]:
    """Return an array of a corpus as whole multiples of its step. CorpusError for what cannot be held so."""
    step = _ARRAYS[name][2]
    integer = np.rint(np.asarray(values, np.float64) / step)
    if not np.isfinite(integer).all() or np.abs(integer).max(initial=0.0) > _MOST:
        raise CorpusError(f"{where}'{name}' has values outside +-{_MOST * step:g} or not finite; nothing written")
    return integer.astype(np.int16)


def rounded(values: npt.NDArray[Any], name: str, where: str) -> npt.NDArray[Any]:
    """Return an array as both kinds of corpus folders give it back: rounded to its steps, f32, or bool."""
    integer = steps(values, name, where)
    return integer != 0 if name == "voiced" else integer.astype(np.float32) * np.float32(_ARRAYS[name][2])


def clip_row(clip: Clip, frames: int) -> dict[str, Any]:
    """Return what the readable file says of a clip."""
    return {
        "name": clip.name,
        "performer": clip.performer,
        "voice": clip.voice,
        "licence": clip.licence,
        "frames": frames,
        "authored_gain": dict(sorted(clip.authored_gain.items())),
        "text": clip.text,
        **({"source": clip.source} if clip.source else {}),
        **({"offset_s": clip.offset_s} if clip.offset_s != 0.0 else {}),
        **({"check": clip.check} if clip.check else {}),
    }


def clip_of(row: dict[str, Any]) -> Clip:
    """Return the clip of such a row; one of NO_CLIP where it is none."""
    offset = row.get("offset_s", 0.0)
    if offset is not None and not math.isfinite(offset):
        raise ValueError(f"offset_s {offset}")
    return Clip(
        name=str(row["name"]),
        performer=str(row["performer"]),
        voice=str(row["voice"]),
        text=str(row["text"]),
        licence=str(row["licence"]),
        authored_gain={str(k): float(v) for k, v in row["authored_gain"].items()},
        source=str(row.get("source", "")),
        offset_s=None if offset is None else float(offset),
        check=str(row.get("check", "")),
    )


def starts(lengths: Sequence[int]) -> I32:
    """Return each clip's first frame, then the end, (C + 1,). ValueError for more frames than an array can hold."""
    total = sum(lengths)
    if total >= 2**31:
        raise ValueError(f"{total} frames, at most {2**31 - 1}")
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int32)


def made_by(folder: Path) -> dict[str, Any]:
    """Return what the readable file says of how a corpus was made; empty where it says nothing. Raises as `load`."""
    said = header_of(folder).get("made_by")
    return said if isinstance(said, dict) else {}


def digest_of(corpus: Corpus) -> str:
    """Return the hash of everything in a corpus: arrays, clips and feature hash."""
    h = hashlib.blake2b(digest_size=16)
    h.update(np.ascontiguousarray(corpus.start, dtype="<i4").tobytes())
    for name in _ARRAYS:
        array = getattr(corpus, name)
        h.update(np.ascontiguousarray(array, dtype="|b1" if array.dtype == np.bool_ else "<f4").tobytes())
    for clip in corpus.clips:
        gains = sorted((str(k), float(v)) for k, v in clip.authored_gain.items())
        said = (clip.name, clip.performer, clip.voice, clip.text, clip.licence, gains)
        h.update(repr((*said, clip.source) if clip.source else said).encode())
        if clip.offset_s != 0.0:
            h.update(repr(clip.offset_s).encode())
    h.update(corpus.feature_hash.encode())
    return h.hexdigest()


def header_of(folder: Path) -> dict[str, Any]:
    """Return the readable file of a corpus folder; CorpusError, one line, where there is none."""
    path = folder / HEADER
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CorpusError(
            f"{path}: {error.strerror or error}; a corpus is a folder with {HEADER} and {DATA}, "
            "made by 'kinesics corpus synth' or 'kinesics corpus build'"
        ) from None
    except (ValueError, RecursionError) as error:  # a thousand brackets inside each other are no ValueError
        raise CorpusError(
            f"{path}: not readable as JSON ({str(error).splitlines()[0]}); fetch or build it again"
        ) from None
    if not isinstance(header, dict):
        raise CorpusError(f"{path}: not a corpus header; fetch or build it again")
    return header


def _decode(header: dict[str, Any], data: bytes, where: str) -> Corpus:
    """Return the corpus of a header and its data, or raise CorpusError naming `where`."""
    try:
        clips = tuple(clip_of(row) for row in header["clips"])
        lengths = [int(row["frames"]) for row in header["clips"]]
        if header["fps"] != FPS or min(lengths, default=0) < 1:
            raise ValueError(
                f"fps {header['fps']}, shortest clip {min(lengths, default=0)} frames; want {FPS} and >= 1"
            )
        start = starts(lengths)
        arrays = _arrays(header["arrays"], data, start, where)
        feature_hash = str(header["feature_hash"])
    except NO_CLIP as error:
        raise CorpusError(f"{where}: header does not describe a corpus ({error}); fetch or build it again") from None
    corpus = Corpus(clips, frozen(start, np.int32), **arrays, feature_hash=feature_hash, digest="")
    object.__setattr__(corpus, "digest", digest_of(corpus))
    return corpus


def _arrays(rows: list[dict[str, Any]], data: bytes, start: npt.NDArray[np.int32], where: str) -> dict[str, Any]:
    if [row["name"] for row in rows] != list(_ARRAYS):
        raise ValueError(f"arrays {[row['name'] for row in rows]}, want {list(_ARRAYS)}")
    want = sum(int(row["bytes"]) for row in rows)
    if len(data) != want:
        raise CorpusError(f"{where}: {len(data)} bytes, its header says {want}; the file is truncated, fetch it again")
    at, out = 0, {}
    for row, (per_frame, columns, _, _) in zip(rows, _ARRAYS.values()):
        shape = (int(start[-1]) * per_frame, *columns)
        size = int(np.prod(shape))
        step, order = float(row["step"]), int(row["order"])
        try:
            stream = zlib.decompressobj()
            raw = stream.decompress(data[at : at + int(row["bytes"])], 2 * size + 1)
            intact = stream.eof and len(raw) == 2 * size
        except zlib.error:
            raw, intact = b"", False
        if not intact or not 0.0 < step <= 1.0 or order not in (0, 1, 2):
            raise CorpusError(
                f"{where}: '{row['name']}' cannot be unpacked; the file is damaged, fetch or build it again"
            )
        at += int(row["bytes"])
        integer = _unpack(raw, shape, start * per_frame, order)
        if row["name"] == "voiced":
            out["voiced"] = frozen(integer != 0, np.bool_)
        else:
            out[str(row["name"])] = frozen(integer.astype(np.float32) * np.float32(step), np.float32)
    return out


def _pack(values: npt.NDArray[np.int16], start: npt.NDArray[np.int32], order: int) -> bytes:
    table = values.reshape(len(values), -1).view(np.uint16).copy()
    for a, b in pairwise(start):
        for _ in range(order):
            table[a + 1 : b] -= table[a : b - 1].copy()
    column_by_column = np.ascontiguousarray(table.T).astype("<u2").view(np.uint8).reshape(-1, 2)
    return zlib.compress(np.ascontiguousarray(column_by_column.T).tobytes(), 9)


def _unpack(raw: bytes, shape: tuple[int, ...], start: npt.NDArray[np.int32], order: int) -> npt.NDArray[np.int16]:
    halves = np.frombuffer(raw, np.uint8).reshape(2, -1)
    flat = halves[0].astype(np.uint16) | (halves[1].astype(np.uint16) << 8)
    table = flat.reshape(-1, shape[0])
    for a, b in pairwise(start):
        for _ in range(order):
            np.cumsum(table[:, a:b], axis=1, dtype=np.uint16, out=table[:, a:b])
    return np.ascontiguousarray(table.T).view(np.int16).reshape(shape)
