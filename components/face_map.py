"""What one face can show: units, visemes and expressions on her own channels, found once by name. Frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Pairs = tuple[tuple[int, float], ...]  # (channel of Body.morph_names, weight when it is shown in full)

_PAIRED = (
    "browDown", "browOuterUp", "cheekSquint", "eyeBlink", "eyeLookDown", "eyeLookIn", "eyeLookOut", "eyeLookUp",
    "eyeSquint", "eyeWide", "mouthDimple", "mouthFrown", "mouthLowerDown", "mouthPress", "mouthSmile", "mouthStretch",
    "mouthUpperUp", "noseSneer",
)  # fmt: skip
_SINGLE = (
    "browInnerUp", "cheekPuff", "jawForward", "jawLeft", "jawOpen", "jawRight", "mouthClose", "mouthFunnel",
    "mouthLeft", "mouthPucker", "mouthRight", "mouthRollLower", "mouthRollUpper", "mouthShrugLower",
    "mouthShrugUpper", "tongueOut",
)  # fmt: skip

UNITS: tuple[str, ...] = (*_SINGLE, *(unit + side for unit in _PAIRED for side in ("Left", "Right")))  # ARKit's 52
VISEMES: tuple[str, ...] = (
    "sil",
    "PP",
    "FF",
    "TH",
    "DD",
    "kk",
    "CH",
    "SS",
    "nn",
    "RR",
    "aa",
    "E",
    "ih",
    "oh",
    "ou",
)  # fmt: skip - Oculus's 15
EMOTIONS = ("happy", "angry", "sad", "relaxed", "surprised")  # the presets of VRM 1.0, a group each
VOWELS = ("aa", "ih", "ou", "ee", "oh")
LIDS = ("blink", "blinkLeft", "blinkRight")
GAZE = ("lookUp", "lookDown", "lookLeft", "lookRight")
PRESETS: tuple[str, ...] = (*EMOTIONS, *VOWELS, *LIDS, *GAZE, "neutral")


@dataclass(frozen=True, slots=True)
class Look:
    """One expression on her channels.

    Fields:
        channels:  as her file binds them
        is_binary: shown in full above 0.5 and not at all below
        blink, mouth: what it leaves of her blinks and her speech: "", "block" (nothing) or "blend" (the rest)
        lids:      0..1, how far it closes her eyes by itself: a blink on top would fold the lids over
    """

    channels: Pairs
    is_binary: bool = False
    blink: str = ""
    mouth: str = ""
    lids: float = 0.0


@dataclass(frozen=True, slots=True)
class FaceMap:
    """Her face's channels by what they do.

    Fields:
        kind:        naming her mouth is moved by: "ARKit", "Oculus", "VRM", or "none": her mouth stays shut
        open:        her mouth opened wide by the voice; empty where it cannot
        blink:       both lids closed; empty where they cannot
        units:       ARKit name -> channels, only those she has
        visemes:     Oculus name -> channels, only those she has
        expressions: VRM 1.0 preset or the file's own name -> look, only those that move something
        moods:       word -> expression, "" for neutral: what `her.mood` and tags in a text may name
        cannot:      what people will miss, in words
        digest:      of the file's bytes
    """

    kind: str
    open: Pairs
    blink: Pairs
    units: Mapping[str, Pairs] = field(default_factory=dict)
    visemes: Mapping[str, Pairs] = field(default_factory=dict)
    expressions: Mapping[str, Look] = field(default_factory=dict)
    cannot: tuple[str, ...] = ()
    moods: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""

    def __post_init__(self) -> None:
        for name in ("units", "visemes", "expressions", "moods"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
