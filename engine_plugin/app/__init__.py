"""The desktop app: she stands in a window, breathes and speaks. Nothing of Panda3D is imported before it opens."""

from __future__ import annotations

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
) -> Run | None:
    """Show her until the window is closed or the run is over; return what was seen if `record`, None if nothing was.

    config: default the shipped settings; avatar, corpus: default the shipped ones
    said: arguments of `Avatar.say`; the run then ends 1 s after the voice. None: she greets and stays
    seconds: s, the run's length instead; fps: drawn frames a second at most
    replay_out: where to write what `kinesics replay` runs again
    Raises KinesicsError where no window can be opened, and for files as `AvatarPlugin.spawn` does.
    """
    from .window import Window

    with Window(config, fps) as window:
        return window.run(avatar, corpus, said, seconds, record, replay_out)
