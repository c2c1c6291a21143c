"""Other gains move at other speeds: when the settings change, what may be picked is measured again."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np

from ...components.config import Config
from ...components.corpus import Repertoire
from ...components.errors import KinesicsError
from ...components.motion import Fit, Motion
from ...components.outbox import Outbox
from ...components.plan import Pick, Plan
from ...components.world import World
from .. import retarget
from .prepare import prepare


def fit_key(config: Config) -> tuple[float, ...]:
    """Return the settings that a repertoire and its index depend on: equal keys, equal repertoires."""
    return (*asdict(config.gains).values(), config.matcher.hop_s, config.gates.speed_deg_s, float(config.matcher.faiss))


def fit(motion: Motion, config: Config) -> Fit | None:
    """Return her repertoire at other settings, None where she has no corpus. 0.6 s for the shipped one.

    It reads what never changes and may run on any thread; `Motion.ready = fit(...)` spares the tick the work. Whether
    that was done changes no bit. KinesicsError where too little of the corpus stays under the gates.
    """
    if motion.corpus is None or motion.repertoire is None:
        return None
    key, repertoire = fit_key(config), motion.repertoire
    if key[:-2] != motion.fit[:-2]:  # the repertoire does not depend on the last two
        hop = config.matcher.hop_s
        repertoire = retarget.repertoire(motion.corpus, motion.rig, motion.anatomy, asdict(config.gains), hop)
    return Fit(key, repertoire, prepare(repertoire, motion.anatomy, config))


def refit(world: World) -> None:
    """Follow the settings: the repertoire of each avatar whose gains, hop or gate changed is taken anew.

    Reads World.config, Motion.ready; writes Motion.repertoire, Motion.gain, Index, Plan.picks, recent,
    asked, Outbox.
    """
    for _, motion in world.each(Motion):
        if motion.config is not world.config:
            break
    else:
        return  # taken before; building and comparing the key took 15 us of every tick
    key = fit_key(world.config)
    made: dict[tuple[str, str], Fit] = {}  # two of one file share it, as they did when they were spawned
    for entity, motion in world.each(Motion):
        if motion.corpus is None or motion.repertoire is None or key in (motion.fit, motion.refused):
            continue
        ready, motion.ready = motion.ready, None
        new = made.get(motion.source) or (ready if ready is not None and ready.key == key else None)
        if new is None:
            try:
                new = fit(motion, world.config)
            except KinesicsError as cause:
                world.get(entity, Outbox).degrade(world.tick, f"settings not taken by the corpus layer: {cause}")
        if new is None:
            motion.refused = key
            continue
        motion.fit, motion.refused = key, ()
        index = new.index.another() if motion.source in made else new.index
        made[motion.source] = new
        plan = world.get(entity, Plan)
        if len(new.repertoire.row_clip) != len(motion.repertoire.row_clip):
            plan.recent.clear()  # rows have other numbers now
            plan.picks[:] = [replace(pick, row=_row(pick, new.repertoire)) for pick in plan.picks]
        motion.repertoire = new.repertoire
        motion.gain[:] = new.repertoire.gain
        world.put(entity, index)
        plan.asked = None  # it was asked for other gains
        plan.touch(world.tick)


def _row(pick: Pick, repertoire: Repertoire) -> int:
    """Return the last row that starts at or before a pick's first frame, -1 for the base pose."""
    if pick.row < 0:
        return -1
    first, last = np.searchsorted(repertoire.row_clip, (pick.clip, pick.clip + 1))
    at = int(np.searchsorted(repertoire.row_frame[first:last], pick.frame, side="right")) - 1
    return int(first) + max(at, 0) if last > first else -1
