"""Her voice on this tick: what is being said, how far it has sounded, and what waits."""

from __future__ import annotations

from dataclasses import dataclass, field

from .ring import Ring
from .speech import Growing, Speech


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing to say.

    id: counts up from 1; play: through the engine's sound, else the host plays it
    tags: (kind, value, how many words stand before it) of each inline tag of its text
    """

    id: int
    speech: Speech
    play: bool = True
    digest: str = ""
    tags: tuple[tuple[str, str, int], ...] = ()


@dataclass(slots=True)
class Voice:
    """Speaking state of one avatar.

    Fields:
        queue:     what waits, first to be said first
        current:   what is being said, or None
        streams:   utterances of `queue` and `current` that are still being fed, by id
        began:     tick on which the first sample of `current` sounds (derived clock)
        position:  s of `current` that have sounded by this tick
        offset:    s that the sound card or the host is ahead of the ticks, followed slowly
        reported:  tick of the last report of a position beyond 0, -1 before the first
        waited:    ticks for which `current` has been waiting to be fed, 0 while it sounds
        word:      index of the word last announced
        active:    she is speaking on this tick: the voice, not the file, is sounding
        listening: a microphone is on and it is her voice
        live:      what the microphone heard, None until one was on
        last_heard: tick on which something came from the microphone, -1 before
        last_id:   id of the newest utterance
    """

    queue: list[Utterance] = field(default_factory=list)
    current: Utterance | None = None
    streams: dict[int, Growing] = field(default_factory=dict)
    began: int = 0
    position: float = 0.0
    offset: float = 0.0
    reported: int = -1
    waited: int = 0
    word: int = -1
    active: bool = False
    listening: bool = False
    live: Ring | None = None
    last_heard: int = -1
    last_id: int = 0

    @property
    def is_open(self) -> bool:
        """Whether what is being said is still being fed, so that its end is not known."""
        return self.current is not None and self.current.id in self.streams

    @property
    def is_live(self) -> bool:
        """Whether her voice comes from a microphone now, so that nobody knows how it goes on."""
        return self.listening and self.current is None

    def known(self, seconds: float) -> int:
        """Return what has come in of the voice that sounds in `seconds` from now.

        2: all of what is being said, to its end; 1: as far as that, and more is coming; 0: not as far as that
        """
        if self.current is None or self.current.id not in self.streams:
            return 2
        return int(self.position + seconds <= self.current.speech.seconds)
