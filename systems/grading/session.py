"""Blind grading beside one avatar that talks in TRAINING: what she says is captured, lived through again, handed out.

Nothing of it runs in her tick or changes a bit of her: `after` reads what a tick left, `work` runs copies a slice at a
time. What is handed out waits for its strips, which an engine draws.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from ...components.contacts import Contacts
from ...components.errors import GradingError
from ...components.fence import Fence
from ...components.inbox import Event
from ...components.mode import Mode
from ...components.motion import Motion
from ...components.voice import Voice
from ...components.world import World
from .capture import Capture, sounds_live
from .copy import Lived, live
from .layers import layers
from .moments import moments
from .outcome import Outcome, blinded, judged
from .store import Store

Aside = Callable[[Callable[[], Any]], "Future[Any]"]
WAITING = 4  # sentences that may wait to be lived through again: beyond it the oldest is let go (a choice)


class Session:
    """Grades what one avatar of a world says while it is in TRAINING.

    outcomes: replays that wait for their strips; whoever draws takes them from the left and calls `show`
    live:     ids drawn and not shown yet that are still wanted: once one is gone, its strips are no longer
    missed:   why sentences were not graded, and how many
    """

    def __init__(
        self, world: World, store: Store, entity: int | None = None, replay: str = "", aside: Aside | None = None
    ) -> None:
        """Follow an avatar, the first by default.

        replay: the file that this run will be kept in, if it will
        aside: runs a call on a thread of its own, one after the other, for a host that cannot wait for a disk; None:
            all is done at once
        """
        self.store, self.replay, self._aside = store, replay, aside
        self.entity = next(iter(world.each(Motion)))[0] if entity is None else entity
        self.outcomes: deque[Outcome] = deque()
        self.live: set[int] = set()
        self.missed: dict[str, int] = {}
        self._world = world
        self._tap: deque[tuple[int, Event]] = deque()
        self._open: list[Capture] = []
        self._ready: deque[Capture] = deque()
        self._running: Generator[None, None, Outcome | None] | None = None
        self._copy: World | None = None  # what runs now
        self._last = -1  # number of the utterance that was current, -1 before the first look
        self._sounds = True  # her live voice did: one that is there at the first look is half said
        self._follows = False

    @property
    def is_busy(self) -> bool:
        """Whether something is being captured, or waits to be lived through again."""
        return bool(self._open or self._ready or self._running is not None)

    def after(self, world: World) -> None:
        """Look at the tick that was just made. Call it after every tick.

        Reads Voice, World.mode, Inbox; writes nothing of hers.
        """
        if world.mode is not Mode.TRAINING or not world.has(self.entity, Voice):
            if self._follows:
                self.end("training was left")
            if world.has(self.entity, Voice):
                self._begins(world.get(self.entity, Voice))
            return
        if not self._follows:
            self._follows = True
            world.inbox.taps.append(self._tap)
        voice = world.get(self.entity, Voice)
        self._follow(world, voice)
        if self._begins(voice) and world.has(self.entity, Contacts):
            self._open.append(Capture.begin(world, self.entity, voice))

    def _begins(self, voice: Voice) -> bool:
        """Return whether something to capture has begun on this tick: an utterance, or a phrase of her live voice."""
        number, before = voice.current.id if voice.current is not None else 0, self._last
        sounds, did = sounds_live(voice), self._sounds
        self._last, self._sounds = number, sounds
        if number and number != before:
            return before >= 0 or voice.position == 0.0  # what was half said at the first look is not taken up
        return sounds and not did and all(capture.speech is not None for capture in self._open)

    def work(self, ticks: int, ready: Callable[[World], bool] | None = None) -> bool:
        """Live through what waits, `ticks` ticks of it at most; return whether there is more to do.

        ready: asked of a copy before each of its ticks; where it is not, the rest is left for another time
        GradingError where the store cannot be written; the sentence is then let go.
        """
        for _ in range(ticks):
            if self._running is None:
                if not self._ready:
                    break
                self._running = self._replay(self._ready.popleft())
            if ready is not None and self._copy is not None and not ready(self._copy):
                return True
            try:
                next(self._running)
            except StopIteration as end:
                self._running = self._copy = None
                if end.value is not None:
                    self.outcomes.append(end.value)
            except BaseException:
                self._running = self._copy = None
                raise
        return self._running is not None or bool(self._ready)

    def end(self, why: str = "it was ended") -> None:
        """Let go of everything that is not shown yet: no copy, no draw, no strip of it is left waiting."""
        if self._follows:
            self._follows = False
            self._world.inbox.taps.remove(self._tap)
        self._tap.clear()
        for _ in range(len(self._open) + len(self._ready)):
            self._miss(why)
        self._open.clear()
        self._ready.clear()
        if self._running is not None:
            self._running.close()
            self._running = self._copy = None
            self._miss(why)
        self.outcomes.clear()
        unwanted, self.live = self.live, set()
        if self._aside is not None:
            self._aside(partial(self._drop, unwanted, why))  # after a draw that is still on its way to the disk
        else:
            self._drop(unwanted, why)

    def _drop(self, unwanted: set[int], why: str) -> None:
        for number in sorted(unwanted):
            self.store.drop(number, why)

    def show(self, number: int, pictures: Sequence[str | Path]) -> None:
        """Have a replay wait for its grade: its strips are there. GradingError where it is no longer wanted."""
        if number not in self.live:
            raise GradingError(f"{number}: is no longer wanted: training was left before its strips were made")
        self.store.show(number, pictures)
        self.live.discard(number)

    def _follow(self, world: World, voice: Voice) -> None:
        """Hand what came in on this tick to what is being captured, and close what is over."""
        came = list(self._tap)
        self._tap.clear()
        is_turned = any(event.kind in ("config", "mode", "fence") for _, event in came)
        for capture in tuple(self._open):
            if is_turned:  # half of it was said with other settings, so one thing is no longer all that is swapped
                self._open.remove(capture)
                self._miss("settings changed while she spoke")
                continue
            capture.events.extend(came)
            capture.follow(world, voice)
            if capture.is_whole:
                self._open.remove(capture)
                if not capture.is_worth:
                    self._miss("too short")
                    continue
                self._ready.append(capture)
                if len(self._ready) > WAITING:
                    self._ready.popleft()
                    self._miss("she spoke faster than copies follow")

    def _replay(self, capture: Capture) -> Generator[None, None, Outcome | None]:
        """Live through a sentence with nothing swapped, to hold it against her; with the rule, to know the motion
        before any rule; and with what is drawn. Where she runs the rule alone the first is the second.
        """
        choice = layers(capture.world, self.entity)
        drawn = capture.world
        measured, digests = yield from self._lived(capture, ())
        if digests != capture.digests:
            self._miss("her copy came to other bits than she did")
            return None
        if not _is_ruled(drawn, self.entity):
            measured, _ = yield from self._lived(capture, choice[1].events)
        said = capture.said(self.replay)
        wanted = self.live

        def draw() -> int:
            number = self.store.draw(said, choice, drawn.inbox)
            wanted.add(number)
            return number

        number = yield from self._beside(draw)
        self._copy = drawn
        yield
        lived = yield from live(drawn, capture)

        def finish() -> Outcome:
            shown = lived()
            self.store.finish(number, judged(shown, measured))
            return Outcome(number, said, blinded(shown.run), moments(measured.run.depth_raw_mm, measured.raw))

        return (yield from self._beside(finish))

    def _lived(self, capture: Capture, events: Sequence[Event]) -> Generator[None, None, tuple[Lived, dict[str, str]]]:
        """Live through a sentence on a copy of its own and return that, and the digests it came to."""
        self._copy = copy = capture.world.copy()
        for event in events:
            copy.inbox.post(event.kind, event.avatar, **event.data)
        yield
        lived = yield from live(copy, capture)
        return (yield from self._beside(lambda: (lived(), copy.digests())))

    def _beside(self, call: Callable[[], Any]) -> Generator[None, None, Any]:
        """Do what takes longer than a frame and return what it gives; where there is an `aside`, nothing waits."""
        if self._aside is None:
            return call()
        done = self._aside(call)
        while not done.done():
            yield
        return done.result()

    def _miss(self, why: str) -> None:
        self.missed[why] = self.missed.get(why, 0) + 1


def _is_ruled(world: World, entity: int) -> bool:
    """Return whether what she showed is what the rule alone shows."""
    has_head = world.has(entity, Fence) and world.get(entity, Fence).is_live
    return "rule" in world.config.run.layers and not has_head
