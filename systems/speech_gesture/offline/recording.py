"""A sentence's motion as a file: quaternions, and the axis-angle poses that SMPL-X tools read."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....components.arrays import F32
from ....components.errors import ModelError
from ....components.gesture import FPS, JOINTS, Sentence
from ....components.speech import RATE, Word
from ..model import load_model
from ..session import Sessions

Report = Callable[[str], None]


def motion(sessions: Sessions, sentence: Sentence, report: Report = lambda text: None) -> F32:
    """Return (n, 55, 4) f32 wxyz, local: all of a sentence's windows, each over the one before."""
    out = np.zeros((0, JOINTS, 4), np.float32)
    for window in sessions.begin(sentence):
        if window is not None:
            out = np.concatenate([out[: window.frame], window.rotation])
            report(f"{len(out) / FPS:.1f} s made")
    return out


def generate(
    weights: str | Path,
    audio: F32,
    words: Sequence[Word],
    out: Path,
    key: int = 0,
    device: str = "cpu",
    report: Report = lambda text: None,
) -> dict[str, Any]:
    """Write one sentence's motion, cut where its sound ends, and return {frames, seconds, model, sampler}.

    rotation (n, 55, 4) f32 wxyz local; poses (n, 165) f32 axis-angle; trans (n, 3) f32 m, 0: she stays where she is
    """
    if len(audio) == 0:
        raise ModelError("a sentence of no sound; record it again")
    model = load_model(weights, device)
    frames = -(-len(audio) * FPS // RATE)
    rotation = motion(Sessions(model), Sentence(1, 1, key, audio, tuple(words)), report)[:frames]
    held = {
        "rotation": rotation,
        "poses": axis_angle(rotation).reshape(len(rotation), -1),
        "trans": np.zeros((len(rotation), 3), np.float32),
        "expressions": np.zeros((len(rotation), 100), np.float32),
        "betas": np.zeros(300, np.float32),
        "model": "smplx2020",
        "gender": "neutral",
        "mocap_frame_rate": FPS,
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **held)
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(buffer.getbuffer())
        os.replace(partial, out)
    finally:
        partial.unlink(missing_ok=True)
    return {"frames": len(rotation), "seconds": len(rotation) / FPS, "model": model.hash, "sampler": model.sampler}


def axis_angle(rotation: F32) -> F32:
    """Return (..., 3) f32 of (..., 4) unit wxyz with w >= 0: angles up to half a turn."""
    sine = np.linalg.norm(rotation[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, rotation[..., :1])
    return (rotation[..., 1:] * np.where(sine > 1e-7, angle / np.maximum(sine, 1e-7), 2.0)).astype(np.float32)
