"""Voices that speak text: programs and packages that are found on this machine, behind one call. None is needed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ...components.config.sections import Voice
from ...components.errors import AudioError
from ...systems.voice.files import read_audio
from ...systems.voice.spoken import Speaks, Spoken
from ...systems.voice.timings import Timings, take_out
from ...systems.voice.words import read_timings, words_beside
from . import command, espeak, flite, kokoro, piper

LONGEST = 10_000  # characters: 12 min, beyond what one answer is; an argument of a program may be 128 kB
WAV = "voice.wav"  # what a voice writes, in a folder of its own
NONE = (
    "no voice for text is installed; apt-get install espeak-ng (or flite; pip install piper-tts; pip install kokoro), "
    "or set command in [voice]"
)


@dataclass(frozen=True, slots=True)
class Engine:
    """One kind of voice.

    found: what would speak with these settings, in words; "" where nothing would
    speak: writes WAV into the folder and returns what it knows of the times; AudioError, one line
    how: what makes it work, where it does not
    """

    found: Callable[[Voice], str]
    speak: Callable[[str, Path, Voice], Timings]
    how: str


# In the order of preference, best sound first.
ENGINES: dict[str, Engine] = {
    "command": Engine(command.found, command.speak, "set command in [voice]"),
    "kokoro": Engine(kokoro.found, kokoro.speak, kokoro.HOW),
    "piper": Engine(piper.found, piper.speak, piper.HOW),
    "flite": Engine(flite.found, flite.speak, "apt-get install flite"),
    "espeak-ng": Engine(espeak.found, espeak.speak, "apt-get install espeak-ng"),
}


def available(voice: Voice) -> dict[str, str]:
    """Return what would speak with these settings: name -> in words, the first is taken."""
    names = tuple(ENGINES) if voice.engine == "any" else (voice.engine,)
    return {name: found for name in names if (found := ENGINES[name].found(voice))}


def speaker(voice: Voice | None = None) -> Speaks:
    """Return what `her.voice` wants: a call that speaks. voice: the settings [voice], default as shipped."""
    settings = Voice() if voice is None else voice
    return lambda text: speak(text, settings)


def speak(text: str, voice: Voice) -> Spoken:
    """Return a text as sound. Inline tags are not spoken. It takes 0.1 s to seconds, in this thread.

    AudioError: one line, where there is nothing to say, nothing that says it, or it failed
    """
    plain = _plain(text)
    found = available(voice)
    if not found:
        why = f"{voice.engine} is not there: {ENGINES[voice.engine].how}" if voice.engine != "any" else NONE
        raise AudioError(f"say: {why}")
    why_not: AudioError | None = None
    for name in found:
        try:
            return replace(_spoken(plain, name, voice), by=f"{name}, {found[name]}")
        except AudioError as error:
            why_not = why_not or error
            if name == "command":  # what somebody has set up is not quietly replaced
                break
    assert why_not is not None
    raise why_not


def _plain(text: str) -> str:
    """Return the text as a program may be given it: no tags, no control characters, nothing UTF-8 cannot hold."""
    plain = take_out(text)[0].encode("utf-8", "replace").decode()
    plain = " ".join("".join(c if c.isprintable() else " " for c in plain).split())
    if not any(c.isalnum() for c in plain):
        raise AudioError(f"say: nothing to say in {text!r:.60}; give a text with words")
    if len(plain) > LONGEST:
        raise AudioError(f"say: {len(plain)} characters, at most {LONGEST}; say it in parts")
    return plain


def _spoken(text: str, name: str, voice: Voice) -> Spoken:
    with tempfile.TemporaryDirectory(prefix="kinesics-voice-", ignore_cleanup_errors=True) as folder:
        path = Path(folder).resolve() / WAV
        told = ENGINES[name].speak(text, path.parent, voice)
        if not path.is_file():
            raise AudioError(f"say: {name} ended well and wrote no wav; try it by hand with the same text")
        try:
            pcm, rate = read_audio(path)
            beside = words_beside(path)
            told = read_timings(beside, text) if beside is not None and not told.words else told
        except AudioError as error:
            wrote = str(error).replace(str(path.parent) + "/", "")
            raise AudioError(f"say: {name} wrote what cannot be used: {wrote}") from None
    return Spoken(pcm, rate, replace(told, text=told.text or text))
