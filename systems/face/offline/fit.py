"""The network in torch and its training: the arithmetic of kernels/net.py, in batches. torch is imported lazily."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.arrays import F32, I32
from ...kernels import net
from .data import Pack
from .features import WARPS, in_the_world, log_mel

CHANNELS, LAYERS = 64, 5
DELAYS = (2, 5, 10)  # frames of 10 ms that each head waits
_SHARE = (0.5, 1.0, 0.6)  # of each head in the loss: the middle one is the live one
_COPIES = 2  # of each utterance, in other rooms and noises; a third is left as it is
_CLEAN = 0.2  # of what is learned from
_BATCH, _LENGTH, _SETTLE = 12, 320, 60  # windows, frames each, frames in which the net's memory fills unscored
_RATE, _LEAST, _WARM_UP, _DECAY = 3e-3, 1e-5, 100, 1e-3
_SOFT = 0.04  # label smoothing
_PHONES = 0.3  # of windows hear nothing above 4 kHz, as recordings at 8 kHz have nothing
_NARROW = int(np.argmax(net.bank() @ (np.arange(net.spectrum.BINS) * (net.RATE / net.spectrum.N)) > 4000.0))  # band
_GAP = 2.0  # s of quiet between two utterances at most: the running mean has to live through pauses


@dataclass(frozen=True, slots=True)
class Family:
    """What one voice gives to learn from. inputs: (1 + copies, F, 40) f16; label: (F,) i64; share: of the batches."""

    name: str
    inputs: Any
    label: Any
    share: float


def prepare(name: str, pack: Pack, share: float, seed: int = 1) -> Family:
    """Return a voice's inputs, clean and in other rooms, in runs of one to four utterances with pauses between."""
    draw = np.random.default_rng(seed)
    pieces = pack.pieces()
    babble = np.concatenate([samples for samples, _ in pieces[: min(len(pieces), 120)]])
    runs: list[tuple[F32, I32]] = []
    at = 0
    while at < len(pieces):
        count = int(draw.integers(1, 5))
        parts: list[tuple[F32, I32]] = []
        for piece in pieces[at : at + count]:
            quiet = int(draw.uniform(0.0, _GAP) * 100) if draw.random() < 0.5 else 0
            hiss = (draw.standard_normal(quiet * net.HOP) * 10.0 ** draw.uniform(-5.0, -3.3)).astype(np.float32)
            parts += [(hiss, np.zeros(quiet, np.int32)), piece]
        runs.append((np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])))
        at += count
    copies = []
    for copy in range(1 + _COPIES):
        mels = []
        for samples, _ in runs:
            if copy == 0:
                mels.append(log_mel(samples))
            else:
                warp = int(draw.integers(len(WARPS)))
                mels.append(log_mel(in_the_world(samples, draw, babble), warp))
        copies.append(_level(mels))
    return Family(name, np.stack(copies), np.concatenate([b for _, b in runs]).astype(np.int64), share)


def _level(mels: list[F32]) -> Any:
    """Return the runs end to end with each one's running mean taken off, f16."""
    longest = max(map(len, mels))
    held = np.zeros((len(mels), longest, net.MELS), np.float32)
    for row, mel in zip(held, mels):
        row[: len(mel)] = mel
    mean = held[:, : net.FIRST].mean(axis=1)
    for k in range(longest):
        mean += (held[:, k] - mean) / min(net.FIRST + k + 1, net.MEMORY)
        held[:, k] = (held[:, k] - mean) * net.SCALE
    return np.concatenate([row[: len(mel)] for row, mel in zip(held, mels)]).astype(np.float16)


def module() -> Any:
    """Return an untrained network."""
    import torch  # pyright: ignore[reportMissingImports]
    from torch import nn  # pyright: ignore[reportMissingImports]
    from torch.nn import functional  # pyright: ignore[reportMissingImports]

    class Net(nn.Module):
        """Time first: what a layer sees of earlier frames is a view, which costs a fifth less than a convolution."""

        def __init__(self) -> None:
            super().__init__()
            self.enter = nn.Linear(3 * net.MELS, CHANNELS)
            self.gates = nn.ModuleList(nn.Linear(3 * CHANNELS, 2 * CHANNELS) for _ in range(LAYERS))
            self.leave = nn.Linear(CHANNELS, net.CLASSES * len(DELAYS))

        def forward(self, x: Any) -> Any:
            """Return (T, B, heads, 15) logits of (T, B, 40)."""
            y = functional.relu(self.enter(_with_past(x, 1)))
            for k, gate in enumerate(self.gates):
                opened, closing = gate(_with_past(y, 1 << k)).chunk(2, -1)
                y = y + functional.relu(opened) * torch.sigmoid(closing)
            out = self.leave(y)
            return out.reshape(*out.shape[:2], len(DELAYS), net.CLASSES)

    def _with_past(y: Any, dilation: int) -> Any:
        longer = functional.pad(y, (0, 0, 0, 0, 2 * dilation, 0))
        return torch.cat([longer[: len(y)], longer[dilation : dilation + len(y)], y], -1)

    return Net()


