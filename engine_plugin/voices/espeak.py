"""espeak-ng: the program, for a hundred languages. It tells no times: her lips listen."""

from __future__ import annotations

import shutil
from pathlib import Path

from ...components.config.sections import Voice
from ...systems.voice.timings import Timings
from .child import run
from .names import checked

_PROGRAM = "espeak-ng"


def found(_: Voice) -> str:
    """Return the program's path, "" where there is none."""
    return shutil.which(_PROGRAM) or ""


def speak(text: str, folder: Path, voice: Voice) -> Timings:
    """Write voice.wav; the text goes to its input, so that nothing in it is taken as an option."""
    named = ["-v", checked(_PROGRAM, voice.name)] if voice.name and not voice.name.endswith(".onnx") else []
    run(_PROGRAM, [found(voice), "--stdin", "-b", "1", *named, "-w", str(folder / "voice.wav")], folder, text)
    return Timings()
