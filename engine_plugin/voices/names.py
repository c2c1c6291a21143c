"""Names of voices as they may be handed to a program."""

from __future__ import annotations

import re

from ...components.errors import AudioError


def checked(engine: str, name: str) -> str:
    """Return the name; AudioError for one that a program could take for an option or for a place on a disk."""
    if not re.fullmatch(r"[A-Za-z][\w+.-]{0,63}", name):
        raise AudioError(f"say: '{name:.64}' is no name of a voice of {engine}; set name in [voice], empty is its own")
    return name
