"""One running child, from its start to its end: the socket, what it prints, how it ends. Used by one thread."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections import deque

from . import protocol
from .protocol import Message
from .ring import Ring
from .settings import Settings

_READ = 1 << 18  # bytes at once: a child that floods gets no more of its parent's time than that
_SAID = 4_000  # bytes kept of what it printed
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_WORKER = f"{__package__}.worker"
# A fresh interpreter, not multiprocessing's spawn: that runs the host's main script a second time, and a script without
# `if __name__ == "__main__"`, as Panda3D's are, would open a second window there. -P: the folder that the host was
# started in may hold a json.py.
_BOOT = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
import importlib, json, sys
given = json.loads(sys.argv[1])
sys.path[:] = given["path"]
importlib.import_module(given["worker"]).main(given)
"""


class Link:
    """A child that was just started. OSError, where it cannot be.

    channel: the socket, not blocking; printed: the end of a pipe that brings what it prints; pid: its
    """

    def __init__(self, settings: Settings, ring: Ring) -> None:
        self.channel, theirs = socket.socketpair()
        given = {
            "path": [str(folder) for folder in sys.path],
            "worker": _WORKER,
            "socket": theirs.fileno(),
            "ring": ring.fd,
            "parent": os.getpid(),
            "nice": settings.nice,
            "threads": settings.threads,
            "beat_s": settings.beat_s,
            "hosted": {name: (named.at, dict(named.given)) for name, named in settings.hosted.items()},
        }
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, json.dumps(given)], pass_fds=(theirs.fileno(), ring.fd),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env={**os.environ, **dict.fromkeys(_THREADS, str(settings.threads))},
                process_group=0,  # Ctrl-C in a terminal goes to the whole group, before SIGINT is ignored too
            )  # fmt: skip
        except BaseException:
            self.channel.close()
            raise
        finally:
            theirs.close()
        self.channel.setblocking(False)
        assert self._process.stdout is not None
        self.printed = self._process.stdout
        os.set_blocking(self.printed.fileno(), False)
        self.pid = self._process.pid
        self._reader = protocol.Reader()
        self._out: deque[memoryview] = deque()
        self._said = b""

    def read(self) -> list[Message] | None:
        """Return what has come, None where it has closed its end. protocol.Fault: it cannot be understood."""
        try:
            data = self.channel.recv(_READ)
        except (BlockingIOError, InterruptedError):
            return []
        except OSError:
            return None
        return self._reader.feed(data) if data else None

    def listen(self) -> bool:
        """Take what it printed; False where it prints no more."""
        try:
            data = os.read(self.printed.fileno(), 1 << 16)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        self._said = (self._said + data)[-_SAID:]
        return bool(data)

    def send(self, message: Message) -> None:
        """Have a message sent; `flush` sends it."""
        self._out.extend(protocol.packed(message))

    @property
    def is_sending(self) -> bool:
        return bool(self._out)

    def flush(self) -> bool:
        """Send what the socket takes without waiting; False where the child has closed its end."""
        try:
            while self._out:
                sent = self.channel.send(self._out[0])
                if sent < len(self._out[0]):
                    self._out[0] = self._out[0][sent:]
                else:
                    self._out.popleft()
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            return False
        return True

    def end(self) -> str:
        """End it, for certain, and return how it ended: its exit code or signal, and its last words."""
        self.channel.close()  # it ends by that alone, but may be hung
        code = self._process.poll()
        if code is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self._process.wait(0.05)
        if code is None:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # one that the system cannot end now, it ends later
                self._process.wait(5.0)
        self.listen()
        self.printed.close()
        how = "it was ended" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        return f"{how}; it said: {lines[-1].strip()[:200]}" if lines else how
