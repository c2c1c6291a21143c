"""Who is watching."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Mode(Enum):
    """PUBLIC is the live stream, nothing else is; the learned fence never runs in it. TRAINING records gradings."""

    PRIVATE = "private"
    TRAINING = "training"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class Private:
    """Her person alone is with her: whatever makes a head for her or runs one takes a value of this type."""


@dataclass(frozen=True, slots=True)
class Public:
    """A live stream: nothing that makes or runs a head takes it."""


Audience: TypeAlias = "Private | Public"


def audience(mode: Mode) -> Audience:
    """Return who is with her, as a type that the fence's functions do or do not take. Nothing else makes a Private."""
    return Public() if mode is Mode.PUBLIC else Private()
