"""The desktop app: she stands in a window, breathes and speaks. Nothing of Panda3D is imported before it opens."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...components.config import Config
    from ...systems.figures import Run


def run_window(
    config: Config | None = None,
    avatar: str | Path | None = None,
    corpus: str | Path | None = None,
    said: dict[str, Any] | None = None,
    seconds: float | None = None,
    fps: float = 60.0,
    record: bool = False,
    replay_out: Path | None = None,
    *,
    config_file: Path | None = None,
    remember: bool = False,
    frames: str | None = None,
    mic: bool = False,
    posture: str = "",
) -> Run | None:
    """Show her until the window is closed or the run is over; return what was seen if `record`, None if nothing was.

    config: default the shipped settings; avatar, corpus: default the shipped ones
    said: arguments of `Avatar.say`; the run then ends 1 s after the voice. None: she greets and stays
    seconds: s, the run's length instead; fps: drawn frames a second at most
    replay_out: where to write what `kinesics replay` runs again
    config_file: read again whenever it changes, at the next tick; a bad value keeps the old ones
    remember: without a file, begin as the app was left, and keep what is changed
    posture: what she holds from the start, one of components.holds.HOLDS
    mic: a microphone is her voice from the start; she does not greet
    frames: a new folder for one PNG with alpha a frame, `-` for raw RGBA on standard output, or a named pipe
    Raises KinesicsError where no window can be opened, and for files as `AvatarPlugin.spawn` does.
    """
    from .window import Window

    sink = None
    if frames is not None:
        from . import frames as sinks

        sink = sinks.open_sink(frames, lambda line: print(f"kinesics: {line}", file=sys.stderr, flush=True))
    is_window = frames is None or has_display()
    with Window(config, fps, file=config_file, is_kept=remember, sink=sink, is_window=is_window) as window:
        done = window.run(avatar, corpus, said, seconds, record, replay_out, mic, posture)
        if window.is_open:  # the run is over, but what she said in training is not drawn yet
            window.attempt(window.plugin.grading.settle)
        return done


def has_display() -> bool:
    """Whether a window can be opened at all."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
