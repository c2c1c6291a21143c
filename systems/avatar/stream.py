"""A voice that is fed while she says it: what `her.begin` returns."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...components.errors import AudioError
from ...components.speech import Speech, Word
from ..face.known import mouth_of
from ..voice.analyse import with_mouth
from ..voice.feed import Feed
from ..voice.pcm import mono
from ..voice.timings import delivered, listed, settled

if TYPE_CHECKING:
    from ...components.arrays import F32
    from .handle import Avatar


class Sound:
    """What a loudspeaker is given of one utterance: samples as they came, at their own rate.

    Whoever feeds is its one writer; a loudspeaker's thread reads it as it grows and waits on `news`.

    rate: Hz; chunks: (n,) f32 mono each, only appended to; seconds: of them; is_ended: no more will come
    """

    def __init__(self, rate: int, chunks: Sequence[F32] = (), *, is_ended: bool = False) -> None:
        self.rate, self.chunks, self.is_ended = rate, list(chunks), is_ended
        self.seconds = sum(map(len, self.chunks)) / rate
        self.news = threading.Event()

    def append(self, chunk: F32) -> None:
        """Take more, (n,) f32 mono."""
        self.chunks.append(chunk)
        self.seconds += len(chunk) / self.rate
        self.news.set()

    def end(self) -> None:
        """Say that this was all."""
        self.is_ended = True
        self.news.set()


class Stream:
    """One thing she says as it comes in. Every method may be called from any thread.

    She begins at most 0.1 s after the first chunk and waits with her mouth closed where feeding is too slow.
    """

    def __init__(self, avatar: Avatar, number: int, rate: int, text: str) -> None:
        self.avatar, self.id, self.text = avatar, number, text
        self.sound = Sound(rate)
        self._feed = Feed(rate)
        self._lock = threading.Lock()
        self._is_stopped = False

    @property
    def seconds(self) -> float:
        """Return how much has been fed, s."""
        return self._feed.seconds

    def feed(self, pcm: Any, words: Any = ()) -> None:
        """Hand over what was just spoken: any length, as soon as there is some.

        pcm: (n,) or (n, channels) floats -1..1, int16, int32, or bytes of int16, at the rate given to `begin`
        words: (text, start s, end s) that became known, counted from the first sample of the whole stream; or what
            Azure, edge-tts, ElevenLabs, Kokoro or Piper delivered by now, counted as they do
        AudioError for what is no sound, for words out of order, after `end`, and beyond 10 min. About 0.2 % of the
        chunk's length is spent here, in this thread.
        """
        with self._lock:
            if self._is_stopped:
                return  # whoever speaks has not heard of it yet
            if self.sound.is_ended:
                raise AudioError("stream: fed after its end; begin another with her.begin()")
            chunk, pieces, new = self._feed.take(pcm, self._timed(words))
            said = [[word.text, word.start, word.end] for word in new]
            if len(chunk):
                self.sound.append(chunk)
            for piece in pieces:
                self.avatar.post(
                    "feed", id=self.id, sounds=len(chunk) > 0, samples=piece.samples, coefficient=piece.coefficient,
                    loudness=piece.loudness, band=piece.band, words=said,
                )  # fmt: skip
                said = []

    def _timed(self, words: Any) -> Any:
        """Return words on the stream's own time, without those before its last one; what is given by hand as it is."""
        items = listed(words)
        told = delivered(items)
        if told is None:
            return items
        last = self._feed.words[-1].start if self._feed.words else 0.0
        shift = self.seconds if told.is_of_chunk else 0.0
        moved = [Word(word.text, word.start + shift, word.end + shift) for word in settled(told).words]
        return [word for word in moved if word.start >= last]

    def end(self) -> None:
        """Say that this was all of it: she finishes what there is. Safe to call twice.

        Her lips read all of it here, in this thread: 0.2 % of its length.
        """
        with self._lock:
            if self.sound.is_ended:
                return
            self.sound.end()
            speech = self._feed.close(self.text)
            self.avatar.post("end", id=self.id, speech=None if speech is None else with_lips(speech))

    def stop(self) -> None:
        """End it at once, or take it out of the queue: her mouth is closed within 100 ms."""
        self._is_stopped = True
        self.sound.end()
        self.avatar.post("stop", id=self.id)

    def position(self, seconds: float) -> None:
        """Tell how much of it has sounded, for a host that plays the voice itself with play=False."""
        self.avatar.post("position", id=self.id, seconds=float(seconds))

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def with_lips(speech: Speech) -> Speech:
    """Return a voice whose mouth is known: by its phones, else read from all of its sound."""
    return speech if len(speech.mouth) else with_mouth(speech, mouth_of(speech))


def sound_of(pcm: Any, rate: int) -> Sound:
    """Return what a loudspeaker is given of a voice known whole."""
    return Sound(rate, (mono(pcm),), is_ended=True)
