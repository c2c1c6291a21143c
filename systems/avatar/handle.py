"""Say, stop, be still: what a companion's program calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...components.anatomy import SIDES
from ...components.capsules import CapsuleSet
from ...components.config.sections import STAGES
from ...components.errors import AudioError, FaceError, FenceError, KinesicsError, PostureError
from ...components.face_map import FaceMap
from ...components.holds import ARRAYS
from ...components.mode import Public, audience
from ...components.motion import Motion
from ...components.outbox import Outbox
from ...components.persona import Persona
from ...components.skin import Body
from ...components.speech import Speech
from ...components.voice import Voice
from ...components.world import World
from ..face.moods import meant, moods_of
from ..fence import IN_PUBLIC, read
from ..posture import hold_of
from ..voice.analyse import analyse
from ..voice.files import read_audio
from ..voice.phones import phones_beside, read_phones
from ..voice.spoken import Speaks
from ..voice.timings import Timings, take_out, timings
from ..voice.words import read_timings, words_beside
from .stream import Sound, Stream, sound_of, with_lips

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
        self.sounds: dict[int, Sound] | None = None  # by utterance; a host that plays sound makes it, and empties it
        self.voice: Speaks | None = None  # speaks a text that comes without sound; a plugin sets it
        self._ids = itertools.count(1)
        self._callbacks: dict[str, list[Callable[..., None]]] = {}

    def post(self, kind: str, **data: Any) -> None:
        """Hand a message to her next tick."""
        self.world.inbox.post(kind, self.entity, **data)

    def say(
        self,
        voice: str | Path | Pcm | Speech | None = None,
        *,
        words: Any = (),
        text: str = "",
        phones: Iterable[Sequence[Any]] = (),
        play: bool = True,
        interrupt: bool = False,
    ) -> Utterance:
        """Have her say a voice that is known whole; it waits its turn unless `interrupt`.

        voice: a wav, flac, ogg or mp3 file, (pcm, rate), or a Speech that was analysed before. None: `her.voice`
            speaks `text`, in this thread: 0.1 s for espeak-ng, seconds for a neural one
        words: (text, start s, end s), or the events, answers or chunks that Azure, edge-tts, ElevenLabs, Kokoro or
            Piper delivered; without them a words file beside an audio file is used
        text: what is said; tags like [face:joy] are taken out of it, and her face shows that mood from the next word on
        phones: (ARPABET phone, start s, end s) where the voice tells them: her lips then need not listen
        play: through the engine's sound; False where the host plays it and reports `Utterance.position`
        AudioError for what is no voice. Reading and analysing take about 1 % of the voice's length, in this thread.
        """
        if voice is None:
            voice, words = self._spoken(text)
        speech, sound = (with_lips(voice), None) if isinstance(voice, Speech) else _heard(voice, words, text, phones)
        utterance = Utterance(self, next(self._ids), speech)
        if play and sound is not None and self.sounds is not None:
            self.sounds[utterance.id] = sound
        self.post("say", id=utterance.id, speech=speech, play=play, interrupt=interrupt, tags=_tags(text))
        return utterance

    def _spoken(self, text: str) -> tuple[Pcm, Timings]:
        plain, _ = take_out(text)
        if not plain.strip():
            raise AudioError("say: neither a voice nor a text to speak; give a file, (pcm, rate), or text=")
        if self.voice is None:
            cure = "set her.voice = kinesics.engine_plugin.voices.speaker(config.voice), or give the sound"
            raise AudioError(f"say: she has no voice for text; {cure}")
        spoken = self.voice(plain)
        return (spoken.pcm, spoken.rate), spoken.timings

    def stop(self) -> None:
        """End what she says and empty the queue."""
        self.post("stop", id=0)

    @property
    def stillness(self) -> float:
        """0 as configured .. 1 almost still: scales the corpus and the reflex, eased; 0 once she was removed."""
        return self.world.get(self.entity, Persona).stillness if self.is_here else 0.0

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
        if not self.is_here:
            return []
        outbox = self.world.get(self.entity, Outbox)
        messages, outbox.messages = outbox.messages, []
        for _, name, data in messages:
            for callback in self._callbacks.get(name, ()):
                callback(**data)
        return messages

    def figures(self) -> dict[str, Any]:
        """Return what she is doing now: the live part of a run's report. KinesicsError once she was removed."""
        from ..figures.live import live

        if not self.is_here:
            raise KinesicsError(f"{self.body.source}: was removed, so there is nothing to tell of her; spawn her again")
        return live(self.world, self.entity)

    @property
    def is_here(self) -> bool:
        """Whether she is in her world: a host may hold the handle of one that was removed."""
        return self.world.has(self.entity, Voice)

    @property
    def speaking(self) -> bool:
        """Whether a voice is sounding or waits to; False once she was removed: a host asks it each frame."""
        if not self.is_here:
            return False
        voice = self.world.get(self.entity, Voice)
        return voice.current is not None or bool(voice.queue)

    def begin(self, rate: int = 24_000, *, play: bool = True, text: str = "", interrupt: bool = False) -> Stream:
        """Have her say a voice that streams in as it is spoken; it waits its turn unless `interrupt`.

        rate: Hz of what will be fed (AudioError)
        play: through the engine's sound; False where the host plays it and reports `Stream.position`
        text: what she says, if known by now; tags as in `say`
        """
        tags, text = _tags(text), take_out(text)[0]
        stream = Stream(self, next(self._ids), rate, text)
        if play and self.sounds is not None:
            self.sounds[stream.id] = stream.sound
        self.post("begin", id=stream.id, play=play, text=text, interrupt=interrupt, tags=tags)
        return stream

    def listen(self, on: bool = True) -> None:
        """Take the microphone as HER voice, or leave it. It is never played back and does not mean PUBLIC.

        What she says with `say` and `begin` goes first. Outside an engine the host hands blocks over with `heard`.
        """
        self.post("listen", on=bool(on))

    def heard(self, samples: npt.ArrayLike) -> None:
        """Hand over what a microphone has just heard, (n,) float mono at 16 kHz; an engine does it itself."""
        self.post("audio", samples=np.array(samples, np.float32).reshape(-1))

    def hold(self, name: str, first: str = "") -> None:
        """Have her take a posture and keep it, her hands on her own skin: clasped, crossed, hands_on_hips, behind_back.

        She takes it around her body, leaves it while she speaks and takes it again when it is quiet ([posture]).
        first: "left" or "right" hand first, the lower arm of crossed ones; "" as most people do
        On a body that was not asked before it is looked for here, in this thread, about 5 s; then it is kept.
        PostureError for a posture there is none of, and for a body without two arms or without skin.
        """
        if first not in ("", *SIDES):
            raise PostureError(f"hold: first {first!r:.40}: wanted 'left', 'right' or ''")
        motion = self.world.get(self.entity, Motion) if self.is_here else None
        capsules = next((c for e, c in self.world.each(CapsuleSet) if e == self.entity), None)
        if motion is None or capsules is None or motion.reach is None:
            raise PostureError(f"{self.body.source}: no posture without two known arms and a measured skin; see doctor")
        found = hold_of(self.body, motion.anatomy, capsules, name, SIDES.index(first) if first else None)
        self.post("hold", name=name, first=found.first, **{array: getattr(found, array) for array in ARRAYS})

    def release(self) -> None:
        """Let go of a held posture, the way she came into it."""
        self.post("release")

    def mood(self, name: str, amount: float = 1.0) -> None:
        """Have her face show a mood until another is asked for, eased, beside what she says.

        name: one of `moods`, or another word for it that the table of moods has; "neutral" ends it
        amount: 0..1
        FaceError for a mood she does not have, naming those she has, and for an amount that is none.
        """
        if not isinstance(amount, (int, float)) or not 0.0 <= amount <= 1.0:
            raise FaceError(f"mood: amount {amount!r:.40}: wanted a number, 0..1")
        self.post("mood", name=meant(self._face_map(), name), amount=float(amount))

    @property
    def moods(self) -> list[str]:
        """Return the moods that her face can show; a face without shapes has "neutral" alone."""
        return moods_of(self._face_map())

    def _face_map(self) -> FaceMap:
        if not self.is_here:
            raise KinesicsError(f"{self.body.source}: was removed, so she shows nothing; spawn her again")
        return self.world.get(self.entity, FaceMap)

    def look_at(self, point: Sequence[float] | None) -> None:
        """Have her look at a point, eyes first, then her head; None: at whoever watches her, or at nothing.

        point: (3,) m in her own frame: +Y up, +Z the way she faces, +X to her left, her soles on y = 0
        She lets go of what lies beside or behind her, farther than 80 degrees. FaceError for what is no point.
        """
        self.post("look", point=_point(point))

    def watched_from(self, point: Sequence[float] | None) -> None:
        """Tell where whoever watches her is, as `look_at` does: [face] look = "camera" has her look there."""
        self.post("viewer", point=_point(point))

    def fence(self, stage: str, weights: str | Path = "") -> None:
        """Have the learned fence measured (shadow), run before the rule (live), or off; also takes back a fallback.

        weights: the head's file; empty: [fence] weights, which is the shipped head
        It ends with the first tick of a public stream and has to be asked for again after one.
        FenceError for a stage there is none of, in public mode, and for a file that is no head.
        """
        if stage not in STAGES:
            raise FenceError(f"fence: {stage!r:.40}: wanted one of {', '.join(STAGES)}")
        if stage == "off":
            self.post("fence", stage="off", head=None)
            return
        who = audience(self.world.mode)
        if isinstance(who, Public):
            raise FenceError(f"fence: {IN_PUBLIC}; ask again when the stream has ended")
        self.post("fence", stage=stage, head=read(who, weights or self.world.config.fence.weights))


