"""One thing she says, from its start on: the world as it was, and everything that came from outside until its end.

A voice that came in through a microphone is hers as much as one that was handed over: a phrase of it is what sounds
between two pauses, and its samples are among what came from outside.
"""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field

from ...components.grading import Said
from ...components.inbox import Event
from ...components.speech import Speech
from ...components.voice import Voice
from ...components.world import World

# ticks past the voice that are replayed: her arms are still on their way; a live voice that is back by then goes on
# with the same phrase (a choice)
TAIL = 30
LEAST, MOST = (
    60,
    1800,
)  # ticks: what is shorter is no motion to judge, of what is longer the first half minute is (choices)


@dataclass(slots=True)
class Capture:
    """A sentence that is being said, or was.

    Fields:
        id, speech: of the utterance; 0 and None for a phrase of a live voice, whose samples are among the events
        world:  a copy of hers after tick `first`, the one on which the voice began; nothing has run on it
        events: what came in from then on, with its tick
        ended:  first tick past the voice, -1 while it sounds
        last:   tick it is replayed to, -1 while it is not known
        digests: of her world after tick `last`: what a copy with nothing swapped must come to
    """

    entity: int
    id: int
    speech: Speech | None
    world: World
    first: int
    digest: str
    events: deque[tuple[int, Event]] = field(default_factory=deque)
    ended: int = -1
    last: int = -1
    digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def begin(cls, world: World, entity: int, voice: Voice) -> Capture:
        """Return what is said from the tick on that was just made."""
        digest, said = world.digest(), voice.current
        number, speech = (said.id, said.speech) if said is not None else (0, None)
        return cls(entity, number, speech, world.copy(), world.tick - 1, digest)

    def follow(self, world: World, voice: Voice) -> None:
        """Take the tick that was just made: is the voice over, and her arms after it?"""
        tick = world.tick - 1
        if self.speech is None:
            sounds = sounds_live(voice)
            self.ended = -1 if sounds else tick if self.ended < 0 else self.ended
        elif self.ended < 0:
            if voice.current is not None and voice.current.id == self.id:
                self.speech = voice.current.speech  # one that streams in is known whole at its end
            else:
                self.ended = tick
        if tick - self.first >= MOST or (self.ended >= 0 and tick - self.ended >= TAIL):
            self.last, self.digests = tick, world.digests()

    @property
    def is_whole(self) -> bool:
        """Whether all that is replayed of it has been lived through."""
        return self.last >= 0

    @property
    def is_worth(self) -> bool:
        """Whether it was long enough to judge: not stopped as soon as it began."""
        return (self.ended if self.ended >= 0 else self.last) - self.first >= LEAST

    def said(self, replay: str = "") -> Said:
        """Return what was said and how to find it again. replay: the file that the run is kept in"""
        speech = self.speech
        if speech is None:
            until = self.ended if self.ended >= 0 else self.last
            text, seconds, voice = "", (until - self.first) / 60.0, self._heard(until)
        else:
            text, seconds, voice = speech.text, speech.seconds, speech.digest
        seconds = min(seconds, (self.last - self.first) / 60.0)
        return Said(text, seconds, voice, self.world.seed, self.first, self.last, self.digest, replay)

    def _heard(self, until: int) -> str:
        """Return the digest of what a live voice said up to a tick."""
        digest = hashlib.blake2b(digest_size=16)
        for tick, event in self.events:
            if event.kind == "audio" and event.avatar == self.entity and tick <= until:
                digest.update(event.data["samples"].tobytes())
        return digest.hexdigest()


def sounds_live(voice: Voice) -> bool:
    """Return whether it is a live voice that she speaks with on this tick."""
    return voice.is_live and voice.active
