"""Everything that motion remembers from one tick to the next, in one flat block that is copied to look ahead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from .anatomy import SLOTS
from .arrays import F64

COUNT = len(SLOTS)
SWAYS = 8  # a side

LAYOUT: dict[str, tuple[int, ...]] = {
    # corpus layer: the spring that follows the blended row
    "corpus": (COUNT, 3),  # rad, rotation vector over the base pose
    "corpus_velocity": (COUNT, 3),  # rad/s
    "corpus_shown": (COUNT, 4),  # wxyz, the blend before the spring, for speed and jumps
    "stillness": (2,),  # 0..1 and 1/s: eased stillness
    # reflex
    "presence": (2,),  # 0..1 and 1/s: how much of the reflex shows
    "busy": (2,),  # 0..1 and 1/s: smoothed activity of the corpus
    "breath_phase": (1,),  # 0..1 of one breath, inhale first
    "breath_count": (1,),  # breaths since she was made
    "lift": (2,),  # breath that shows, 0..1 and 1/s
    "sway_phase": (2, SWAYS),  # 0..1, sideways and forward
    "amounts": (2, 2),  # of the sway and of the shifts, 1 as in the file, and 1/s
    "share": (2,),  # -1..1 weight between the feet, and 1/s
    "speech": (2,),  # 0..1 eased speaking, and 1/s
    "hold": (2,),  # s of the way into a held posture, and s/s
    "look": (7,),  # the head's share of a look: rad and rad/s, see kernels/gaze.py
}
# of an avatar with a sentence layer only, after the others
SENTENCE: dict[str, tuple[int, ...]] = {
    "sentence_clock": (6,),  # see kernels/sentence.py
    "sentence": (COUNT, 3),  # rad, what the layer shows over the base pose where it has come in
    "sentence_speed": (COUNT, 3),  # rad/s, of the same
    "sentence_left": (2, COUNT, 3),  # rad and rad/s: how far what showed was from its motion at the last seam
    "sentence_arms": (8, 4),  # wxyz, the 8 arm joints over the base pose as composed: what the limit looks at
}


@dataclass(slots=True)
class Carry:
    """Recurrent state of one avatar's motion. data: (n,) f64; `view(name)` gives one part of LAYOUT, writable.

    `Carry.with_sentence()` has the parts of SENTENCE too.

    view("reflex") gives all parts from "stillness" to "speech" in one, in their order.
    """

    data: F64 = field(default_factory=lambda: np.zeros(_SIZE))
    _views: dict[str, F64] = field(default_factory=dict, repr=False)

    CACHED: ClassVar[tuple[str, ...]] = ("_views",)

    def __post_init__(self) -> None:
        size = self.data.size
        self._views = {name: self.data[a:b].reshape(shape) for name, (a, b, shape) in _PLACES.items() if b <= size}

    @classmethod
    def with_sentence(cls) -> Carry:
        """Return one that has room for the sentence layer."""
        return cls(np.zeros(_SIZE_WITH))

    def view(self, name: str) -> F64:
        """Return one part, an array that writes through."""
        return self._views[name]

    def __deepcopy__(self, memo: object) -> Carry:
        return Carry(self.data.copy())


def _places(layout: dict[str, tuple[int, ...]], at: int = 0) -> tuple[dict[str, tuple[int, int, tuple[int, ...]]], int]:
    places = {}
    for name, shape in layout.items():
        size = int(np.prod(shape))
        places[name] = (at, at + size, shape)
        at += size
    return places, at


_PLACES, _SIZE = _places(LAYOUT)
_MORE, _SIZE_WITH = _places(SENTENCE, _SIZE)
_PLACES |= _MORE
# all that the reflex eases, in one part: its kernel takes it so, for each array that it is handed costs the tick
_FIRST, _END = _PLACES["stillness"][0], _PLACES["speech"][1]
_PLACES["reflex"] = (_FIRST, _END, (_END - _FIRST,))
