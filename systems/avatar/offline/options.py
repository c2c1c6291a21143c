"""What a caller may choose about the avatar that is built, with its limits."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ....components.errors import AvatarError

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Options:
    """One avatar. Sliders are the source's own (0..1); colours are sRGB 0..1.

    Fields:
        stature:  m, crown to sole without hair, 1.45 .. 1.95
        age:      0.5 young adult .. 1 old; younger bodies are not built
        weight:   0 .. 1, 0.5 is the source's average
        muscle:   0 .. 1, 0.5 is the source's average
        gender:   0 woman .. 1 man, of body and face; hair and clothes are the same
        hair, skin, iris, tunic, trousers, shoes: base colours
        seed:     of every irregularity: strands, brow hairs, iris fibres
    """

    stature: float = 1.66
    age: float = 0.5
    weight: float = 0.30
    muscle: float = 0.5
    gender: float = 0.0
    hair: Colour = (0.36, 0.23, 0.15)
    skin: Colour = (0.90, 0.73, 0.64)
    iris: Colour = (0.36, 0.43, 0.33)
    tunic: Colour = (0.20, 0.42, 0.45)
    trousers: Colour = (0.20, 0.21, 0.26)
    shoes: Colour = (0.33, 0.22, 0.17)
    seed: int = 7

    def __post_init__(self) -> None:
        limits = {"stature": (1.45, 1.95), "age": (0.5, 1.0), "weight": (0.0, 1.0), "muscle": (0.0, 1.0)}
        limits["gender"] = (0.0, 1.0)
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise AvatarError(f"avatar option {name} = {value} is outside {low} .. {high}: choose a value inside")
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, tuple) and (len(value) != 3 or not all(0.0 <= x <= 1.0 for x in value)):
                raise AvatarError(f"avatar option {item.name} = {value} is no sRGB colour: give three numbers 0 .. 1")
