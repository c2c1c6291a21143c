"""The network that says which way a window's latents go from noise to motion.

The published weights were trained with habits of their code that no description of it would keep; each is named QUIRK
here, and the goldens fail without any one of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch  # pyright: ignore[reportMissingImports]
from torch.nn import functional  # pyright: ignore[reportMissingImports]

from .. import layout
from .audio import Weights
from .linear import Linear

_PERIOD = 10000.0  # longest of the sinusoids that time is told by
_PARTS = len(layout.PARTS)


@dataclass(frozen=True, slots=True)
class Keys:
    """What a window looks at, as keys and values of each cross-attention: made once a window, used in every step."""

    pairs: list[tuple[torch.Tensor, torch.Tensor]]


class Denoiser:
    """The denoiser. Tensors are f32 unless said otherwise; B is 1, or 2 with guidance."""

    def __init__(self, weights: Weights) -> None:
        w = weights.under("denoiser.")
        self.enter = _linear(w, "input_process.poseEmbedding")
        self.seed = _linear(w, "embed_text")
        self.join = _linear(w, "input_process2")
        self.step = Linear(w["time_embedding.cond_proj.weight"])
        self.first = _linear(w, "time_embedding.linear_1")
        self.second = _linear(w, "time_embedding.linear_2")
        self.leave = _linear(w, "output_process.poseFinal")
        self.turn = rotary(w["rel_pos.inv_freq"], layout.TOKENS, self.step.weight.dtype)
        self.cross = [_Cross(w, f"cross_attn_blocks.{k}") for k in range(layout.CROSS)]
        self.blocks = [_Block(w, f"mytimmblocks.{k}") for k in range(layout.BLOCKS)]
        self.nothing = self.look(w["null_cond_embed"][None])

    def look(self, seen: torch.Tensor) -> Keys:
        """Return keys of what is looked at. seen: (1, 32, 768)."""
        return Keys([block.keys(seen) for block in self.cross])

    def begin(self, seed: torch.Tensor) -> torch.Tensor:
        """Return (1, 256) of a window's seed. seed: (1, 4, 384)."""
        # QUIRK: flattened as [latent][part][channel].
        return self.seed(seed.flatten(1))

    def when(self, t: float, step: float | None) -> torch.Tensor:
        """Return (1, 256) of the time, 0 noise to 1 motion, and of the step to come; None: not told."""
        x = sinusoids(t, self.step.weight)
        if step is not None:
            x = x + self.step(sinusoids(step, self.step.weight))
        return self.second(functional.gelu(self.first(x)))

    def __call__(self, x: torch.Tensor, given: torch.Tensor, keys: list[Keys]) -> torch.Tensor:
        """Return (len(keys), 32, 384), a velocity for each of the things looked at.

        x: (32, 384); given: (1, 256), time and seed together
        """
        # All of this is the same whatever is looked at: it is done once.
        parts = (
            x.to(self.step.weight.dtype).unflatten(-1, (_PARTS, layout.CODE)).transpose(0, 1)[None]
        )  # (1, 3, 32, 128)
        tokens = self.enter(parts)
        tokens = torch.cat([given[:, None, None].expand_as(tokens), tokens], -1)
        tokens = turned(self.join(tokens), self.turn)
        # QUIRK: (3, 32, 256) becomes (32, 768) as it lies in memory, which mixes parts and times.
        flat = tokens.reshape(1, layout.TOKENS, layout.WIDE)
        for k, block in enumerate(self.cross):
            flat = block(flat, [key.pairs[k] for key in keys])
        tokens = flat.reshape(-1, _PARTS, layout.TOKENS, layout.WIDTH)
        for block in self.blocks:
            tokens = block(tokens)
        out = self.leave(tokens)
        return out.transpose(1, 2).flatten(2)


