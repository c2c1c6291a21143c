"""Audio files of any common kind to samples; every way a file can be wrong ends in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from ...components.arrays import F32
from ...components.errors import AudioError
from .pcm import CHANNELS, LONGEST, RATES
from .words import read_words, words_beside

__all__ = ["read_audio", "read_words", "words_beside"]

_BLOCK = 1 << 18  # frames read at once; stereo is mixed down block by block, so that 2 h at 48 kHz stay below 3 GB
_READS = "wav, flac, ogg, opus or mp3"


def read_audio(path: str | Path) -> tuple[F32, int]:
    """Return a file's samples as (N,) f32 mono, as the file scales them (about -1..1), and its rate in Hz.

    AudioError: missing, empty, not audio, not finite, a rate or channel count out of range, longer than 2 h
    """
    path = Path(path)
    if path.is_dir():
        raise AudioError(f"{path}: is a folder; give a {_READS} file")
    if not path.exists():
        raise AudioError(f"{path}: no such file{_similar(path)}")
    try:
        if path.stat().st_size == 0:
            raise AudioError(f"{path}: 0 bytes; record or download it again")
        with soundfile.SoundFile(str(path)) as file:
            return _read(path, file), file.samplerate
    except soundfile.LibsndfileError as error:
        raise AudioError(f"{path}: not audio that can be decoded ({_tidy(error)}); convert it to {_READS}") from None
    except OSError as error:
        raise AudioError(f"{path}: cannot be read ({error.strerror or error}); check its permissions") from None
    except TypeError:  # soundfile takes .raw for samples without a header and asks for a rate
        raise AudioError(f"{path}: samples without a header; convert it to {_READS}") from None


def _read(path: Path, file: soundfile.SoundFile) -> F32:
    rate, channels = file.samplerate, file.channels
    if not RATES[0] <= rate <= RATES[1]:
        raise AudioError(f"{path}: rate {rate} Hz, want {RATES[0]} to {RATES[1]}; resample it")
    if channels > CHANNELS:
        raise AudioError(f"{path}: {channels} channels, at most {CHANNELS}; mix it down")
    most = int(LONGEST * rate)
    blocks: list[F32] = []
    count = 0
    while True:
        block: F32 = file.read(_BLOCK, dtype="float32", always_2d=True)  # pyright: ignore[reportAssignmentType]
        if len(block) == 0:
            break
        count += len(block)
        if count > most:
            # Counted and not read from the header: programs that write to a pipe leave 2^31 there.
            raise AudioError(f"{path}: longer than {LONGEST / 3600:g} h; cut it into parts")
        blocks.append(block[:, 0] if channels == 1 else block.mean(axis=1))
    if count == 0:
        raise AudioError(f"{path}: a header and no sound ({file.frames} frames); record or download it again")
    samples = np.concatenate(blocks)
    bad = ~np.isfinite(samples)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise AudioError(
            f"{path}: {int(bad.sum())} samples are not finite, first at {at / rate:.3f} s; export it again"
        )
    return samples


def _tidy(error: soundfile.LibsndfileError) -> str:
    return str(error.error_string).strip().rstrip(".")


def _similar(path: Path) -> str:
    """Return a hint at files that were perhaps meant."""
    if not path.parent.is_dir():
        return f", and no folder {path.parent}"
    near = (
        sorted(p.name for p in path.parent.glob(f"{path.stem[:64]}.*") if p.suffix != path.suffix)[:3]
        if path.stem
        else []
    )
    return f"; there is {', '.join(near)}" if near else "; check the path"
