"""Speaks with a Python package, in a process of its own: python -P packages.py ENGINE NAME < text. Has nothing of ours.

The packages load hundreds of MB, one is under the GPL, and both may break: none of that belongs into her process.
Writes voice.wav and voice.json, the times as the package tells them, into the working folder.
"""

from __future__ import annotations

import json
import sys
import wave
from typing import Any

import numpy as np


def kokoro(text: str, name: str) -> tuple[Any, int, list[dict[str, Any]]]:
    """Return (samples, rate, what it delivered)."""
    from kokoro import KPipeline  # pyright: ignore[reportAttributeAccessIssue, reportMissingImports]

    pipeline = KPipeline(lang_code=name[:1])
    pieces, told = [], []
    for result in pipeline(text, voice=name):
        if result.audio is None:
            continue
        pieces.append(np.asarray(result.audio, np.float32).reshape(-1))
        tokens = [
            {"text": t.text, "start_ts": t.start_ts, "end_ts": t.end_ts} for t in getattr(result, "tokens", None) or ()
        ]
        told.append({"tokens": tokens, "samples": len(pieces[-1])})
    return np.concatenate(pieces), 24_000, told


def piper(text: str, name: str) -> tuple[Any, int, list[dict[str, Any]]]:
    """Return (samples, rate, what it delivered)."""
    from piper import PiperVoice  # pyright: ignore[reportAttributeAccessIssue, reportMissingImports]

    try:
        voice = PiperVoice.load(name, include_alignments=True)
        chunks = list(voice.synthesize(text, include_alignments=True))
    except TypeError:  # before its version 1.8 it told no times
        voice = PiperVoice.load(name)
        chunks = list(voice.synthesize(text))
    pieces = [np.asarray(chunk.audio_float_array, np.float32).reshape(-1) for chunk in chunks]
    told = [
        {
            "sample_rate": chunk.sample_rate,
            "samples": len(piece),
            "phoneme_alignments": [
                {"phoneme": a.phoneme, "num_samples": int(a.num_samples)}
                for a in getattr(chunk, "phoneme_alignments", None) or ()
            ],
        }
        for chunk, piece in zip(chunks, pieces, strict=True)
    ]
    return np.concatenate(pieces), int(chunks[0].sample_rate), told


def main() -> None:
    """Speak what the input holds."""
    engine, name = sys.argv[1:]
    text = sys.stdin.buffer.read().decode("utf-8").strip()
    samples, rate, told = {"kokoro": kokoro, "piper": piper}[engine](text, name)
    with wave.open("voice.wav", "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes())
    with open("voice.json", "w", encoding="utf-8") as file:
        json.dump(told, file)


if __name__ == "__main__":
    main()
