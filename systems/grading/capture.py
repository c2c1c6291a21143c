"""One thing she says, from its start on: the world as it was, and everything that came from outside until its end."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from ...components.inbox import Event
from ...components.speech import Speech
from ...components.voice import Voice
from ...components.world import World

TAIL = 30  # ticks past the voice that are replayed: her arms are still on their way (a choice)
LEAST, MOST = (
    60,
    1800,
)  # ticks: what is shorter is no motion to judge, of what is longer the first half minute is (choices)
NOT_HERS = ("World", "Fence")  # kinds that differ between a world and its copy: the mode, and what the head is at


@dataclass(slots=True)
class Capture:
    """A sentence that is being said, or was.

    Fields:
        world:  a copy of hers after tick `first`, the one on which the voice began; nothing has run on it
        events: what came in from then on, with its tick
        last:   tick it is replayed to, -1 while it is not known
        digests: of her world after tick `last`, to hold the replay against
    """

    entity: int
    id: int
    speech: Speech
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
        assert voice.current is not None
        digest = world.digest()
        return cls(entity, voice.current.id, voice.current.speech, world.copy(), world.tick - 1, digest)

    def follow(self, world: World, voice: Voice) -> None:
        """Take the tick that was just made: is the voice over, and her arms after it?"""
        tick = world.tick - 1
        if self.ended < 0:
            if voice.current is not None and voice.current.id == self.id:
                self.speech = voice.current.speech  # one that streams in is known whole at its end
            else:
                self.ended = tick
        if tick - self.first >= MOST or (self.ended >= 0 and tick - self.ended >= TAIL):
            self.last, self.digests = tick, hers(world)

    @property
    def is_whole(self) -> bool:
        """Whether all that is replayed of it has been lived through."""
        return self.last >= 0

    @property
    def is_worth(self) -> bool:
        """Whether it was long enough to judge: not stopped as soon as it began."""
        return (self.ended if self.ended >= 0 else self.last) - self.first >= LEAST


def hers(world: World) -> dict[str, str]:
    """Return the digests that a faithful replay must come to."""
    return {kind: digest for kind, digest in world.digests().items() if kind not in NOT_HERS}
