"""Strips that wait for a grade, from her window: as a page in the person's browser, without a layer."""

from __future__ import annotations

import threading
import webbrowser
from typing import TYPE_CHECKING

from ...components.mode import Mode

if TYPE_CHECKING:
    from .window import Window


def show_page(window: Window) -> None:
    """Write the page of strips and open it; in a mode that never grades, say so. KinesicsError as `write_page`."""
    plugin = window.plugin
    if plugin.mode is not Mode.TRAINING:
        window.overlay.tell(f"she is in {plugin.mode.value} mode, which never grades")
        return
    page = plugin.grading.page()
    count = len(plugin.grading.waiting())
    window.overlay.tell(f"{count or 'no'} {'replay waits' if count == 1 else 'replays wait'} for a grade: {page}")
    # A browser may take seconds to start, and where there is none that is no fault: the path is told above.
    threading.Thread(target=webbrowser.open, args=(page.resolve().as_uri(),), name="browser", daemon=True).start()
