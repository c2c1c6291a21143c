"""The published files as they would be, made of numbers: 350 MB, so made once."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

from kinesics.systems.speech_gesture.model import layout, source

STATISTICS = {
    "mean": "beatx_2_330_mean.npy",
    "std": "beatx_2_330_std.npy",
    "trans_mean": "beatx_2_trans_mean.npy",
    "trans_std": "beatx_2_trans_std.npy",
}
WORDS = {"": 4, "hello": 5, "there": 6, "friend": 7}


def statistics(folder: Path) -> list[Path]:
    made = source.Filled().stats()
    for what, name in STATISTICS.items():
        np.save(folder / name, made[what].astype(np.float64 if "trans" in what else np.float32))
    return [folder / name for name in STATISTICS.values()]


def vocabulary(path: Path, protocol: int = 2, words: dict[str, int] | None = None) -> Path:
    """Write a vocabulary as the published script pickles it: an object of its own class, word vectors and all."""
    main = sys.modules["__main__"]

    class Vocab:
        pass

    Vocab.__module__, Vocab.__qualname__ = "__main__", "Vocab"
    main.Vocab = Vocab  # type: ignore[attr-defined]
    try:
        made = Vocab()
        words = WORDS if words is None else words
        made.__dict__ |= {
            "name": "words",
            "trimmed": False,
            "word2index": words,
            "word2count": dict.fromkeys(words, 1),
            "index2word": {number: word for word, number in words.items()},
            "n_words": len(words),
            "word_embedding_weights": np.random.default_rng(1).standard_normal((len(words), 300)),
        }
        path.write_bytes(pickle.dumps(made, protocol))
    finally:
        del main.Vocab  # type: ignore[attr-defined]
    return path


def checkpoints(folder: Path, weights: dict[str, Any], torch: Any) -> list[Path]:
    """Write the four checkpoints, wrapped and prefixed as the published ones are."""
    generator = {f"{layout.PREFIX}{key}": value for key, value in weights["generator"].items()}
    for key, shape in layout.generator(
        len(weights["generator"]["modality_encoder.text_pre_encoder_body.weight"])
    ).items():
        if key in layout.UNREAD:
            generator[f"{layout.PREFIX}{key}"] = torch.zeros(shape)
        if key.endswith("num_batches_tracked"):
            generator[f"{layout.PREFIX}{key}"] = torch.tensor(7)
    generator[f"{layout.PREFIX}modality_encoder.audio_encoder.layer.weight"] = torch.zeros(3)  # older files carry one
    torch.save({"model_state": generator}, folder / "shortcut_reflow.bin")
    for part in layout.PARTS:
        torch.save({"net": dict(weights[part])}, folder / f"net_300000_{part}.pth")
    return [folder / "shortcut_reflow.bin", *(folder / f"net_300000_{part}.pth" for part in layout.PARTS)]
