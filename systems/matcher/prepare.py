"""A repertoire made ready to be searched, or refused with the numbers."""

from __future__ import annotations

import numpy as np

from ...components.config import Config
from ...components.corpus import Repertoire
from ...components.errors import CorpusError
from ...components.index import Index
from ..kernels import search
from .blend import ARMS

LISTED = 64  # best rows whose fades are tried; the first one passes nearly always
LEAST_ROWS = 60  # legal rows below which she would repeat herself every minute


def prepare(repertoire: Repertoire, config: Config) -> Index:
    """Return a repertoire ready to be searched. CorpusError with the numbers if too little of it is legal."""
    legal = repertoire.row_speed <= config.gates.speed_deg_s
    count = int(legal.sum())
    if count < LEAST_ROWS:
        raise CorpusError(
            f"corpus: {count} of {legal.shape[0]} rows stay under {config.gates.speed_deg_s:g} deg/s at "
            f"these gains, {LEAST_ROWS} are needed. Lower the arm gains, raise gates.speed_deg_s or add calmer clips"
        )
    packed = search.pack(
        repertoire.row_pose, repertoire.row_envelope, repertoire.row_timbre, repertoire.row_voiced, legal
    )
    arms = np.ascontiguousarray(repertoire.delta[:, ARMS])
    arms.flags.writeable = False
    return Index(
        packed, search.workspace(count, LISTED), legal, legal.copy(),
        np.zeros(LISTED, np.int32), np.zeros((LISTED, 3), np.int32), np.zeros(LISTED),
        arms, repertoire.gain[ARMS].copy(), np.zeros((3, len(ARMS), 4)), np.zeros((len(ARMS), 3)),
        config.gates.speed_deg_s,
    )  # fmt: skip
