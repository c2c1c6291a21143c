"""Every setting with its default, unit, range and meaning. Degrees and millimetres here, radians and metres inside."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..anatomy import SLOT_GROUP
from ..arrays import F64
from ..errors import ConfigError
from .fields import Section, number, switch, text, whole, word

# what can be mixed; the order is fixed by the schedule
LAYERS = ("reflex", "corpus", "sentence", "posture", "rule", "face")
MODES = ("private", "training", "public")
STAGES = ("off", "shadow", "live")
METHODS = ("projection", "growth")
ENGINES = ("any", "command", "kokoro", "piper", "flite", "espeak-ng")
LOOKS = ("camera", "none")
BROWS = ("rules", "none")
FRAMINGS = ("figure", "half", "bust", "face")


@dataclass(frozen=True, slots=True)
class Gains(Section):
    """How much of a recorded talker's motion shows, a group of joints each (anatomy.SLOT_GROUP); 1 is as recorded."""

    head: float = number(1.2, "", 0, 3, "head")
    neck: float = number(1.1, "", 0, 3, "neck")
    collar: float = number(0.8, "", 0, 3, "collar bone")
    upper_arm: float = number(0.8, "", 0, 3, "upper arm: carries more than the hand, for recorded talk is all hands")
    elbow: float = number(0.65, "", 0, 3, "elbow")
    wrist: float = number(0.5, "", 0, 3, "wrist")
    fingers: float = number(1.0, "", 0, 3, "every finger joint")
    torso: float = number(0.3, "", 0, 3, "chest and spine")
    pelvis: float = number(0.2, "", 0, 3, "pelvis; the corpora of this version do not move it")
    legs: float = number(0.0, "", 0, 3, "legs; the same: they are the reflex's, feet planted")

    @property
    def slots(self) -> F64:
        """(43,) f64: the gain of each of anatomy.SLOTS."""
        return np.array([getattr(self, group) for group in SLOT_GROUP])


@dataclass(frozen=True, slots=True)
class Sentence(Section):
    """Motion generated from each sentence she says. Without weights it is off and the matcher carries her alone."""

    weights: str = text("", "folder of the sentence model's weights, read when she is made; empty: off")
    head: float = number(1.0, "", 0, 2, "head: of what the model shows; 1 is as generated, also below")
    neck: float = number(1.0, "", 0, 2, "neck")
    collar: float = number(1.0, "", 0, 2, "collar bone")
    upper_arm: float = number(1.0, "", 0, 2, "upper arm")
    elbow: float = number(1.0, "", 0, 2, "elbow")
    wrist: float = number(1.0, "", 0, 2, "wrist")
    fingers: float = number(1.0, "", 0, 2, "every finger joint")
    torso: float = number(0.3, "", 0, 2, "chest and spine, in which the pelvis's tilt shows; legs and root stay hers")
    limit_deg_s: float = number(400.0, "deg/s", 60, 5000, "of an arm joint; beyond it her motion takes longer")
    join_s: float = number(0.3, "s", 0.05, 3, "over which the first of a sentence's motion comes in")
    lead_ms: float = number(0.0, "ms", 0, 3000, "that voice, lips and body wait for its first motion at most")
    yield_s: float = number(0.2, "s", 0.05, 3, "over which it gives way to the matcher")

    @property
    def slots(self) -> F64:
        """(43,) f64: the gain of each of anatomy.SLOTS."""
        return np.array([getattr(self, group) for group in SLOT_GROUP])

    @property
    def limit(self) -> float:
        """Rad/s."""
        return math.radians(self.limit_deg_s)


@dataclass(frozen=True, slots=True)
class Springs(Section):
    """How fast the shown pose follows the corpus. Torso, neck and head three times slower: no nod at a cut."""

    arms: float = number(18.0, "/s", 1, 200, "arms and hands")
    torso: float = number(6.0, "/s", 1, 200, "spine, chest, neck and head")


@dataclass(frozen=True, slots=True)
class Gates(Section):
    """What a piece of motion may not exceed, measured after the gains, in what the viewer sees."""

    jump_deg: float = number(55.0, "deg", 1, 180, "from the shown pose to its first frame, any arm joint")
    speed_deg_s: float = number(90.0, "deg/s", 1, 2000, "any arm joint, at any time")

    @property
    def jump(self) -> float:
        """Rad."""
        return math.radians(self.jump_deg)

    @property
    def speed(self) -> float:
        """Rad/s."""
        return math.radians(self.speed_deg_s)