def arrays(made: Any) -> dict[str, F32]:
    """Return a trained network as the kernel takes it: inputs first, the oldest frame first."""
    state = {name: value.detach().float().numpy() for name, value in made.state_dict().items()}
    return {
        "enter": np.ascontiguousarray(state["enter.weight"].T),
        "entered": state["enter.bias"],
        "gate": np.stack([state[f"gates.{k}.weight"].T for k in range(LAYERS)]),
        "gated": np.stack([state[f"gates.{k}.bias"] for k in range(LAYERS)]),
        "leave": np.ascontiguousarray(state["leave.weight"].T),
        "left": state["leave.bias"],
    }


def fit(
    families: list[Family],
    minutes: float,
    report: Callable[[str], None],
    seed: int = 1,
    start: Any = None,
    rate: float = _RATE,
) -> Any:
    """Return a network trained for so long on one thread.

    start: a network to go on from; rate: of learning, at most, from where it falls as a cosine does
    """
    import torch  # pyright: ignore[reportMissingImports]
    from torch.nn import functional  # pyright: ignore[reportMissingImports]

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    share = np.array([family.share for family in families])
    share /= share.sum()
    made = module() if start is None else start
    optimiser = torch.optim.AdamW(made.parameters(), rate, weight_decay=_DECAY)
    mean: dict[str, Any] = {}
    began, steps, done = time.monotonic(), 0, 0.0
    said = 0.0
    while done < 1.0:
        done = (time.monotonic() - began) / (60.0 * minutes)
        falls = 0.5 * (1.0 + math.cos(math.pi * min(done, 1.0)))
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (steps + 1) / _WARM_UP) * falls + _LEAST
        inputs, label = _windows(families, share, draw)
        x, y = torch.from_numpy(inputs), torch.from_numpy(label)
        out = made(x)
        wanted = functional.one_hot(y, net.CLASSES).float() * (1.0 - _SOFT) + _SOFT / net.CLASSES
        loss = torch.zeros(())
        for head, (delay, part) in enumerate(zip(DELAYS, _SHARE)):
            said_so = out[_SETTLE + delay :, :, head].log_softmax(-1)
            loss = loss - part * (wanted[_SETTLE : _LENGTH - delay] * said_so).sum(-1).mean() / sum(_SHARE)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(made.parameters(), 1.0)
        optimiser.step()
        steps += 1
        if done > 0.5:  # the mean of the second half's weights is better than any of them
            for name, value in made.state_dict().items():
                mean[name] = value.clone() if name not in mean else mean[name].lerp(value, 0.01)
        if done - said > 0.1:
            said = done
            report(f"{done:4.0%} {steps} steps, loss {float(loss.detach()):.3f}")
    made.load_state_dict(mean)
    return made.eval()


def _windows(families: list[Family], share: Any, draw: np.random.Generator) -> tuple[F32, Any]:
    """Return (T, B, 40) inputs and (T, B) labels."""
    inputs = np.empty((_LENGTH, _BATCH, net.MELS), np.float32)
    label = np.empty((_LENGTH, _BATCH), np.int64)
    for k, which in enumerate(draw.choice(len(families), _BATCH, p=share)):
        family = families[which]
        at = int(draw.integers(len(family.label) - _LENGTH))
        copy = 0 if draw.random() < _CLEAN else int(draw.integers(1, len(family.inputs)))
        inputs[:, k] = family.inputs[copy, at : at + _LENGTH]
        label[:, k] = family.label[at : at + _LENGTH]
        if draw.random() < 0.4:  # a hole of one to six bands, as cheap microphones and codecs leave
            low = int(draw.integers(net.MELS - 6))
            inputs[:, k, low : low + int(draw.integers(1, 7))] = 0.0
        if draw.random() < _PHONES:
            inputs[:, k, _NARROW:] = 0.0
    inputs += draw.standard_normal((1, _BATCH, 1), np.float32) * np.float32(0.1)
    inputs += draw.standard_normal((1, _BATCH, net.MELS), np.float32) * np.float32(0.05)
    return inputs, label
