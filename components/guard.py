"""What the rule reads on a tick: her capsules laid out for its kernels, with room for them to work in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .arrays import F32, F64, I32
from .capsules import CapsuleSet
from .config import Config


@dataclass(slots=True)
class Guard:
    """Tables of one avatar, made by systems/collide/tables.py; nothing in them is remembered from tick to tick.

    Fields:
        capsules: what it was made from
        column: (N,) i32, its capsule in each column of the tables, -1 where a column only fills up
        tables: what `kernels.rule.tick` takes from `joint` to `below`, in its order
        number: settings, in the order of kernels/project.py and kernels/rule.py; also one of `tables`
        out:    what the kernel tells of a tick; rows: (M, 2) i32, columns of its contacts
        config: the settings `number` was made from
        allow:  (A, N) f32 m, one of `tables`: by how much a pair may overlap now; usual: the same without a hold
        opened: hold whose pairs may overlap now, by digest, and 0..1 how far left and right have come to rest
    """

    CACHE: ClassVar[bool] = True
    capsules: CapsuleSet
    column: I32
    tables: tuple[Any, ...]
    number: F64
    out: F64
    rows: I32
    config: Config | None = None
    opened: tuple[str, float, float] = ("", 0.0, 0.0)
    allow: F32 = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    usual: F32 = field(default_factory=lambda: np.zeros((0, 0), np.float32))
