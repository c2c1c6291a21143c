"""A motion put through the rule tick by tick, without the layers that make motion."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinesics.components.arrays import F64
from kinesics.components.config import Config
from kinesics.components.contacts import Contacts
from kinesics.components.outbox import Outbox
from kinesics.components.pose import Pose
from kinesics.components.world import World
from kinesics.systems import collide, retarget
from kinesics.systems.collide.offline.figure import Figure
from kinesics.systems.kernels import fk


def settings(layers: tuple[str, ...] = ("rule",), **rule: Any) -> Config:
    """Return the shipped settings with some of [rule] changed."""
    config = Config.default()
    return dataclasses.replace(
        config, run=dataclasses.replace(config.run, layers=layers), rule=dataclasses.replace(config.rule, **rule)
    )


@dataclass
class Stage:
    """One avatar in a world in which nothing but the rule runs."""

    figure: Figure
    world: World
    entity: int

    @property
    def pose(self) -> Pose:
        return self.world.get(self.entity, Pose)

    @property
    def contacts(self) -> Contacts:
        return self.world.get(self.entity, Contacts)

    @property
    def outbox(self) -> Outbox:
        return self.world.get(self.entity, Outbox)

    def show(self, rotation: F64) -> None:
        """Set the pose that the motion layers would have made. rotation: (J, 4)."""
        rig, pose = self.figure.rig, self.pose
        pose.root[:] = self.figure.anatomy.base_root
        pose.rotation[:] = rotation
        fk.world(rig.parent, rig.rest_offset, pose.root, pose.rotation, pose.world_position, pose.world_rotation)

    def tick(self, rotation: F64) -> None:
        self.show(rotation)
        self.world.step((collide.resolve,))


def stage(figure: Figure, config: Config | None = None) -> Stage:
    """Return her before the first tick."""
    world = World(config=config if config is not None else settings())
    entity = world.spawn(Pose.of(len(figure.rig.names)), Outbox())
    frames = retarget.wrist_frames(figure.rig)
    collide.attach(world, entity, figure.capsules, figure.rig, figure.anatomy, frames)
    return Stage(figure, world, entity)


@dataclass
class Seen:
    """What a motion became.

    Fields:
        rotation: (F, J, 4); wrist, raw_wrist: (F, 2, 3) m; applied: (F, 18) rad
        depth_mm, raw_mm: (F,) as the rule tells; moved_mm: (F, 2)
    """

    rotation: F64
    wrist: F64
    raw_wrist: F64
    applied: F64
    depth_mm: F64
    raw_mm: F64
    moved_mm: F64
    stage: Stage

    @property
    def jerk(self) -> F64:
        """(F - 3, 2) mm/frame^3 that the rule adds to the wrists."""
        return np.linalg.norm(np.diff(self.wrist - self.raw_wrist, 3, axis=0), axis=2) * 1e3

    @property
    def moved_rms(self) -> float:
        """Mm, over both wrists and all frames."""
        return float(np.sqrt(((self.wrist - self.raw_wrist) ** 2).sum(axis=2).mean()) * 1e3)


def through(figure: Figure, rotation: F64, config: Config | None = None, place: Stage | None = None) -> Seen:
    """Return a motion (F, J, 4) after the rule."""
    made = place if place is not None else stage(figure, config)
    hands = [figure.joint(0, "Hand"), figure.joint(1, "Hand")]
    rows: dict[str, list[Any]] = {name: [] for name in Seen.__dataclass_fields__ if name != "stage"}
    for frame in rotation:
        made.show(frame)
        rows["raw_wrist"].append(made.pose.world_position[hands].copy())
        made.world.step((collide.resolve,))
        rows["wrist"].append(made.pose.world_position[hands].copy())
        rows["rotation"].append(made.pose.rotation.copy())
        rows["applied"].append(made.contacts.memory[0].copy())
        rows["depth_mm"].append(made.contacts.depth_mm)
        rows["raw_mm"].append(made.contacts.raw_mm)
        rows["moved_mm"].append(made.contacts.moved_mm.copy())
    return Seen(**{name: np.array(values) for name, values in rows.items()}, stage=made)
