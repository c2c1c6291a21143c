"""Where the sentence model's weights lie unless something else is said, and whether they are there."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from ..components.errors import ModelError
from ..systems.speech_gesture.model import FILLED, source

FOLDER = platformdirs.user_data_path("kinesics", appauthor=False) / "speech"
GET = f'kinesics speech fetch -o FILES, then kinesics speech convert FILES -o "{FOLDER}"; see docs/sentences.md'


def found(given: str = "") -> str:
    """Return the folder that was given, FILLED, or the usual one. ModelError: no model there, and what to do."""
    if given == FILLED:
        return given
    folder = Path(given).expanduser() if given else FOLDER
    if not (folder / source.ABOUT).is_file():
        raise ModelError(f"{folder}: no sentence model there; {GET}")
    return str(folder)
