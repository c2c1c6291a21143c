"""What speaks text for her: the interface. The programs behind it are outside, in engine_plugin/voices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ...components.arrays import F32
from .timings import Timings


@dataclass(frozen=True, slots=True)
class Spoken:
    """A text as sound. pcm: (N,) f32 mono; rate: Hz; timings: what is known of words and phones; by: who spoke it."""

    pcm: F32
    rate: int
    timings: Timings = field(default_factory=Timings)
    by: str = ""


Speaks = Callable[[str], Spoken]  # plain text, without tags; AudioError, one line, where it cannot be spoken
