"""What looking ahead costs: a whole tick with so many ticks known beside one with none, and a change of what is known.

Ticks on which a plan changes what was looked at already make the slots anew: they are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...components.arrays import F64
from ...components.config import Config
from ...components.plan import NEVER, Plan
from ...components.speech import RATE
from ...components.world import System, World
from ...systems import collide, headless
from ...systems.avatar.handle import hear
from ...systems.schedule import TICK
from . import entry
from .repeat import noise, times

AHEAD = (0, 18, 6)  # ticks looked ahead; the first is what the others are held against
TICKS, RUNS, WARM = 6000, 8, 120  # 100 s of speech
TOLD, TELLS = 1200, 20  # ticks of a run in which she is told where to look, and from one time to the next
SEED, TOLD_SEED = 1, 2
ELSEWHERE = ((0.6, 1.5, 1.5), (-0.6, 1.5, 1.5), None)  # what she is told to look at, in turn: it changes all slots


def figures() -> list[dict[str, Any]]:
    """Return ahead.<ticks>.p50_us and .p99_us of the whole tick, .rule_us, .changed and .change_ms; and ahead.noise.

    Percentiles over ticks of the least time that each took in RUNS equal runs, of which those with other ticks ahead
    take turns. rule_us: the rule's part of the median tick; changed: share of ticks that remade what was known, left
    out of the percentiles; change_ms: the slowest whole tick on which she is told to look elsewhere while she speaks,
    so that all slots are made anew; noise: as tick.noise.
    """
    trials = {ahead: _Trial(ahead) for ahead in AHEAD}
    spoken = _least({ahead: trial.spoken for ahead, trial in trials.items()}, TICKS)
    told = _least({ahead: trial.told for ahead, trial in trials.items()}, TOLD)
    found, plain, plain_rule = [], 0.0, 0.0
    for ahead, (is_changed, taken) in spoken.items():
        whole, rule = taken.sum(axis=1)[~is_changed], float(np.median(taken[~is_changed, 1]))
        p50, p99 = (float(p) for p in np.percentile(whole, (50, 99)))
        plain, plain_rule = plain or p50, plain_rule or rule
        change, all_told = told[ahead]
        changed = all_told[change].sum(axis=1) * 1e-3
        found += [
            entry(f"ahead.{ahead}.p50_us", p50, "us", goal=130.0, reference=("0 ahead", plain)),
            entry(f"ahead.{ahead}.p99_us", p99, "us", goal=2.0 * p50),
            entry(f"ahead.{ahead}.rule_us", rule, "us", reference=("0 ahead", plain_rule)),
            entry(f"ahead.{ahead}.changed", 100.0 * float(is_changed.mean()), "% of ticks"),
            entry(
                f"ahead.{ahead}.change_ms", float(changed.max()), "ms", goal=5.0,
                reference=("p50", float(np.median(changed))),
            ),
        ]  # fmt: skip
    return [*found, entry("ahead.noise", noise(plain, TICKS), "x p99 over p50")]


def _least(begins: dict[int, Callable[[], World]], ticks: int) -> dict[int, tuple[NDArray[np.bool_], F64]]:
    """Return (ticks,) whether slots that were known were made anew, and (ticks, 3) us: before the rule, it, after."""
    least = {ahead: np.full((ticks, 3), np.inf) for ahead in begins}
    for _ in range(RUNS):
        for ahead, begin in begins.items():
            np.minimum(least[ahead], times(begin, PARTS, ticks, 1)[0, :, 1:], out=least[ahead])
    return {ahead: (_changes(begin(), ahead, ticks), least[ahead]) for ahead, begin in begins.items()}


def _changes(world: World, ahead: int, ticks: int) -> NDArray[np.bool_]:
    seen: list[bool] = []

    def mark(world: World) -> None:
        seen.append(NEVER != world.get(0, Plan).changed < world.tick + max(ahead, 1))

    at = next(k for k, system in enumerate(TICK) if isinstance(system, partial))  # plans are made before the preview
    marked: tuple[System, ...] = (tell, *TICK[:at], mark, *TICK[at:])
    for _ in range(ticks):
        world.step(marked)
    return np.array(seen)


def tell(world: World) -> None:
    """Tell her to look elsewhere now and then, in a world that asks for it."""
    if world.seed == TOLD_SEED and world.tick % TELLS == 0:
        world.inbox.post("look", 0, point=ELSEWHERE[world.tick // TELLS % len(ELSEWHERE)])


_RULE = TICK.index(collide.resolve)
PARTS: tuple[tuple[System, ...], ...] = ((tell,), TICK[:_RULE], (collide.resolve,), TICK[_RULE + 1 :])


class _Trial:
    """She speaks, with so many ticks known; in one of two worlds she is also told where to look."""

    def __init__(self, ahead: int) -> None:
        settings = Config.default()
        settings = replace(settings, run=replace(settings.run, lookahead=ahead))
        voice = hear(headless.HELLO, (), "")
        said = np.tile(voice.audio, 2 + TICKS // round(60.0 * voice.seconds))
        self.speech = hear((said, RATE), (), "")
        self.worlds = {seed: headless.world(seed=seed, config=settings) for seed in (SEED, TOLD_SEED)}

    def spoken(self) -> World:
        """Return her after some ticks."""
        return self._begin(SEED)

    def told(self) -> World:
        """Return her after some ticks, where she is told."""
        return self._begin(TOLD_SEED)

    def _begin(self, seed: int) -> World:
        world = self.worlds[seed].copy()
        world.inbox.post("say", 0, id=1, speech=self.speech, play=False)
        for _ in range(WARM):
            world.step(TICK)
        return world
