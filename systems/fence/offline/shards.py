"""Labelled motion in files: one a clip, in a folder a performer, whole or not there, found again by its key."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F32
from ....components.config import Config
from ....components.errors import CorpusError
from ...collide.offline.figure import Figure
from ...matcher.offline import remote, workers
from ...matcher.offline.parts import keep, load, packed
from . import teacher
from .motions import Motion, made
from .teacher import taught

NAMES = ("performer", "clip", "key", "avatar", "capsules", "rotation", "root", "correction", "depth")


@dataclass(frozen=True, slots=True)
class Shard:
    """One labelled clip.

    Fields:
        performer, clip: names; avatar, capsules: digests of her rig and of her capsules
        rotation: (F, J, 4) f32 wxyz local, the motion before any correction, 60 Hz; root: (3,) f32 m
        correction: (F, 18) f32 rad, what the teacher proposes; depth: (F,) f32 m, how deep the motion itself is
    """

    performer: str
    clip: str
    avatar: str
    capsules: str
    rotation: F32
    root: F32
    correction: F32
    depth: F32


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a clip: how many frames it has, whether an earlier run made it, and why there is none."""

    motion: Motion
    frames: int
    is_old: bool
    reason: str = ""


def label(
    body: Figure, motions: Sequence[Motion], out: Path, *, workers: int = 1, ray: str = "",
    report: Callable[[Done], None] = lambda done: None,
) -> list[Done]:  # fmt: skip
    """Label clips into the folder `out`, a file each, and return what became of them, in their order.

    Stopped at any moment and run again it goes on where it was; the same clips give the same bytes whoever makes them.

    workers: processes; ray: address of a cluster that labels instead; report: called once a clip as it is finished
    CorpusError: two clips of one name, a folder that cannot be written, a worker was killed.
    """
    _check(motions)
    done: dict[tuple[str, str], Done] = {}
    taught(body, body.base(2))  # compiled here, once, before many processes ask for it
    try:
        out.mkdir(parents=True, exist_ok=True)
        with closing(_made(body, motions, out, workers, ray)) as each:
            for one in each:
                done[one.motion.performer, one.motion.clip] = one
                report(one)
    except OSError as cause:
        raise CorpusError(f"{out}: {cause.strerror or cause}; finished clips are kept, run it again") from None
    return [done[motion.performer, motion.clip] for motion in motions]


def place(out: Path, motion: Motion) -> Path:
    """Return the file of a clip."""
    return out / motion.performer / f"{motion.clip}.npz"


def key_of(body: Figure, motion: Motion) -> str:
    """Return the name of everything that a label is made from: avatar, capsules, rule, teacher and motion."""
    said = asdict(motion) | {"path": ""}
    rule = asdict(Config.default().rule), asdict(Config.default().gains)
    given = (teacher.VERSION, body.rig.digest, body.anatomy.digest, body.capsules.digest, rule, sorted(said.items()))
    return hashlib.blake2b(repr(given).encode(), digest_size=16).hexdigest()


def read(path: Path) -> Shard:
    """Return a shard; CorpusError if the file is none."""
    found = load(path, NAMES)
    assert found is not None
    performer, clip, avatar, capsules = (str(found[name]) for name in ("performer", "clip", "avatar", "capsules"))
    arrays = {name: np.asarray(found[name], np.float32) for name in ("rotation", "root", "correction", "depth")}
    frames = len(arrays["rotation"])
    if arrays["correction"].shape != (frames, 18) or arrays["depth"].shape != (frames,):
        raise CorpusError(f"{path}: no labelled motion: corrections {arrays['correction'].shape}; label it again")
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise CorpusError(f"{path}: its {name} is not finite; remove the file and label it again")
    return Shard(performer, clip, avatar, capsules, **arrays)


def paths(folder: Path) -> list[Path]:
    """Return the shards in a folder, in order; CorpusError where there is none."""
    found = sorted(folder.glob("*/*.npz"))
    if not found:
        raise CorpusError(f"{folder}: holds no labelled motion; make some with 'kinesics fence label'")
    return found


def remote_shard(body: Figure, motion: Motion, key: str) -> tuple[bytes, str]:
    """Label a clip on a node, and return the bytes of its file, or none and why."""
    if key_of(body, motion) != key:
        raise RuntimeError(f"node {socket.gethostname()} has another version of kinesics: install the same on all")
    part, reason = _labelled(body, motion, key)
    return packed(part) if part else b"", reason


def _made(
    body: Figure, motions: Sequence[Motion], out: Path, count: int, address: str
) -> Generator[Done, None, None]:  # fmt: skip
    if not address:
        call = partial(_make, body, out)
        with closing(workers.each(call, motions, count, command="fence label", kept="clips")) as each:
            yield from each
        return
    old: list[Done] = []

    def tasks() -> Iterator[tuple[str, tuple[Motion, str], tuple[Any, ...]]]:
        for motion in motions:
            key = key_of(body, motion)
            if (found := _known(place(out, motion), key)) is not None:
                old.append(Done(motion, found, True))
            else:
                yield motion.clip, (motion, key), (motion, key)

    with closing(remote.each(address, remote_shard, tasks(), shared=(body,))) as each:
        for (motion, key), (data, reason) in each:
            if not reason:
                _keep(place(out, motion), data)
            yield Done(motion, _known(place(out, motion), key) or 0, False, reason)
    yield from old


def _make(body: Figure, out: Path, motion: Motion) -> Done:
    """Label a clip, or find it as an earlier run left it."""
    path, key = place(out, motion), key_of(body, motion)
    if (found := _known(path, key)) is not None:
        return Done(motion, found, True)
    part, reason = _labelled(body, motion, key)
    if not reason:
        _keep(path, packed(part))
    return Done(motion, len(part["depth"]) if part else 0, False, reason)


def _labelled(body: Figure, motion: Motion, key: str) -> tuple[dict[str, Any], str]:
    """Return what a shard holds, or nothing and why: a motion may not be one that this body can be brought into."""
    try:
        rotation = made(body, motion).astype(np.float32)
    except (CorpusError, ValueError) as cause:
        return {}, f"{motion.clip}: {cause}"
    found = taught(body, rotation.astype(np.float64))  # of the numbers that are kept
    words = (motion.performer, motion.clip, key, body.rig.digest, body.capsules.digest)
    arrays = (rotation, body.anatomy.base_root, found.correction, found.depth)
    kept = [*(np.array(word) for word in words), *(np.asarray(array, np.float32) for array in arrays)]
    return dict(zip(NAMES, kept, strict=True)), ""


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    for left in path.parent.glob(f"{path.stem}.*.tmp"):  # of a run that was killed
        left.unlink(missing_ok=True)
    keep(path, data)


def _known(path: Path, key: str) -> int | None:
    """Return how many frames a finished shard has, None where it is another one, not whole, or not there."""
    if not path.is_file():
        return None
    found = load(path, ("key", "depth"), missing=True)
    return len(found["depth"]) if found is not None and str(found["key"]) == key else None


def _check(motions: Sequence[Motion]) -> None:
    seen: set[tuple[str, str]] = set()
    for motion in motions:
        name = (motion.performer, motion.clip)
        if name in seen:
            raise CorpusError(f"fence label: '{motion.clip}' of '{motion.performer}' is asked for twice")
        if os.sep in motion.performer + motion.clip or motion.performer.startswith("."):
            raise CorpusError(f"fence label: '{motion.performer}/{motion.clip}' is no name of a file; rename the clip")
        seen.add(name)
