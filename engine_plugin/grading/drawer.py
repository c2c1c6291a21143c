"""Strips drawn beside her: a process of its own, started when the first is wanted, gone with `close`."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from ...components.skin import Body
from .strips import Moments, write

# As for the models' process: a fresh interpreter, not multiprocessing's, which would run the host's script once more.
# Ctrl-C in a terminal reaches it too, and it must not print a traceback there: its parent ends it.
_BOOT = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
import importlib, json, sys
given = json.loads(sys.argv[1])
sys.path[:] = given["path"]
importlib.import_module(given["module"]).main()
"""
_MODULE = f"{__package__}.child"
# One thread each: with as many as cores the software renderer took every core from her window, nice or not.
_THREADS = ("LP_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ENDS_IN = 5.0  # s that a process may take to be gone after it was killed


class Drawer:
    """Draws strips, one replay after the other. Nothing here waits but `close`.

    done: (id, paths of front and side) or (id, why not), oldest first: who reads it takes it out, and the files with it
    """

    def __init__(self) -> None:
        self.done: deque[tuple[int, Any]] = deque()
        self._wanted: queue.SimpleQueue[tuple[int, Body, Moments, Path] | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._is_open = True
        self._guard = threading.Lock()  # so that a process is either seen by `close` or not started

    @property
    def pid(self) -> int:
        """Number of its process, 0 while there is none."""
        process = self._process
        return process.pid if process is not None else 0

    def ask(self, number: int, body: Body, moments: Moments, folder: Path) -> None:
        """Have the strips of a replay drawn into a folder; `done` tells when they are."""
        self._wanted.put((number, body, moments, folder))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="kinesics-strips", daemon=True)
            self._thread.start()

    def close(self, *, waits: bool = True) -> None:
        """End it: no process, no thread and no strip that was not taken is left. Safe to call twice.

        waits: until that is so; without, it is so a moment later
        """
        with self._guard:
            self._is_open = False
            if self._process is not None:
                self._process.kill()
        self._wanted.put(None)
        if self._thread is not None and waits:
            self._thread.join(ENDS_IN)
            self._thread = None

    def _work(self) -> None:
        known: Body | None = None  # what the process was sent
        try:
            while (wanted := self._wanted.get()) is not None and self._is_open:
                number, body, moments, folder = wanted
                try:
                    pipes = self._running()
                    if pipes is None:
                        return
                    if pipes[2] or body is not known:
                        _send(pipes[0], ("body", body))
                        known = body
                    _send(pipes[0], ("draw", number, moments))
                    number, drawn = pickle.load(pipes[1])
                    if self._is_open:
                        self.done.append((number, drawn if isinstance(drawn, str) else write(drawn, number, folder)))
                except Exception as cause:  # it died, or was killed; this thread lives, for the next replay
                    if self._is_open:
                        why = str(cause) or "it gave no answer"
                        self.done.append((number, f"the process that draws strips ended: {why}"))
                    self._end()
        finally:
            self._end()
            while self.done:  # nobody comes for them any more
                _, drawn = self.done.popleft()
                for path in () if isinstance(drawn, str) else drawn:
                    path.unlink(missing_ok=True)

    def _running(self) -> tuple[IO[bytes], IO[bytes], bool] | None:
        """Return its input, its output and whether it has just been started; None once closed."""
        process, is_new = self._process, False
        if process is None or process.poll() is not None:
            self._end()
            with self._guard:
                if not self._is_open:
                    return None
                given = {"path": [str(folder) for folder in sys.path], "module": _MODULE}
                self._process = process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _BOOT, json.dumps(given)], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    env={**os.environ, **dict.fromkeys(_THREADS, "1")},
                )  # fmt: skip
            is_new = True
        assert process.stdin is not None
        assert process.stdout is not None
        return process.stdin, process.stdout, is_new

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # one that the system cannot end now, it ends later
            process.wait(ENDS_IN)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class _Pickler(pickle.Pickler):
    """A pickler that also takes the read-only mappings of frozen assets."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, MappingProxyType):
            return _read_only, (dict(value),)
        return NotImplemented


def _read_only(value: dict[Any, Any]) -> Any:
    return MappingProxyType(value)


def _send(pipe: IO[bytes], message: tuple[Any, ...]) -> None:
    _Pickler(pipe, protocol=pickle.HIGHEST_PROTOCOL).dump(message)
    pipe.flush()
