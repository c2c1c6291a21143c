"""Synthetic voices: external programs on PATH that turn our sentences into sound. They run here and nowhere else."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import wave
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .....components.arrays import F32
from .....components.errors import CorpusError

LEAD, TAIL = 1.0, 2.0  # s of quiet before and after: hands rise from rest and have time to go home

PAUSE = (0.25, 0.7)  # s between the sentences of a voice that makes none


@dataclass(frozen=True, slots=True)
class Voice:
    """One voice of one program. pace: flite's stretch of durations, or espeak-ng's words a minute."""

    program: str
    name: str
    pace: float

    @property
    def label(self) -> str:
        """How a clip names its voice."""
        return f"{self.program} {self.name}"


# flite's kal and kal16 stay out: tests use them as voices the corpus has never heard
VOICES: tuple[Voice, ...] = (
    Voice("flite", "slt", 1.15),
    Voice("espeak-ng", "en-us+f3", 138.0),
    Voice("flite", "rms", 1.05),
    Voice("espeak-ng", "en-gb+m3", 136.0),
    Voice("flite", "awb", 1.08),
    Voice("espeak-ng", "en-us+f2", 134.0),
)


def check_programs() -> None:
    """Raise CorpusError naming what is missing and how to get it."""
    missing = sorted({voice.program for voice in VOICES if shutil.which(voice.program) is None})
    if missing:
        raise CorpusError(
            f"corpus synth: '{' and '.join(missing)}' not found on PATH, and the performers have no voice without; "
            f"install with 'apt-get install {' '.join(missing)}', or use the corpus that ships in assets/corpus"
        )


def speak(text: str, voice: Voice) -> tuple[F32, int]:
    """Return (samples f32 -1..1 mono, rate Hz) of `voice` saying `text`, with quiet before and after.

    The same text and voice give the same samples. Raises CorpusError where the program is missing or fails.
    """
    check_programs()
    if voice.program == "espeak-ng":
        pcm, rate = _run(voice, text)
        return _padded(pcm, [], rate), rate
    # flite rests for .16 s between sentences, which nobody does: a performer would never have time to lower a hand
    said = [_run(voice, sentence.strip()) for sentence in re.findall(r"[^.?!]+[.?!]+", text)]
    rng = np.random.default_rng(zlib.crc32(text.encode()))
    rate = said[0][1]
    return _padded(said[0][0], [(rng.uniform(*PAUSE), pcm) for pcm, _ in said[1:]], rate), rate


def _run(voice: Voice, text: str) -> tuple[F32, int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "voice.wav"
        if voice.program == "flite":
            stretch = f"duration_stretch={voice.pace:.3f}"
            command = ["flite", "-voice", voice.name, "--setf", stretch, "-t", text, "-o", str(path)]
        else:
            command = ["espeak-ng", "-v", voice.name, "-s", f"{voice.pace:.0f}", "-w", str(path), text]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not path.is_file():
            detail = (done.stderr.strip() or "no message").splitlines()[0]
            raise CorpusError(f"corpus synth: {voice.label} failed with status {done.returncode}: {detail}")
        with wave.open(str(path)) as file:
            rate = file.getframerate()
            raw = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    return raw.astype(np.float32) / 32768.0, rate


def _padded(first: F32, more: list[tuple[float, F32]], rate: int) -> F32:
    """Join sentences by pauses (s) and put quiet round them, all at the voice's own floor.

    Digital silence instead would move the level that its pauses are judged by.
    """
    hop = rate // 100
    frames = first[: len(first) // hop * hop].reshape(-1, hop)
    floor = float(np.percentile(np.sqrt((frames.astype(np.float64) ** 2).mean(axis=1)), 4))
    rng = np.random.default_rng(0)

    def quiet(seconds: float) -> F32:
        return (rng.standard_normal(round(seconds * rate)) * floor).astype(np.float32)

    rest = [part for pause, pcm in more for part in (quiet(pause), pcm)]
    return np.concatenate([quiet(LEAD), first, *rest, quiet(TAIL)])
