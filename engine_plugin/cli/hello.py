"""`kinesics` alone: she stands, breathes and says the bundled sentence; without a display as pictures."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .first import compile_first
from .messages import say
from .options import read_config
from .outputs import claim
from .render import strip, video

WAIT = 2.0  # s that she stands and breathes before she speaks
FOLDER, NAME, FILM = "kinesics-out", "hello.png", "hello.mp4"


def hello(config: Path | None) -> None:
    """Show her in a window, or write the strip where there is none."""
    settings = read_config(config)
    if has_display():
        from ..app import run_window

        run_window(config=settings, config_file=config, remember=config is None)
        return
    from ...systems import headless

    folder = Path(FOLDER)
    folder.mkdir(exist_ok=True)
    target = folder / NAME
    film = folder / FILM if find_spec("av") is not None else None
    claim([target, film], [config])
    say(f"There is no display here, so she is drawn into {target}.")
    compile_first()
    world = headless.world(seed=settings.run.seed, config=settings)
    while world.tick < round(WAIT * 60.0):
        world.step(headless.schedule(world))
    said = world.avatar.say(headless.HELLO)
    strip(world, np.concatenate([[WAIT], WAIT + np.linspace(0.4, said.seconds - 0.2, 7)]), target)
    say(f"{target}: she stands, then says {said.seconds:.1f} s")
    if film is not None:
        world = headless.world(seed=settings.run.seed, config=settings)
        count = video(world, said.speech, headless.HELLO, film, WAIT)
        say(f"{film}: the same as a video with her voice, {count} frames")


def has_display() -> bool:
    """Whether a window can be opened at all."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
