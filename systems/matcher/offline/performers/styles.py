"""The six performers: what each one's hands like to do, how much and how often. Numbers only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Style:
    """One way of talking with the body. All values were tuned by eye and by the acceptance figures.

    Fields:
        rate:      strokes a second of speech
        amplitude: 1 = the family's own place, less = pulled toward the middle of the gesture space
        tempo:     1 = the measured duration law, more = faster
        spacing:   s, least time between two strokes
        gestured:  share of phrases that are gestured at all
        both:      share of strokes made with two hands
        drift:     cm, how far a resting hand wanders
        torso, head: size of the body's and the head's own motion, 1 = medium
        up, out:   cm, offset of every stroke
        narrow:    cm, how much closer to the middle
        home:      where hands rest in a pause: "hang", "low", "front", or "one" (one hand hangs)
        hang:      share of pauses in which hands that rest higher come down all the way
        hold:      s, how long a stroke is held before the hands go home
        retract:   s, pause after which they surely do
        answer:    share of one-handed strokes that the other hand answers
        lead:      0 left or 1 right, the preferred hand
        vary:      1 = the normal spread of places
        noise:     1 = the normal tremor and sway of the hand
        nod:       deg, size of a nod
        glance:    deg, spread of head turns
        lean:      deg, forward lean at the start of a phrase
        openness:  0..1, how far every shape is opened
        families:  relative weight of each gesture family
    """

    rate: float = 0.75
    amplitude: float = 1.0
    tempo: float = 1.0
    spacing: float = 0.85
    gestured: float = 0.9
    both: float = 0.6
    drift: float = 5.4
    torso: float = 1.0
    head: float = 1.0
    up: float = 0.0
    out: float = 0.0
    narrow: float = 0.0
    home: str = "low"
    hang: float = 0.22
    hold: float = 0.45
    retract: float = 1.0
    answer: float = 0.85
    lead: int = 0
    vary: float = 1.0
    noise: float = 1.0
    nod: float = 3.0
    glance: float = 6.0
    lean: float = 0.0
    openness: float = 0.0
    families: Mapping[str, float] = field(default_factory=dict)


def _likes(**weights: float) -> Mapping[str, float]:
    common = {"beat": 2, "offer": 2, "sweep": 1, "contrast": 1, "pinch": 1, "press": 1, "ball": 1, "shrug": 0.3}
    return {**common, "self": 0.4, **weights}


_MEDIUM = Style()

# facts: rates, amplitudes and likes follow what three recorded talkers do with fewer or more, smaller or larger strokes
STYLES: Mapping[str, Style] = {
    "calm": replace(
        _MEDIUM, rate=0.55, amplitude=0.75, tempo=0.95, spacing=1.0, gestured=0.85, both=0.88, drift=4.4, torso=0.9,
        head=1.25, up=-4, hold=0.7, retract=0.8, nod=2.4,
        families=_likes(offer=3, press=2, ball=2, sweep=0.6, contrast=0.5, pinch=0.3, shrug=0.2, self=0.5),
    ),
    "lively": replace(
        _MEDIUM, rate=1.0, amplitude=0.95, tempo=1.1, spacing=0.6, gestured=1.0, both=0.85, drift=8.5, torso=1.5,
        head=1.5, up=2, hang=0.3, hold=0.22, retract=1.4, answer=1.0, vary=1.4, noise=1.2, nod=4.0,
        families=_likes(beat=4, sweep=2, contrast=1.4, pinch=0.8, ball=1.2, shrug=0.5, self=0.5),
    ),
    "precise": replace(
        _MEDIUM, rate=0.85, amplitude=0.75, spacing=0.75, head=1.25, up=3, narrow=3, home="front", hang=0.1, hold=0.5,
        answer=0.9, families=_likes(pinch=4, beat=3, press=2, offer=0.6, sweep=0.5, shrug=0, self=0.3),
    ),
    "open": replace(
        _MEDIUM, tempo=1.1, spacing=0.9, both=0.88, drift=6.8, torso=1.3, head=1.25, out=3, hold=0.6, lean=1.0,
        openness=0.4,
        families=_likes(offer=4, sweep=2, ball=2, shrug=0.6, beat=1.5, pinch=0, press=0, self=0.7),
    ),
    "shy": replace(
        _MEDIUM, rate=0.5, amplitude=0.55, tempo=1.05, spacing=1.2, gestured=0.65, both=0.55, drift=2.6, head=1.2,
        up=-6, out=-2, narrow=4, home="hang", hang=0.6, hold=0.5, retract=0.6, noise=0.9, nod=2.8, glance=7.0,
        families=_likes(beat=3, sweep=0.2, contrast=0.3, shrug=0.4, self=1.0),
    ),
    "story": replace(
        _MEDIUM, rate=0.85, tempo=1.05, spacing=0.75, both=0.7, drift=7.0, torso=1.3, head=1.35, up=2, home="one",
        hold=0.5, answer=0.95, lead=1, vary=1.2,
        families=_likes(sweep=2.4, contrast=2, ball=1.2, pinch=0.7, shrug=0.4, self=1),
    ),
}  # fmt: skip

# What the motion is authored for: the default corpus gains by group. The reader of a corpus divides each delta by
# these, so that the default gains show exactly what was authored and turning a gain still turns it.
AUTHORED_GAIN: Mapping[str, float] = {
    "collar": 0.8, "upper_arm": 0.8, "elbow": 0.65, "wrist": 0.5,
    "neck": 1.1, "head": 1.2, "torso": 0.3, "fingers": 1.0,
}  # fmt: skip
