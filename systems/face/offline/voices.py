"""Voices to train on: programs, run from outside, that speak a sentence and tell when each phone sounds."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....components.arrays import F32
from ....components.errors import FaceError
from ...voice.phones import Segment, from_arpabet
from . import espeak
from .phones import from_espeak


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of one voice. samples: f32 -1..1 at `rate` Hz; segments: phones and when they sound, s."""

    text: str
    samples: F32
    rate: int
    segments: list[Segment]


@dataclass(frozen=True, slots=True)
class Family:
    """One voice to learn from.

    minutes: how much of it; licence: of what it says; say: sentences to sound
    late: frames of 10 ms by which it tells its phones after they sound, against PocketSphinx on nine sentences
    """

    name: str
    minutes: float
    licence: str
    say: Callable[[list[str], random.Random], Iterator[Said]]
    needs: tuple[str, ...] = ()
    late: int = 0

    @property
    def missing(self) -> str:
        """Return the program that is not there, "" if all are."""
        return next((name for name in self.needs if shutil.which(name) is None), "")


_PACE = (0.8, 1.2)  # times the voice's own durations
HELD_VARIANTS = 16  # of espeak-ng's: never trained, measured
_ACCENTS = ("en-us", "en-us", "en-us", "en-gb-x-rp", "en-gb-scotland", "en-029")


def _wave(path: Path) -> tuple[F32, int]:
    with wave.open(str(path)) as file:
        raw = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return raw.astype(np.float32) / 32768.0, file.getframerate()


def flite(voice: str) -> Callable[[list[str], random.Random], Iterator[Said]]:
    """Return what speaks with a voice of flite."""

    def say(texts: list[str], draw: random.Random) -> Iterator[Said]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "voice.wav"
            for text in texts:
                stretch = f"duration_stretch={draw.uniform(*_PACE):.3f}"
                command = ["flite", "-voice", voice, "--setf", stretch, "-t", text, "-o", str(path), "-psdur"]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode or not path.is_file():
                    raise FaceError(f"face train: flite -voice {voice} failed: {done.stderr.strip()[:80] or 'no word'}")
                ends = [token.rsplit(":", 1) for token in done.stdout.split() if ":" in token]
                times = [0.0, *(float(end) for _, end in ends)]
                rows = [(times[k], times[k + 1], name) for k, (name, _) in enumerate(ends)]
                yield Said(text, *_wave(path), from_arpabet(rows))

    return say


_BATCH = 40  # sentences a festival is asked for at once: it takes a second to load a voice


def festival(voice: str) -> Callable[[list[str], random.Random], Iterator[Said]]:
    """Return what speaks with a voice of Festival."""

    def say(texts: list[str], draw: random.Random) -> Iterator[Said]:
        for first in range(0, len(texts), _BATCH):
            batch = texts[first : first + _BATCH]
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                lines = [f"(voice_{voice})"]
                for k, text in enumerate(batch):
                    plain = text.replace('"', " ")
                    lines += [
                        f"(Parameter.set 'Duration_Stretch {draw.uniform(*_PACE):.3f})",
                        f'(set! u (utt.synth (Utterance Text "{plain}")))',
                        f'(utt.save.wave u "{folder}/{k}.wav")',
                        f'(utt.save.segs u "{folder}/{k}.seg")',
                    ]
                (folder / "say.scm").write_text("\n".join(lines))
                subprocess.run(["festival", "-b", str(folder / "say.scm")], capture_output=True, check=False)
                for k, text in enumerate(batch):
                    if not (folder / f"{k}.seg").is_file() or not (folder / f"{k}.wav").is_file():
                        raise FaceError(f"face train: festival has no voice '{voice}' or failed at '{text[:40]}'")
                    yield Said(text, *_wave(folder / f"{k}.wav"), from_arpabet(_segs(folder / f"{k}.seg")))

    return say


def _segs(path: Path) -> Iterator[tuple[float, float, str]]:
    start = 0.0
    for line in path.read_text().splitlines():
        row = line.split()
        if len(row) == 3:
            yield start, float(row[0]), row[2]
            start = float(row[0])


def espeak_ng(*, held_out: bool = False) -> Callable[[list[str], random.Random], Iterator[Said]]:
    """Return what speaks with espeak-ng's voices, another one each sentence."""

    def say(texts: list[str], draw: random.Random) -> Iterator[Said]:
        library = espeak.library()
        variants = list(library.variants)
        random.Random(2).shuffle(variants)
        variants = variants[:HELD_VARIANTS] if held_out else variants[HELD_VARIANTS:]
        for text in texts:
            accent = draw.choice(("en-us", "en-gb-x-rp") if held_out else _ACCENTS)
            numbers = draw.randint(120, 230), draw.randint(15, 90), draw.randint(20, 90)
            samples, rows = library.say(text, f"{accent}+{draw.choice(variants)}", *numbers)
            yield Said(text, samples, library.rate, from_espeak(rows, is_rhotic=accent == "en-us"))

    return say


_CMU = "CMU Flite and Festvox voices: permissive, notices kept"

FAMILIES: tuple[Family, ...] = (
    Family("espeak", 110.0, "espeak-ng: GPL-3 program, run from outside; its sound is ours", espeak_ng(), late=1),
    Family("flite slt", 35.0, _CMU, flite("slt"), ("flite",), 1),
    Family("flite rms", 35.0, _CMU, flite("rms"), ("flite",), 1),
    Family("flite awb", 35.0, _CMU, flite("awb"), ("flite",), 1),
    Family("festival ked", 23.0, "CSTR: permissive", festival("ked_diphone"), ("festival",)),
    Family("festival slt-hts", 23.0, "CMU, HTS: permissive, BSD-3", festival("cmu_us_slt_arctic_hts"), ("festival",)),
)
# never trained: kal is a speaker of his own, in flite and in Festival
HELD_OUT: tuple[Family, ...] = (
    Family("espeak variants", 2.0, "", espeak_ng(held_out=True)),
    Family("flite kal16", 2.0, "", flite("kal16"), ("flite",)),
)