class _Cross:
    """Attention to sound and words, then two layers, each added to what came in."""

    def __init__(self, w: Weights, name: str) -> None:
        self.norm = w[f"{name}.norm1.weight"], w[f"{name}.norm1.bias"]
        self.query = Linear(w[f"{name}.cross_attn.q.weight"])
        self.key_value = Linear(w[f"{name}.cross_attn.kv.weight"])
        self.out = _linear(w, f"{name}.cross_attn.proj")
        self.after = _Layers(w, name, "norm2")

    def keys(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        key, value = self.key_value(seen).chunk(2, -1)
        return _heads(key), _heads(value)

    def __call__(self, x: torch.Tensor, pairs: list[tuple[torch.Tensor, torch.Tensor]]) -> torch.Tensor:
        query = _heads(self.query(functional.layer_norm(x, (layout.WIDE,), *self.norm)))
        queries = query.expand(len(pairs), -1, -1, -1).unbind(0)
        seen = [functional.scaled_dot_product_attention(q[None], *pair) for q, pair in zip(queries, pairs)]
        y = torch.cat(seen).transpose(1, 2).flatten(2)
        return self.after(x + self.out(y))


class _Block:
    """Attention over the times of a part, then over the parts of a time, then two layers."""

    def __init__(self, w: Weights, name: str) -> None:
        # QUIRK: norm2 and norm3 are used; norm1 is in the file and never read.
        self.norm = w[f"{name}.norm2.weight"], w[f"{name}.norm2.bias"]
        attention = f"{name}.spatial_temporal_attn"
        self.times = _Attention(w, attention, "temporal", layout.TOKENS)
        self.parts = _Attention(w, attention, "spatial", _PARTS)
        self.after = _Layers(w, name, "norm3")

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Return (B, 3, 32, 256) of the same."""
        y = functional.layer_norm(x, (layout.WIDTH,), *self.norm)
        y = self.times(y.flatten(0, 1)).view_as(x)
        y = self.parts(y.transpose(1, 2).flatten(0, 1)).unflatten(0, (len(x), -1)).transpose(1, 2)
        # QUIRK: added to what came in although each attention has added its own turned input already.
        return self.after(x + y)


class _Attention:
    """Attention of tokens to each other along one axis."""

    def __init__(self, w: Weights, name: str, axis: str, count: int) -> None:
        self.enter = Linear(w[f"{name}.{axis}_attention.in_proj_weight"], w[f"{name}.{axis}_attention.in_proj_bias"])
        self.leave = _linear(w, f"{name}.{axis}_attention.out_proj")
        self.turn = rotary(w[f"{name}.{axis}_pos.inv_freq"], count, self.leave.weight.dtype)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        x = turned(x.unflatten(-1, (layout.HEADS, -1)).transpose(1, 2), self.turn).transpose(1, 2).flatten(2)
        # QUIRK: queries, keys and values all come of the turned input.
        query, key, value = (_heads(y) for y in self.enter(x).chunk(3, -1))
        y = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        return x + self.leave(y)  # QUIRK: the turned input is what is added to


class _Layers:
    """Norm, four times as wide, GELU, back; added to what came in."""

    def __init__(self, w: Weights, name: str, norm: str) -> None:
        self.norm = w[f"{name}.{norm}.weight"], w[f"{name}.{norm}.bias"]
        self.first = _linear(w, f"{name}.mlp.fc1")
        self.second = _linear(w, f"{name}.mlp.fc2")

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.layer_norm(x, x.shape[-1:], *self.norm)
        return x + self.second(functional.gelu(self.first(y)))


def _linear(w: Weights, name: str) -> Linear:
    return Linear(w[f"{name}.weight"], w[f"{name}.bias"])


def _heads(x: torch.Tensor) -> torch.Tensor:
    """Return (B, heads, n, d) of (B, n, heads * d)."""
    return x.unflatten(-1, (layout.HEADS, -1)).transpose(1, 2)


def sinusoids(t: float, like: torch.Tensor) -> torch.Tensor:
    """Return (1, 256), the cosines of a time and then its sines."""
    half = layout.WIDTH // 2
    rate = torch.exp(torch.arange(half, device=like.device) * (-math.log(_PERIOD) / half))
    angle = torch.tensor(t, dtype=torch.float32, device=like.device) * rate
    # QUIRK: cosines first; t is not scaled up.
    return torch.cat([angle.cos(), angle.sin()])[None].to(like.dtype)


def rotary(rate: torch.Tensor, count: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return cosine and sine, (count, d / 2) each, of what each token's pairs of numbers are turned by."""
    angle = torch.arange(count, device=rate.device, dtype=torch.float32)[:, None] * rate.float()
    return angle.cos().to(dtype), angle.sin().to(dtype)


def turned(x: torch.Tensor, by: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Return (..., count, d), the pairs of each token turned by its place: a number and the one half a token on."""
    cosine, sine = by
    a, b = x.chunk(2, -1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)
