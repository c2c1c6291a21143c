"""The key of her held postures: the next one, and none after the last. What is not known yet is found on a thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ...components.errors import KinesicsError
from ...components.holds import HOLDS
from ...components.plan import Plan
from ...systems.avatar import Avatar
from ..progress import listen

if TYPE_CHECKING:
    from .window import Window

THREAD = "kinesics-posture"


def next_posture(window: Window) -> None:
    """Have her take the next of HOLDS, or none after the last; while one is being found, nothing."""
    if any(thread.name == THREAD for thread in threading.enumerate()):
        window.overlay.tell("her last posture is still being found")
        return
    posture = window.plugin.world.get(window.her.entity, Plan).posture
    now = "" if posture is None else posture.wanted
    names = ("", *HOLDS)
    name = names[(names.index(now) + 1) % len(names)]
    if name == "":
        window.her.release()
        window.overlay.tell("posture: none")
    else:
        take(window, name)


def take(window: Window, name: str) -> threading.Thread:
    """Have her take a posture; on a body that was not asked before it takes seconds, and the window goes on."""
    her, said = window.her, list[str]()
    thread = threading.Thread(target=_ask, args=(her, name, said), name=THREAD, daemon=True)
    stop = listen(said.append)

    def look(task: Any) -> Any:
        while said:
            window.overlay.tell(said.pop(0))
        if thread.is_alive():
            return task.cont
        stop()
        while said:
            window.overlay.tell(said.pop(0))
        return task.done

    thread.start()
    window.base.taskMgr.add(look, THREAD)
    return thread


def _ask(her: Avatar, name: str, said: list[str]) -> None:
    try:
        her.hold(name)
        said.append(f"posture: {name.replace('_', ' ')}")
    except KinesicsError as cause:
        said.append(str(cause))
