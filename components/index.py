"""A repertoire prepared for searching at one set of gates: derived from it, so in no digest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .arrays import F64, I32, Bool


@dataclass(slots=True)
class Index:
    """What the search kernels read and work in.

    Fields:
        packed:  the legal rows' features in blocks; work: scratch
        legal:   (W,) bool, rows that never exceed the speed gate at these gains
        open:    (W,) bool scratch: legal and not shown lately
        rows:    (K,) i32, ranks: (K, 3) i32, jump: (K,) f64 rad: the best rows of the last search
        speed_deg_s: the gate `legal` was made with
    """

    CACHE: ClassVar[bool] = True
    packed: Any
    work: Any
    legal: Bool
    open: Bool
    rows: I32
    ranks: I32
    jump: F64
    speed_deg_s: float
