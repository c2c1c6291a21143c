"""Where weights come from: a converted folder, or numbers. Both hand out one part's tensors at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ....components.arrays import F32
from ....components.errors import ModelError
from . import filled, layout
from .tensors import File, Lazily
from .words import UNKNOWN

WEIGHTS, VOCABULARY, ABOUT = "weights.safetensors", "vocabulary.json", "model.json"
FORMAT = 1
LEAST = UNKNOWN + 1  # rows of a vocabulary: the number of an unknown word is among them
KINDS = {"shortcut": 2, "meanflow": 1}  # sampler -> steps it was published for
STATS = {"mean": (330,), "std": (330,), "trans_mean": (3,), "trans_std": (3,)}  # 6 a joint, and translation
_LARGEST = 64 << 20  # bytes of a vocabulary; the published one has a hundredth
_CONVERT = "run `kinesics speech convert` on the published files"


class Source(Protocol):
    """Weights of one model."""

    @property
    def hash(self) -> str: ...
    @property
    def sampler(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def vocabulary(self) -> Mapping[str, int]: ...
    def tensors(self, part: str) -> Lazily:
        """Return key -> torch tensor of "generator" or a part of the body."""
        ...

    def stats(self) -> dict[str, F32]:
        """Return the mean and spread that the body was trained with: the keys of STATS."""
        ...


@dataclass(frozen=True)
class Filled:
    """A model made of numbers: its motion is noise, everything else of it is real."""

    sampler: str = "shortcut"
    hash: str = "filled"
    vocabulary: Mapping[str, int] = field(default_factory=lambda: {"": 4, "hello": 5, "there": 6})

    @property
    def steps(self) -> int:
        return KINDS[self.sampler]

    def tensors(self, part: str) -> Lazily:
        import torch  # pyright: ignore[reportMissingImports]

        shapes = layout.generator(filled.VOCABULARY) if part == "generator" else layout.body(part)
        name = "" if part == "generator" else f"{part}:"
        read = (key for key in shapes if key not in layout.UNREAD)
        return Lazily(read, lambda key: torch.from_numpy(filled.value(key, shapes[key], name + key)))

    def stats(self) -> dict[str, F32]:
        # Every joint near its rest, some tens of degrees either way.
        rest = np.tile(np.array([1, 0, 0, 0, 1, 0], np.float32), 55)
        few = np.full(3, 0.01, np.float32)
        return {"mean": rest, "std": np.full(330, 0.1, np.float32), "trans_mean": few, "trans_std": few}


class Converted:
    """A folder that `kinesics speech convert` made: exactly the tensors it should hold, or ModelError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        about = _json(folder / ABOUT)
        try:
            if about["format"] != FORMAT:
                raise ModelError(f"{folder / ABOUT}: format {about['format']}, this version reads {FORMAT}; {_CONVERT}")
            self.hash, self.sampler = str(about["sha256"]), str(about["sampler"])
            self.steps, size, words = int(about["steps"]), int(about["bytes"]), int(about["vocabulary"])
            self.rows = words
        except (KeyError, TypeError, ValueError, OverflowError) as cause:
            raise ModelError(f"{folder / ABOUT}: not a converted model ({cause}); {_CONVERT}") from None
        if words < LEAST:
            raise ModelError(f"{folder / ABOUT}: a vocabulary of {words}, it has at least {LEAST}; {_CONVERT}")
        if self.sampler not in KINDS:
            raise ModelError(f"{folder / ABOUT}: sampler '{self.sampler}', there are {', '.join(KINDS)}; {_CONVERT}")
        self.path = folder / WEIGHTS
        try:
            found = self.path.stat().st_size
        except OSError as cause:
            raise ModelError(f"{self.path}: cannot be read ({cause.strerror}); {_CONVERT}") from None
        if found != size:
            raise ModelError(f"{self.path}: {found} bytes, {ABOUT} says {size}; {_CONVERT}")
        self.vocabulary: dict[str, int] = _words(_json(folder / VOCABULARY), folder / VOCABULARY, words)
        self._file = File(self.path, _CONVERT)
        compare(self._file.shapes, expected(words), str(self.path))

    def tensors(self, part: str) -> Lazily:
        import torch  # pyright: ignore[reportMissingImports]

        return Lazily(self._file.shapes, lambda key: torch.from_numpy(self._file.read(key))).under(f"{part}.")

    def stats(self) -> dict[str, F32]:
        return {key: self._file.read(f"stats.{key}") for key in STATS}


def expected(words: int) -> dict[str, tuple[int, ...]]:
    """Return key -> shape of everything a converted file holds."""
    out = {f"generator.{key}": shape for key, shape in layout.generator(words).items() if key not in layout.UNREAD}
    for part in layout.PARTS:
        out |= {f"{part}.{key}": shape for key, shape in layout.body(part).items()}
    return out | {f"stats.{key}": shape for key, shape in STATS.items()}


def compare(found: Mapping[str, tuple[int, ...]], wanted: Mapping[str, tuple[int, ...]], where: str) -> None:
    """Raise ModelError, one line, at the first key that is missing, too many, or of another shape."""
    missing = [key for key in wanted if key not in found]
    if missing:
        raise ModelError(f"{where}: {len(missing)} of {len(wanted)} tensors missing, first '{missing[0]}'; {_CONVERT}")
    extra = [key for key in found if key not in wanted]
    if extra:
        raise ModelError(f"{where}: {len(extra)} tensors too many, first '{extra[0][:80]}'; {_CONVERT}")
    for key, shape in wanted.items():
        if found[key] != shape:
            raise ModelError(f"{where}: '{key}' is {found[key]}, wanted {shape}; {_CONVERT}")


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > _LARGEST:
            raise ModelError(f"{path}: {path.stat().st_size} bytes, at most {_LARGEST}; {_CONVERT}")
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as cause:
        raise ModelError(f"{path}: cannot be read ({cause.strerror}); {_CONVERT}") from None
    except (ValueError, RecursionError) as cause:  # not UTF-8, not JSON, JSON without end
        raise ModelError(f"{path}: not JSON ({cause}); {_CONVERT}") from None


def _words(found: Any, path: Path, rows: int) -> dict[str, int]:
    if not isinstance(found, dict) or not all(type(k) is int and 0 <= k < rows for k in found.values()):
        raise ModelError(f"{path}: not words with numbers below {rows}; {_CONVERT}")
    return found
