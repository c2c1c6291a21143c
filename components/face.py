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
        blink_at: tick of the next blink, or of the one that runs; blink_s: s it takes; blinked: tick the last was over
        spoke:    her voice sounded on the tick before
        asked:    expression of her FaceMap -> 0..1, what her face is to show
        shown:    the same, eased: what it shows now
        mood:     expression and 0..1 that `her.mood` asked for, "" for none; is_new: it has just been asked for
        tagged:   expression that a tag in her text has asked for since, None: no tag's mood is on
        moods:    those of `asked` that are moods
        felt:     tick on which a tag's mood is over; tags_of: utterance whose tags were acted on; tags_done: how many
    """

    names: tuple[str, ...]
    weight: F64
    openness: float = 0.0
    velocity: float = 0.0
    blink_at: int = 0
    blink_s: float = 0.22
    blinked: int = -1000
    spoke: bool = False
    asked: dict[str, float] = field(default_factory=dict)
    shown: dict[str, float] = field(default_factory=dict)
    mood: tuple[str, float] = ("", 0.0)
    is_new: bool = False
    tagged: str | None = None
    moods: tuple[str, ...] = ()
    felt: int = 0
    tags_of: int = 0
    tags_done: int = 0
