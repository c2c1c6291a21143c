"""What a panel sets: each knob with its range, where its value comes from and where it goes. No engine, no picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...components.config import Config
from ...components.config.fields import Spec, specs

FINE = 40  # steps over a slider's range

# group -> section -> keys, in the order they are shown; what only a file should set is not here
TABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "Person": {"run": ("stillness", "mode")},
    "Gains": {"gains": ("head", "neck", "collar", "upper_arm", "elbow", "wrist", "fingers", "torso")},
    "Springs": {"springs": ("arms", "torso")},
    "Gates": {"gates": ("jump_deg", "speed_deg_s")},
    "Fence": {"fence": ("stage",)},
    "Reflex": {"reflex": ("breath", "sway", "shift")},
    "Face": {"face": ("look", "brows", "strength", "smoothing")},
    "Sound": {"sound": ("output", "volume", "input")},
    "Window": {"window": ("key", "on_top", "subtitles")},
}
LABELS = {
    "upper_arm": "Upper arm", "jump_deg": "Jump", "speed_deg_s": "Speed", "breath": "Breath", "sway": "Sway",
    "shift": "Weight shift", "look": "Looks at", "strength": "Mouth", "smoothing": "Mouth's softness",
    "key": "Key colour", "on_top": "On top", "input": "Microphone", "stage": "Learned fence",
}  # fmt: skip
# A slider's end where the range itself goes far beyond what looks human.
SHOWN_TO = {"gains": 2.0, "springs": 80.0, "speed_deg_s": 300.0}


class Host(Protocol):
    """What knobs turn."""

    def settings(self) -> Config: ...
    def set(self, section: str, key: str, value: Any) -> None: ...
    def names_of(self, kind: str) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Knob:
    """One knob.

    Fields:
        label, unit: as shown; note: what it does
        value:   returns what is set now: a number, a truth, or one of `choices`
        turn:    sets it
        low, high: of a number; None for others
        choices: returns (value, label) pairs; None where it is a number or a truth
    """

    label: str
    unit: str
    note: str
    value: Callable[[], Any]
    turn: Callable[[Any], None]
    low: float | None = None
    high: float | None = None
    choices: Callable[[], list[tuple[Any, str]]] | None = None

    def step(self, by: int) -> None:
        """Turn it by so many steps, as keys do: a fortieth of a slider, the next choice, on or off."""
        now = self.value()
        if self.choices is not None:
            values = [value for value, _ in self.choices()]
            at = values.index(now) if now in values else 0
            self.turn(values[(at + by) % len(values)])
        elif self.low is None or self.high is None:
            self.turn(not now)
        else:
            size = (self.high - self.low) / FINE
            at = round((now - self.low) / size) + by
            self.turn(round(min(max(self.low + at * size, self.low), self.high), 6))

    def shown(self) -> str:
        """Return the value as text."""
        now = self.value()
        if self.choices is not None:
            return next((label for value, label in self.choices() if value == now), str(now))
        if isinstance(now, bool):
            return "on" if now else "off"
        return f"{now:.4g}" + (f" {self.unit}" if self.unit else "")


def knobs(host: Host) -> list[tuple[str, list[Knob]]]:
    """Return the knobs under their headings."""
    out = []
    for group, sections in TABLE.items():
        found = []
        for section, keys in sections.items():
            limits = specs(type(getattr(host.settings(), section)))
            found += [_knob(host, section, key, limits[key]) for key in keys]
        out.append((group, found))
    return out


def _knob(host: Host, section: str, key: str, spec: Spec) -> Knob:
    def value() -> Any:
        return getattr(getattr(host.settings(), section), key)

    def turn(wanted: Any) -> None:
        host.set(section, key, wanted)

    label = LABELS.get(key, key.replace("_", " ").capitalize())
    if spec.kind is bool:
        return Knob(label, "", spec.note, value, turn)
    if spec.among:
        return Knob(label, "", spec.note, value, turn, choices=lambda: [(word, word) for word in spec.among])
    if spec.kind is str:
        return Knob(label, "", spec.note, value, turn, choices=lambda: _devices(host, key, value()))
    high = min(spec.high, SHOWN_TO.get(key, SHOWN_TO.get(section, spec.high)))
    return Knob(label, spec.unit, spec.note, value, turn, spec.low, max(high, value()))


def _devices(host: Host, kind: str, now: str) -> list[tuple[Any, str]]:
    """Return the devices of a kind, the system's own first; one that is set and not there stays in the list."""
    names = list(dict.fromkeys(host.names_of(kind)))
    out = [("", "the system's own"), *((name, name) for name in names)]
    if now and now not in names:
        out.append((now, f"{now} (not there)"))
    return out