@dataclass(frozen=True, slots=True)
class Matcher(Section):
    """When and from what the next second of motion is picked."""

    pick_s: float = number(1.0, "s", 0.25, 5, "from one pick to the next; never while a fade runs")
    hop_s: float = number(0.1, "s", 0.05, 1, "from one candidate's start to the next within a clip")
    history: int = whole(60, "picks", 0, 1000, "not picked again within so many; a quarter of a small corpus at most")
    faiss: bool = switch(False, "of more than 3 million rows rank those it finds near alone: quicker, not exact")
    quiet_s: float = number(1.5, "s", 0.1, 5, "of silence, hands held, after which her arms sink; a choice")


@dataclass(frozen=True, slots=True)
class Reflex(Section):
    """Breath, sway and weight shift. How often and how far is in a file of histograms, assets/reflex.toml."""

    file: str = text("", "the file of histograms, read when she is made; empty is the shipped one")
    breath: float = number(1.0, "", 0.3, 3, "times the file's quiet breaths a minute")
    sway: float = number(1.0, "", 0, 2, "times the file's sway")
    shift: float = number(1.0, "", 0, 1.5, "times the file's weight shifts, leans, fidgets and drifts")
    stand_down_s: float = number(0.6, "s", 0.05, 10, "half-life on which she gives way to a busy corpus")
    busy_smooth_s: float = number(0.4, "s", 0.05, 10, "over which busy is smoothed before that")


@dataclass(frozen=True, slots=True)
class Rule(Section):
    """What keeps her arms out of her body, after every motion. Tuned on the motions of docs/collision.md."""

    method: str = word("projection", METHODS, "growth is the older rule, kept to compare with")
    margin_mm: float = number(2.0, "mm", 0, 20, "between capsules that need not touch")
    near_mm: float = number(20.0, "mm", 1, 100, "gap from which a pair is looked at")
    relax: float = number(15.0, "/s", 0, 200, "how fast a correction gives way to what is nearer to the motion")
    spring: float = number(40.0, "/s", 5, 200, "how fast what shows follows the correction")
    lead: float = number(0.6, "", 0, 1, "share of the spring's delay made up for by carrying the motion on ahead")
    push_mm: float = number(10.0, "mm", 1, 50, "growth only: how far it pushes clear")
    buckets: bool = switch(True, "parts that are far apart as a whole are left out; finds the same in half the time")

    @property
    def margin(self) -> float:
        """M."""
        return 1e-3 * self.margin_mm

    @property
    def near(self) -> float:
        """M."""
        return 1e-3 * self.near_mm

    @property
    def push(self) -> float:
        """M."""
        return 1e-3 * self.push_mm


@dataclass(frozen=True, slots=True)
class Fence(Section):
    """The learned proposal before the rule, and what ends it. Never in public mode."""

    stage: str = word("off", STAGES, "what she starts with; shadow measures the head and changes nothing")
    weights: str = text("", "the head's file, read when she is made; empty is the shipped one")
    depth_mm: float = number(10.0, "mm", 1, 100, "inside after the proposal, before the rule: a deep tick; the request")
    share: float = number(0.02, "", 0, 1, "of the window deep, beyond which the head is put back to shadow; a choice")
    window_s: float = number(2.0, "s", 0.1, 60, "the window; the request")
    rate_deg_s: float = number(344.0, "deg/s", 10, 5000, "of a proposal's fastest link, beyond which the same; 6 rad/s")

    @property
    def depth(self) -> float:
        """M."""
        return 1e-3 * self.depth_mm

    @property
    def rate(self) -> float:
        """Rad/s."""
        return math.radians(self.rate_deg_s)


@dataclass(frozen=True, slots=True)
class Face(Section):
    """How her mouth follows her voice, and what else lives in her face."""

    strength: float = number(1.0, "", 0, 1.5, "times the shapes of the table; 0 keeps her mouth shut")
    smoothing: float = number(1.0, "", 0.5, 3, "times as slow from shape to shape; below 1 is crisper")
    visemes: str = text("", "the table of mouth shapes, read when she is made; empty is assets/visemes.toml")
    brows: str = word("rules", BROWS, "what moves them: rules on her accents and questions, designed, not learned")
    look: str = word("camera", LOOKS, "who she looks at where nothing else was asked: whoever the picture is for")
    moods: str = text("", "the table of moods, read when she is made; empty is assets/moods.toml")


