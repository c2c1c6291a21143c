"""The app in a real window on one script; run with DISPLAY set. Prints one JSON object of what was seen."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import PNMImage, loadPrcFileData

from kinesics.components.config import Config
from kinesics.engine_plugin.app import x11
from kinesics.engine_plugin.app.window import Window

loadPrcFileData("test", "kinesics-sound false")


def main(folder: Path) -> dict[str, Any]:
    """Press real keys, look at what the window and the X server have, and return it."""
    config = Config.default()
    small = {"width": 240, "height": 320, "samples": 0, "pictures": str(folder)}
    config = dataclasses.replace(config, window=dataclasses.replace(config.window, **small))
    out: dict[str, Any] = {"manager": x11.has_window_manager()}
    with Window(config, 30.0) as window:
        plain, frames = window._draw, 0

        def draws(count: int) -> None:
            for _ in range(count):
                plain(1 / 30)

        def press(key: str) -> None:
            subprocess.run(["xdotool", "key", "--window", str(number), key], check=True)
            draws(4)

        def draw(dt: float) -> None:
            nonlocal frames, number
            plain(dt)
            frames += 1
            if frames != 8:
                return
            number = window.base.win.getWindowHandle().getIntHandle()
            if out["manager"]:
                subprocess.run(["xdotool", "windowfocus", "--sync", str(number)], check=False)
            draws(2)
            press("3")
            out["framing"] = window.orbit.framing
            press("t")
            out["on_top"], out["wanted_on_top"] = window.desk.on_top, window.tuner.config.window.on_top
            press("shift+c")
            out["through"] = window.desk.click_through
            out["server_through"] = x11.lets_clicks_through(number)
            window.desk.click_through = False
            out["server_back"] = not x11.lets_clicks_through(number)
            window.desk.click_through = True
            window.toggle_click_through()
            out["api_back"] = not window.desk.click_through
            out["why_not"] = dict(window.desk.why_not)
            press("h")
            out["helps"] = window.overlay.is_helping
            press("Escape")
            out["open"] = window.is_open and not window.overlay.is_helping
            draws(3)
            seen = PNMImage()
            out["grabbed"] = bool(window.base.win.getScreenshot(seen))
            if out["grabbed"]:
                column = [seen.getXel(120, y) for y in range(0, 320, 8)]
                out["spread"] = float(np.ptp([sum(xel) for xel in column]))
            press("q")

        number = 0
        window._draw = draw
        began = time.monotonic()
        window.run(seconds=60.0)
        out["closed_by_key"] = time.monotonic() - began < 55.0
    return out


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
