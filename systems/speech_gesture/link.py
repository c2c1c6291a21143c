"""Between a world and whoever hosts the sentence model: what is asked goes out, motion comes in through the inbox.

Nothing of this ticks: a host calls it between two ticks, and what it posts is in the world's log, so that a replay
needs no model.
"""

from __future__ import annotations

import math
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ...components.arrays import F32, F64
from ...components.draw import draws
from ...components.gesture import SEED, Lost, Sentence, Window
from ...components.motion import Motion
from ...components.outbox import Outbox
from ...components.plan import Plan
from ...components.pose import Pose
from ...components.sentences import Ask
from ...components.speech import Speech
from ...components.voice import Voice
from ...components.world import World
from ..retarget import Onto
from .words import Aligner, Timed, words_of

DUE = 24  # ticks that a window has, in a run that waits for it: 0.4 s, what one may take on one thread
PATIENCE = 60.0  # s that such a run waits before it goes on without
_BACK = 2 * SEED  # ticks of what she showed, the 16 frames before a sentence


class Host(Protocol):
    """Who hosts the model: a process of its own, or this one."""

    @property
    def state(self) -> str: ...
    @property
    def detail(self) -> str: ...
    def ask(self, sentence: Sentence) -> None: ...
    def cancel(self, avatar: int) -> None: ...
    def poll(self) -> list[Any]: ...
    def wait(self, seconds: float) -> bool: ...
    def close(self) -> None: ...


@dataclass(slots=True)
class _Hers:
    """What is kept of one avatar between two ticks."""

    onto: Onto
    timing: Future[Timed] | None = None
    shown: deque[F64] = field(default_factory=lambda: deque(maxlen=_BACK))
    ask: Ask | None = None
    step: str = ""
    last: F32 | None = None
    came: list[tuple[int, Window]] = field(default_factory=list)
    windows: int = 0
    is_over: bool = True


