"""Sound and words to what the denoiser looks at: six strided blocks of convolutions, and a table of words."""

from __future__ import annotations

from typing import TypeAlias

import torch  # pyright: ignore[reportMissingImports]
from torch.nn import functional  # pyright: ignore[reportMissingImports]

from .. import layout
from ..tensors import Lazily
from .linear import Linear

Weights: TypeAlias = Lazily  # name -> torch.Tensor

_SLOPE = 0.01  # of the leaky ReLU
_EPSILON = 1e-5  # of the batch norms
_FRAMES = 4 * layout.TOKENS


class Ear:
    """The encoder of a window's sound and words. Batch norms are folded into their convolutions when it is made."""

    def __init__(self, weights: Weights) -> None:
        self.blocks = [_Block(weights, k) for k in range(len(layout.AUDIO))]
        root = "modality_encoder."
        # A word's vector goes through one linear map and nothing else: the table holds what comes out of it.
        self.words = functional.linear(
            weights[f"{root}text_pre_encoder_body.weight"],
            weights[f"{root}text_encoder_body.weight"],
            weights[f"{root}text_encoder_body.bias"],
        )
        self.mix = Linear(weights[f"{root}mix_audio_text.weight"], weights[f"{root}mix_audio_text.bias"])

    def hear(self, sound: torch.Tensor) -> torch.Tensor:
        """Return (B, 128, 256), a frame's sound each. sound: (B, n, 2): loudness and onset of each sample."""
        # As pictures one row high whose channels lie side by side, as they come: on one core torch's convolution takes
        # these in half the time it takes for (B, C, n), which it turns into them and back.
        x = sound.transpose(1, 2).unsqueeze(2).to(memory_format=torch.channels_last)
        for block in self.blocks:
            x = block(x)
        x = x.squeeze(2)
        x = x[..., :_FRAMES]
        if x.shape[-1] < _FRAMES:  # the last frame goes on
            x = functional.pad(x, (0, _FRAMES - x.shape[-1]), mode="replicate")
        return x.transpose(1, 2)

    def read(self, ids: torch.Tensor) -> torch.Tensor:
        """Return (B, 128, 256), a frame's word each."""
        return functional.embedding(ids, self.words)

    def __call__(self, sound: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """Return (B, 32, 768): what the denoiser looks at, a row a latent."""
        both = torch.cat([self.hear(sound), self.read(ids)], -1)
        # The mean over a latent's four frames and the linear map change places: a quarter of the rows to map.
        return self.mix(both.unflatten(1, (layout.TOKENS, -1)).mean(2))


class _Block:
    """Two convolutions and what goes past them."""

    def __init__(self, weights: Weights, k: int) -> None:
        self.out, self.stride, self.padding = layout.AUDIO[k]
        name = f"modality_encoder.WavEncoder.feat_extractor.{k}"
        first = _folded(weights, f"{name}.conv1", f"{name}.bn1")
        self.past = k not in layout.STRAIGHT
        if (
            self.past
        ):  # the branch past the block reads the same samples with the same stride: one convolution does both
            other = _folded(weights, f"{name}.downsample.0", f"{name}.downsample.1")
            both = torch.cat([first[0], other[0]]).contiguous(memory_format=torch.channels_last)
            first = both, torch.cat([first[1], other[1]])
        self.first = first
        self.second = _folded(weights, f"{name}.conv2", f"{name}.bn2")

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.conv2d(x, *self.first, stride=(1, self.stride), padding=(0, self.padding))
        if self.past:
            y, x = y[:, : self.out], y[:, self.out :]
        y = functional.leaky_relu(y, _SLOPE)
        y = functional.conv2d(y, *self.second, padding=(0, layout.TAPS // 2))
        y += x
        return functional.leaky_relu_(y, _SLOPE)


def _folded(weights: Weights, conv: str, norm: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return weight and bias of a convolution that does its batch norm too."""
    gain = weights[f"{norm}.weight"] / torch.sqrt(weights[f"{norm}.running_var"] + _EPSILON)
    bias = (weights[f"{conv}.bias"] - weights[f"{norm}.running_mean"]) * gain + weights[f"{norm}.bias"]
    weight = (weights[f"{conv}.weight"] * gain[:, None, None]).unsqueeze(2)
    return weight.contiguous(memory_format=torch.channels_last), bias
