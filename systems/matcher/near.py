"""Rows that faiss finds near in all lists at once, to be ranked exactly among themselves: quicker, and not exact.

Only where the settings ask for it and more than MANY rows are a choice. Which rows it finds depends on its version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...components.arrays import F32, I32
from ..kernels import compact

MANY = 3_000_000  # rows up to which the exact search fits well into what a question has (0.1 s; bench search --full)
NEAR = (
    20_000  # rows looked for: the three lists are nearly independent, so the first in rank is seldom among the nearest
)
PROBED = 0.1  # share of the cells that is looked through
_A_CELL, _PIECE = 1024, 1 << 16  # rows of a cell as a rule; rows added at once

I64 = npt.NDArray[np.int64]


@dataclass(slots=True)
class Near:
    """faiss' index of the packed rows. weight: (105,) f32, what makes each list count alike."""

    index: Any
    cell: Any  # faiss does not keep it alive
    weight: F32

    def rows(self, asked: compact.Questions, q: int) -> I32:
        """Return the packed rows near one question, ascending."""
        here, sound, timbre = (np.asarray(part[q : q + 1]) for part in asked[:3])
        _, found = self.index.search(_side_by_side(here, sound, timbre) * self.weight, NEAR)
        return np.unique(found[found >= 0]).astype(np.int32)


def built(packed: compact.Compact) -> Near | None:
    """Return an index of packed rows, None where faiss is not installed. Takes minutes for millions."""
    try:
        import faiss  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    faiss.omp_set_num_threads(1)
    count = packed[3].size
    cells = max(count // _A_CELL, 1)
    some = _vectors(packed, np.unique(np.linspace(0, count - 1, min(count, 40 * cells)).astype(np.int64)))
    spread = some.std(axis=0)
    weight = np.empty(some.shape[1], np.float32)
    for first, last in ((0, 32), (32, 92), (92, 105)):  # pose, envelope, timbre
        weight[first:last] = 1.0 / max(float(np.sqrt((spread[first:last] ** 2).sum())), 1e-6)
    cell = faiss.IndexFlatL2(some.shape[1])
    index: Any = faiss.IndexIVFScalarQuantizer(cell, some.shape[1], cells, faiss.ScalarQuantizer.QT_8bit)
    index.train(some * weight)
    for at in range(0, count, _PIECE):
        index.add(_vectors(packed, np.arange(at, min(at + _PIECE, count))) * weight)
    index.nprobe = max(round(PROBED * cells), 1)
    return Near(index, cell, weight)


def taken(packed: compact.Compact, at: Sequence[int] | I32 | I64) -> compact.Compact:
    """Return some packed rows, packed alike."""
    features, sound, _, row, voiced = packed
    which = np.asarray(at, np.int64)
    blocks = -(-which.size // compact.BLOCK)
    some = np.zeros((blocks * compact.BLOCK, features.shape[1]), np.int16)
    heard = np.zeros((blocks * compact.BLOCK, sound.shape[1]), np.int16)
    some[: which.size] = features[which // compact.BLOCK, :, which % compact.BLOCK]
    heard[: which.size] = sound[which]
    some = np.ascontiguousarray(some.reshape(blocks, compact.BLOCK, -1).transpose(0, 2, 1))
    return some, heard, heard.view(np.int32), row[which], compact.padded(voiced[which])


def _vectors(packed: compact.Compact, at: I64) -> F32:
    features, sound, _, _, _ = packed
    some = features[at // compact.BLOCK, :, at % compact.BLOCK]
    return _side_by_side(some[:, :32], sound[at], some[:, 32:])


def _side_by_side(pose: npt.NDArray[Any], sound: npt.NDArray[Any], timbre: npt.NDArray[Any]) -> F32:
    """Return (n, 105) f32, the quaternions turned to w >= 0: both signs are one rotation."""
    turned = pose.reshape(-1, 8, 4).astype(np.float32)
    turned *= np.where(turned[..., :1] < 0.0, np.float32(-1.0), np.float32(1.0))
    return np.concatenate([turned.reshape(-1, 32), sound[:, :60], timbre], axis=1).astype(np.float32)