def _tags(text: str) -> list[list[Any]]:
    """Return the inline tags of a text as a tick takes them: kind, value, how many words stand before it."""
    return [[tag.kind, tag.value, tag.word] for tag in take_out(text)[1]]


_FAR = 1e9  # m: products of much larger numbers are none


def _point(point: Sequence[float] | None) -> list[float] | None:
    if point is None:
        return None
    try:
        numbers = [float(number) for number in point]
    except (TypeError, ValueError, OverflowError):
        numbers = []
    if len(numbers) != 3 or not all(abs(number) <= _FAR for number in numbers):
        raise FaceError(f"look_at: {point!r:.60} is no point: give (x, y, z) in metres, up to {_FAR:g}, or None")
    return numbers


def hear(voice: str | Path | Pcm, words: Any, text: str) -> Speech:
    """Return a voice read and analysed. AudioError names what is wrong with it."""
    return _heard(voice, words, text)[0]


def _heard(
    voice: str | Path | Pcm, words: Any, text: str, phones: Iterable[Sequence[Any]] = ()
) -> tuple[Speech, Sound]:
    given: list[Any] = list(phones)
    if isinstance(voice, (str, Path)):
        pcm, rate = read_audio(voice)
        table = timings(words, text=text, seconds=len(pcm) / rate)
        if not table.words and (beside := words_beside(Path(voice))) is not None:
            found = read_timings(beside, table.text)
            table = replace(table, words=found.words, phones=table.phones or found.phones)
        if not given and (beside := phones_beside(Path(voice))) is not None:
            given = list(read_phones(beside))
    elif isinstance(voice, tuple) and len(voice) == 2:
        pcm, rate = np.asarray(voice[0]), int(voice[1])
        table = timings(words, text=text, seconds=len(pcm) / rate if pcm.ndim and rate > 0 else 0.0)
    else:
        raise AudioError(f"say: {type(voice).__name__} is no voice: pass a file, or (pcm, rate)")
    speech = analyse(pcm, rate, words=table.words, text=table.text, phones=given or table.phones)
    return with_lips(speech), sound_of(pcm, rate)
