"""The fence goes on, into shadow, and off; a live stream ends it. Who may have a head is a type, not a question."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...components.contacts import Contacts
from ...components.fence import Asked, Fence, Proposer
from ...components.guard import Guard
from ...components.head import Head, load
from ...components.mode import Private, Public, audience
from ...components.motion import Motion
from ...components.outbox import Outbox
from ...components.world import World
from ..kernels import head as kernel
from .fall import fall, let_go
from .head import tables_of

SHIPPED = Path(__file__).parents[2] / "assets" / "fence" / "default.npz"  # for the shipped woman
IN_PUBLIC = "a public stream has no head"
NO_RULE = "fence: off, for the rule that would have to run after it is off"
NO_RULE_NOW = "the rule that would have to run after it is off"


def read(who: Private, weights: str | Path = "") -> Head:
    """Return a head's weights from their file, the shipped ones by default. FenceError with one line if it is none.

    who: her person; a public stream has no value of that type
    """
    return load(Path(weights) if str(weights) else SHIPPED)


def begin(world: World, entity: int) -> None:
    """Give a new avatar the head that her settings ask for. FenceError if its file is none."""
    settings, who = world.config.fence, audience(world.mode)
    if settings.stage != "off" and isinstance(who, Private):
        _start(who, world, entity, settings.stage, read(who, settings.weights))


def switch(world: World) -> None:
    """Do what was asked of the fences, and end all of them at the first tick of a public stream.

    Reads Asked, World.mode, Guard; writes Fence, Proposer, Contacts (what the rule holds), Outbox; drops Asked.
    """
    who = audience(world.mode)
    if isinstance(who, Public):
        for entity, fence in list(world.each(Fence)):
            if fence.is_live:
                fall(world, entity, fence, IN_PUBLIC)
            _end(world, entity)
        for entity, _ in list(world.each(Asked)):
            world.drop(entity, Asked)
        return
    for entity, asked in list(world.each(Asked)):
        world.drop(entity, Asked)
        _end(world, entity)
        if asked.stage != "off" and asked.head is not None:
            _start(who, world, entity, asked.stage, asked.head)


def _start(who: Private, world: World, entity: int, stage: str, head: Head) -> None:
    """Put a head onto an avatar. On another body than the one it was trained for it stays in shadow."""
    if not world.has(entity, Guard):
        world.get(entity, Outbox).degrade(world.tick, NO_RULE)
        return
    rig, capsules = world.get(entity, Motion).rig, world.get(entity, Guard).capsules
    window = np.zeros(max(round(world.config.fence.window_s / world.dt), 1), bool)
    fence = Fence(head, stage, np.zeros(kernel.STATE), window)
    if stage == "live":
        if head.avatar != rig.digest:
            fence.reason = f"trained for the avatar {head.avatar[:8]}, hers is {rig.digest[:8]}"
        elif head.capsules != capsules.digest:
            fence.reason = f"trained for the capsules {head.capsules[:8]}, hers are {capsules.digest[:8]}"
        elif "rule" not in world.config.run.layers:
            fence.reason = NO_RULE_NOW
        fence.is_live = not fence.reason
        if fence.reason:
            world.get(entity, Outbox).say(world.tick, "fell_back", part="fence", reason=fence.reason)
    world.put(entity, fence)
    world.put(entity, Proposer(tables_of(head, rig)))


def _end(world: World, entity: int) -> None:
    """Take an avatar's head away; what it holds of her arms goes over to the rule."""
    if world.has(entity, Fence):
        let_go(world.get(entity, Fence), world.get(entity, Contacts), world.dt, world.get(entity, Guard))
        world.drop(entity, Fence)
        world.drop(entity, Proposer)
