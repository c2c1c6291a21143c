"""Another avatar without a restart: read and measured on a thread, on stage between two ticks, the old one freed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...components import gltf
from ...components.config import Config
from ...components.corpus import Corpus
from ...components.errors import KinesicsError
from ...components.motion import Motion
from ...components.skin import Body
from ...systems import headless
from ...systems.avatar import Avatar
from ..plugin import AvatarPlugin


@dataclass(frozen=True, slots=True)
class _Read:
    """What a thread came back with."""

    path: str
    body: Body | None
    measured: headless.World | None
    fault: str


class Wardrobe:
    """Changes who is on stage. on_worn: called with her and her file ("" the shipped) once she stands there."""

    def __init__(self, plugin: AvatarPlugin, her: Avatar, tell: Callable[[str], None]) -> None:
        self.her, self._plugin, self._tell = her, plugin, tell
        self.on_worn: Callable[[Avatar, str], None] = lambda her, path: None
        self.is_fixed = ""  # why she may not be changed, "" when she may
        self._asked: deque[str] = deque()
        self._thread: threading.Thread | None = None
        self._done: deque[_Read] = deque()

    def wear(self, path: str | Path) -> None:
        """Ask for an avatar's file, "" for the shipped woman; from any thread. A bad one is told, and she stays."""
        self._asked.append(str(path))

    @property
    def is_busy(self) -> bool:
        """Whether one is being read."""
        return bool(self._asked) or self._thread is not None

    def update(self) -> None:
        """Take what has been read, begin what was asked for; call between ticks, on the main thread."""
        while self._done:
            self._thread = None
            self._put_on(self._done.popleft())
        if self._asked and self._thread is None:
            path = self._asked.pop()
            self._asked.clear()  # only the newest wish counts
            if self.is_fixed:
                self._tell(self.is_fixed)
                return
            world = self._plugin.world
            corpus = world.get(self.her.entity, Motion).corpus
            call = (path, corpus, world.seed, world.config)
            self._thread = threading.Thread(target=self._read, args=call, name="kinesics-avatar", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Wait for the thread; nobody is changed any more."""
        self._asked.clear()
        if self._thread is not None:
            self._thread.join(10.0)
            self._thread = None
        self._done.clear()

    def _read(self, path: str, corpus: Corpus | None, seed: int, config: Config) -> None:
        try:
            body = gltf.read(Path(path).expanduser() if path else headless.AVATAR)
            # Measured in a world of its own: the shown one is being ticked meanwhile.
            measured = headless.World(seed=seed, config=config)
            headless.spawn(measured, body, corpus)
            self._done.append(_Read(path, body, measured, ""))
        except KinesicsError as cause:
            self._done.append(_Read(path, None, None, f"{cause}; she stays"))
        except Exception as cause:  # whatever a file does to a reader, the app goes on
            fault = f"{path}: cannot be read ({type(cause).__name__}: {cause}); she stays"
            self._done.append(_Read(path, None, None, " ".join(fault.split())))

    def _put_on(self, read: _Read) -> None:
        if read.body is None:
            self._tell(read.fault)
            return
        old, world = self.her, self._plugin.world
        corpus = world.get(old.entity, Motion).corpus
        try:
            new = headless.spawn(world, read.body, corpus, read.measured)
        except KinesicsError as cause:  # settings may have changed since she was measured
            self._tell(f"{cause}; she stays")
            return
        try:
            self._plugin.show(new)
        except Exception as cause:  # a texture that Pillow cannot read shows only here
            world.remove(new.entity)
            self._tell(f"{' '.join(str(cause).split())}; she stays")
            return
        new.stillness = old.stillness
        self.her = new
        self._plugin.remove(old)
        self.on_worn(new, read.path)