class Link:
    """One world's way to the model.

    host: of the model; waits: each window is handed over on a fixed tick after it was asked for, however long it took,
    so that a run without a picture gives the same bits again; else as it comes
    align: finds the times of words that come without, see words.words_of
    """

    def __init__(self, host: Host, *, waits: bool, align: Aligner | None = None) -> None:
        self.host, self._waits, self._align = host, waits, align
        self._hers: dict[int, _Hers] = {}
        # aligning takes 0.1 s for a second of voice: whoever draws pictures cannot wait for it
        self._aside = None if waits or align is None else ThreadPoolExecutor(1, "kinesics-align")

    def before(self, world: World) -> None:
        """Do what is due before the next tick."""
        for entity, plan, motion in world.each(Plan, Motion):
            sentences = plan.sentences
            if sentences is None:
                continue
            hers = self._hers.get(entity)
            if hers is None:
                hers = self._hers[entity] = _Hers(Onto.of(motion.rig, motion.anatomy))
            if not sentences.is_on:
                hers.shown.append(world.get(entity, Pose).rotation.copy())
            newest = sentences.asks[-1] if sentences.asks else None
            if newest is not hers.ask:
                self._turn_to(world, entity, hers, newest)
            if hers.timing is not None and hers.timing.done():
                self._send(world, entity, hers, hers.timing.result())
        for entity in [entity for entity in self._hers if not world.has(entity, Plan)]:  # removed since
            del self._hers[entity]
            self.host.cancel(entity)
        for answer in self.host.poll():
            self._take(world, answer)
        for entity, hers in self._hers.items():
            if self._waits and hers.ask is not None and not hers.is_over:
                self._await(world, entity, hers, hers.ask)
            self._post(world, entity, hers)

    def close(self) -> None:
        """End the host's part."""
        if self._aside is not None:
            self._aside.shutdown(wait=False, cancel_futures=True)
        self.host.close()

    def figures(self, entity: int) -> dict[str, Any]:
        """Return the model's state, and how the words of an avatar's newest sentence were timed."""
        hers = self._hers.get(entity)
        return {"state": self.host.state, "detail": self.host.detail, "words": hers.step if hers is not None else ""}

    def _turn_to(self, world: World, entity: int, hers: _Hers, ask: Ask | None) -> None:
        """Have the words of what is asked now timed; take back what was asked before, where nothing is."""
        speech = None if ask is None else _said(world.get(entity, Voice), ask.id)
        if speech is None and not hers.is_over:
            self.host.cancel(entity)
        hers.ask, hers.windows, hers.last, hers.is_over = ask, 0, None, speech is None
        hers.came.clear()
        hers.timing = None if speech is None else self._timed(speech)

    def _timed(self, speech: Speech) -> Future[Timed]:
        if self._aside is not None and not speech.words:
            return self._aside.submit(words_of, speech, self._align)
        done: Future[Timed] = Future()
        done.set_result(words_of(speech, self._align))
        return done

    def _send(self, world: World, entity: int, hers: _Hers, timed: Timed) -> None:
        """Hand the question over."""
        ask, hers.timing = hers.ask, None
        speech = None if ask is None else _said(world.get(entity, Voice), ask.id)
        if ask is None or speech is None:
            return
        words, hers.step = timed
        shown = np.zeros((0, 55, 4), np.float32)
        if not ask.after and len(hers.shown) == _BACK:
            shown = hers.onto.back(np.array(hers.shown)[1::2])
        key = int(draws(world.seed, entity, "sentence", ask.id).integers(2**63))
        audio = np.ascontiguousarray(speech.audio, np.float32)
        self.host.ask(Sentence(ask.id, entity, key, audio, words, ask.after, ask.frame, shown))

    def _take(self, world: World, answer: Any) -> None:
        hers = self._hers.get(getattr(answer, "avatar", -1))
        if hers is None or hers.ask is None or getattr(answer, "sentence", -1) != hers.ask.id:
            return
        if isinstance(answer, Window):
            due = hers.ask.tick + DUE * (hers.windows + 1) if self._waits else world.tick
            hers.windows += 1
            hers.came.append((due, answer))
            hers.is_over = answer.is_last
        elif isinstance(answer, Lost):
            hers.is_over = True
            world.get(answer.avatar, Outbox).degrade(world.tick, f"sentence: {answer.why}")

    def _await(self, world: World, entity: int, hers: _Hers, ask: Ask) -> None:
        """Wait for the window that is due on this tick."""
        waited = 0.0
        while not hers.is_over and world.tick >= ask.tick + DUE * (hers.windows + 1):
            if self.host.state in ("off", "dead") or waited >= PATIENCE:
                hers.is_over = True
                world.get(entity, Outbox).degrade(world.tick, f"sentence: {self.host.detail or self.host.state}")
                return
            self.host.wait(0.1)
            waited += 0.1
            for answer in self.host.poll():
                self._take(world, answer)

    def _post(self, world: World, entity: int, hers: _Hers) -> None:
        """Hand over the motion that is due, as she will show it."""
        while hers.came and hers.came[0][0] <= world.tick:
            window = hers.came.pop(0)[1]
            motion = hers.onto.motion(window.rotation, hers.last)
            hers.last = motion[-1]
            if not math.isfinite(float(motion.sum())):
                world.get(entity, Outbox).degrade(world.tick, "sentence: motion that is not finite was left out")
                continue
            world.inbox.post(
                "motion", entity, id=window.sentence, frame=window.frame, motion=motion, is_last=window.is_last
            )


def _said(voice: Voice, number: int) -> Speech | None:
    """Return what an utterance says, None where it is over."""
    every = [voice.current] if voice.current is not None else []
    return next((u.speech for u in (*every, *voice.queue) if u.id == number), None)


class Here:
    """The model in this process, a step whenever it is waited for: for tests and tools."""

    def __init__(self, sessions: Any) -> None:
        self.state, self.detail = "ready", ""
        self._sessions = sessions
        self._running: dict[int, Any] = {}
        self._made: list[Any] = []

    def ask(self, sentence: Sentence) -> None:
        """Begin a sentence in place of the avatar's last."""
        self._running[sentence.avatar] = self._sessions.begin(sentence)
        self.state = "busy"

    def cancel(self, avatar: int) -> None:
        """Leave an avatar's sentence."""
        self._running.pop(avatar, None)

    def poll(self) -> list[Any]:
        """Return what was made since."""
        made, self._made = self._made, []
        return made

    def wait(self, seconds: float) -> bool:
        """Make each avatar's next window."""
        for avatar, running in list(self._running.items()):
            for window in running:
                if window is not None:
                    self._made.append(window)
                    if window.is_last:
                        del self._running[avatar]
                    break
            else:
                self._running.pop(avatar, None)
        self.state = "busy" if self._running else "ready"
        return bool(self._made)

    def close(self) -> None:
        """Leave everything."""
        self._running.clear()
        self.state, self.detail = "off", "closed"
