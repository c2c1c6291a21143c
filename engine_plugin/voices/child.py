"""One run of a voice's program: no shell, nothing inherited, an end in any case."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...components.errors import AudioError

BASE, EACH = 60.0, 0.05  # s that a voice may take, and for each character: loading torch takes 20 s on a slow disk
LARGEST = 1 << 30  # bytes of sound: 2 h of 24-bit stereo at 24 kHz; a program that writes on for ever is ended
_LOOK = 0.02  # s between two looks at whether it has ended


def run(
    name: str, arguments: Sequence[str], folder: Path, said: str = "", *, timeout: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """Return what a program printed. It runs in `folder`, a temporary one, and reads `said` from its input.

    timeout: s, default by the length of what is said
    AudioError: one line, where it cannot be started, fails, or takes too long
    """
    limit = BASE + EACH * max(len(said), sum(map(len, arguments))) if timeout is None else timeout
    (folder / "in.txt").write_text(said + "\n" if said else "", encoding="utf-8")
    out, err = folder / "out.txt", folder / "err.txt"
    with (folder / "in.txt").open("rb") as source, out.open("wb") as printed, err.open("wb") as complained:
        try:
            process = subprocess.Popen(
                list(arguments), stdin=source, stdout=printed, stderr=complained, cwd=folder, close_fds=True,
                start_new_session=os.name == "posix", env={**os.environ, **(environment or {})},
            )  # fmt: skip
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise AudioError(f"say: {name}: {arguments[0]} cannot be started ({reason}); check its path") from None
        try:
            ended = _waited(process, folder, time.monotonic() + limit)
        finally:
            _end(process)
    if not ended:
        raise AudioError(f"say: {name} took more than {limit:.0f} s, or wrote more than a voice is long; it was ended")
    if process.returncode:
        last = (_head(err).strip() or _head(out).strip() or "no word").splitlines()[-1].strip()
        raise AudioError(f"say: {name} failed with {process.returncode}: {last[:160]}")
    return _head(out)


def _waited(process: subprocess.Popen[bytes], folder: Path, until: float) -> bool:
    """Return whether it ended by itself."""
    while process.poll() is None:
        if time.monotonic() > until or sum(p.stat().st_size for p in folder.iterdir() if p.is_file()) > LARGEST:
            return False
        time.sleep(_LOOK)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and what it has started, if it still runs."""
    if process.poll() is None:
        try:
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        except OSError:
            pass  # it ended meanwhile
        process.wait()


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(1 << 20).decode("utf-8", "replace")
