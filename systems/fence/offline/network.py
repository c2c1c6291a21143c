"""The head in torch: the arithmetic of kernels/head.py in batches, and what it is trained to do. torch comes lazily."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from ....components.arrays import F32
from ....components.errors import FenceError
from ....components.head import WEIGHTS, Head
from ...collide.offline.optimum import METRES
from ...kernels import head as kernel
from .material import Material

FED_BACK = 5.0  # 1/rad: the last proposal as an input near 1
_FLAT = 0.15  # least spread of an input: what stands still in the motions she learnt from may move in others


def needs_torch() -> None:
    """Refuse to begin where torch is not installed. FenceError."""
    if find_spec("torch") is None:
        raise FenceError("fence train: torch is not installed; pip install 'kinesics[speech]'")


def begun(material: Material, width: int, seed: int) -> tuple[dict[str, Any], F32, F32]:
    """Return weights to begin with, and mean and spread of what is seen."""
    import torch  # pyright: ignore[reportMissingImports]

    torch.manual_seed(seed)
    gates, hidden = 3 * kernel.HIDDEN, kernel.HIDDEN

    def drawn(inputs: int, outputs: int, size: float = 1.0) -> Any:
        return (torch.randn(inputs, outputs) * size * inputs**-0.5).requires_grad_()

    left = torch.zeros(kernel.OUTPUTS)
    left[kernel.CORRECTION :] = -1.0  # gates begin nearly shut: most of the time nothing is near anything
    made = {
        "enter": drawn(kernel.INPUTS, width, 1.4), "entered": torch.zeros(width).requires_grad_(),
        "take": drawn(width, gates), "taken": torch.zeros(gates).requires_grad_(),
        "keep": drawn(hidden, gates), "kept": torch.zeros(gates).requires_grad_(),
        "leave": drawn(hidden, kernel.OUTPUTS, 0.1), "left": left.requires_grad_(),
    }  # fmt: skip
    return made, material.seen.mean(axis=0), np.maximum(material.seen.std(axis=0), _FLAT).astype(np.float32)


def roll(weights: dict[str, Any], seen: Any, goes_on: Any, hidden: Any, last: Any) -> tuple[Any, Any, Any]:
    """Return proposals (B, T, 18), then the hidden state (B, 64) and the last proposal (B, 18), each fed its own.

    seen: (B, T, SEEN) with mean 0 and spread 1; goes_on: (B, T, 1) 0 where a clip begins
    """
    import torch  # pyright: ignore[reportMissingImports]

    size = kernel.HIDDEN
    first = seen @ weights["enter"][: kernel.SEEN] + weights["entered"]
    back = weights["enter"][kernel.SEEN :] * FED_BACK
    out = []
    for t in range(seen.shape[1]):
        hidden, last = hidden * goes_on[:, t], last * goes_on[:, t]
        own = torch.relu(first[:, t] + last @ back) @ weights["take"] + weights["taken"]
        past = hidden @ weights["keep"] + weights["kept"]
        gates = torch.sigmoid(own[:, : 2 * size] + past[:, : 2 * size])
        new = torch.tanh(own[:, 2 * size :] + gates[:, :size] * past[:, 2 * size :])
        hidden = new + gates[:, size:] * (hidden - new)
        y = hidden @ weights["leave"] + weights["left"]
        gate = torch.sigmoid(y[:, kernel.CORRECTION :]).repeat_interleave(9, 1)
        last = gate * y[:, : kernel.CORRECTION]
        out.append(last)
    return torch.stack(out, 1), hidden, last


def head(weights: dict[str, Any], mean: F32, spread: F32, avatar: str, capsules: str) -> Head:
    """Return the weights as they ship: mean and spread of what is seen are part of the first layer."""
    arrays = {name: weights[name].detach().double().numpy() for name in WEIGHTS}
    seen = arrays["enter"][: kernel.SEEN] / spread[:, None]
    arrays["entered"] = arrays["entered"] - mean @ seen
    arrays["enter"] = np.concatenate([seen, arrays["enter"][kernel.SEEN :] * FED_BACK])
    return Head(avatar, capsules, *(arrays[name].astype(np.float32) for name in WEIGHTS))


def deep(material: Material, margin: float) -> Any:
    """Return a function (frames (N,), r (N, 18) tensor) -> how deep each arm is, (N, 2) mm, with its exact slope."""
    import torch  # pyright: ignore[reportMissingImports]

    class Deep(torch.autograd.Function):
        """Depth and slope come from the same compiled pass; going back is one product."""

        @staticmethod
        def forward(ctx: Any, r: Any, frame: Any) -> Any:
            found, slope = material.depths(frame, np.ascontiguousarray(r.detach().numpy(), np.float64), margin)
            ctx.save_for_backward(torch.from_numpy((1e3 * slope).astype(np.float32)))
            return torch.from_numpy((1e3 * found).astype(np.float32))

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            (slope,) = ctx.saved_tensors
            return torch.einsum("ns,nsa->na", grad_outputs[0], slope), None

    return lambda r, frame: Deep.apply(r, frame)


MILLIMETRES = np.tile(np.repeat(1e3 * METRES, 3), 2).astype(np.float32)  # (18,) mm a radian, as the rule weighs a turn
