"""Flite: the program. It tells the phones it spoke, so her lips need not listen."""

from __future__ import annotations

import shutil
from pathlib import Path

from ...components.config.sections import Voice
from ...systems.voice.timings import Timings, flite, settled
from .child import run
from .names import checked

_PROGRAM = "flite"
_VOICE = "slt"  # a woman; the program's own default is a man at 8 kHz


def found(_: Voice) -> str:
    """Return the program's path, "" where there is none."""
    return shutil.which(_PROGRAM) or ""


def speak(text: str, folder: Path, voice: Voice) -> Timings:
    """Write voice.wav. As one utterance (-t): of several it would count each one's times from its own start."""
    name = checked(_PROGRAM, voice.name) if voice.name and not voice.name.endswith(".onnx") else _VOICE
    arguments = [found(voice), "-voice", name, "-psdur", "-t", text, "-o", str(folder / "voice.wav")]
    return settled(flite.read(run(_PROGRAM, arguments, folder)), text)
