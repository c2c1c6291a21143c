"""A sentence model made of numbers: smooth talking on the model's body; the plumbing is tested without torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from kinesics.components.anatomy import SIDES
from kinesics.systems.kernels import rotvec
from kinesics.systems.retarget import smplx_body

_TOKENS, _WIDTH, _SEED = 32, 384, 4
_NAMES = smplx_body.NAMES


def rest() -> np.ndarray:
    """Return (55, 3) rad: arms before the body, as people hold them who talk."""
    out = np.zeros((len(_NAMES), 3))
    for side, g in zip(SIDES, (1.0, -1.0), strict=True):
        out[_NAMES.index(side + "UpperArm")] = (0.15, -0.35 * g, -1.05 * g)
        out[_NAMES.index(side + "LowerArm")] = (0.2, -1.25 * g, 0.0)
        out[_NAMES.index(side + "Hand")] = (0.15, 0.0, -0.1 * g)
    return out


def sizes(size: float) -> np.ndarray:
    """Return (55, 1) rad: how far each joint strays."""
    out = np.full((len(_NAMES), 1), 0.02)
    for name, wide in (("UpperArm", 0.3), ("LowerArm", 0.4), ("Hand", 0.25), ("head", 0.12), ("neck", 0.06)):
        for k, joint in enumerate(_NAMES):
            if joint.endswith(name):
                out[k] = wide
    out[25:] = 0.08
    return out * size


class SmoothModel:
    """Same seed and noise, same motion. hash, vocabulary: as of the network; calls: windows that were made."""

    def __init__(self, size: float = 1.0, slow: int = 6) -> None:
        self.hash = "smooth"
        self.vocabulary: Mapping[str, int] = {"": 1}
        self.size, self.slow, self.calls = size, slow, 0
        self.seeds: list[np.ndarray] = []
        self.heard: list[np.ndarray] = []

    @property
    def rest_seed(self) -> np.ndarray:
        return np.tile(self._latent(rest()), (_SEED, 1))

    def window(
        self, audio: np.ndarray, ids: np.ndarray, seed: np.ndarray, noise: np.ndarray,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> np.ndarray | None:  # fmt: skip
        self.calls += 1
        self.seeds.append(seed.copy()), self.heard.append(audio[:, 0].copy())
        width = 3 * len(_NAMES)
        kernel = np.hanning(2 * self.slow + 3)[1:-1]
        kernel /= np.sqrt((kernel**2).sum())
        stray = np.stack([np.convolve(noise[:, k], kernel, "same") for k in range(width)], axis=1)
        target = self._latent(rest())[:width] + stray * np.repeat(sizes(self.size), 3, axis=1).ravel()
        ease = np.clip(np.arange(_TOKENS) - 2.5, 0.0, 16.0)[:, None] / 16.0
        ease = ease * ease * (3.0 - 2.0 * ease)
        out = np.zeros((_TOKENS, _WIDTH), np.float32)
        out[:, :width] = (1.0 - ease) * seed[-1, :width] + ease * target
        return out

    def decode(self, latents: np.ndarray) -> np.ndarray:
        width = 3 * len(_NAMES)
        at = (np.arange(4 * len(latents)) + 0.5) / 4.0 - 0.5
        path = np.stack([np.interp(at, np.arange(len(latents)), latents[:, k]) for k in range(width)], axis=1)
        around = np.array([1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0])  # a decoder sees what comes too
        padded = np.concatenate([path[:1].repeat(3, 0), path, path[-1:].repeat(3, 0)])
        path = sum(w * padded[k : k + len(path)] for k, w in enumerate(around)) / around.sum()
        turned = np.empty((path.size // 3, 4))
        rotvec.exp_each(np.ascontiguousarray(path.reshape(-1, 3)), turned)
        return turned.reshape(len(path), len(_NAMES), 4).astype(np.float32)

    def encode(self, rotation: np.ndarray) -> np.ndarray:
        vector = np.empty((rotation.size // 4, 3))
        rotvec.log_each(np.ascontiguousarray(rotation.reshape(-1, 4), np.float64), vector)
        mean = vector.reshape(-1, 4, len(_NAMES), 3).mean(axis=1)
        return np.stack([self._latent(pose) for pose in mean])

    def _latent(self, pose: np.ndarray) -> np.ndarray:
        out = np.zeros(_WIDTH, np.float32)
        out[: pose.size] = pose.ravel()
        return out
