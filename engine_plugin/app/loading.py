"""Her first coming: read and measured on a thread while the window is already alive."""

from __future__ import annotations

import os
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from ...components.errors import KinesicsError
from ...systems import headless
from ...systems.avatar import Avatar
from ...systems.kernels import warm
from ..progress import listen
from .stand_in import StandIn

if TYPE_CHECKING:
    from .window import Window

ONCE = "she is made ready for this machine, once; about a minute"


def bring_on(window: Window, avatar: str | Path | None, corpus: str | Path | None) -> tuple[Avatar | None, str]:
    """Return her, not shown yet, and the remembered file she is from ("" for another); None if the window was closed.

    Raises as `AvatarPlugin.prepare` does; a remembered file that cannot be read is told, and the shipped woman comes.
    """
    remembered = window.config.window.avatar if avatar is None else ""
    done: list[tuple[Avatar, str]] = []
    fault: list[BaseException] = []
    compiling = threading.Thread(target=warm.warm_together, args=(os.cpu_count() or 1,), daemon=True)

    def load() -> None:
        try:
            compiling.start()
            made = _prepare(window, avatar, corpus, remembered)
            compiling.join()
            # One tick of a copy brings every compiled kernel in, so that her first second does not stutter.
            window.plugin.world.copy().step(headless.TICK)
            done.append(made)
        except BaseException as cause:  # handed to the main thread, which raises it
            fault.append(cause)

    said: deque[str] = deque()  # by the thread; only this one touches the picture
    stop = listen(said.append)
    thread = threading.Thread(target=load, name="kinesics-load", daemon=True)
    stand_in = None
    if not warm.is_warm():
        window.overlay.tell(ONCE)
        window.base.taskMgr.step()
        stand_in = StandIn(window, avatar or remembered or None)
        window.saw_her()
    thread.start()
    while thread.is_alive() and window.is_open:
        while said:
            window.overlay.tell(said.popleft())
        window.overlay.update()
        window.base.taskMgr.step()
        thread.join(0.02)
    stop()
    window.overlay.forget(ONCE)
    if stand_in is not None:
        stand_in.leave()
    if fault:
        raise fault[0]
    return done[0] if done else (None, "")


def _prepare(
    window: Window, avatar: str | Path | None, corpus: str | Path | None, remembered: str
) -> tuple[Avatar, str]:
    if remembered:
        try:
            return window.plugin.prepare(remembered, corpus), remembered
        except KinesicsError as cause:
            window.tell(f"{cause}; the shipped woman comes instead")
    return window.plugin.prepare(avatar, corpus), ""
