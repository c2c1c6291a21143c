"""What a copy may be drawn to run: nothing, the rule, or a head with the rule after it. One thing is swapped."""

from __future__ import annotations

from dataclasses import replace

from ...components.capsules import CapsuleSet
from ...components.config import Config
from ...components.fence import Fence
from ...components.grading import Layer
from ...components.head import Head
from ...components.inbox import Event
from ...components.motion import Motion
from ...components.world import World

NONE, RULE = "none", "rule"


def layers(world: World, entity: int) -> tuple[Layer, ...]:
    """Return what a copy of a world may be drawn to run on an avatar; the second is the rule alone.

    A head is among them while she runs one, in shadow or live, that was trained for her body. Of what she shows already
    nothing is posted: settings taken anew have a rule that looks ahead begin a new path, a head asked for anew forgets.
    """
    config = world.config
    mixed = tuple(name for name in config.run.layers if name != "rule")
    bare = _turned_to(config, mixed)
    ruled = () if "rule" in config.run.layers else _turned_to(config, (*mixed, "rule"))
    fence = world.get(entity, Fence) if world.has(entity, Fence) else None
    if fence is None:
        return Layer(NONE, bare), Layer(RULE, ruled)
    off = Event("fence", entity, {"stage": "off", "head": None})
    out = (Layer(NONE, (*bare, off)), Layer(RULE, (*ruled, off)))
    if not _is_hers(world, entity, fence.head):
        return out
    live = () if fence.is_live else (*ruled, Event("fence", entity, {"stage": "live", "head": fence.head}))
    return (*out, Layer(f"head {fence.head.digest[:8]}", live))


def _turned_to(config: Config, mixed: tuple[str, ...]) -> tuple[Event, ...]:
    return (Event("config", data={"config": replace(config, run=replace(config.run, layers=mixed))}),)


def _is_hers(world: World, entity: int, head: Head) -> bool:
    rig, capsules = world.get(entity, Motion).rig, world.get(entity, CapsuleSet)
    return (head.avatar, head.capsules) == (rig.digest, capsules.digest)
