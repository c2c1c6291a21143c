"""`plugin.grading`: what she says in TRAINING, lived through again a slice a frame and drawn by another process."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...components.errors import GradingError, KinesicsError
from ...components.grading import Asked
from ...components.mode import Mode
from ...components.skin import Body
from ...components.world import World
from ...systems import matcher

if TYPE_CHECKING:
    from ...systems.grading import Outcome, Session, Store
    from .drawer import Drawer

SLICE = 0.0015  # s of a frame that copies may take: about ten ticks of one, a tenth of a frame of 1/60 s (a choice)
_AGAIN = 0.05  # s between two looks, for `settle`


class Grading:
    """Blind grading of everything that the avatars of one plugin say in TRAINING. In other modes it does nothing.

    Her window shows nothing of it and her run keeps its bits: a copy is a second world. Any thread may call `next`,
    `waiting`, `submit`, `table` and `page`; the plugin calls the rest.

    replay: the file that this run will be kept in, "" where nobody keeps it
    """

    def __init__(self, world: World) -> None:
        self.replay = ""
        self._world = world
        self._store: Store | None = None
        self._sessions: dict[int, Session] = {}
        self._off: set[int] = set()  # avatars whose store cannot be written, until TRAINING is begun again
        self._drawer: Drawer | None = None
        self._drawing: dict[int, Session] = {}
        self._writer: ThreadPoolExecutor | None = None
        self._kept: Future[Any] | None = None
        self._news: deque[tuple[str, dict[str, Any]]] = deque()
        self._mine = threading.Lock()
        self._bodies: Mapping[int, Body] = {}
        self._has_more = False  # a copy was not done when the last slice was over

    @property
    def store(self) -> Store:
        """Where draws and grades are kept: the user's own unless another was set, which has to be before TRAINING."""
        with self._mine:
            if self._store is None:
                from ...systems.grading import Store
                from .place import default_store

                self._store = Store(default_store())
            return self._store

    @store.setter
    def store(self, store: Store | str | Path) -> None:
        from ...systems.grading import Store

        if self._sessions:
            raise GradingError(f"{self.store.path}: is in use; set another store before training is begun")
        self._store = store if isinstance(store, Store) else Store(store)

    def next(self) -> Asked | None:
        """Return the oldest replay that waits for a grade: its id and strips. None where none does, or not TRAINING."""
        return self.store.next() if self._world.mode is Mode.TRAINING else None

    def waiting(self) -> list[Asked]:
        """Return every replay that waits for a grade, oldest first; none where the mode is not TRAINING."""
        return self.store.waiting() if self._world.mode is Mode.TRAINING else []

    def submit(self, number: int, grade: str, note: str = "", *, change: bool = False) -> None:
        """Grade a replay by its id, "good" or "bad".

        change: it was graded before, and this is meant instead; once, and both are kept
        GradingError where there is nothing to grade under that id, and in a mode that never grades.
        """
        if self._world.mode is not Mode.TRAINING:
            raise GradingError(
                f"{number}: she is in {self._world.mode.value} mode, which never grades; "
                "set plugin.mode = Mode.TRAINING, or use `kinesics grade submit`"
            )
        self.store.submit(number, grade, note, change=change)
        self._news.append(("graded", {"id": number, "grade": grade}))

    def table(self) -> dict[str, Any]:
        """Return the table of grades beside the fixed rules: the one place where layers are named."""
        from ...systems.grading import table

        return table(self.store)

    def page(self, out: str | Path | None = None) -> Path:
        """Write a page of all strips, without layers, and return its path; beside the store where no other is named."""
        from .page import write_page

        return write_page(self.store, None if out is None else Path(out))

    @property
    def is_busy(self) -> bool:
        """Whether something she said is not yet waiting for its grade."""
        return bool(self._drawing) or self._is_writing or any(s.is_busy or s.outcomes for s in self._sessions.values())

    @property
    def _is_writing(self) -> bool:
        return self._kept is not None and not self._kept.done()

    @property
    def missed(self) -> dict[str, int]:
        """Return why sentences were not graded, and how many."""
        out: dict[str, int] = {}
        for session in self._sessions.values():
            for why, count in session.missed.items():
                out[why] = out.get(why, 0) + count
        return out

    @property
    def pid(self) -> int:
        """Number of the process that draws strips, 0 while there is none."""
        return self._drawer.pid if self._drawer is not None else 0

    def after(self, world: World, bodies: Mapping[int, Body]) -> None:
        """Look at the tick that was just made. bodies: of the avatars that are shown, by entity"""
        if world.mode is not Mode.TRAINING:
            if self._sessions or self._off:
                self._leave(world)
            return
        for entity in bodies:
            if entity not in self._sessions and entity not in self._off:
                self._begin(world, entity)
        for entity, session in list(self._sessions.items()):
            self._guarded(entity, lambda session=session: session.after(world))
            if entity not in bodies:  # she was removed, and `after` has let go of what was hers
                self._sessions.pop(entity, None)

    def work(self, bodies: Mapping[int, Body]) -> list[tuple[str, dict[str, Any]]]:
        """Go on a little with what waits and return what happened: "to-grade", "graded", "degraded" and their data."""
        until = time.perf_counter() + SLICE
        self._bodies, self._has_more = bodies, False
        for entity, session in list(self._sessions.items()):
            self._guarded(entity, lambda session=session: self._live_on(session, until))
            while session.outcomes:
                self._draw(session, session.outcomes.popleft(), bodies.get(entity))
        self._take()
        news = list(self._news)
        for _ in news:
            self._news.popleft()
        return news

    def settle(self, seconds: float = 120.0) -> None:
        """Finish what she has said, for a host that has stopped ticking; KinesicsError where that takes longer."""
        until = time.monotonic() + seconds
        while self._has_more or self._drawing or self._is_writing:
            self._news.extendleft(reversed(self.work(self._bodies)))
            if time.monotonic() > until:
                raise KinesicsError(f"grading: strips were not finished within {seconds:g} s, and are let go")
            time.sleep(_AGAIN)

    def close(self) -> None:
        """End it: nothing half made is left, no process and no thread. Safe to call twice."""
        for session in self._sessions.values():
            with contextlib.suppress(KinesicsError):
                session.end()
        self._sessions.clear()
        self._end_drawing(waits=True)
        if self._writer is not None:
            self._writer.shutdown()
            self._writer = None

    def _begin(self, world: World, entity: int) -> None:
        from ...systems.grading import Session

        if self._writer is None:
            self._writer = ThreadPoolExecutor(1, "kinesics-grades")
            self._writer.submit(_load)
        self._sessions[entity] = Session(world, self.store, entity, self.replay, self._aside)

    def _leave(self, world: World) -> None:
        """Let go of everything, for a mode that never grades."""
        for entity, session in list(self._sessions.items()):
            self._guarded(entity, lambda session=session: session.after(world))
        self._sessions.clear()
        self._off.clear()
        self._end_drawing(waits=False)
        if self._writer is not None:
            self._writer.shutdown(wait=False)
            self._writer = None

    def _end_drawing(self, *, waits: bool) -> None:
        self._drawing.clear()
        if self._drawer is not None:
            self._drawer.close(waits=waits)
            self._drawer = None

    def _aside(self, write: Callable[[], Any]) -> Future[Any]:
        assert self._writer is not None
        self._kept = self._writer.submit(write)
        return self._kept

    def _live_on(self, session: Session, until: float) -> None:
        while session.work(1, self._is_ready):
            # a draw that is on its way to the disk leaves nothing to do but to wait
            if self._is_writing or time.perf_counter() > until:
                self._has_more = True
                return

    def _is_ready(self, copy: World) -> bool:
        return not matcher.unanswered(copy)

    def _draw(self, session: Session, outcome: Outcome, body: Body | None) -> None:
        if body is None or outcome.id not in session.live:
            return
        from .drawer import Drawer
        from .strips import Moments

        if self._drawer is None:
            self._drawer = Drawer()
        self._drawing[outcome.id] = session
        self._drawer.ask(outcome.id, body, Moments.of(outcome), self.store.pictures)

    def _take(self) -> None:
        """Have what was drawn wait for its grade."""
        drawer = self._drawer
        while drawer is not None and drawer.done:
            number, drawn = drawer.done.popleft()
            session = self._drawing.pop(number, None)
            is_wanted = session is not None and number in session.live
            if isinstance(drawn, str):
                self._news.append(("degraded", {"what": f"grading: a sentence has no strips: {drawn}"}))
                if session is not None and is_wanted:
                    session.live.discard(number)
                    self._aside(partial(self.store.drop, number, drawn))
            elif session is None or not is_wanted:
                for path in drawn:
                    path.unlink(missing_ok=True)
            else:
                session.live.discard(number)
                self._aside(partial(self._show, number, drawn))

    def _show(self, number: int, pictures: tuple[Path, Path]) -> None:
        try:
            self.store.show(number, pictures)
        except KinesicsError as cause:
            for path in pictures:
                path.unlink(missing_ok=True)
            self._news.append(("degraded", {"what": f"grading: {cause}"}))
            return
        self._news.append(("to-grade", {"id": number, "pictures": [str(path) for path in pictures]}))

    def _guarded(self, entity: int, call: Callable[[], Any]) -> None:
        """Do it; where the store cannot be written she goes on without grades, and that is told once."""
        try:
            call()
        except (KinesicsError, OSError) as cause:
            self._news.append(("degraded", {"what": f"grading is off until training is begun again: {cause}"}))
            self._off.add(entity)
            session = self._sessions.pop(entity, None)
            if session is not None:
                with contextlib.suppress(KinesicsError, OSError):
                    session.end(str(cause))


def _load() -> None:
    """Read what drawing needs, ahead of the frame in which it is first asked for."""
    from . import drawer  # noqa: F401
