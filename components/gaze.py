"""What she can look with, measured once and frozen, and where she looks now."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import F64, I32


@dataclass(frozen=True, slots=True)
class Sight:
    """Her neck, head and eyes.

    Fields:
        neck, head: joints, -1 where she has none; a figure without a head looks nowhere
        below:   joints that hang on the neck, or on the head where there is no neck, itself left out, parents first
        frame:   (4,) f64 wxyz, the head joint in the base pose, avatar frame, in which she looks along +Z
        between: (3,) f64 m, between her eyes; place: (2, 3) f64 m, the left eye and the right; both the head's frame
        eye:     (2,) i32 joints of left and right, -1: none, or shapes move them; eye_below: joints that hang on them
        limit:   (4,) f64 rad that an eye turns at most: in, out, down, up
        channel, row, per: (K,) i32, i32, f64 1/rad: her shapes that follow her eyes, and what drives each
        digest:  of all of it
    """

    neck: int
    head: int
    below: I32
    frame: F64
    between: F64
    place: F64
    eye: I32
    eye_below: I32
    limit: F64
    channel: I32
    row: I32
    per: F64
    digest: str


@dataclass(slots=True)
class Gaze:
    """Where one avatar looks, on the tick that is shown.

    Fields:
        asked:   (3,) m, avatar frame, what `look_at` asked for; viewer: where whoever watches her is; None: nothing
        point:   (3,) f64 m, what she looks at, and looks: whether she does, for it may lie behind her
        shift:   (2,) f64 rad that she looks beside it: yaw to her left, pitch up
        aside:   (2,) f64 rad, where she looks while she looks away
        away:    tick until which she looks away, -1: she does not
        due:     tick on which anything of this is decided next; next_away, next_jump: of the next look away and jump
        has_paused: this pause of her voice has been decided on
        speaking, since: whether her voice sounded, and the tick on which that last changed
        jumped:  rad of the jump that begins on this tick, 0 mostly
        eyes:    (9,) f64, the eyes' memory (kernels/gaze.py)
        work:    scratch
    """

    asked: tuple[float, float, float] | None = None
    viewer: tuple[float, float, float] | None = None
    point: F64 = field(default_factory=lambda: np.zeros(3))
    looks: bool = False
    shift: F64 = field(default_factory=lambda: np.zeros(2))
    aside: F64 = field(default_factory=lambda: np.zeros(2))
    away: int = -1
    due: int = 1
    has_paused: bool = False
    next_away: int = 0
    next_jump: int = 0
    speaking: bool = False
    since: int = 0
    jumped: float = 0.0
    eyes: F64 = field(default_factory=lambda: np.zeros(9))
    work: F64 = field(default_factory=lambda: np.zeros((8, 4)))