@dataclass(frozen=True, slots=True)
class Posture(Section):
    """Held postures: what takes her arms out of one, and whether she takes one by herself."""

    back_s: float = number(2.5, "s", 0.2, 60.0, "of quiet before she takes a posture again that speech ended")
    stays: bool = switch(False, "she stays in it while she speaks")
    by_herself: bool = switch(False, "in a long silence she takes one of those that were asked for before")
    alone_s: float = number(20.0, "s", 2.0, 600.0, "of silence before she does")


@dataclass(frozen=True, slots=True)
class Run(Section):
    """What a run starts with; the command line overrides it."""

    seed: int = whole(1, "", 0, 2**31 - 1, "same seed, same voice: same motion")
    mode: str = word("private", MODES, "public is a live stream, nothing else is")
    layers: tuple[str, ...] = word(LAYERS, LAYERS, "what is mixed")
    stillness: float = number(0.0, "", 0, 1, "0 as configured, 1 almost still")
    lookahead: int = whole(0, "ticks", 0, 31, "planned ahead of the picture when the voice is known")
    lookahead_live: int = whole(0, "ticks", 0, 31, "the same on a microphone")

    def ahead(self, is_live: bool) -> int:
        """Return how many ticks of her motion are known ahead of the picture."""
        return self.lookahead_live if is_live else self.lookahead


@dataclass(frozen=True, slots=True)
class Sound(Section):
    """Where she is heard, and where her live voice comes from."""

    output: str = text("", "part of an output's name; empty is the system's own")
    volume: float = number(1.0, "", 0, 1, "of her voice")
    input: str = text("", "part of a microphone's name; empty is the system's own")


@dataclass(frozen=True, slots=True)
class Voice(Section):
    """What speaks a text that comes without sound. All of it is outside: programs and packages that you install."""

    engine: str = word("any", ENGINES, "any takes the first that is there, in this order")
    name: str = text("", "which of its voices: a name, or the .onnx file of a Piper voice; empty is its own")
    command: str = text("", "a program and its arguments: writes {wav}, is given {text}, {file}, or the text as input")


@dataclass(frozen=True, slots=True)
class Window(Section):
    """The desktop app's window."""

    width: int = whole(720, "px", 160, 7680, "of the picture")
    height: int = whole(1080, "px", 160, 4320, "of the picture")
    samples: int = whole(4, "", 0, 16, "per pixel for smooth edges; 0 is off")
    vsync: bool = switch(True, "draw at the display's pace")
    framing: str = word("figure", FRAMINGS, "how much of her the picture shows at the start")
    background: tuple[float, ...] = number((0.73, 0.77, 0.82), "", 0, 1, "red, green, blue of the wall behind her")
    key: bool = switch(False, "a flat key colour instead of the wall, for programs that cut her out by it")
    key_colour: tuple[float, ...] = number((0.0, 1.0, 0.0), "", 0, 1, "red, green, blue of the key")
    on_top: bool = switch(False, "stay above other windows")
    subtitles: bool = switch(True, "what she says, and which layers move her, at the bottom")
    panel: bool = switch(False, "figures and knobs are shown")
    avatar: str = text("", "the file she was last read from; empty is the shipped woman")
    pictures: str = text("", "folder of screenshots; empty is 'kinesics' in your own folder of pictures")

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        for name in ("background", "key_colour"):
            if len(getattr(self, name)) != 3:
                raise ConfigError(f"[window] {name} has {len(getattr(self, name))} numbers: wanted red, green, blue")


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting. Two configs are equal when every value is."""

    gains: Gains = field(default_factory=Gains)
    springs: Springs = field(default_factory=Springs)
    sentence: Sentence = field(default_factory=Sentence)
    gates: Gates = field(default_factory=Gates)
    matcher: Matcher = field(default_factory=Matcher)
    reflex: Reflex = field(default_factory=Reflex)
    rule: Rule = field(default_factory=Rule)
    fence: Fence = field(default_factory=Fence)
    posture: Posture = field(default_factory=Posture)
    face: Face = field(default_factory=Face)
    run: Run = field(default_factory=Run)
    sound: Sound = field(default_factory=Sound)
    voice: Voice = field(default_factory=Voice)
    window: Window = field(default_factory=Window)

    @classmethod
    def default(cls) -> Config:
        """Return the settings this version ships with."""
        return cls()

    @classmethod
    def load(cls, path: str | Path) -> Config:
        """Return the defaults changed by a TOML file; ConfigError for what it cannot be."""
        from .reader import load

        return load(path)
