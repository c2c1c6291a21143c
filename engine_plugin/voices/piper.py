"""Piper: the package or the program `piper`, with a voice's .onnx file; a process of its own either way."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from ...components.config.sections import Voice
from ...components.errors import AudioError
from ...systems.voice.timings import Timings
from .child import run

FOLDER = platformdirs.user_data_path("kinesics", appauthor=False) / "voices"
HOW = f"pip install piper-tts, put a voice's .onnx and .onnx.json into {FOLDER}, or set its path as name in [voice]"
_PROGRAM = Path(__file__).with_name("packages.py")


def found(voice: Voice) -> str:
    """Return the voice's file, "" where it or Piper is missing."""
    model = _model(voice.name)
    return str(model) if model is not None and (find_spec("piper") is not None or shutil.which("piper")) else ""


def speak(text: str, folder: Path, voice: Voice) -> Timings:
    """Write voice.wav, and voice.json where the package tells its phones (voices made for it, or `onnx` installed)."""
    model = _model(voice.name)
    if model is None:
        raise AudioError(f"say: piper has no voice '{voice.name}'; {HOW}")
    program = shutil.which("piper")
    if find_spec("piper") is not None:
        run("piper", [sys.executable, "-P", str(_PROGRAM), "piper", str(model)], folder, text)
    else:
        run("piper", [program or "piper", "-m", str(model), "-f", str(folder / "voice.wav")], folder, text)
    return Timings()


def _model(name: str) -> Path | None:
    """Return the .onnx file of a path or a name, or the first that is in FOLDER; it needs its .json beside it."""
    if name.endswith(".onnx"):
        files = [Path(name).expanduser().resolve()]
    else:
        files = sorted(FOLDER.glob("*.onnx"))
        files = [file for file in files if name in ("", file.stem)]
    return next((file for file in files if file.is_file() and Path(f"{file}.json").is_file()), None)
