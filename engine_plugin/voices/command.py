"""Any program that writes a wav, as set in [voice] command."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from ...components.config.sections import Voice
from ...components.errors import AudioError
from ...systems.voice.timings import Timings
from .child import run

# Within a longer argument, as that of `sh -c`, what she says would become a program.
_WHOLE = re.compile(r"(--?[\w-]+=)?\{text\}")


def found(voice: Voice) -> str:
    """Return the command, "" where none is set."""
    return voice.command.strip()


def speak(text: str, folder: Path, voice: Voice) -> Timings:
    """Run it without a shell. {wav} is where to write, {text} the text, {file} a file with it; else it is the input.

    A words file that it writes beside the wav (voice.json, .TextGrid, .vtt, .srt) is read.
    """
    try:
        parts = shlex.split(voice.command, posix=os.name == "posix")
    except ValueError as error:
        raise AudioError(f"say: [voice] command cannot be split ({error}): close its quotes") from None
    if not parts or "{wav}" not in voice.command:
        raise AudioError(f"say: [voice] command = {voice.command!r:.80} has no {{wav}}: where it writes its sound")
    if any("{text}" in part and not _WHOLE.fullmatch(part) for part in parts):
        raise AudioError("say: [voice] command: {text} must be an argument of its own, or --option={text}; see {file}")
    (folder / "text.txt").write_text(text + "\n", encoding="utf-8")
    said = " " + text if text.startswith("-") else text  # no program takes it for an option
    filled = {"{wav}": str(folder / "voice.wav"), "{file}": str(folder / "text.txt"), "{text}": said}
    arguments = [_filled(part, filled) for part in parts]
    arguments[0] = os.path.expanduser(arguments[0])
    is_told = "{text}" in voice.command or "{file}" in voice.command
    run("command", arguments, folder, "" if is_told else text)
    return Timings()


def _filled(part: str, values: dict[str, str]) -> str:
    """Return one argument with its values, each put in once: braces in the text itself stay as they are."""
    for name, value in values.items():
        before, found, behind = part.partition(name)
        if found:
            return before + value + behind
    return part
