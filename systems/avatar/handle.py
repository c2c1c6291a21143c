"""Say, stop, be still: what a companion's program calls. Parts of a later version raise NotBuilt with their name."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...components.errors import AudioError, NotBuilt
from ...components.outbox import Outbox
from ...components.persona import Persona
from ...components.skin import Body
from ...components.speech import Speech, Word
from ...components.voice import Voice
from ...components.world import World
from ..voice.analyse import analyse
from ..voice.files import read_audio
from ..voice.words import read_words, words_beside

EVENTS = ("started", "word", "finished", "interrupted", "contact", "degraded", "fell_back")
Pcm = tuple[npt.ArrayLike, int]


class Utterance:
    """One thing she was asked to say."""

    def __init__(self, avatar: Avatar, number: int, speech: Speech) -> None:
        self.avatar, self.id, self.speech = avatar, number, speech

    @property
    def seconds(self) -> float:
        """Return how long it is, s."""
        return self.speech.seconds

    def stop(self) -> None:
        """End it, or take it out of the queue: her mouth is closed within 100 ms, her body eases to the reflex."""
        self.avatar.post("stop", id=self.id)

    def position(self, seconds: float) -> None:
        """Tell how much of it has sounded, for a host that plays the voice itself with play=False."""
        self.avatar.post("position", id=self.id, seconds=float(seconds))


class Avatar:
    """One avatar of a world. body: what was read from her file; node: her NodePath inside an engine, else None."""

    def __init__(self, world: World, entity: int, body: Body) -> None:
        self.world, self.entity, self.body = world, entity, body
        self.node: Any = None
        self._ids = itertools.count(1)
        self._callbacks: dict[str, list[Callable[..., None]]] = {}

    def post(self, kind: str, **data: Any) -> None:
        """Hand a message to her next tick."""
        self.world.inbox.post(kind, self.entity, **data)

    def say(
        self,
        voice: str | Path | Pcm | Speech,
        *,
        words: Iterable[Word | Sequence[Any]] = (),
        text: str = "",
        play: bool = True,
        interrupt: bool = False,
    ) -> Utterance:
        """Have her say a voice that is known whole; it waits its turn unless `interrupt`.

        voice: a wav, flac, ogg or mp3 file, (pcm, rate), or a Speech that was analysed before
        words: (text, start s, end s); without them a words file beside an audio file is used
        play: through the engine's sound; False where the host plays it and reports `Utterance.position`
        AudioError for what is no voice. Reading and analysing take about 1 % of the voice's length, in this thread.
        """
        speech = voice if isinstance(voice, Speech) else hear(voice, words, text)
        utterance = Utterance(self, next(self._ids), speech)
        self.post("say", id=utterance.id, speech=speech, play=play, interrupt=interrupt)
        return utterance

    def stop(self) -> None:
        """End what she says and empty the queue."""
        self.post("stop", id=0)

    @property
    def stillness(self) -> float:
        """0 as configured .. 1 almost still: scales the corpus and the reflex, eased."""
        return self.world.get(self.entity, Persona).stillness

    @stillness.setter
    def stillness(self, value: float) -> None:
        self.post("stillness", value=float(value))

    def on(self, event: str, callback: Callable[..., None]) -> None:
        """Call back with keyword arguments when something happens; `EVENTS` lists what can."""
        if event not in EVENTS:
            raise ValueError(f"no event '{event}'; there are {', '.join(EVENTS)}")
        self._callbacks.setdefault(event, []).append(callback)

    def deliver(self) -> list[tuple[int, str, dict[str, Any]]]:
        """Run the callbacks of what has happened since the last call and return it; the host calls this each frame."""
        outbox = self.world.get(self.entity, Outbox)
        messages, outbox.messages = outbox.messages, []
        for _, name, data in messages:
            for callback in self._callbacks.get(name, ()):
                callback(**data)
        return messages

    def figures(self) -> dict[str, Any]:
        """Return what she is doing now: the live part of a run's report."""
        from ..figures.live import live

        return live(self.world, self.entity)

    @property
    def speaking(self) -> bool:
        """Whether a voice is sounding or waits to."""
        voice = self.world.get(self.entity, Voice)
        return voice.current is not None or bool(voice.queue)

    def begin(self, rate: int = 24_000) -> Any:
        """A voice that streams in as it is spoken: not built yet."""
        raise NotBuilt("her.begin (a voice that streams in)")

    def listen(self, on: bool = True) -> None:
        """A microphone as her voice: not built yet."""
        raise NotBuilt("her.listen (the microphone)")

    def hold(self, name: str) -> None:
        """A held posture: not built yet."""
        raise NotBuilt("her.hold (held postures)")

    def release(self) -> None:
        """Let go of a held posture: not built yet."""
        raise NotBuilt("her.release (held postures)")

    def mood(self, name: str, amount: float) -> None:
        """A mood on her face: not built yet."""
        raise NotBuilt("her.mood (moods)")

    def look_at(self, point: tuple[float, float, float] | None) -> None:
        """Gaze: not built yet."""
        raise NotBuilt("her.look_at (gaze)")

    def fence(self, stage: str) -> None:
        """The learned fence; "off" is what this version runs, "shadow" and "live" are not built yet."""
        if stage != "off":
            raise NotBuilt(f'her.fence("{stage}") (the learned fence)')


def hear(voice: str | Path | Pcm, words: Iterable[Word | Sequence[Any]], text: str) -> Speech:
    """Return a voice read and analysed. AudioError names what is wrong with it."""
    given = tuple(word if isinstance(word, Word) else Word(str(word[0]), float(word[1]), float(word[2])) for word in words)
    if isinstance(voice, (str, Path)):
        pcm, rate = read_audio(voice)
        if not given and (beside := words_beside(Path(voice))) is not None:
            given = tuple(read_words(beside))
        return analyse(pcm, rate, words=given, text=text)
    if not (isinstance(voice, tuple) and len(voice) == 2):
        raise AudioError(f"say: {type(voice).__name__} is no voice: pass a file, or (pcm, rate)")
    pcm, rate = voice
    return analyse(np.asarray(pcm), int(rate), words=given, text=text)
