"""What her face shows on this tick, one weight a channel of her own file."""

from __future__ import annotations

from dataclasses import dataclass, field

from .arrays import F64


@dataclass(slots=True)
class Face:
    """Face channels.

    Fields:
        names:    M str, Body.morph_names
        weight:   (M,) f64, 0..1, what is drawn
        openness: 0..1, how far the voice opens the mouth, 1 an open vowel
        velocity: 1/s, of openness where it follows loudness alone
        blink_at: tick of the next blink
        asked:    expression of her FaceMap -> 0..1, what her face is to show
        shown:    the same, eased: what it shows now
    """

    names: tuple[str, ...]
    weight: F64
    openness: float = 0.0
    velocity: float = 0.0
    blink_at: int = 0
    asked: dict[str, float] = field(default_factory=dict)
    shown: dict[str, float] = field(default_factory=dict)
