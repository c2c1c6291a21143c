"""From noise to latents in a few steps: shortcut with guidance, or MeanFlow. A step takes a tenth of a second."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch  # pyright: ignore[reportMissingImports]

from .denoiser import Denoiser, Keys

EDGE = 1e-8  # how close to 0 and 1 the published samplers begin and end
GUIDANCE = 2.0  # the published shortcut always guides, whatever its settings say


def shortcut(
    denoiser: Denoiser,
    noise: torch.Tensor,
    given: torch.Tensor,
    keys: Keys,
    steps: int,
    cancelled: Callable[[], bool],
    guidance: float = GUIDANCE,
) -> torch.Tensor | None:
    """Return latents like `noise` (32, 384), or None once cancelled. given: (1, 256) of the seed."""
    x = noise
    times = torch.linspace(EDGE, 1.0 - EDGE, steps + 1, dtype=torch.float32).tolist()
    seen = [keys] if guidance == 1.0 else [keys, denoiser.nothing]
    for t, after in pairwise(times):
        if cancelled():
            return None
        both = denoiser(x, given + denoiser.when(t, 1.0 / steps), seen).to(noise.dtype)
        velocity = both[0] if len(both) == 1 else both[1] + guidance * (both[0] - both[1])
        x = x + (after - t) * velocity
    return x


def meanflow(
    denoiser: Denoiser,
    noise: torch.Tensor,
    given: torch.Tensor,
    keys: Keys,
    steps: int,
    cancelled: Callable[[], bool],
) -> torch.Tensor | None:
    """The same with the mean velocity of each whole step, from time 1 down to 0 and without guidance."""
    x = noise
    times = torch.linspace(1.0 - EDGE, 0.0, steps + 1, dtype=torch.float32).tolist()
    for t, after in pairwise(times):
        if cancelled():
            return None
        velocity = denoiser(x, given + denoiser.when(t, after), [keys]).to(noise.dtype)
        x = x - (t - after) * velocity[0]
    return x


SAMPLERS = {"shortcut": shortcut, "meanflow": meanflow}
