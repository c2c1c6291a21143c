"""One window with her in it, from opening to closing."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

from panda3d.core import AntialiasAttrib, ClockObject, loadPrcFileData

from ...components.config import Config
from ...components.errors import KinesicsError
from ...systems import headless
from ...systems.avatar import Avatar
from ...systems.figures import Recorder, Run
from ...systems.figures.replay import save
from ...systems.kernels import warm
from ..offscreen import BACKGROUND
from ..plugin import AvatarPlugin
from .orbit import Orbit

WAIT = 2.0  # s that she stands and breathes before she greets
AFTER = 1.0  # s that a run goes on after the voice


class Window:
    """The app's window. first_frame: s from the start of the app to the first frame with her in it, None before."""

    def __init__(self, config: Config | None = None, fps: float = 60.0) -> None:
        """Open it. Raises KinesicsError where it cannot be opened."""
        self._began = time.perf_counter()
        self.config = config or Config.default()
        self.first_frame: float | None = None
        self.is_open = True
        self.base = _open(self.config)
        self.base.userExit = self.close  # the window's own close button ends the loop, not the process
        for key in ("escape", "q"):
            self.base.accept(key, self.close)
        clock = ClockObject.getGlobalClock()
        clock.setMode(ClockObject.MLimited)
        clock.setFrameRate(fps)
        self.plugin = AvatarPlugin(self.base, self.config)

    def run(
        self,
        avatar: str | Path | None = None,
        corpus: str | Path | None = None,
        said: dict[str, Any] | None = None,
        seconds: float | None = None,
        record: bool = False,
        replay_out: Path | None = None,
    ) -> Run | None:
        """Show her until it is over; arguments as `run_window`."""
        her = self._load(avatar, corpus)
        if her is None:
            return None
        self.plugin.show(her)
        orbit = Orbit(self.base, self.plugin.figure(her))
        recorder = Recorder(self.plugin.world, her.entity) if record else None
        if recorder is not None:
            self.plugin.each_tick.append(recorder.record)
        tape = None
        if replay_out is not None:  # a replay may be started from any folder, so its files are named in full
            tape = headless.tape(
                self.plugin.world, avatar and Path(avatar).resolve(), corpus and Path(corpus).resolve()
            )
            self.plugin.each_tick.append(tape.record)
        if said is not None:
            her.say(**said)
        self._until_over(her, orbit, said is not None, seconds)
        if tape is not None and replay_out is not None:
            save(tape, replay_out)
        return recorder.run() if recorder is not None else None

    def _until_over(self, her: Avatar, orbit: Orbit, has_voice: bool, seconds: float | None) -> None:
        """Draw frames until the window is closed, `seconds` are over, or the voice has been silent for AFTER."""
        is_greeting = not has_voice and seconds is None
        quiet_from: int | None = None
        world = self.plugin.world
        while self.is_open:
            orbit.update(ClockObject.getGlobalClock().getDt())
            self.base.taskMgr.step()
            if self.first_frame is None:
                self.first_frame = time.perf_counter() - self._began
            if is_greeting and world.tick * world.dt >= WAIT:
                her.say(headless.HELLO)
                is_greeting = False
            if seconds is not None:
                if world.tick * world.dt >= seconds:
                    break
            elif has_voice:
                quiet_from = None if her.speaking or world.tick == 0 else (quiet_from or world.tick)
                if quiet_from is not None and (world.tick - quiet_from) * world.dt >= AFTER:
                    break

    def close(self) -> None:
        """End the loop."""
        self.is_open = False

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *_: object) -> None:
        self.plugin.destroy()
        del self.base.userExit
        self.base.destroy()

    def _load(self, avatar: str | Path | None, corpus: str | Path | None) -> Avatar | None:
        """Read her on a thread while the window stays alive; None if it was closed meanwhile."""
        done: list[Avatar] = []
        fault: list[BaseException] = []

        def load() -> None:
            try:
                compiling.start()
                her = self.plugin.prepare(avatar, corpus)
                compiling.join()
                # One tick of a copy brings every compiled kernel in, so that her first second does not stutter.
                self.plugin.world.copy().step(headless.TICK)
                done.append(her)
            except BaseException as cause:  # handed to the main thread, which raises it
                fault.append(cause)

        compiling = threading.Thread(target=warm.warm_together, args=(os.cpu_count() or 1,), daemon=True)
        thread = threading.Thread(target=load, name="kinesics-load", daemon=True)
        thread.start()
        while thread.is_alive() and self.is_open:
            self.base.taskMgr.step()
            thread.join(0.02)
        if fault:
            raise fault[0]
        return done[0] if done else None


def _open(config: Config) -> Any:
    """Return a ShowBase with a window as the settings say."""
    window = config.window
    loadPrcFileData(
        "kinesics app",
        f"""window-title kinesics
win-size {window.width} {window.height}
framebuffer-multisample {int(window.samples > 0)}
multisamples {window.samples}
sync-video {int(window.vsync)}
audio-library-name null
""",
    )
    from direct.showbase.ShowBase import ShowBase

    try:
        base = ShowBase(windowType="onscreen")
    except Exception as cause:  # ShowBase raises plain Exception where no window opens
        raise KinesicsError(
            f"no window could be opened ({cause}); without one, 'kinesics render' makes pictures and "
            "'kinesics run --headless' figures"
        ) from None
    base.disableMouse()
    base.setBackgroundColor(*BACKGROUND)
    base.render.setAntialias(AntialiasAttrib.M_multisample)
    return base
