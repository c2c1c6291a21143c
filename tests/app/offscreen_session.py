"""The app in memory, on one script: run in a process of its own, for a second EGL in one process closes the first.

Prints one JSON object of what was seen.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import loadPrcFileData

from kinesics.components.config import Config
from kinesics.engine_plugin.app.frames import Folder
from kinesics.engine_plugin.app.window import Window
from kinesics.systems import headless

loadPrcFileData("test", "kinesics-sound false")


def main(folder: Path) -> dict[str, Any]:
    """Show her for two seconds, change everything that can be changed meanwhile, and return what came of it."""
    config = Config.default()
    small = {"width": 180, "height": 240, "pictures": str(folder / "pictures")}
    config = dataclasses.replace(config, window=dataclasses.replace(config.window, **small))
    out: dict[str, Any] = {}
    with Window(config, 20.0, sink=Folder(folder / "frames"), is_window=False) as window:
        plain = window._draw
        frames = 0

        def draw(dt: float) -> None:
            nonlocal frames
            plain(dt)
            frames += 1
            if frames == 5:
                out["colour"] = [round(c, 3) for c in window.base.win.getClearColor()]
                for key in ("3", "h", "p", "k", "t", "shift-c"):
                    window.base.messenger.send(key)
                out["helps"] = window.overlay.is_helping
                out["panel"] = window.panel.is_shown
                out["framing"] = window.orbit.framing
                out["key"] = [round(c, 3) for c in window.base.win.getClearColor()]
                out["shade"] = not window.plugin.figure(window.her).shade.isHidden()
                out["why_not"] = window.desk.why_not
                window.set("fence", "stage", "live")
            if frames == 8:
                out["looked_at"] = len(gc.get_objects())
                out["fence"] = [window.her.figures()["fence"]["stage"]]
                window.base.messenger.send("s")
                window.base.messenger.send("arrow_down")
                window.base.messenger.send("arrow_right")
                for key in ("k", "p", "h", "1"):
                    window.base.messenger.send(key)
            if frames == 12:
                first = window.her
                window.wear(str(folder / "nobody.vrm"))
                wait(window, plain)
                out["stayed"] = window.her is first
                window.wear(headless.AVATAR)
                wait(window, plain)
                out["changed"] = window.her is not first and first.node.isEmpty()
                out["fence"].append(window.her.figures()["fence"]["stage"])
                out["follows"] = window.orbit.figure is window.plugin.figure(window.her)

        window._draw = draw
        run = window.run(seconds=2.0, said={"voice": headless.HELLO})
        out["run"] = run is None
        out["mode"] = window.tuner.config.run.mode
        out["ticks"] = window.plugin.world.tick
        out["window_avatar"] = window.tuner.config.window.avatar
    out["left"] = gc.get_freeze_count()
    frames_kept = sorted((folder / "frames").iterdir())
    out["frames"] = len(frames_kept)
    return out


def wait(window: Window, draw: Any) -> None:
    """Draw frames until nobody is being read any more."""
    ends = time.monotonic() + 60.0
    while time.monotonic() < ends:
        draw(0.05)
        if not window.wardrobe.is_busy:
            break
        time.sleep(0.01)
    draw(0.05)


if __name__ == "__main__":
    found = main(Path(sys.argv[1]))
    print(json.dumps(found, default=lambda value: value.tolist() if isinstance(value, np.ndarray) else str(value)))
