"""Settings that change while she runs: by a knob, or by hand in the file. Measured on a thread, taken at a tick."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...components.config import Config
from ...components.errors import KinesicsError
from ...components.motion import Motion
from ...components.world import World
from ...systems import matcher
from . import store

LOOK = 0.4  # s between two looks at the file
SETTLE = 0.8  # s without a change after which the settings are written
Tell = Callable[[str], None]


class Tuner:
    """The settings that are wanted, on their way into a world.

    config: as wanted now, in the world within a second
    on_change: called with (old, new) on the thread of `update` as soon as new settings are known to be good
    """

    def __init__(
        self,
        world: World,
        config: Config,
        path: Path | None,
        tell: Tell,
        *,
        is_kept: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin.

        path: the file that is watched, None for none; is_kept: what knobs change is also written there
        tell: takes one line a person can act on
        """
        self.config, self.path = config, path
        self.on_change: Callable[[Config, Config], None] = lambda old, new: None
        self._world, self._tell, self._clock, self._is_kept = world, tell, clock, is_kept
        self._stamp = self._look()
        # What the command line set over the file's [run] stays set when the file is read again.
        self._over = _overrides(config, path)
        self._next_look, self._write_at = 0.0, 0.0
        self._wanted: Config | None = None
        self._thread: threading.Thread | None = None
        self._done: list[tuple[Config, str]] = []  # (settings, what is wrong with them or ""), from the thread

    def set(self, section: str, key: str, value: Any) -> None:
        """Change one setting; one that cannot be is told and changes nothing."""
        base = self._wanted or self.config
        try:
            changed = dataclasses.replace(getattr(base, section), **{key: value})
        except KinesicsError as cause:
            self._tell(f"{cause}; it stays as it was")
            return
        self._want(dataclasses.replace(base, **{section: changed}))

    def update(self) -> None:
        """Look at the file, take what the thread has finished; call once a frame."""
        now = self._clock()
        if self.path is not None and now >= self._next_look:
            self._next_look = now + LOOK
            stamp = self._look()
            if stamp != self._stamp:
                self._stamp = stamp
                self._read()
        while self._done:
            self._take(*self._done.pop(0), now)
        if self._wanted is not None and self._thread is None:
            self._start()
        elif self._thread is not None and not self._thread.is_alive():
            self._thread = None
        if self._write_at and now >= self._write_at:
            self.keep()

    @property
    def is_busy(self) -> bool:
        """Whether a change is being measured and not in the world yet."""
        return self._wanted is not None or self._thread is not None or bool(self._done)

    def keep(self) -> None:
        """Write what has changed, now."""
        if self._write_at and self._is_kept and self.path is not None:
            store.remember(self.config, self.path, self._tell)
            self._stamp = self._look()
        self._write_at = 0.0

    def close(self) -> None:
        """Wait for the thread, and keep what is to be kept."""
        if self._thread is not None:
            self._thread.join(5.0)
        while self._done:
            self._take(*self._done.pop(0), self._clock())
        self.keep()

    def _look(self) -> tuple[int, int] | None:
        """Return what tells one state of the file from another, None where it is not there."""
        try:
            found = self.path.stat() if self.path is not None else None
        except OSError:
            return None
        return None if found is None else (found.st_mtime_ns, found.st_size)

    def _read(self) -> None:
        assert self.path is not None
        if self._stamp is None:
            return  # gone, or between two halves of somebody's save: what holds goes on holding
        try:
            config = Config.load(self.path)
        except KinesicsError as cause:
            self._tell(f"{cause}; the old settings stay")
            return
        config = dataclasses.replace(config, run=dataclasses.replace(config.run, **self._over))
        if config != (self._wanted or self.config):
            self._want(config)

    def _want(self, config: Config) -> None:
        """Ask for settings; what only the window reads is there at once, the rest is measured first."""
        if not self._needs_work(config):
            self._wanted = None
            self._take(config, "", self._clock())
            return
        self._wanted = config

    def _needs_work(self, config: Config) -> bool:
        return self._thread is not None or any(
            motion.fit != matcher.fit_key(config) for _, motion in self._world.each(Motion) if motion.corpus is not None
        )

    def _start(self) -> None:
        config, self._wanted = self._wanted, None
        assert config is not None
        motions = [motion for _, motion in self._world.each(Motion)]

        def work() -> None:
            try:
                for motion in motions:
                    if motion.fit != matcher.fit_key(config):
                        motion.ready = matcher.fit(motion, config)
                self._done.append((config, ""))
            except KinesicsError as cause:
                self._done.append((config, f"{cause}; the old settings stay"))

        self._thread = threading.Thread(target=work, name="kinesics-settings", daemon=True)
        self._thread.start()

    def _take(self, config: Config, fault: str, now: float) -> None:
        if fault:
            self._tell(fault)
            return
        old, self.config = self.config, config
        if config == old:
            return
        if dataclasses.replace(config, window=old.window) != old:  # her motion reads nothing of the window
            self._world.inbox.post("config", config=config)
        if config.run.mode != old.run.mode:
            self._world.inbox.post("mode", mode=config.run.mode)
        self._write_at = now + SETTLE
        self.on_change(old, config)


def _overrides(config: Config, path: Path | None) -> dict[str, Any]:
    """Return what of [run] is not as the file has it."""
    try:
        run = (Config.default() if path is None or not path.exists() else Config.load(path)).run
    except KinesicsError:
        return {}
    names = [f.name for f in dataclasses.fields(run)]
    return {name: getattr(config.run, name) for name in names if getattr(config.run, name) != getattr(run, name)}
