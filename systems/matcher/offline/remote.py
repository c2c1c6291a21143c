"""Tasks of a build done by a Ray cluster, or by one of this machine's own; workers.py does them here.

Only plain data goes there and comes back: a node needs this version of the project and nothing else.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from ....components.errors import CorpusError

HERE = "local"  # the address of a cluster of this machine's own, started for the build and ended with it
Task = TypeVar("Task")
Result = TypeVar("Result")
_AHEAD = 2  # tasks that wait a core of the cluster, so that none idles


def each(
    address: str, call: Callable[..., Result], tasks: Iterable[tuple[str, Task, tuple[Any, ...]]], *, shared: Any = ()
) -> Generator[tuple[Task, Result], None, None]:
    """Yield each task and what a node's `call` returned for it, as it is finished.

    address: "local", "auto", HOST:PORT of a cluster's head, or ray://HOST:PORT
    tasks: (what a message calls it, what it is known by here, what `call` is given after `shared`), asked for one by
        one as the cluster has room
    shared: what every task is given, sent to a node once
    Raises CorpusError: no ray, no cluster at the address, a node that fails twice.
    """
    ray = _started(address)
    task = ray.remote(max_retries=2)(call)
    try:
        common = [ray.put(one) for one in shared]
        ahead = max(_AHEAD * int(ray.cluster_resources().get("CPU", 1)), 2)
        waiting: dict[Any, tuple[str, Task]] = {}
        left = iter(tasks)
        while True:
            while len(waiting) < ahead and (one := next(left, None)) is not None:
                name, known_by, given = one
                waiting[task.remote(*common, *given)] = (name, known_by)
            if not waiting:
                return
            ready, _ = ray.wait(list(waiting), num_returns=1)
            name, known_by = waiting.pop(ready[0])
            try:
                result = ray.get(ready[0])
            except ray.exceptions.RayError as cause:
                why = " ".join(str(cause).split())[-200:]
                raise CorpusError(f"{name}: the cluster did not make its part ({why}); run it again") from None
            yield known_by, result
    finally:
        ray.shutdown()


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
