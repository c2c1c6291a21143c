"""Kokoro: the package `kokoro`, in a process of its own. It tells when each word sounds."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from ...components.config.sections import Voice
from ...components.errors import AudioError
from ...systems.voice.timings import Timings
from .child import run
from .names import checked

HOW = "pip install kokoro, then let it fetch its weights once: python -m kokoro --text hello -o hello.wav"
_PROGRAM = Path(__file__).with_name("packages.py")
_VOICE = "af_heart"


def found(_: Voice) -> str:
    """Return "the package kokoro", "" where it is not installed."""
    return "the package kokoro" if find_spec("kokoro") is not None else ""


def speak(text: str, folder: Path, voice: Voice) -> Timings:
    """Write voice.wav and voice.json. It downloads nothing: weights that are not there are named."""
    name = checked("kokoro", voice.name) if voice.name and not voice.name.endswith(".onnx") else _VOICE
    arguments = [sys.executable, "-P", str(_PROGRAM), "kokoro", name]
    try:
        run("kokoro", arguments, folder, text, environment={"HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8"})
    except AudioError as error:
        raise AudioError(f"{error}; {HOW}") from None
    return Timings()
