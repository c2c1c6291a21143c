"""Who is watching."""

from __future__ import annotations

from enum import Enum


class Mode(Enum):
    """PUBLIC is the live stream, nothing else is; the learned fence never runs in it. TRAINING records gradings."""

    PRIVATE = "private"
    TRAINING = "training"
    PUBLIC = "public"
