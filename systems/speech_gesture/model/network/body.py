"""A part of the body to latents and back: convolutions around six rounds of choosing the nearest of 1024 codes."""

from __future__ import annotations

import torch  # pyright: ignore[reportMissingImports]
from torch.nn import functional  # pyright: ignore[reportMissingImports]

from .. import layout
from .audio import Weights
from .linear import Taps


class Encoder:
    """Motion of one part, 30 frames a second, to latents, a quarter as many."""

    def __init__(self, weights: Weights) -> None:
        self.enter = _taps(weights, "encoder.model.0")
        self.stages = [
            (
                Taps(weights[f"encoder.model.{k}.0.weight"], weights[f"encoder.model.{k}.0.bias"], padding=1, stride=2),
                _Residual(weights, f"encoder.model.{k}.1"),
            )
            for k in (2, 3)
        ]
        self.leave = _taps(weights, "encoder.model.4")

    def __call__(self, motion: torch.Tensor) -> torch.Tensor:
        """Return (n, 128), not yet divided by the generator's scale. motion: (4n, channels) normalised."""
        x = functional.relu(self.enter(motion))
        for halve, residual in self.stages:
            x = residual(halve(x))
        return self.leave(x)


class Quantisers:
    """Six rounds: each takes the nearest of its codes off what the rounds before left."""

    def __init__(self, weights: Weights) -> None:
        # QUIRK: a codebook is looked up in as it comes out of its own linear map, never as it lies in the file.
        self.codes = [
            functional.linear(
                weights[f"quantizer.layers.{k}.codebook"],
                weights[f"quantizer.layers.{k}.embedding_proj.weight"],
                weights[f"quantizer.layers.{k}.embedding_proj.bias"],
            )
            for k in range(layout.QUANTISERS)
        ]
        self.squares = [codes.square().sum(-1) for codes in self.codes]

    def choose(self, latents: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what was chosen, (n, 6) i64, and its sum, (n, 128). latents: (n, 128)."""
        left, chosen = latents, []
        for codes, squares in zip(self.codes, self.squares):
            nearest = torch.addmm(squares, left, codes.T, alpha=-2.0).argmin(-1)
            left = left - codes[nearest]
            chosen.append(nearest)
        return torch.stack(chosen, -1), latents - left


class Decoder:
    """Latents of one part to its motion."""

    def __init__(self, weights: Weights) -> None:
        self.enter = _taps(weights, "decoder.model.0")
        self.stages = [
            (
                _Residual(weights, f"decoder.model.{k}.0"),
                _Doubling(weights[f"decoder.model.{k}.2.weight"], weights[f"decoder.model.{k}.2.bias"]),
            )
            for k in (2, 3)
        ]
        self.last = _taps(weights, "decoder.model.4")
        self.leave = _taps(weights, "decoder.model.6")

    def __call__(self, latents: torch.Tensor) -> torch.Tensor:
        """Return (4n, channels) normalised. latents: (n, 128) as chosen from the codes."""
        x = functional.relu(self.enter(latents))
        for residual, double in self.stages:
            x = double(residual(x))
        return self.leave(functional.relu(self.last(x)))


class _Residual:
    """Three blocks, the far-sighted first: ReLU, three taps apart, ReLU, one tap, added to what came in."""

    def __init__(self, weights: Weights, name: str) -> None:
        self.blocks = [
            (_taps(weights, f"{name}.model.{k}.conv1", dilation), _taps(weights, f"{name}.model.{k}.conv2", 0))
            for k, dilation in enumerate(layout.DILATIONS)
        ]

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        for first, second in self.blocks:
            x = x + second(functional.relu_(first(functional.relu(x))))
        return x


class _Doubling:
    """Every row written twice, then three taps: of these, two always fall on one row, and their sum is one tap."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        even = torch.stack([weight[..., 0], weight[..., 1] + weight[..., 2]], -1)
        odd = torch.stack([weight[..., 0] + weight[..., 1], weight[..., 2]], -1)
        self.even, self.odd = Taps(even, bias, padding=1), Taps(odd, bias)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        pairs = self.even.side_by_side(x)  # (n + 1, 2 * width): each row and the one before it
        even = torch.addmm(self.even.bias, pairs[:-1], self.even.weight)
        odd = torch.addmm(self.odd.bias, pairs[1:], self.odd.weight)
        return torch.stack([even, odd], 1).flatten(0, 1)


def _taps(weights: Weights, name: str, apart: int = 1) -> Taps:
    """Return a convolution that keeps the number of rows. apart: of its three taps; 0: it has but one."""
    return Taps(weights[f"{name}.weight"], weights[f"{name}.bias"], padding=apart, dilation=max(apart, 1))
