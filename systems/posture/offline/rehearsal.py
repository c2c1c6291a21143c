"""A hold as the tick will show it and as the rule will see it, before anybody has asked for it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from ....components.arrays import F32, F64, I32, Bool
from ....components.capsules import FREE
from ....components.errors import PostureError
from ....components.holds import Hold
from ...collide.offline.figure import Figure
from ...collide.tables import ALLOW, BOUND, guard_of
from ...kernels import capsule, fk, gaps, holding, quat, rotvec
from ...retarget import neutral_frames, wrist_frames
from ..open import Opening, opening, shared
from ..reach import reach_of

# How her trunk turns while she stands, rad in her own axes, of hips, spine, chest and upper chest: main components of
# 480 s of the reflex at its usual settings. A weight shift ends where its row says, breath and lean at twice their sd.
TRUNK = ("hips", "spine", "chest", "upperChest")
MEAN = np.radians([[0.6, 0.0, 0.0], [1.28, 0.0, 0.0], [0.07, 0.0, 0.0], [-0.91, 0.0, 0.0]])
SHIFT = np.radians([[0.0, 2.5, 5.0], [0.0, -1.0, -2.7], [0.0, -0.8, -2.4], [0.0, -0.4, -1.2]])
BREATH = np.radians([[-0.1, 0.0, 0.0], [-1.26, 0.0, 0.0], [0.32, 0.0, 0.0], [1.24, 0.0, 0.0]])
LEAN = np.radians([[-0.78, 0.0, 0.0], [-0.32, 0.0, 0.0], [-0.56, 0.0, 0.0], [-0.26, 0.0, 0.0]])


RATE = 60.0  # frames a second of a way
MARGIN, SPARE = 0.002, 0.002  # m: [rule] margin_mm, and what the gestures of a fitted body add to SHIFT


@dataclass(frozen=True, slots=True)
class Shown:
    """What one tick shows. rotation: (J, 4) wxyz local; gap: (A, N) f32 m, every pair without a hold's allowances."""

    rotation: F64
    gap: F32


class Rehearsal:
    """One body that goes through holds on the kernels of the tick."""

    def __init__(self, figure: Figure) -> None:
        self.figure, rig = figure, figure.rig
        reach = reach_of(rig, figure.anatomy, neutral_frames(rig))
        if reach is None:
            raise PostureError(f"{figure.name}: no hold without both arms")
        self.reach = reach
        self.guard = guard_of(figure.capsules, rig, figure.anatomy, wrist_frames(rig))
        tables = self.guard.tables
        self.allow: F32 = tables[ALLOW]
        self.column: I32 = self.guard.column
        start, lefts = int(tables[BOUND][gaps.BODY]), int(tables[BOUND][gaps.LEFTS])
        rows, columns = np.indices(self.allow.shape)
        self.asked: Bool = (
            (self.allow < FREE)
            & (self.column[None] >= 0)
            & ((columns >= start) | ((rows < lefts) & (columns >= lefts)))
        )
        self.base: F64 = np.array(figure.capsules.base)
        self.root: F64 = figure.anatomy.base_root.copy()
        self.more: Opening = (
            np.zeros(0, np.int32),
            np.zeros(0, np.int32),
            np.zeros(0, np.float32),
            np.zeros((0, 2), np.int32),
        )

    def show(self, hold: Hold, frame: float, weight: float = 1.0, trunk: F64 | None = None) -> Shown:
        """Return her on one frame of a hold's way, its last one and beyond: in the hold.

        weight: 0..1 how much of it shows over her base pose; trunk: (4, 3) rad, turns of TRUNK in her own axes
        """
        rig, body, reach = self.figure.rig, self.figure.anatomy, self.reach
        rotation = self.base.copy()
        if trunk is not None:
            self._bend(rotation, trunk)
        place, turn = np.empty((len(rig.names), 3)), np.empty((len(rig.names), 4))
        fk.world(rig.parent, rig.rest_offset, self.root, rotation, place, turn)
        holding.pose(
            rig.parent, rig.rest_offset, rig.rest_rotation, body.twist, body.twist_axis, body.twist_share, reach.below,
            reach.collar, reach.hang, reach.length, reach.neutral, reach.turn, reach.place, reach.joint, reach.carrier,
            reach.finger, hold.wrist, hold.hand, hold.swivel, hold.girdle, hold.closed, hold.finger, hold.on, hold.at,
            hold.tie, hold.share, hold.links, hold.joints, hold.first, min(frame, len(hold.wrist) - 1.0), weight,
            rotation, place, turn,
        )  # fmt: skip
        tables = self.guard.tables
        capsule.place(tables[0], tables[1], place, turn, tables[4], tables[7])
        gap = np.full(self.allow.shape, 1.0, np.float32)
        gaps.fill(tables[7], self.allow, tables[BOUND], gap)
        gap[~self.asked] = 1.0
        return Shown(rotation, gap)

    def touching(self, hold: Hold) -> tuple[I32, F64]:
        """Return the capsules that come nearer in a hold than the rule lets them be, and by how much, m.

        As she breathes, leans and shifts her weight, or the rule would open every clasp at each shift.
        """
        least = np.min([self.show(hold, len(hold.wrist), trunk=trunk).gap for trunk in (None, *swayed())], axis=0)
        need = MARGIN + SPARE - least
        rows, columns = np.nonzero(self.asked & (need > 0.0))
        pairs = np.stack([self.column[rows], self.column[columns]], axis=1)
        return pairs.astype(np.int32).reshape(-1, 2), need[rows, columns].astype(np.float64)

    def take(self, hold: Hold) -> None:
        """Let `least` count what touches in this hold as the rule will."""
        self.more = opening(self.guard, hold)

    def least(self, gap: F32, closed: F64) -> float:
        """Return the least of the gaps, m, where the hands have come to rest so far. closed: (2,) 0..1."""
        if closed[0] <= 0.0 and closed[1] <= 0.0:
            return float(gap.min())
        eased = gap.copy()
        rows, columns, allowance, arms = self.more
        eased[rows, columns] += allowance * shared(arms, closed)
        return float(eased.min())

    def _bend(self, rotation: F64, trunk: F64) -> None:
        one, undo, back, turned = np.empty(3), np.empty(4), np.empty(4), np.empty(4)
        for name, by in zip(TRUNK, trunk, strict=True):
            j = self.figure.rig.humanoid.get(name, -1)
            if j < 0:
                continue
            quat.conj(self.reach.turn[j], undo)
            quat.rotate(undo, np.ascontiguousarray(by), one)
            rotvec.exp(one, back)
            quat.mul(rotation[j], back, turned)
            rotation[j] = turned


def swayed() -> list[F64]:
    """Return how her trunk is turned where breath, lean and weight shift end, each (4, 3) rad of TRUNK."""
    ends = itertools.product((-1.0, 0.0, 1.0), (-1.0, 1.0), (-1.0, 1.0))
    return [MEAN + shift * SHIFT + breath * BREATH + lean * LEAN for shift, breath, lean in ends]
