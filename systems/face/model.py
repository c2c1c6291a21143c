"""Lips and brows for a process of their own: blocks in, rows out, with the same bits as in a tick."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from ...components.arrays import F32
from ...components.brows import Brows, Heard
from ...components.draw import draws
from ...components.errors import FaceError
from ...components.lips import LipsNet
from ..kernels import net as kernel
from . import net as weights
from .brows import MODELS


class LipsRows:
    """Reads one voice an avatar, a block at a time. digest: of the weights."""

    def __init__(self, net: LipsNet) -> None:
        self.net, self.digest = net, net.digest
        self._work = np.zeros(kernel.WORK)
        self._streams: dict[int, tuple[int, np.ndarray, np.ndarray]] = {}

    def rows(self, avatar: int, first: int, block: F32) -> tuple[int, F32]:
        """Return the index of the first frame that is finished now, and (m, 15 H) f32 scores, each head's 15 in turn.

        block: (n,) or (n, 1) f32, samples at RATE from sample `first` on; 0, or a gap, begins a new voice
        """
        net = self.net
        samples = np.array(block, np.float32).ravel()
        read, stream, past = self._streams.get(avatar, (-1, np.zeros(0), np.zeros(0)))
        if first == 0 or first != read:
            stream = np.zeros(kernel.STREAM)
            past = np.zeros(kernel.memory(net.enter.shape[1], net.gate.shape[0]), np.float32)
        before = int(stream[-1])
        out = np.empty((kernel.room(len(samples)), len(net.left)), np.float32)
        done = kernel.scores(
            samples, stream, past, net.enter, net.entered, net.gate, net.gated, net.leave, net.left, out, self._work
        )
        self._streams[avatar] = (first + len(samples), stream, past)
        return before, out[:done]


def lips(path: str | Path | None = None) -> LipsRows:
    """Return the shipped network, or a file's, ready to answer; FaceError as `net.load`."""
    made = LipsRows(weights.load(path))
    made.rows(-1, 0, np.zeros(1600, np.float32))  # compiles: the first block of a voice is not to wait for that
    return made


class BrowRows:
    """Moves one pair of brows an avatar, a tick a row. digest: which model it is"""

    def __init__(self, name: str, seed: int) -> None:
        self.digest, self._seed, self._model = f"{name}, seed {seed}", seed, MODELS[name]
        self._brows: dict[int, Brows] = {}

    def rows(self, avatar: int, first: int, block: F32) -> tuple[int, F32]:
        """Return `first` and (n, 6) f32: the five targets in the order of BROWS, and whether they are eased to slowly.

        first: tick of the first row, 0 begins anew; block: (n, 6) f32, the fields of `Heard` in their order
        """
        if first == 0 or avatar not in self._brows:
            self._brows[avatar] = Brows()
        brows = self._brows[avatar]
        out = np.empty((len(block), 6), np.float32)
        for row, (speaking, loudness, accent, strength, begins, question) in enumerate(block.tolist()):
            heard = Heard(bool(speaking), loudness, accent, strength, bool(begins), question)
            tick = first + row
            self._model(heard, brows, tick, partial(draws, self._seed, avatar, "brows", tick))
            out[row, :5], out[row, 5] = brows.target, brows.slow
        return first, out


def brows(name: str = "rules", seed: int = 0) -> BrowRows:
    """Return one of the brow models, ready to answer; FaceError where there is none of that name."""
    if name not in MODELS:
        raise FaceError(f"there is no brow model '{name}'; there are {', '.join(MODELS)}")
    return BrowRows(name, seed)
