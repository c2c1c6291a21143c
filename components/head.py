"""The fence's head: plain weights of a small recurrent model, frozen, and the one avatar they were trained for."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import npz
from .arrays import F32, frozen
from .errors import FenceError, OutputError

VERSION = 1  # of what the weights mean: raised when the kernel looks at a pose otherwise
HIDDEN, SEEN, CORRECTION = 64, 154, 18  # as in systems/kernels/head.py, which says what they are
WEIGHTS = ("enter", "entered", "take", "taken", "keep", "kept", "leave", "left")


@dataclass(frozen=True, slots=True)
class Head:
    """Weights of three layers, each (inputs, outputs) and its bias.

    Fields:
        avatar:   digest of the rig, capsules: of the capsules, that it was trained on; on any other it stays in shadow
        enter, entered: (172, E), (E,) f32: what is seen of a pose and its own last proposal, into a dense layer
        take, taken:    (E, 192), (192,) f32: into the recurrent unit's reset, hold and new state
        keep, kept:     (64, 192), (192,) f32: from the state before into the same
        leave, left:    (64, 20), (20,) f32: the proposal, rad, and how open each arm's gate is
        digest:   hash of all of the above
    """

    avatar: str
    capsules: str
    enter: F32
    entered: F32
    take: F32
    taken: F32
    keep: F32
    kept: F32
    leave: F32
    left: F32
    digest: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        width, gates = len(self.entered), 3 * HIDDEN
        shapes = (
            (SEEN + CORRECTION, width), (width,), (width, gates), (gates,), (HIDDEN, gates), (gates,),
            (HIDDEN, CORRECTION + 2), (CORRECTION + 2,),
        )  # fmt: skip
        if width == 0 or width % 4:
            raise ValueError(f"its first layer is {width} wide, a multiple of 4 is needed")
        h = hashlib.blake2b(f"{VERSION} {self.avatar} {self.capsules}".encode(), digest_size=16)
        for name, shape in zip(WEIGHTS, shapes, strict=True):
            try:
                array = frozen(getattr(self, name), np.float32, shape)
            except ValueError as cause:
                raise ValueError(f"'{name}' has {cause}") from None
            object.__setattr__(self, name, array)
            h.update(array.tobytes())
        object.__setattr__(self, "digest", h.hexdigest())

    @property
    def bytes(self) -> int:
        """How much memory the weights take."""
        return sum(int(getattr(self, name).nbytes) for name in WEIGHTS)


def save(path: str | Path, head: Head) -> None:
    """Write a head, to a file beside it first that then takes its place. OutputError where that cannot be done."""
    path, buffer = Path(path), io.BytesIO()
    arrays: dict[str, Any] = {name: getattr(head, name) for name in WEIGHTS}
    about = {"avatar": head.avatar, "capsules": head.capsules, "version": np.int32(VERSION)}
    np.savez(buffer, allow_pickle=False, **arrays, **about)
    scratch: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(buffer.getvalue())
        os.chmod(scratch, 0o644)
        os.replace(scratch, path)
    except OSError as cause:
        if scratch is not None and os.path.exists(scratch):
            os.unlink(scratch)
        raise OutputError(f"{path}: cannot be written ({cause.strerror or cause}); choose another folder") from None


def load(path: str | Path) -> Head:
    """Return the head of a file. FenceError with one line where it is none, is damaged, or of another version."""
    path = Path(path)
    try:
        arrays = npz.read(path)
    except ValueError as cause:
        raise FenceError(f"{path}: no weights of a fence's head can be read from it ({cause}); {_CURE}") from None
    missing = [name for name in (*WEIGHTS, "avatar", "capsules", "version") if name not in arrays]
    if missing:
        raise FenceError(f"{path}: has no '{missing[0]}', it is no fence's head; {_CURE}")
    if arrays["version"].shape != () or int(arrays["version"]) != VERSION:
        raise FenceError(f"{path}: is of version {arrays['version']} of the head, this is {VERSION}; {_CURE}")
    for name in WEIGHTS:
        if arrays[name].dtype != np.float32:
            raise FenceError(f"{path}: '{name}' is {arrays[name].dtype}, float32 is needed; {_CURE}")
    try:
        return Head(str(arrays["avatar"]), str(arrays["capsules"]), *(arrays[name] for name in WEIGHTS))
    except ValueError as cause:
        raise FenceError(f"{path}: {cause}; {_CURE}") from None


_CURE = "train one with 'kinesics fence train'"
