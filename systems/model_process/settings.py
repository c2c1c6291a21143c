"""Which models the process hosts and how patient its parent is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Named:
    """Something to import and call in the process: its parent imports nothing of a model.

    at: "package.module:function"; given: its keyword arguments, plain values that JSON can hold
    """

    at: str
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """What is hosted, and the limits of facts measured on busy machines.

    Fields:
        gesture: makes `digest: str` and `begin(sentence, is_left)`, which yields a Window where one is made and None
            wherever it may be left; None: not hosted
        lips, brows: make `digest: str` and `rows(avatar, first, block)`, see worker; None: not hosted
        expect:  name -> digest that a hosted model must have, for a run that has to come out the same again
        threads: of arithmetic; nice: added to its priority, so that it never takes a core from who draws
        live_s:   s of live voice that the shared ring holds
        beat_s:   s between two signs of life; silent_s: without one it counts as dead
        start_s:  s until it must have loaded: torch alone took 8.3 s on a busy machine, without a sign of life
        stall_s:  s that one step may take: a window takes 0.4
        back_off_s, longest_s: s before the first start after a death, doubled up to the longest
        starts, span_s: so many of them in so many seconds, then it stays off until it is asked for again
        turn_deg: deg that a joint may turn from one frame to the next: what turns further is noise, no motion
    """

    gesture: Named | None = None
    lips: Named | None = None
    brows: Named | None = None
    expect: Mapping[str, str] = field(default_factory=dict)
    threads: int = 1
    nice: int = 5
    live_s: float = 4.0
    beat_s: float = 1.0
    silent_s: float = 3.0
    start_s: float = 120.0
    stall_s: float = 20.0
    back_off_s: float = 1.0
    longest_s: float = 30.0
    starts: int = 5
    span_s: float = 600.0
    turn_deg: float = 90.0

    @property
    def hosted(self) -> dict[str, Named]:
        """Return what is to be made, in the order in which it is: what loads fast comes first."""
        every = {"lips": self.lips, "brows": self.brows, "gesture": self.gesture}
        return {name: named for name, named in every.items() if named is not None}
