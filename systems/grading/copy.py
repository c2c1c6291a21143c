"""The invisible copy: a second world that lives through a sentence again with one thing swapped.

It is never drawn and never heard, and has its own preview, correction and inbox. A generator gives a tick at a time,
so a host spreads it over its frames.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from ...components.arrays import F64
from ...components.motion import Motion
from ...components.plan import Plan
from ...components.preview import Preview
from ...components.world import World
from ..figures import Recorder, Run
from ..schedule import TICK
from .capture import Capture

WRISTS = ("leftHand", "rightHand")


@dataclass(slots=True)
class Lived:
    """What a copy lived through, from the tick after the voice began.

    Fields:
        run:     as recorded; run.raw_rotation is the motion before any rule
        raw:     (T, 2, 3) f64 m, the wrists before any rule, avatar frame, NaN where she has none
        refused: candidates that the gates turned down meanwhile
        has_rule: whether the rule ran
    """

    run: Run
    raw: F64
    refused: int
    has_rule: bool


def live(world: World, capture: Capture) -> Generator[None, None, Callable[[], Lived]]:
    """Live through a sentence again on `world`, a copy of the capture's, one tick each time.

    What the copy is to do otherwise waits in its inbox already. Returns what gives what was seen: putting a minute
    together takes longer than a frame, so it may be called on another thread.
    """
    events, at = list(capture.events), 0
    plan, preview = world.get(capture.entity, Plan), world.get(capture.entity, Preview)
    before = sum(plan.refused.values())
    recorder = Recorder(world, capture.entity, raw=True)
    names = world.get(capture.entity, Motion).rig.names
    joints = [names.index(name) if name in names else -1 for name in WRISTS]
    raw: list[F64] = []
    while world.tick <= capture.last:
        while at < len(events) and events[at][0] <= world.tick:
            event = events[at][1]
            world.inbox.post(event.kind, event.avatar, **event.data)
            at += 1
        world.step(TICK)
        recorder.record(world)
        raw.append(preview.slots[0].position[joints])
        yield

    def lived() -> Lived:
        wrists = np.array(raw).reshape(-1, 2, 3)
        wrists[:, [joint < 0 for joint in joints]] = np.nan
        return Lived(recorder.run(), wrists, sum(plan.refused.values()) - before, "rule" in world.config.run.layers)

    return lived
