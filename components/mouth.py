"""Which of her face's channels open the mouth, round it and close the eyes: found once by name. Frozen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mouth:
    """Channels by what they do: (channel, weight at full) pairs, empty where her face cannot.

    Fields:
        open:  a mouth opened wide by the voice
        blink: both lids closed
        kind:  which naming was found: "ARKit", "VRM", "Oculus" or "none"
    """

    open: tuple[tuple[int, float], ...]
    blink: tuple[tuple[int, float], ...]
    kind: str
    digest: str
