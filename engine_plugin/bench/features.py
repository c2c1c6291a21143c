"""What the features of a voice cost: a 10 ms hop as it streams in, and a whole minute, beside librosa."""

from __future__ import annotations

import time

import numpy as np

from ...components.arrays import F32
from ...components.speech import HOP, RATE
from ...systems.kernels import mfcc
from ...systems.voice import live
from ...systems.voice.analyse import analyse
from . import Figure, best, entry

_RUNS = 7


def figures() -> list[Figure]:
    """Return features.*: us a hop of our kernel and of librosa, us of a live block with all its views, s a minute."""
    audio = _voice(60.0)
    short = audio[: 4 * RATE]
    analyse(short, RATE)  # compiles
    made = [
        entry("features.us_per_hop", best(lambda: _hop(audio), _RUNS), "us", goal=25.0, reference=_librosa(short)),
        entry("features.us_per_live_tick", best(lambda: _live(audio), 3), "us"),
        entry("features.s_per_minute", best(lambda: _whole(audio), 3), "s", goal=0.5),
    ]
    if "reference" not in made[0]:
        made.append({"name": "features.us_per_hop", "skipped": "reference librosa is not installed"})
    return made


def _voice(seconds: float) -> F32:
    """Return sound with the shape of a voice: harmonics of a gliding pitch in syllables, over faint noise."""
    rng = np.random.default_rng(1)
    t = np.arange(int(seconds * RATE)) / RATE
    pitch = 160.0 + 30.0 * np.sin(2.0 * np.pi * 0.4 * t)
    phase = 2.0 * np.pi * np.cumsum(pitch) / RATE
    tone = sum(np.sin(k * phase) / k for k in range(1, 20))
    syllable = np.maximum(0.0, np.sin(2.0 * np.pi * 2.3 * t)) * (np.sin(2.0 * np.pi * 0.2 * t) > -0.6)
    return (0.15 * tone * syllable + 1e-3 * rng.standard_normal(len(t))).astype(np.float32)


def _hop(audio: F32) -> float:
    """Return us a hop of the kernel fed one hop at a time, the call included."""
    held, passed, stream = np.zeros(mfcc.FRAME), np.zeros(mfcc.FRAME), np.zeros(mfcc.STREAM)
    room = mfcc.room(HOP)
    coefficient, loud, band = np.zeros((room, mfcc.COEFFICIENTS)), np.zeros(room), np.zeros(room)
    work = np.zeros(mfcc.WORK)
    hops = [audio[at : at + HOP] for at in range(0, len(audio), HOP)]
    began = time.perf_counter()
    for block in hops:
        mfcc.push(block, held, passed, stream, coefficient, loud, band, work)
    return (time.perf_counter() - began) / len(hops) * 1e6


def _live(audio: F32) -> float:
    """Return us a 60 Hz tick of a microphone: its block, then every view the matcher takes."""
    ring = live.fresh()
    ticks = [audio[RATE * k // 60 : RATE * (k + 1) // 60] for k in range(600)]
    began = time.perf_counter()
    for block in ticks:
        live.push(ring, block)
        live.envelope(ring)
        live.timbre(ring)
    return (time.perf_counter() - began) / len(ticks) * 1e6


def _whole(audio: F32) -> float:
    began = time.perf_counter()
    analyse(audio, RATE)
    return (time.perf_counter() - began) * 60.0 * RATE / len(audio)


def _librosa(audio: F32) -> tuple[str, float] | None:
    """Return ("librosa", us a hop) of the same coefficients, hop by hop as a stream gives them, or None."""
    try:
        import librosa
    except ImportError:
        return None
    wide = audio.astype(np.float64)
    frames = [wide[at : at + mfcc.FRAME] for at in range(0, 200 * HOP, HOP)]

    def stream() -> float:
        began = time.perf_counter()
        for frame in frames:
            mel = librosa.feature.melspectrogram(
                y=frame, sr=RATE, n_fft=mfcc.FRAME, hop_length=HOP, center=False, n_mels=mfcc.MELS
            )
            librosa.feature.mfcc(S=librosa.power_to_db(mel, top_db=None), n_mfcc=mfcc.COEFFICIENTS)
        return (time.perf_counter() - began) / len(frames) * 1e6

    stream()  # librosa loads its parts on first use
    return "librosa", best(stream, 3)
