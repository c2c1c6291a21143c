"""The parts of a build made on a Ray cluster: the same tasks, their results brought here and kept as ours are."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ....components.errors import CorpusError
from .parts import Done, Options, keep, key_of, load, packed, part_of

HERE = "local"  # the address of a cluster of this machine's own, started for the build and ended with it
Given = TypeVar("Given")
_AHEAD = 2  # tasks that wait a core of the cluster, so that none idles


def each(files: Sequence[Path], options: Options, folder: Path, address: str) -> Generator[Done, None, None]:
    """Yield what becomes of each source, as it is finished.

    address: "local", "auto", HOST:PORT of a cluster's head, or ray://HOST:PORT
    Every node has to see the sources under the same paths and have this version of kinesics.
    Raises CorpusError: no ray, no cluster at the address, a node that sees another file.
    """
    ray = _started(address)
    task = ray.remote(max_retries=2)(remote_part)
    # a node has another working directory, and a link keeps the name that it goes by
    theirs = replace(options, audio=_absolute(options.audio), hand_mean=_absolute(options.hand_mean))
    try:
        ahead = max(_AHEAD * int(ray.cluster_resources().get("CPU", 1)), 2)
        waiting: dict[Any, tuple[Path, str]] = {}
        left = list(reversed(files))
        while left or waiting:
            while left and len(waiting) < ahead:
                file = left.pop()
                known = _known(file, options, folder)
                if isinstance(known, Done):
                    yield known
                else:
                    waiting[task.remote(str(file.absolute()), theirs, known)] = (file, known)
            if not waiting:
                continue
            ready, _ = ray.wait(list(waiting), num_returns=1)
            file, key = waiting.pop(ready[0])
            try:
                data, reason, warnings = ray.get(ready[0])
            except ray.exceptions.RayError as cause:
                why = " ".join(str(cause).split())[-200:]
                raise CorpusError(f"{file}: the cluster did not make its part ({why}); run it again") from None
            if data is None:
                yield Done(file, "", reason.replace(str(file.absolute()), str(file)), (), key)
                continue
            keep(folder / f"{key}.npz", data)
            yield Done(file, f"{key}.npz", "", warnings, key)
    finally:
        ray.shutdown()


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


def _started(address: str) -> Any:
    if address == HERE and "RAY_AUTH_MODE" not in os.environ:
        # Ray listens on every interface and runs what anybody sends: only who has this word of ours may
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    try:
        import ray  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise CorpusError("--ray needs the extra 'cluster': pip install 'kinesics[cluster]'") from None
    _reachable(address)
    # Ray's own accounting of a new machine is no part of a build: nothing is reported anywhere
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == HERE:
        options |= {"include_dashboard": False}
    try:
        ray.init(address=address, **options)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError, OSError) as cause:
        raise _none(address, " ".join(str(cause).split())[:160]) from None
    return ray


def _reachable(address: str) -> None:
    """Refuse an address where nobody answers at once: Ray itself tries for two minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if address in (HERE, "auto"):
        return
    if not host or not port.isdigit():
        raise CorpusError(f"--ray {address}: wanted HOST:PORT, ray://HOST:PORT, auto or {HERE}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), 5.0).close()
    except (OSError, OverflowError) as cause:
        raise _none(address, getattr(cause, "strerror", None) or str(cause)) from None


def _none(address: str, why: str) -> CorpusError:
    return CorpusError(f"--ray {address}: no cluster there ({why}); start one with 'ray start --head'")
