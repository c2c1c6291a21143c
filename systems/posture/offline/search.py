"""The best pose of a hold: many starts, the best few improved by CMA-ES."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cmaes import CMA

from ....components.arrays import F32, F64
from ...kernels import holds
from .arms import Arms
from .maps import Maps, tees
from .recipe import Recipe, opened

STARTS, WIDE = 600, 1.2  # drawn around the recipe's start, so many spreads wide
BEST, ROUNDS, EACH, NARROW = 4, 240, 20, 0.5  # of them improved; rounds of so many poses, at half a spread


@dataclass(slots=True)
class Try:
    """A hold's cost on one body, with what its last call wrote: see kernels.holds.

    Fields:
        wrist, hand, swivel, girdle, links, joints, told: as in kernels.placing
        caps, gap: every capsule and every gap, allowances included; parts: (16,) of the cost
    """

    arms: Arms
    maps: Maps
    recipe: Recipe
    wrist: F64 = field(default_factory=lambda: np.zeros((2, 3)))
    hand: F64 = field(default_factory=lambda: np.tile(np.eye(3), (2, 1, 1)))
    swivel: F64 = field(default_factory=lambda: np.zeros(2))
    girdle: F64 = field(default_factory=lambda: np.zeros((2, 2)))
    links: F64 = field(default_factory=lambda: np.tile(np.eye(3), (2, 4, 1, 1)))
    joints: F64 = field(default_factory=lambda: np.zeros((2, 3, 3)))
    told: F64 = field(default_factory=lambda: np.zeros((2, 6)))
    parts: F64 = field(default_factory=lambda: np.zeros(holds.PARTS))
    caps: F32 = field(init=False)
    gap: F32 = field(init=False)
    allow: F32 = field(init=False)
    tees: F64 = field(default_factory=tees)

    def __post_init__(self) -> None:
        self.caps, self.gap = self.arms.caps.copy(), np.full_like(self.arms.allow, 1.0)
        self.open()

    def open(self) -> None:
        """Take the recipe's allowances."""
        self.allow = opened(self.arms, self.recipe.held)

    def cost(self, x: F64) -> float:
        """Return what these unknowns cost, and write the pose."""
        a, m, r = self.arms, self.maps, self.recipe
        cost = r.cost(
            np.ascontiguousarray(x), r.first, a.collar, a.hang, a.length, a.at, a.along, a.part, a.carried, a.trunk,
            a.caps, self.allow, a.bound, m.torso, m.limb, m.span, m.anchor, self.tees, r.aim, self.wrist, self.hand,
            self.swivel, self.girdle, self.links, self.joints, self.told, self.caps, self.gap, self.parts,
        )  # fmt: skip
        return float(cost)


def search(
    tried: Try, seed: int = 0, starts: int = STARTS, best: int = BEST, rounds: int = ROUNDS
) -> list[tuple[float, F64]]:
    """Return the best unknowns of each improved start with their cost, the best of all first."""
    random = np.random.default_rng(seed)
    r = tried.recipe
    drawn = r.start + WIDE * r.spread * random.standard_normal((starts, len(r.start)))
    drawn[0] = r.start
    cost = np.array([tried.cost(x) for x in drawn])
    found = [improved(tried, drawn[k], NARROW, rounds, seed + int(k)) for k in np.argsort(cost)[:best]]
    return sorted(found, key=lambda each: each[0])


def improved(tried: Try, start: F64, narrow: float, rounds: int, seed: int) -> tuple[float, F64]:
    """Return the cheapest unknowns near a start with their cost (Hansen's CMA-ES)."""
    spread = tried.recipe.spread
    optimiser = CMA(mean=np.zeros(len(start)), sigma=narrow, population_size=EACH, seed=seed)
    least, unknowns, stale = tried.cost(start), start.copy(), 0
    for _ in range(rounds):
        told = []
        before = least
        for _ in range(EACH):
            y = optimiser.ask()
            x = start + spread * y
            cost = tried.cost(x)
            told.append((y, cost if np.isfinite(cost) else 1e9))
            if cost < least:
                least, unknowns = cost, x
        optimiser.tell(told)
        stale = 0 if before - least > 1e-6 else stale + 1
        if stale >= 40 or optimiser.should_stop():
            break
    return least, unknowns
