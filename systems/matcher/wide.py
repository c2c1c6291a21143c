"""A repertoire too large for the tick: held in half the room, searched for several avatars in one pass, off the tick.

Nothing here depends on who else asks, on slices or on time: what comes of a question is a function of the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...components.arrays import F64, I32, Bool
from ...components.corpus import Repertoire
from ..kernels import compact, prune
from ..kernels.rows import angle
from .near import MANY, Near, built, taken

LARGE = 100_000  # rows above which the slices of a tick would get longer than its own work (0.2 ms; choose.DISTANCE)
TOGETHER = 16  # questions of one pass at the most: their scratch of one block still fits the caches
NONE = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True)
class Question:
    """One search. here: (8, 4) f64 wxyz; envelope: (60,), timbre: (13,) f64; limit: rad; barred: repertoire rows."""

    here: F64
    envelope: F64
    timbre: F64
    has_timbre: bool
    limit: float
    barred: I32


@dataclass(frozen=True, slots=True)
class Found:
    """rows: (n,) i32 best first; ranks: (n, 3) i32; refused: legal rows turned down for their jump."""

    rows: I32
    ranks: I32
    refused: int


@dataclass(slots=True)
class Wide:
    """The rows to choose from, and the other legal ones, as compact.pack made them.

    listed: best rows to find; near: what rows a question is asked of, None: of all
    """

    choice: compact.Compact
    others: compact.Compact
    listed: int
    near: Near | None = None
    sample: compact.Compact = field(init=False)
    _held: prune.Kept | None = None
    _ranker: prune.Ranker = field(init=False)
    _work: compact.Scratch = field(default_factory=compact.scratch)

    def __post_init__(self) -> None:
        self.sample = prune.sampled(self.choice)
        self._ranker = prune.ranker(self.rows, self.listed)

    @property
    def rows(self) -> int:
        """Rows to choose from."""
        return len(self.choice[3])

    @property
    def legal(self) -> int:
        """Legal rows in all."""
        return self.rows + len(self.others[3])

    def best(self, questions: Sequence[Question]) -> list[Found]:
        """Return what comes of each question, at most TOGETHER of them, in one pass over the rows. For one thread."""
        if self.near is not None:
            return [self.best_near(question) for question in questions]
        count, row = len(questions), self.choice[3]
        asked = _asked(questions, row)
        if self._held is None or len(self._held[0]) < count:
            self._held = prune.kept(count, self.rows)
        out: list[Found | None] = [None] * count
        widen, left = 1.0, list(range(count))
        while left:
            some = _some(asked, left)
            held: Any = tuple(part[: len(left)] for part in self._held)
            held[2][:] = 0
            for k in range(len(left)):
                prune.limits(
                    self.sample, self.rows, some, k, self.listed, widen, self._work, self._ranker, held[3][k]
                )  # fmt: skip
            prune.sweep(self.choice, some, 0, len(self.choice[0]), self._work, held)
            again = []
            for k, q in enumerate(left):
                rows, ranks = np.zeros(self.listed, np.int32), np.zeros((self.listed, 3), np.int32)
                lists, candidate, counted, most = (part[k] for part in held)
                reached = int(counted[prune.REACHED])
                n = prune.first_of(self.choice, lists, candidate, counted, most, self._ranker, rows, ranks)
                if n < 0:
                    again.append(q)
                else:
                    out[q] = Found(
                        rows[:n], ranks[:n], self.rows - len(asked[6][q][asked[6][q] < compact.FAR]) - reached
                    )
            left, widen = again, 2.0 * widen
        return [found for found in out if found is not None]

    def best_near(self, question: Question) -> Found:
        """Return what comes of a question asked of the rows that faiss finds near."""
        assert self.near is not None
        some = taken(self.choice, self.near.rows(_asked([question], self.choice[3]), 0))
        return Wide(some, self.others, self.listed).best([question])[0]

    def nearest(self, here: F64) -> tuple[int, float]:
        """Return the legal row of the least jump and that jump in rad, (-1, inf) if there is none. For one thread."""
        stored = compact.quaternions(here).reshape(-1)
        found = [compact.nearest(rows, stored, self._work) for rows in (self.choice, self.others)]
        row, square = min(found, key=lambda one: (one[1], one[0]))
        return row, angle(square / compact.ONE**2) if row >= 0 else np.inf


def packed(repertoire: Repertoire, choice: Bool, others: Bool, listed: int, *, is_near: bool = False) -> Wide:
    """Return a repertoire ready for large searches; its arrays may lie in a file.

    is_near: of more than near.MANY rows only those that faiss finds near are ranked, where it is installed
    """
    arrays = repertoire.row_pose, repertoire.row_envelope, repertoire.row_timbre, repertoire.row_voiced
    made = Wide(compact.pack(*arrays, choice), compact.pack(*arrays, others), listed)
    made.near = built(made.choice) if is_near and made.rows > MANY else None
    return made


def _asked(questions: Sequence[Question], row: I32) -> compact.Questions:
    return compact.questions(
        np.array([q.here for q in questions]), np.array([q.envelope for q in questions]),
        np.array([q.timbre for q in questions]), np.array([q.has_timbre for q in questions]),
        np.array([q.limit for q in questions]), [_packed(row, q.barred) for q in questions],
    )  # fmt: skip


def _packed(row: I32, barred: I32) -> I32:
    """Return where some repertoire rows lie among the packed ones, ascending."""
    at = np.searchsorted(row, np.unique(barred))
    at = at[at < len(row)]
    return at[np.isin(row[at], barred)].astype(np.int32)


def _some(asked: compact.Questions, which: list[int]) -> compact.Questions:
    made: Any = tuple(part[which] for part in asked)
    return made
