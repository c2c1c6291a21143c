"""One command from labelled motion to a head: imitation, then end to end, always fed its own proposals."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ....components import npz
from ....components.errors import FenceError
from ....components.head import WEIGHTS, Head
from ...kernels import head as kernel
from . import network
from .goal import Goal, loss
from .material import Material

TICKS = 48  # of a window, through which the slope is taken back
_AVERAGE = 0.995  # of the weights before, in the average that ships: a step's own noise is not in it


@dataclass(frozen=True, slots=True)
class Recipe:
    """How it is trained.

    Fields:
        rounds:     of training; imitation: share of them before more than the label counts
        streams:    clips that are walked through at the same time
        windows:    of TICKS that a stream goes on for, a step each; then it begins elsewhere, remembering nothing
        rate:       of learning, at its highest; width: of the dense layer
    """

    rounds: int = 90
    imitation: float = 0.3
    streams: int = 256
    windows: int = 12
    rate: float = 3e-3
    width: int = 96
    seed: int = 1
    goal: Goal = field(default_factory=Goal)


def train(
    material: Material,
    recipe: Recipe,
    avatar: str,
    capsules: str,
    report: Callable[[str], None] = lambda text: None,
    checkpoint: Path | None = None,
    every: int = 10,
) -> tuple[Head, list[dict[str, float]]]:
    """Return a head and the course of its losses, one row a round. The same recipe and motion give the same bits.

    checkpoint: file that each round of number `every` is kept in; one that is there is gone on from
    FenceError where that was made by another recipe or from other motion.
    """
    import torch  # pyright: ignore[reportMissingImports]

    torch.set_num_threads(1)
    weights, mean, spread = network.begun(material, recipe.width, recipe.seed)
    seen = torch.from_numpy((material.seen - mean) / spread)
    label, clear = torch.from_numpy(material.label), torch.from_numpy(material.clear.astype(np.float32))
    begins = np.zeros(len(seen), np.float32)
    begins[material.start[:-1]] = 1.0
    goes_on = torch.from_numpy(1.0 - begins)[:, None]
    optimiser = torch.optim.AdamW(list(weights.values()), recipe.rate, betas=(0.9, 0.98), weight_decay=1e-3)
    average = {name: tensor.detach().clone() for name, tensor in weights.items()}
    key, course = _key(material, recipe), []
    if checkpoint is not None and checkpoint.is_file():
        course = _resume(checkpoint, key, weights, average, optimiser)
        report(f"{checkpoint.name}: goes on after {len(course)} rounds")
    deep = network.deep(material, recipe.goal.margin)
    for number in range(len(course), recipe.rounds):
        at = _places(material, recipe, np.random.default_rng([recipe.seed, number]))
        hidden, last = torch.zeros(recipe.streams, kernel.HIDDEN), torch.zeros(recipe.streams, kernel.CORRECTION)
        whole = float(number >= recipe.imitation * recipe.rounds)
        sums: dict[str, float] = {}
        for window in range(recipe.windows):
            share = (number + window / recipe.windows) / recipe.rounds
            for group in optimiser.param_groups:
                group["lr"] = recipe.rate * min(1.0, (number * recipe.windows + window + 1) / 50.0) * _fallen(share)
            frame = (at[:, None] + np.arange(TICKS) + window * TICKS) % len(seen)
            frame = frame.astype(np.int32)
            index = torch.from_numpy(frame.astype(np.int64))
            r, hidden, last = network.roll(weights, seen[index], goes_on[index], hidden.detach(), last.detach())
            parts = loss(recipe.goal, deep, r, label[index], frame, material.later[frame], clear[index], whole)
            optimiser.zero_grad()
            parts["sum"].backward()
            torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
            optimiser.step()
            steps = number * recipe.windows + window
            with torch.no_grad():
                for name, tensor in weights.items():
                    average[name].lerp_(tensor, 1.0 - min(_AVERAGE, steps / (steps + 10.0)))
            for name, value in parts.items():
                sums[name] = sums.get(name, 0.0) + float(value.detach()) / recipe.windows
        course.append(sums)
        if (number + 1) % every == 0 or number + 1 == recipe.rounds:
            if checkpoint is not None:
                _keep(checkpoint, key, weights, average, optimiser, course)
            report(f"round {number + 1} of {recipe.rounds}: " + " ".join(f"{k} {v:.3f}" for k, v in sums.items()))
    return network.head(average, mean, spread, avatar, capsules), course


def _fallen(share: float) -> float:
    """Return the rate's course over the training: a cosine down to a fiftieth."""
    return float(0.02 + 0.98 * 0.5 * (1.0 + np.cos(np.pi * min(share, 1.0))))


def _places(material: Material, recipe: Recipe, draw: np.random.Generator) -> Any:
    """Return where streams begin: half of them anywhere, half a little before something is inside something."""
    count, half = len(material.seen), recipe.streams // 2
    out = draw.integers(0, count, recipe.streams)
    touched = np.flatnonzero(~material.clear)
    if len(touched):
        before = draw.integers(0, TICKS * recipe.windows, half), draw.integers(0, len(touched), half)
        out[:half] = touched[before[1]] - before[0]
    return out % count


def _key(material: Material, recipe: Recipe) -> str:
    import hashlib

    h = hashlib.blake2b(json.dumps(asdict(recipe), sort_keys=True).encode(), digest_size=16)
    for array in (material.start, material.seen, material.label):
        h.update(np.ascontiguousarray(array).tobytes())
    return h.hexdigest()


def _keep(path: Path, key: str, weights: Any, average: Any, optimiser: Any, course: list[dict[str, float]]) -> None:
    arrays: dict[str, Any] = {"key": np.array(key), "course": np.array(json.dumps(course))}
    for name in WEIGHTS:
        state = optimiser.state[weights[name]]
        arrays |= {
            f"{name}": weights[name].detach().numpy(), f"average {name}": average[name].numpy(),
            f"first {name}": state["exp_avg"].numpy(), f"second {name}": state["exp_avg_sq"].numpy(),
            f"step {name}": state["step"].numpy(),
        }  # fmt: skip
    scratch = path.with_name(f".{path.name}.part.npz")
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(scratch, allow_pickle=False, **arrays)
    os.replace(scratch, path)


def _resume(path: Path, key: str, weights: Any, average: Any, optimiser: Any) -> list[dict[str, float]]:
    import torch  # pyright: ignore[reportMissingImports]

    try:
        arrays = npz.read(path)
        if str(arrays["key"]) != key:
            raise FenceError(f"{path}: was kept by another recipe or from other motion; choose another file")
        with torch.no_grad():
            for name in WEIGHTS:
                weights[name].copy_(torch.from_numpy(arrays[name]))
                average[name].copy_(torch.from_numpy(arrays[f"average {name}"]))
                optimiser.state[weights[name]] = {
                    "step": torch.from_numpy(arrays[f"step {name}"]),
                    "exp_avg": torch.from_numpy(arrays[f"first {name}"]),
                    "exp_avg_sq": torch.from_numpy(arrays[f"second {name}"]),
                }
        return json.loads(str(arrays["course"]))
    except (KeyError, ValueError, TypeError, RuntimeError) as cause:  # RuntimeError: torch's, of another shape
        raise FenceError(f"{path}: no training can be gone on from it ({cause}); remove it") from None
