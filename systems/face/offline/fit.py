"""The network in torch and its training: the arithmetic of kernels/net.py, in batches. torch is imported lazily."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....components.arrays import F32, I32
from ...kernels import net
from .batches import BATCH, LENGTH, TWINS, ahead
from .data import Pack
from .features import WARPS, in_the_world, log_mel

CHANNELS, LAYERS = 64, 5
DELAYS = (2, 5, 10)  # frames of 10 ms that each head waits
_SHARE = (0.5, 1.0, 0.6)  # of each head in the loss: the middle one is the live one
_COPIES = 3  # of each utterance, in other rooms and microphones; one more is left as it is
_SETTLE = 45  # frames in which the net's memory fills unscored
_RATE, _LEAST, _WARM_UP, _DECAY = 3e-3, 1e-5, 100, 1e-3
_THREADS = 1  # of torch, beside the one that makes batches: two wait for each other wherever a core is busy
_SOFT = 0.04  # label smoothing
_TAUGHT = 0.3  # of what a head shall say is what the head that waits longest says, once that has learnt something
_TWICE = 2.3  # times that much of what a worse heard twin shall say
_MEAN = 0.0015  # of each step in the running mean of the weights
_GAP = 2.0  # s of quiet between two utterances at most: the running mean has to live through pauses


@dataclass(frozen=True, slots=True)
class Family:
    """What one voice gives to learn from. mel: (1 + copies, F, 40) f16 log; label: (F,) i64; share: of the batches."""

    name: str
    mel: Any
    label: Any
    share: float


def prepare(name: str, pack: Pack, share: float, seed: int = 1, late: int = 0) -> Family:
    """Return a voice's inputs, clean and in other rooms, end to end with pauses between some utterances.

    late: frames by which its labels come after what sounds
    """
    pack = Pack(pack.audio, np.concatenate([pack.label[late:], np.repeat(pack.label[-1:], late)]), pack.start)
    draw = np.random.default_rng(seed)
    pieces = pack.pieces()
    babble = np.concatenate([samples for samples, _ in pieces[: min(len(pieces), 120)]])
    parts: list[tuple[F32, I32]] = []
    for piece in pieces:
        quiet = int(draw.uniform(0.0, _GAP) * 100) if draw.random() < 0.4 else 0
        hiss = (draw.standard_normal(quiet * net.HOP) * 10.0 ** draw.uniform(-5.0, -3.3)).astype(np.float32)
        parts.append((np.concatenate([hiss, piece[0]]), np.concatenate([np.zeros(quiet, np.int32), piece[1]])))
    copies = [
        [
            log_mel(samples)
            if copy == 0
            else log_mel(in_the_world(samples, draw, babble), int(draw.integers(len(WARPS))))
            for samples, _ in parts
        ]
        for copy in range(1 + _COPIES)
    ]
    mel = np.stack([np.concatenate(rows).astype(np.float16) for rows in copies])
    return Family(name, mel, np.concatenate([b for _, b in parts]).astype(np.int64), share)


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
    """Return a network trained on two cores for so many minutes of work: on a crowded machine it takes longer.

    start: a network to go on from; rate: of learning, at most, from where it falls as a cosine does
    """
    import torch  # pyright: ignore[reportMissingImports]
    from torch.nn import functional  # pyright: ignore[reportMissingImports]

    torch.set_num_threads(min(_THREADS, os.cpu_count() or 1))
    torch.manual_seed(seed)
    made = module() if start is None else start
    optimiser = torch.optim.AdamW(made.parameters(), rate, weight_decay=_DECAY)
    mean: dict[str, Any] = {}
    began, steps, averaged, done = time.thread_time(), 0, 0, 0.0
    said = 0.0
    batches = ahead(families, seed)
    while done < 1.0:
        done = (time.thread_time() - began) / (60.0 * minutes)
        falls = 0.5 * (1.0 + math.cos(math.pi * min(done, 1.0)))
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (steps + 1) / _WARM_UP) * falls + _LEAST
        inputs, label = next(batches)
        x, y = torch.from_numpy(inputs), torch.from_numpy(label)
        out = made(x).log_softmax(-1)
        wanted = functional.one_hot(y, net.CLASSES).float() * (1.0 - _SOFT) + _SOFT / net.CLASSES
        wanted = wanted[_SETTLE : LENGTH - DELAYS[-1]]
        taught = out[_SETTLE + DELAYS[-1] :, :, -1].detach().exp()
        taught[:, -TWINS:] = taught[:, :TWINS]  # who hears badly is taught by who hears everything
        part = _TAUGHT * min(1.0, done / 0.1)
        loss = torch.zeros(())
        for head, (delay, share) in enumerate(zip(DELAYS, _SHARE)):
            says = out[_SETTLE + delay : LENGTH - DELAYS[-1] + delay, :, head]
            apart = torch.full((BATCH,), part if head + 1 < len(DELAYS) else 0.0)
            apart[BATCH - TWINS :] = _TWICE * part
            aim = wanted + (taught - wanted) * apart[:, None]
            loss = loss - share * (aim * says).sum(-1).mean() / sum(_SHARE)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(made.parameters(), 1.0)
        optimiser.step()
        steps += 1
        if done > 0.3:  # the running mean of the weights is better than any of them
            averaged += 1
            for name, value in made.state_dict().items():
                mean[name] = value.clone() if name not in mean else mean[name].lerp(value, max(_MEAN, 1.0 / averaged))
        if done - said > 0.05:
            said = done
            report(f"{done:4.0%} {steps} steps, loss {float(loss.detach()):.3f}")
    made.load_state_dict(mean)
    return made.eval()
