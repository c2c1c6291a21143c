"""Synthetic voices: external programs on PATH that turn our sentences into sound. They run here and nowhere else."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .....components.arrays import F32
from .....components.errors import CorpusError

LEAD, TAIL = 1.0, 2.0  # s of quiet before and after: hands rise from rest and have time to go home


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
    Voice("flite", "slt", 1.30),
    Voice("espeak-ng", "en-us+f3", 130.0),
    Voice("flite", "rms", 1.20),
    Voice("espeak-ng", "en-gb+m3", 128.0),
    Voice("flite", "awb", 1.22),
    Voice("espeak-ng", "en-us+f2", 126.0),
)


def check_programs() -> None:
    """Raise CorpusError naming what is missing and how to get it."""
    missing = sorted({voice.program for voice in VOICES if shutil.which(voice.program) is None})
    if missing:
        raise CorpusError(
            f"corpus synth: '{' and '.join(missing)}' not found on PATH, and the performers have no voice without; "
            f"install with 'apt-get install {' '.join(missing)}', or use the corpus that ships in assets/corpus"
        )


def speak(text: str, voice: Voice, pace: float = 1.0) -> tuple[F32, int]:
    """Return (samples f32 -1..1 mono, rate Hz) of `voice` saying `text`, with quiet before and after.

    pace: > 1 slower. Raises CorpusError where the program is missing or fails.
    """
    check_programs()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "voice.wav"
        if voice.program == "flite":
            stretch = f"duration_stretch={voice.pace * pace:.3f}"
            command = ["flite", "-voice", voice.name, "--setf", stretch, "-t", text, "-o", str(path)]
        else:
            words = str(round(voice.pace / pace))
            command = ["espeak-ng", "-v", voice.name, "-s", words, "-w", str(path), text]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not path.is_file():
            detail = (done.stderr.strip() or "no message").splitlines()[0]
            raise CorpusError(f"corpus synth: {voice.label} failed with status {done.returncode}: {detail}")
        with wave.open(str(path)) as file:
            rate = file.getframerate()
            raw = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    return _padded(raw.astype(np.float32) / 32768.0, rate), rate


def _padded(pcm: F32, rate: int) -> F32:
    """Put quiet of the voice's own floor around it: digital silence would move the level its pauses are judged by."""
    hop = rate // 100
    frames = pcm[: len(pcm) // hop * hop].reshape(-1, hop)
    floor = float(np.percentile(np.sqrt((frames.astype(np.float64) ** 2).mean(axis=1)), 4))
    rng = np.random.default_rng(0)
    lead, tail = (rng.standard_normal(int(seconds * rate)) * floor for seconds in (LEAD, TAIL))
    return np.concatenate([lead, pcm, tail]).astype(np.float32)
