"""Recordings of people with the phones that PocketSphinx finds in them: never trained on.

The alignment that figures were published with is kept beside this file, by the recording's own hash; a recording that
is not in it is aligned anew.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....components.arrays import F32
from ....components.errors import FaceError
from ....components.files import sha256
from ....components.speech import HOP
from ...voice.phones import Segment
from .align import RECIPE, align
from .data import at_16k

KEPT = Path(__file__).with_name("alignment.json")
# Half of the clips choose thresholds, the other half is measured.
SETTINGS = ("ss_0870.wav", "ss_0890.wav", "cards_005.wav")


@dataclass(frozen=True, slots=True)
class Clip:
    """One recording. samples: f32 at 16 kHz; segments: phones found; what could not be aligned is in none."""

    source: str
    samples: F32
    segments: list[Segment]

    @property
    def frames(self) -> int:
        """Return how many labels it has."""
        return len(self.samples) // HOP


def clips(folder: Path) -> list[Clip]:
    """Return the recordings that a folder's manifest.json lists with what is said. FaceError names what is wrong."""
    import soundfile

    try:
        rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as cause:
        raise FaceError(f"{folder}: no manifest.json with 'file' and 'transcript' of recordings ({cause})") from None
    kept = json.loads(KEPT.read_text(encoding="utf-8"))["clips"] if KEPT.is_file() else {}
    found = []
    for row in rows:
        if not row.get("transcript"):
            continue
        path = folder / row["file"]
        samples, rate = soundfile.read(str(path), dtype="float32", always_2d=True)
        mono = at_16k(samples.mean(axis=1), rate)
        digest = sha256(path)
        segments = [(float(a), float(b), str(p)) for a, b, p in kept.get(digest, {}).get("segments", [])]
        if not segments:
            segments = align(mono, _said(folder, row["transcript"]))
        found.append(Clip(path.name, mono, segments))
    return found


def keep(folder: Path) -> None:
    """Align every recording of a folder anew and write the file beside this module."""
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    KEPT.unlink(missing_ok=True)
    digests = {row["file"]: sha256(folder / row["file"]) for row in rows}
    held = {
        digests[clip.source]: {
            "file": clip.source,
            "segments": [[round(a, 3), round(b, 3), p] for a, b, p in clip.segments],
        }
        for clip in clips(folder)
    }
    text = json.dumps({"recipe": RECIPE, "clips": held}, indent=None, separators=(",", ":"))
    KEPT.write_text(re.sub(r'("[0-9a-f]{64}")', r"\n\1", text) + "\n", encoding="utf-8")


def _said(folder: Path, transcript: str) -> str:
    if transcript.endswith(".txt"):
        lines = (folder / transcript).read_text(encoding="utf-8").splitlines()
        return " ".join(line.rpartition("|")[2] for line in lines)
    return re.sub(r"</?s>|\([\d]+\)", " ", transcript)


def noisy(samples: F32, decibels: float, seed: int = 1) -> F32:
    """Return samples with white noise so many dB under them."""
    noise = np.random.default_rng(seed).standard_normal(len(samples))
    level = np.sqrt(np.mean(samples.astype(np.float64) ** 2)) * 10.0 ** (-decibels / 20.0)
    return (samples + noise * level).astype(np.float32)
