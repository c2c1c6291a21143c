"""The window itself: opened as the settings say, or a picture in memory for frames where there is no display."""

from __future__ import annotations

from typing import Any

from panda3d.core import AntialiasAttrib, loadPrcFileData, unloadPrcFile

from ...components.config import Config
from ...components.errors import KinesicsError


def open_base(config: Config, *, is_window: bool = True) -> Any:
    """Return a ShowBase with a window, or with a picture in memory of the same size.

    Raises KinesicsError where neither can be had.
    """
    window = config.window
    page = loadPrcFileData(
        "kinesics app",
        f"""window-title kinesics
win-size {window.width} {window.height}
framebuffer-multisample {int(window.samples > 0)}
multisamples {window.samples}
sync-video {int(window.vsync)}
audio-library-name null
textures-power-2 none
"""
        + ("" if is_window else "load-display p3headlessgl\nnotify-level-egldisplay error\n"),
    )
    from direct.showbase.ShowBase import ShowBase

    try:
        base: Any = ShowBase(windowType="onscreen" if is_window else "offscreen")
    except Exception as cause:  # ShowBase raises plain Exception where no window opens
        raise KinesicsError(
            f"no window could be opened ({cause}); without one, 'kinesics render' makes pictures and "
            "'kinesics run --headless' figures"
        ) from None
    finally:
        unloadPrcFile(page)
    base.disableMouse()
    base.render.setAntialias(AntialiasAttrib.M_multisample)
    return base
