"""What the sentence layer did, in figures."""

from __future__ import annotations

import math
from typing import Any

from ...components.sentences import Sentences


def told(sentences: Sentences) -> dict[str, Any]:
    """Return sentences moved, lost (nothing came before they were over), windows too late, s to the first motion."""
    first = sentences.first_s
    return {
        "sentences": sentences.sentences,
        "lost": sentences.lost,
        "late": sentences.late,
        "first_motion_s": None if math.isnan(first) else first,
    }
