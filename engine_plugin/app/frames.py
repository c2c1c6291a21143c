"""Frames of her alone, with alpha, for other programs: PNG files in a folder, or raw RGBA bytes into a pipe."""

from __future__ import annotations

import os
import queue
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from PIL import Image

from ...components.errors import OutputError
from ..offscreen import Pixels

STANDARD = "-"  # standard output


class Folder:
    """Every frame as `000000.png`, `000001.png` ...: none is left out, however long each takes."""

    is_live = False  # the app's clock goes on by one frame a picture, and she is silent

    def __init__(self, folder: Path) -> None:
        """Make the folder. Raises OutputError where it is not a new or an empty one."""
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise OutputError(f"{folder}: is in the way of a folder of frames; name another")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            is_empty = not any(folder.iterdir())
        except OSError as fault:
            raise OutputError(f"{folder}: no folder can be made there ({fault.strerror}); name another") from None
        if not is_empty:
            raise OutputError(f"{folder}: is not empty; name a new folder for the frames")
        self._folder, self.count = folder, 0

    def take(self, frame: Pixels) -> str:
        """Write a frame; return what went wrong, "" when nothing did."""
        target = self._folder / f"{self.count:06d}.png"
        part = target.with_suffix(".part")
        try:
            Image.fromarray(frame).save(part, format="PNG", compress_level=1)
            part.replace(target)
        except OSError as fault:
            part.unlink(missing_ok=True)
            return f"{target}: cannot be written ({fault.strerror or fault}); no more frames are kept"
        self.count += 1
        return ""

    def close(self) -> str:
        """Return a line on what was written."""
        return f"{self._folder}: {self.count} frames"


class Pipe:
    """Frames one after the other, width x height x 4 bytes each, top row first: what `ffmpeg -f rawvideo` reads.

    She is live: a reader that is too slow is left behind by whole frames, which are counted.
    """

    is_live = True

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream, self._name = stream, name
        self.count = self.left_out = 0
        self._fault = ""
        self._waiting: queue.Queue[bytes | None] = queue.Queue(maxsize=3)
        self._thread = threading.Thread(target=self._write, name="kinesics-frames", daemon=True)
        self._thread.start()

    def take(self, frame: Pixels) -> str:
        """Hand a frame on; return what went wrong, "" when nothing did."""
        if self._fault:
            return self._fault
        try:
            self._waiting.put_nowait(frame.tobytes())
        except queue.Full:
            self.left_out += 1
        return ""

    def close(self) -> str:
        """Wait for the last frame a moment, and return a line on what was written."""
        try:
            self._waiting.put(None, timeout=2.0)
        except queue.Full:
            self._fault = self._fault or "the reader stands still"
        self._thread.join(2.0)
        late = f", {self.left_out} left out: the reader was too slow" if self.left_out else ""
        return f"{self._name}: {self.count} frames{late}"

    def _write(self) -> None:
        while (frame := self._waiting.get()) is not None:
            try:
                self._stream.write(frame)
                self._stream.flush()
                self.count += 1
            except (OSError, ValueError) as fault:
                reason = getattr(fault, "strerror", None) or str(fault)
                self._fault = f"{self._name}: the reader has gone ({reason}); no more frames are sent"
                return


def open_sink(target: str, tell: Callable[[str], None]) -> Folder | Pipe:
    """Return where frames go: `-` is standard output, a named pipe is written to, everything else is a folder.

    Raises OutputError where they cannot go there. A named pipe waits for its reader, which is told.
    """
    if target == STANDARD:
        if sys.stdout is None or sys.stdout.isatty():
            raise OutputError("frames on standard output are raw bytes: send it into a program, as '| ffmpeg ... -i -'")
        return Pipe(sys.stdout.buffer, "standard output")
    path = Path(target)
    try:
        is_pipe = stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        is_pipe = False
    if not is_pipe:
        return Folder(path)
    tell(f"{path}: waiting for a reader")
    return Pipe(os.fdopen(os.open(path, os.O_WRONLY), "wb"), str(path))
