"""The plugin: avatars in a Panda3D host's scene, moved by one task. Touches no window, camera, light or global."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.task import Task
from panda3d.core import ClockObject, NodePath, PStatCollector, ShaderAttrib

from ..components import gltf
from ..components.clock import FixedClock
from ..components.config import Config
from ..components.corpus import Corpus
from ..components.errors import KinesicsError
from ..components.face import Face
from ..components.mode import Mode
from ..components.pose import Pose
from ..components.skin import Body
from ..components.world import System, World
from ..systems import headless, matcher
from ..systems.avatar import Avatar
from ..systems.schedule import TICK
from . import scene, settings
from .aligned import align
from .figure import Figure
from .grading.live import Grading
from .her_sound import HerSound
from .shown import Shown
from .voices import speak

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

SORT = 41  # after a host's intervals (20) and collisions (30), before simplepbr (49) and drawing (50)
FAST, SLOW = 66.0, 63.0  # frames a second above which poses are drawn between ticks, and below which no longer
notify = directNotify.newCategory("kinesics")
_numbers = itertools.count(1)


class AvatarPlugin:
    """Avatars in a host's scene. One a ShowBase is enough; two do not disturb each other.

    Any thread may call any of it. What changes the scene from another thread than the one that made the plugin is done
    at the start of the next frame.

    world: what the avatars are ticked in
    viewer: the camera or node that people see her from, and that she looks at where nothing else was asked of her
        ([face] look = "camera"); None: she looks before herself
    each_tick: called with the world after every tick, to record it
    grading: blind grading of what avatars say in TRAINING
    """

    def __init__(self, base: ShowBase, config: Config | str | Path | None = None) -> None:
        """Add one task to `base`. config: a Config, a TOML file, or None for the shipped settings (ConfigError)."""
        if not isinstance(config, Config):
            config = Config.default() if config is None else Config.load(config)
        self.base = base
        self.world = headless.World(seed=config.run.seed, config=config)
        self.world.mode = Mode(config.run.mode)
        self.viewer: NodePath | None = None
        self.world.link = headless.open_link(config, waits=False, align=align)
        self.each_tick: list[Callable[[World], None]] = []
        self.grading = Grading(self.world)
        self._shown: dict[int, Shown] = {}
        self._corpora: dict[Path | None, Corpus] = {}
        self._clock = FixedClock(hz=60, limit=settings.tick_limit.getValue())
        self._between = False
        self._rate = 60.0  # 1/s, frames, smoothed
        self._thread = threading.get_ident()
        self._ticking = threading.RLock()  # held while the world ticks, and while a thread puts somebody into it
        self._missed = 0.0  # s of frames in which a thread held it
        self._due: deque[Callable[[], None]] = deque()  # changes of the scene asked for by other threads
        self._schedule = tuple(_counted(system) for system in TICK)
        self._writing = PStatCollector("App:kinesics:write_back")
        self._name = f"kinesics-{next(_numbers)}"
        base.taskMgr.add(self._frame, self._name, sort=SORT)

    def spawn(
        self,
        avatar: str | Path | Body | None = None,
        corpus: str | Path | Corpus | None = None,
        parent: NodePath | None = None,
    ) -> Avatar:
        """Return a new avatar, standing in the scene. Her `node` is a NodePath: place it, turn it, hide it.

        avatar: a .glb, .gltf or .vrm file, a Body, or None for the shipped woman (AvatarError)
        corpus: a corpus folder, a Corpus, or None for the shipped one (CorpusError)
        parent: what she stands in; default `base.render`
        """
        return self.show(self.prepare(avatar, corpus), parent)

    def prepare(self, avatar: str | Path | Body | None = None, corpus: str | Path | Corpus | None = None) -> Avatar:
        """Return an avatar that is read and can move but is not in the scene yet; arguments and errors as `spawn`.

        It touches nothing of Panda's, so a loading screen may run it on a thread: the host goes on drawing, and
        avatars that are there already go on moving.
        """
        if not self._name:
            raise KinesicsError("this plugin was destroyed; make a new AvatarPlugin")
        body = avatar if isinstance(avatar, Body) else gltf.read(headless.AVATAR if avatar is None else Path(avatar))
        talkers = self._corpus(corpus)
        measured = None
        if threading.get_ident() != self._thread:  # the slow part, in a world of its own: ours may tick meanwhile
            measured = headless.World(seed=self.world.seed, config=self.world.config)
            measured.mode = Mode.PUBLIC  # where no head is built
            headless.spawn(measured, body, talkers)
        with self._ticking:
            her = headless.spawn(self.world, body, talkers, measured)
        her.voice = lambda text: speak(text, self.world.config.voice)
        return her

    def show(self, her: Avatar, parent: NodePath | None = None) -> Avatar:
        """Put a prepared avatar into the scene and return her. parent: what she stands in; default `base.render`."""
        parent = parent if parent is not None else self.base.render
        own_light = settings.own_light.getValue() and not _has_shader(parent)
        figure = scene.dress(her.body, own_light, settings.contact_shade.getValue())
        her.node = figure.node
        self._shown[her.entity] = Shown(her, figure, self.world.get(her.entity, Pose), self.world.get(her.entity, Face))
        self._in_frame(lambda: None if figure.node.isEmpty() else figure.node.reparentTo(parent))
        return her

    def figure(self, her: Avatar) -> Figure:
        """Return her figure in the scene graph; KinesicsError where she is not shown by this plugin."""
        if her.entity not in self._shown:
            raise KinesicsError(f"{her.body.source}: is not in this plugin's scene; she was removed, or is another's")
        return self._shown[her.entity].figure

    def sound(self, her: Avatar) -> HerSound:
        """Return her loudspeaker and microphone, for their states; KinesicsError where she is not shown."""
        self.figure(her)
        return self._shown[her.entity].sound

    def joint(self, her: Avatar, name: str) -> NodePath:
        """Return a node that follows one of her joints (a VRM 1.0 bone name, or the file's): hang a prop on it."""
        figure = self.figure(her)
        if name not in figure.rig.names:
            raise KinesicsError(f"{her.body.source}: has no joint '{name}'; it has {', '.join(figure.rig.names)}")
        return figure.expose(name)

    @property
    def mode(self) -> Mode:
        """Who is watching."""
        return self.world.mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self.world.inbox.post("mode", mode=mode.value)

    def remove(self, her: Avatar) -> None:
        """Take an avatar away: her node, her voice, her state. One that is gone already is no error."""
        shown = self._shown.pop(her.entity, None)
        if shown is None:
            return

        def leave() -> None:
            shown.remove()
            self.world.remove(her.entity)

        self._in_frame(leave)

    def destroy(self) -> None:
        """Leave the host as it was: task, nodes, threads and sound streams gone. Safe to call twice."""
        self._in_frame(self._end)

    def _end(self) -> None:
        self._catch_up()
        for shown in list(self._shown.values()):
            self.remove(shown.her)
        if self._name:
            self.base.taskMgr.remove(self._name)
            self._name = ""
        self.each_tick.clear()
        self.grading.close()
        if self.world.link is not None:
            self.world.link.close()
            self.world.link = None
        self._corpora.clear()

    def _bodies(self) -> dict[int, Body]:
        """Return who is shown, by entity."""
        return {entity: shown.her.body for entity, shown in self._shown.items()}

    def _in_frame(self, change: Callable[[], None]) -> None:
        """Do it now on the plugin's own thread; from another one, before the next frame is ticked and drawn."""
        if threading.get_ident() == self._thread:
            change()
        else:
            self._due.append(change)

    def _catch_up(self) -> None:
        """Do what other threads have asked for."""
        while self._due:
            self._due.popleft()()

    def _corpus(self, corpus: str | Path | Corpus | None) -> Corpus:
        if isinstance(corpus, Corpus):
            return corpus
        key = None if corpus is None else Path(corpus).resolve()
        if key not in self._corpora:
            self._corpora[key] = headless.load_corpus(key)
        return self._corpora[key]

    def _frame(self, task: Task.Task) -> int:
        """Tick as often as is due, hand the result to Panda, tell the host what happened."""
        self._catch_up()
        if not self._shown:  # also while a thread prepares the first one
            return Task.cont if self._name else Task.done
        dt = ClockObject.getGlobalClock().getDt()
        due = self._tick(dt)
        share = self._share(dt)
        if due or share < 1.0:
            self._writing.start()
            for shown in list(self._shown.values()):
                shown.write(share)
            self._writing.stop()
        for shown in list(self._shown.values()):
            for name, data in shown.news():
                if name == "degraded":
                    notify.warning(f"{shown.her.body.source}: {data.get('what', '')}")
                self.base.messenger.send(f"kinesics-{name}", [shown.her, data])
        for name, data in self.grading.work(self._bodies()):
            if name == "degraded":
                notify.warning(data["what"])
            self.base.messenger.send(f"kinesics-{name}", [self.grading, data])
        return Task.cont if self._name else Task.done  # a callback, or another thread, may have ended it

    def _tick(self, dt: float) -> int:
        """Live through another `dt` s and return how many ticks that were; 0 while a thread changes the world."""
        if not self._ticking.acquire(blocking=False):
            self._missed += dt
            return 0
        try:
            missed, self._missed = self._missed, 0.0
            due = self._clock.advance(dt + missed)
            for shown in list(self._shown.values()) if due else ():
                shown.listen()
                shown.watch(self.viewer)
            for _ in range(due):
                if self._between:
                    for shown in list(self._shown.values()):
                        shown.keep()
                if self.world.link is not None:
                    self.world.link.before(self.world)
                for entity in matcher.unanswered(self.world):  # a frame waits for no search
                    self.world.inbox.post("late", entity)
                self.world.step(self._schedule)
                self.grading.after(self.world, self._bodies())
                for call in tuple(self.each_tick):
                    call(self.world)
        finally:
            self._ticking.release()
        return due

    def _share(self, dt: float) -> float:
        """Return how far between the last two ticks to draw: 1 is the last one.

        Only above the tick's own rate: at 60 frames a second it would show every pose a tick late for nothing.
        """
        if dt > 0:
            self._rate += 0.1 * (1.0 / dt - self._rate)
        was = self._between
        self._between = settings.interpolate.getValue() and self._rate > (SLOW if was else FAST)
        return self._clock.alpha if was and self._between else 1.0


def _has_shader(node: NodePath) -> bool:
    """Whether a host lights this part of its scene with a shader: ours would be toned twice, as under simplepbr."""
    attribute: Any = node.getNetState().getAttrib(ShaderAttrib)
    return attribute is not None and (attribute.hasShader() or attribute.autoShader())


def _counted(system: System) -> System:
    """Return the system with its time in PStats, as App:kinesics:<package>.<name>."""
    function: Any = system.func if isinstance(system, partial) else system
    package = function.__module__.partition("systems.")[2].partition(".")[0]
    collector = PStatCollector(f"App:kinesics:{package}.{function.__name__}")

    def counted(world: World) -> None:
        collector.start()
        try:
            system(world)
        finally:
            collector.stop()

    return counted
