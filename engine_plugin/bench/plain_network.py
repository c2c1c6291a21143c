"""The sentence model's layers written down as they are drawn: what systems/speech_gesture/model is held against.

Nothing is folded, kept or shared here: torch's own modules, one after the other, keys named as in the published files.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import torch  # pyright: ignore[reportMissingImports]
from torch import nn  # pyright: ignore[reportMissingImports]
from torch.nn import functional  # pyright: ignore[reportMissingImports]

from ...systems.speech_gesture.model import layout


class AudioBlock(nn.Module):
    def __init__(self, into: int, k: int) -> None:
        super().__init__()
        out, stride, padding = layout.AUDIO[k]
        self.conv1 = nn.Conv1d(into, out, layout.TAPS, stride, padding)
        self.bn1 = nn.BatchNorm1d(out)
        self.conv2 = nn.Conv1d(out, out, layout.TAPS, padding=layout.TAPS // 2)
        self.bn2 = nn.BatchNorm1d(out)
        if k not in layout.STRAIGHT:
            self.downsample = nn.Sequential(nn.Conv1d(into, out, layout.TAPS, stride, padding), nn.BatchNorm1d(out))

    def forward(self, x: Any) -> Any:
        y = functional.leaky_relu(self.bn1(self.conv1(x)), 0.01)
        y = self.bn2(self.conv2(y))
        return functional.leaky_relu(y + (self.downsample(x) if hasattr(self, "downsample") else x), 0.01)


class Ear(nn.Module):
    WavEncoder: Any

    def __init__(self, words: int) -> None:
        super().__init__()
        widths = [2, *(out for out, _, _ in layout.AUDIO)]
        self.WavEncoder = nn.Module()
        self.WavEncoder.feat_extractor = nn.Sequential(*(AudioBlock(widths[k], k) for k in range(6)))
        self.text_pre_encoder_body = nn.Embedding(words, 300)
        self.text_encoder_body = nn.Linear(300, layout.WIDTH)
        self.mix_audio_text = nn.Linear(2 * layout.WIDTH, layout.WIDE)

    def forward(self, sound: Any, ids: Any) -> Any:
        heard = self.WavEncoder.feat_extractor(sound.transpose(1, 2)).transpose(1, 2)
        read = self.text_encoder_body(self.text_pre_encoder_body(ids))
        mixed = self.mix_audio_text(torch.cat([heard, read], -1))
        return mixed.unflatten(1, (layout.TOKENS, 4)).mean(2)


class Mlp(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Any) -> Any:
        return self.fc2(functional.gelu(self.fc1(x)))


class CrossAttention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.q, self.kv = nn.Linear(width, width, bias=False), nn.Linear(width, 2 * width, bias=False)
        self.proj = nn.Linear(width, width)

    def forward(self, x: Any, seen: Any) -> Any:
        q, k, v = (
            y.unflatten(-1, (layout.HEADS, -1)).transpose(1, 2) for y in (self.q(x), *self.kv(seen).chunk(2, -1))
        )
        weight = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)
        return self.proj((weight @ v).transpose(1, 2).flatten(2))


class CrossBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(layout.WIDE), nn.LayerNorm(layout.WIDE)
        self.cross_attn, self.mlp = CrossAttention(layout.WIDE), Mlp(layout.WIDE)

    def forward(self, x: Any, seen: Any) -> Any:
        x = x + self.cross_attn(self.norm1(x), seen)
        return x + self.mlp(self.norm2(x))


class Rotary(nn.Module):
    inv_freq: Any

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("inv_freq", torch.zeros(width // 2))

    def forward(self, x: Any) -> Any:
        angle = torch.arange(x.shape[-2])[:, None] * self.inv_freq
        a, b = x.chunk(2, -1)
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


class TwoAttentions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.temporal_attention = nn.MultiheadAttention(layout.WIDTH, layout.HEADS, batch_first=True)
        self.spatial_attention = nn.MultiheadAttention(layout.WIDTH, layout.HEADS, batch_first=True)
        self.temporal_pos = Rotary(layout.WIDTH // layout.HEADS)
        self.spatial_pos = Rotary(layout.WIDTH // layout.HEADS)

    def along(self, x: Any, turn: Rotary, attention: Any) -> Any:
        x = turn(x.unflatten(-1, (layout.HEADS, -1)).transpose(1, 2)).transpose(1, 2).flatten(2)
        return x + attention(x, x, x, need_weights=False)[0]

    def forward(self, x: Any) -> Any:
        batch, parts, times, width = x.shape
        y = self.along(x.reshape(batch * parts, times, width), self.temporal_pos, self.temporal_attention)
        y = y.reshape(batch, parts, times, width).transpose(1, 2).reshape(batch * times, parts, width)
        y = self.along(y, self.spatial_pos, self.spatial_attention)
        return y.reshape(batch, times, parts, width).transpose(1, 2)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(layout.WIDTH) for _ in range(3))
        self.spatial_temporal_attn, self.mlp = TwoAttentions(), Mlp(layout.WIDTH)

    def forward(self, x: Any) -> Any:
        x = x + self.spatial_temporal_attn(self.norm2(x))
        return x + self.mlp(self.norm3(x))


class Timestep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(layout.WIDTH, layout.WIDTH), nn.Linear(layout.WIDTH, layout.WIDTH)
        self.cond_proj = nn.Linear(layout.WIDTH, layout.WIDTH, bias=False)

    def forward(self, t: Any, step: Any) -> Any:
        x = self.waves(t) + self.cond_proj(self.waves(step))
        return self.linear_2(functional.gelu(self.linear_1(x)))

    def waves(self, t: Any) -> Any:
        angle = t[:, None] * torch.exp(torch.arange(128) * (-math.log(10000.0) / 128))
        return torch.cat([angle.cos(), angle.sin()], -1)


class Denoiser(nn.Module):
    input_process: Any
    output_process: Any

    def __init__(self) -> None:
        super().__init__()
        width = layout.WIDTH
        self.null_cond_embed = nn.Parameter(torch.zeros(layout.TOKENS, layout.WIDE))
        self.cross_attn_blocks = nn.ModuleList(CrossBlock() for _ in range(layout.CROSS))
        self.mytimmblocks = nn.ModuleList(Block() for _ in range(layout.BLOCKS))
        self.embed_text = nn.Linear(layout.SEED * layout.LATENT, width)
        self.output_process, self.input_process = nn.Module(), nn.Module()
        self.output_process.poseFinal = nn.Linear(width, layout.CODE)
        self.input_process.poseEmbedding = nn.Linear(layout.CODE, width)
        self.input_process2 = nn.Linear(2 * width, width)
        self.rel_pos = Rotary(width)
        self.time_embedding = Timestep()

    def forward(self, x: Any, seed: Any, t: Any, step: Any, seen: Any) -> Any:
        given = self.time_embedding(t, step) + self.embed_text(seed.flatten(1))
        y = self.input_process.poseEmbedding(x.unflatten(-1, (3, -1)).transpose(1, 2))
        y = self.input_process2(torch.cat([given[:, None, None].expand_as(y), y], -1))
        y = self.rel_pos(y).reshape(len(x), layout.TOKENS, layout.WIDE)
        for block in self.cross_attn_blocks:
            y = block(y, seen)
        y = y.reshape(len(x), 3, layout.TOKENS, layout.WIDTH)
        for block in self.mytimmblocks:
            y = block(y)
        return self.output_process.poseFinal(y).transpose(1, 2).flatten(2)


class Generator(nn.Module):
    def __init__(self, words: int) -> None:
        super().__init__()
        self.modality_encoder, self.denoiser = Ear(words), Denoiser()

    def forward(self, sound: Any, ids: Any, seed: Any, noise: Any, steps: int, is_meanflow: bool) -> Any:
        seen, x = self.modality_encoder(sound, ids), noise
        if is_meanflow:
            times = torch.linspace(1.0, 0.0, steps + 1)
            for t, after in pairwise(times[:, None]):
                x = x - (t - after) * self.denoiser(x, seed, t, after, seen)
            return x
        both = torch.cat([seen, self.denoiser.null_cond_embed[None]])
        times = torch.linspace(0.0, 1.0, steps + 1)
        for t, after in pairwise(times):
            two = self.denoiser(
                x.expand(2, -1, -1), seed.expand(2, -1, -1), t.expand(2), torch.full((2,), 1.0 / steps), both
            )
            x = x + (after - t) * (two[1:] + 2.0 * (two[:1] - two[1:]))
        return x


class Residual(nn.Module):
    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(layout.BODY, layout.BODY, 3, padding=dilation, dilation=dilation)
        self.conv2 = nn.Conv1d(layout.BODY, layout.BODY, 1)

    def forward(self, x: Any) -> Any:
        return x + self.conv2(functional.relu(self.conv1(functional.relu(x))))


class Residuals(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = nn.Sequential(*(Residual(dilation) for dilation in layout.DILATIONS))

    def forward(self, x: Any) -> Any:
        return self.model(x)


class Quantiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("codebook", torch.zeros(layout.CODES, layout.CODE))
        self.embedding_proj = nn.Linear(layout.CODE, layout.CODE)

    def forward(self, x: Any) -> Any:
        codes = self.embedding_proj(self.codebook)
        far = x.square().sum(-1, keepdim=True) - 2.0 * x @ codes.T + codes.square().sum(-1)
        return codes[far.argmin(-1)]


class Body(nn.Module):
    """One part's quantisers and decoder."""

    quantizer: Any
    decoder: Any

    def __init__(self, part: str) -> None:
        super().__init__()
        width = layout.BODY

        def conv(into: int, out: int) -> Any:
            return nn.Conv1d(into, out, 3, padding=1)

        def stage() -> Any:
            return nn.Sequential(Residuals(), nn.Upsample(scale_factor=2), conv(width, width))

        self.quantizer, self.decoder = nn.Module(), nn.Module()
        self.quantizer.layers = nn.ModuleList(Quantiser() for _ in range(layout.QUANTISERS))
        enter, leave = conv(layout.CODE, width), conv(width, layout.CHANNELS[part])
        self.decoder.model = nn.Sequential(enter, nn.ReLU(), stage(), stage(), conv(width, width), nn.ReLU(), leave)

    def forward(self, latents: Any) -> Any:
        left, sum_ = latents * layout.SCALE, torch.zeros_like(latents)
        for quantiser in self.quantizer.layers:
            chosen = quantiser(left)
            left, sum_ = left - chosen, sum_ + chosen
        return self.decoder.model(sum_.transpose(1, 2)).transpose(1, 2)
