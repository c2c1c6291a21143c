"""A repertoire made ready to be searched, or refused with the numbers."""

from __future__ import annotations

import numpy as np

from ...components.anatomy import Anatomy
from ...components.arrays import F64, Bool
from ...components.config import Config
from ...components.corpus import Repertoire
from ...components.errors import CorpusError
from ...components.index import Index
from ..kernels import search
from ..retarget.repertoire import ROW
from . import wide
from .blend import ARMS, bases

LISTED = 64  # best rows whose fades are tried; the first one passes nearly always
HANGS_DEG = 32.0  # of every arm joint from the base pose: hands below the hip still (seen on strips; choice)
_PIECE = 1 << 16  # rows looked at at once
LEAST_ROWS = 60  # legal rows below which she would repeat herself every minute


def prepare(repertoire: Repertoire, anatomy: Anatomy, config: Config, large: int = wide.LARGE) -> Index:
    """Return a repertoire ready to be searched. CorpusError with the numbers if too little of it is legal.

    large: legal rows above which it is held in half the room and searched on a thread, never in the tick
    """
    legal = repertoire.row_speed <= config.gates.speed_deg_s
    count = int(legal.sum())
    if count < LEAST_ROWS:
        raise CorpusError(
            f"corpus: {count} of {legal.shape[0]} rows stay under {config.gates.speed_deg_s:g} deg/s at "
            f"these gains, {LEAST_ROWS} are needed. Lower the arm gains, raise gates.speed_deg_s or add calmer clips"
        )
    base = bases(anatomy)
    choice = legal & ~_hanging(repertoire, legal, base)
    is_large = count > large
    none = np.zeros_like(legal)
    packed, others = (_packed(repertoire, none if is_large else rows) for rows in (choice, legal & ~choice))
    is_near = config.matcher.faiss
    packed_wide = wide.packed(repertoire, choice, legal & ~choice, LISTED, is_near=is_near) if is_large else None
    return Index(
        packed, others, search.workspace(0 if is_large else count, LISTED), legal, choice, legal.copy(),
        np.zeros(LISTED, np.int32), np.zeros((LISTED, 3), np.int32), np.zeros(LISTED),
        repertoire.arms, repertoire.gain[ARMS].copy(), base, np.zeros((3, len(ARMS), 4)), np.zeros((len(ARMS), 3)),
        config.gates.speed_deg_s, packed_wide,
    )  # fmt: skip


def _packed(repertoire: Repertoire, rows: Bool) -> search.Packed:
    return search.pack(
        repertoire.row_pose, repertoire.row_envelope, repertoire.row_timbre, repertoire.row_voiced, rows
    )  # fmt: skip


def _hanging(repertoire: Repertoire, legal: Bool, base: F64) -> Bool:
    """Return the rows at whose end both arms hang, (W,) bool.

    The starting pose ranks them best from where she stands, so she spoke whole short sentences with her arms down;
    while she speaks they are no choice. Where fewer than LEAST_ROWS others are legal, all stay one.
    """
    near = np.empty(len(legal), bool)
    for at in range(0, len(legal), _PIECE):  # at once it took a gigabyte of a large corpus
        pose = repertoire.row_pose[at : at + _PIECE].astype(np.float64)
        chord = np.abs(np.einsum("wjk,jk->wj", pose, base))
        near[at : at + _PIECE] = np.degrees(2.0 * np.arccos(np.minimum(chord, 1.0))).max(axis=1) < HANGS_DEG
    key = repertoire.row_clip.astype(np.int64) << 32 | repertoire.row_frame
    end = np.searchsorted(key, key + ROW)  # the row that begins where this one ends
    is_there = end < len(key)
    end = np.where(is_there, end, 0)
    is_there &= key[end] == key + ROW
    hangs = np.where(is_there, near[end], near)
    return hangs if int((legal & ~hangs).sum()) >= LEAST_ROWS else np.zeros_like(hangs)
