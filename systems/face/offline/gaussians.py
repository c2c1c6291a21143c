"""What the network is held against: one Gaussian a class over 12 cepstral coefficients, as real-time lip sync is done.

Trained on the same voices, with a diagonal each and the class's frequency as prior, then a mean over three frames.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....components.arrays import F32
from ...kernels import net

_COUNT = 12  # c1..c12
_SMOOTH = 3


def cepstrum(inputs: F32) -> Any:
    """Return (F, 12) of log-mel frames without their mean. inputs: (F, 40)."""
    m, c = np.arange(net.MELS)[:, None], np.arange(1, _COUNT + 1)
    return inputs.astype(np.float32) @ (np.sqrt(2.0 / net.MELS) * np.cos(np.pi * c * (2 * m + 1) / (2 * net.MELS)))


def learn(inputs: list[F32], label: list[Any]) -> dict[str, Any]:
    """Return means, variances and log priors, (15, 12), (15, 12), (15,)."""
    x, y = np.concatenate([cepstrum(i) for i in inputs]), np.concatenate(label)
    classes = range(net.CLASSES)
    return {
        "mean": np.stack([x[y == c].mean(axis=0) for c in classes]),
        "variance": np.stack([x[y == c].var(axis=0) + 1e-4 for c in classes]),
        "prior": np.log(np.bincount(y, minlength=net.CLASSES) / len(y) + 1e-6),
    }


def likely(model: dict[str, Any], inputs: F32) -> Any:
    """Return (F, 15) probabilities, averaged over three frames."""
    gap = cepstrum(inputs)[:, None, :] - model["mean"]
    score = model["prior"] - 0.5 * (gap**2 / model["variance"] + np.log(model["variance"])).sum(axis=2)
    score = np.exp(score - score.max(axis=1, keepdims=True))
    score /= score.sum(axis=1, keepdims=True)
    return np.stack([np.convolve(column, np.full(_SMOOTH, 1.0 / _SMOOTH), "same") for column in score.T], axis=1)
