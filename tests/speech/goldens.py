"""The recorded figures of the sentence model, and how far a stage is from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from kinesics.components.arrays import F32

FOLDER = Path(__file__).parents[1] / "golden" / "gesturelsm"
NETWORK, ROTATION = 1e-4, 1e-3  # what is let pass: float32 blurs 5e-6 and, where 6D is ill-conditioned, 2e-4


def golden(name: str) -> dict[str, Any]:
    with np.load(FOLDER / f"golden_{name}.npz", allow_pickle=False) as data:
        return {key: data[key] for key in data.files}


def listed(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def manifest(name: str) -> dict[str, tuple[int, ...]]:
    return {row["key"]: tuple(row["shape"]) for row in listed(f"manifest_{name}.json")["tensors"]}


def sound_of(recorded: dict[str, Any]) -> F32:
    """Return the two numbers a sample that a golden was recorded with."""
    out = np.zeros((len(recorded["amp"]), 2), np.float32)
    out[:, 0] = recorded["amp"]
    out[recorded["onset_idx"], 1] = 1.0
    return out


def off(found: Any, recorded: Any) -> float:
    """Return the largest difference. Shapes must be equal but for ones."""
    a, b = np.squeeze(np.asarray(found)), np.squeeze(np.asarray(recorded))
    assert a.shape == b.shape
    return float(np.abs(a.astype(np.float64) - b).max())
