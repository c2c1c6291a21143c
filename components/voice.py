"""Her voice on this tick: what is being said, how far it has sounded, and what waits."""

from __future__ import annotations

from dataclasses import dataclass, field

from .ring import Ring
from .speech import Speech


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing to say. id: counts up from 1; play: through the engine's sound, else the host plays it."""

    id: int
    speech: Speech
    play: bool = True
    digest: str = ""


@dataclass(slots=True)
class Voice:
    """Speaking state of one avatar.

    Fields:
        queue:     what waits, first to be said first
        current:   what is being said, or None
        began:     tick on which the first sample of `current` sounds (derived clock)
        position:  s of `current` that have sounded by this tick
        offset:    s that the sound card or the host is ahead of the ticks, followed slowly
        word:      index of the word last announced
        active:    she is speaking on this tick: the voice, not the file, is sounding
        listening: a microphone is on and it is her voice
        live:      what the microphone heard, None while off
        last_id:   id of the newest utterance
    """

    queue: list[Utterance] = field(default_factory=list)
    current: Utterance | None = None
    began: int = 0
    position: float = 0.0
    offset: float = 0.0
    word: int = -1
    active: bool = False
    listening: bool = False
    live: Ring | None = None
    last_id: int = 0
